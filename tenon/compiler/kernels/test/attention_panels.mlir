// With 16 registers, keys and values that are large for the second-level cache are copied to
// panels as wide as a register tile, 16 columns here. The last panel of 1,500 keys begins at column
// 1,484, in the panel before. Of 56 columns of values the last 8 are a panel of their own, because the
// epilogue may read what it overwrites. Blocks have a multiple of 6 rows.
// RUN: tenon-compile %s --stage=program --arch=x86_64 --cpu=znver3 | FileCheck %s
// RUN: tenon-compile %s --stage=program --arch=x86_64 --cpu=znver4 | FileCheck %s --check-prefix=WIDE

// CHECK: tenon.kernel @attention.0
// CHECK: tenon.parallel [8, 94, 1, 1]
// CHECK: 1484
// CHECK: tenon.tile [64, 16]
// CHECK: memref<94x64x16xf32
// CHECK: tenon.parallel [8, 3, 1500]
// CHECK: memref<3x1500x16xf32
// CHECK: tenon.parallel [8, 1, 1500]
// CHECK: memref<1x1500x8xf32
// CHECK: tenon.parallel [8, 20]
// CHECK: to memref<94x64x16xf32
// CHECK: to memref<94x30x64xf32, strided<[0, 64, 1]>>
// CHECK: tenon.contract
// CHECK: stablehlo.exponential
// CHECK: to memref<3x1500x16xf32
// CHECK: to memref<3x30x1500xf32, strided<[0, 1504, 1]>>
// CHECK: tenon.contract
// CHECK: to memref<1x1500x8xf32
// CHECK: tenon.contract
// CHECK-NOT: tenon.contract

// WIDE: tenon.tile [64, 1500]
// WIDE: to memref<1x64x1500xf32
func.func public @main(%q: tensor<8x600x64xf32>, %k: tensor<8x1500x64xf32>,
                       %v: tensor<8x1500x56xf32>) -> tensor<8x600x56xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x600x64xf32>, tensor<8x1500x64xf32>) -> tensor<8x600x1500xf32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<8x600x1500xf32>, tensor<f32>) -> tensor<8x600xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<8x600xf32>) -> tensor<8x600x1500xf32>
  %d = stablehlo.subtract %s, %mb : tensor<8x600x1500xf32>
  %e = stablehlo.exponential %d : tensor<8x600x1500xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<8x600x1500xf32>, tensor<f32>) -> tensor<8x600xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0, 1] : (tensor<8x600xf32>) -> tensor<8x600x1500xf32>
  %w = stablehlo.divide %e, %tb : tensor<8x600x1500xf32>
  %o = stablehlo.dot_general %w, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x600x1500xf32>, tensor<8x1500x56xf32>) -> tensor<8x600x56xf32>
  return %o : tensor<8x600x56xf32>
}
