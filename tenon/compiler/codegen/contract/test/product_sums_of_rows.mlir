// Long sums of products of rows, as in the gradient with respect to a weight, are read in place, some
// rows at a time. Few results: a step of the tile moves on by a row of each operand, 256 and 512
// bytes. More results: a step moves on by a row of a, 1 KB, and by 256 bytes of a micro-panel of b,
// which the same phase has packed.
// RUN: tenon-compile %s -s llvm --threads 1 --arch x86_64 --cpu znver5 | FileCheck %s

// CHECK-LABEL: define internal void @tile.contract.0.phase0.
// CHECK-COUNT-26: call <16 x float> @llvm.fma
// CHECK-NEXT: getelementptr i8, ptr %{{.*}}, i64 256
// CHECK-NEXT: getelementptr i8, ptr %{{.*}}, i64 512
// CHECK: ret void
// CHECK-LABEL: define internal void @tile.contract.1.phase0.
// CHECK-COUNT-24: call <16 x float> @llvm.fma
// CHECK-NEXT: getelementptr i8, ptr %{{.*}}, i64 1024
// CHECK-NEXT: getelementptr i8, ptr %{{.*}}, i64 256
// CHECK: ret void
func.func public @main(%a: tensor<4096x64xf32>, %b: tensor<4096x128xf32>,
                       %c: tensor<1024x256xf32>, %d: tensor<1024x256xf32>)
    -> (tensor<64x128xf32>, tensor<256x256xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0]
      : (tensor<4096x64xf32>, tensor<4096x128xf32>) -> tensor<64x128xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [0] x [0]
      : (tensor<1024x256xf32>, tensor<1024x256xf32>) -> tensor<256x256xf32>
  return %0, %1 : tensor<64x128xf32>, tensor<256x256xf32>
}
