// How products read their operands. Tall: a is read once. While one micro-panel of its rows is
// multiplied, the next one is prefetched, for all columns at once. Square: rows of a that are 4 KB
// apart are read in place, in tiles with at most as many rows as a cache set has ways; only b is
// packed. One row: short columns of b, which are read from memory once, are prefetched a tile ahead
// (four columns of 1,536 bytes).
// RUN: tenon-compile %s -s llvm --threads 1 --arch x86_64 --cpu znver5 | FileCheck %s

// CHECK-LABEL: define internal void @tile.contract.0.
// CHECK: phi <16 x float>
// CHECK: call void @llvm.prefetch
// CHECK-COUNT-24: call <16 x float> @llvm.fma
// CHECK-NOT: @llvm.fma
// CHECK: ret void
// CHECK: @tile_constants = {{.*}}[9 x i64] [i64 4096, {{.*}}, i64 4, i64 256], align 8
// CHECK-LABEL: define internal void @contract.1.phase0.1(
// CHECK: call void @shared.micro_kernel.6x4.f32x16(ptr @tile_constants,
// CHECK-LABEL: define internal void @shared.micro_kernel.6x4.f32x16(
// CHECK: phi <16 x float>
// CHECK-COUNT-24: call <16 x float> @llvm.fma
// CHECK-NOT: {{@llvm.fma|@llvm.prefetch}}
// CHECK: ret void
// CHECK-LABEL: define internal void @dot.contract.2.
// CHECK: getelementptr i8, ptr %{{.*}}, i64 6144
// CHECK-NEXT: call void @llvm.prefetch
// CHECK: ret void
func.func public @main(%a: tensor<65536x64xf32>, %b: tensor<64x64xf32>,
                       %c: tensor<1024x1024xf32>, %d: tensor<1024x1024xf32>,
                       %e: tensor<50257x768xbf16>, %f: tensor<768xbf16>)
    -> (tensor<65536x64xf32>, tensor<1024x1024xf32>, tensor<50257xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<65536x64xf32>, tensor<64x64xf32>) -> tensor<65536x64xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0]
      : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %2 = stablehlo.dot_general %e, %f, contracting_dims = [1] x [0]
      : (tensor<50257x768xbf16>, tensor<768xbf16>) -> tensor<50257xf32>
  return %0, %1, %2 : tensor<65536x64xf32>, tensor<1024x1024xf32>, tensor<50257xf32>
}
