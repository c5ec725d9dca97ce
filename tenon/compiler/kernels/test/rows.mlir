// RUN: tenon-compile %s -s program | FileCheck %s

// A kernel of rows computes both reductions of a row, and then its elements, while the row is in
// the cache. Costly values with two uses are stored in between.
//
// CHECK: tenon.launch @loop.0
// CHECK-NOT: tenon.launch
// CHECK: tenon.kernel @loop.0
// CHECK: tenon.parallel [64] grain
// CHECK: %[[L:.*]] = tenon.local : memref<64x128xf32, strided<[0, 1]>>
// CHECK: %[[M:.*]] = tenon.reduce [128]
// CHECK: stablehlo.maximum
// CHECK: tenon.map
// CHECK: %[[E:.*]] = stablehlo.exponential
// CHECK: tenon.store %[[E]], %[[L]]
// CHECK: %[[S:.*]] = tenon.reduce [128]
// CHECK-NOT: stablehlo.exponential
// CHECK: stablehlo.add
// CHECK: tenon.map
// CHECK-NOT: stablehlo.exponential
// CHECK: %[[V:.*]] = tenon.load %[[L]]
// CHECK: stablehlo.divide %[[V]], %[[S]]
// CHECK: tenon.store
// CHECK-NOT: tenon.kernel
func.func @main(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<64xf32>) -> tensor<64x128xf32>
  %d = stablehlo.subtract %x, %mb : tensor<64x128xf32>
  %e = stablehlo.exponential %d : tensor<64x128xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<64xf32>) -> tensor<64x128xf32>
  %r = stablehlo.divide %e, %sb : tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}
