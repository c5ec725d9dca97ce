// A convolution (2,1,9,9)*(1,1,4,4) and the relu after it are one kernel. The maximum is applied to
// the accumulators before the only store.
// RUN: tenon-compile %s --stage=program | FileCheck %s
// RUN: tenon-compile %s --stage=llvm | FileCheck %s --check-prefix=LLVM
// RUN: tenon-compile %s --stage=llvm | FileCheck %s --check-prefix=FMA

// CHECK-LABEL: tenon.program @main
// CHECK-COUNT-1: tenon.launch
// CHECK-NOT: tenon.launch
// CHECK: tenon.kernel
// CHECK: tenon.convolution
// CHECK: stablehlo.maximum
// CHECK: tenon.store
// CHECK-NOT: tenon.kernel

// FMA: llvm.fma
// LLVM: define hidden i32 @tenon_entry
// LLVM-COUNT-1: call void @convolution
// LLVM-NOT: call void
// LLVM: ret i32 0
func.func public @main(%x: tensor<2x1x9x9xf32>, %w: tensor<1x1x4x4xf32>)
    -> tensor<2x1x6x6xf32> {
  %0 = stablehlo.convolution(%x, %w)
      dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<2x1x9x9xf32>, tensor<1x1x4x4xf32>) -> tensor<2x1x6x6xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<2x1x6x6xf32>
  %1 = stablehlo.maximum %0, %zero : tensor<2x1x6x6xf32>
  return %1 : tensor<2x1x6x6xf32>
}
