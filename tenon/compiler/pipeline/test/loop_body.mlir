// The body of a short loop needs no calls and no copies. The code that reads an element and writes
// rows is inlined into the loop, the scan's result is written in place, and the constant is an
// immediate instead of an array. (The array is long and its elements move: otherwise the whole loop
// would be a kernel.)
// RUN: tenon-compile %s --stage=program | FileCheck %s --check-prefix=PROGRAM
// RUN: tenon-compile %s --stage=llvm | FileCheck %s

// PROGRAM-LABEL: tenon.program @main
// PROGRAM: %[[ROWS:arg[0-9]+]]: memref<1000x64xf32>)
// PROGRAM: tenon.while
// PROGRAM: tenon.launch @update_slice{{.*}}%[[ROWS]])
// PROGRAM: } -> tensor<i32>
// PROGRAM-NOT: tenon.copy

// CHECK-LABEL: define hidden i32 @tenon_entry
// CHECK: body:
// CHECK-NOT: call void @{{loop|update_slice}}
// CHECK: fmul {{.*}}<[[N:[0-9]+]] x float> {{.*}}, splat (float
// CHECK-NOT: call void @{{loop|update_slice}}
func.func public @main(%x: tensor<1000x64xf32>) -> tensor<1000x64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %count = stablehlo.constant dense<1000> : tensor<i32>
  %decay = stablehlo.constant dense<0.9> : tensor<1x64xf32>
  %rows = stablehlo.constant dense<0.0> : tensor<1000x64xf32>
  %start = stablehlo.constant dense<0.0> : tensor<1x64xf32>
  %0:3 = stablehlo.while(%i = %zero, %c = %start, %out = %rows)
      : tensor<i32>, tensor<1x64xf32>, tensor<1000x64xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 64]
        : (tensor<1000x64xf32>, tensor<i32>, tensor<i32>) -> tensor<1x64xf32>
    %turned = stablehlo.reverse %c, dims = [1] : tensor<1x64xf32>
    %2 = stablehlo.multiply %turned, %decay : tensor<1x64xf32>
    %3 = stablehlo.maximum %2, %row : tensor<1x64xf32>
    %4 = stablehlo.dynamic_update_slice %out, %3, %i, %zero
        : (tensor<1000x64xf32>, tensor<1x64xf32>, tensor<i32>, tensor<i32>)
        -> tensor<1000x64xf32>
    %5 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %5, %3, %4 : tensor<i32>, tensor<1x64xf32>, tensor<1000x64xf32>
  }
  return %0#2 : tensor<1000x64xf32>
}
