// Long sums of products of rows, as in the gradient with respect to a weight, are read in place, some
// rows at a time. Few results: a step of the tile moves on by a row of each operand, 256 and 512
// bytes. More results: a step moves on by a row of a, 1 KB, and by 256 bytes of a micro-panel of b,
// which the same phase has packed.
// RUN: tenon-compile %s -s llvm --threads 1 --arch x86_64 --cpu znver5 | FileCheck %s

// CHECK: @tile_constants = {{.*}}[9 x i64] [i64 4, {{.*}}, i64 256, i64 512], align 8
// CHECK: call void @shared.micro_kernel.13x2.f32x16(ptr @tile_constants,
// CHECK: @tile_constants = {{.*}}[9 x i64] [i64 4, {{.*}}, i64 1024, i64 256], align 8
// CHECK: call void @shared.micro_kernel.6x4.f32x16(ptr @tile_constants,
func.func public @main(%a: tensor<4096x64xf32>, %b: tensor<4096x128xf32>,
                       %c: tensor<1024x256xf32>, %d: tensor<1024x256xf32>)
    -> (tensor<64x128xf32>, tensor<256x256xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0]
      : (tensor<4096x64xf32>, tensor<4096x128xf32>) -> tensor<64x128xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [0] x [0]
      : (tensor<1024x256xf32>, tensor<1024x256xf32>) -> tensor<256x256xf32>
  return %0, %1 : tensor<64x128xf32>, tensor<256x256xf32>
}
