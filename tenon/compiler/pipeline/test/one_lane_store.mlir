// The last element of 97 bytes is stored by itself: LLVM 22 would write four bytes.
// RUN: tenon-compile %s -s llvm --arch x86_64 --cpu znver4 | FileCheck %s
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu znver4 | FileCheck %s --check-prefix=ASM

// CHECK-NOT: call void @llvm.masked.store
// CHECK: store i8
// ASM-NOT: vmovd %xmm{{[0-9]+}}, 96(
func.func public @main(%x: tensor<5x97xf8E4M3FN>, %y: tensor<5x97xf8E4M3FN>,
                       %i: tensor<i32>) -> tensor<8x97xf8E4M3FN> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %fill = stablehlo.constant dense<1.0> : tensor<f8E4M3FN>
  %all = stablehlo.broadcast_in_dim %fill, dims = []
      : (tensor<f8E4M3FN>) -> tensor<8x97xf8E4M3FN>
  %min = stablehlo.minimum %x, %y : tensor<5x97xf8E4M3FN>
  %0 = stablehlo.dynamic_update_slice %all, %min, %i, %zero
      : (tensor<8x97xf8E4M3FN>, tensor<5x97xf8E4M3FN>, tensor<i32>, tensor<i32>)
      -> tensor<8x97xf8E4M3FN>
  return %0 : tensor<8x97xf8E4M3FN>
}
