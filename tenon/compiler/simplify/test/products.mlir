// RUN: tenon-compile %s -s simplify | FileCheck %s

// The transpose of a product is the product with its factors exchanged,
// CHECK-LABEL: func.func {{.*}}@main(
// CHECK-SAME: %[[X:.*]]: tensor<4x8x16xf32>, %[[Y:.*]]: tensor<4x8x32xf32>, %[[Z:.*]]: tensor<8x8xf32>)
// CHECK-DAG: %[[T:.*]] = stablehlo.dot_general %[[X]], %[[Y]], batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [HIGH, DEFAULT] : {{.*}} -> tensor<4x16x32xf32>
// ... unless the product has other uses, or the permutation is a different one.
// CHECK-DAG: %[[S:.*]] = stablehlo.dot_general %[[Z]], %[[Z]]
// CHECK-DAG: %[[U:.*]] = stablehlo.transpose %[[S]]
// CHECK-DAG: %[[P:.*]] = stablehlo.dot_general %[[X]], %[[Y]], {{.*}} -> tensor<4x16x32xf32>
// CHECK-DAG: %[[V:.*]] = stablehlo.transpose %[[P]], dims = [1, 0, 2]
func.func @main(%x: tensor<4x8x16xf32>, %y: tensor<4x8x32xf32>, %z: tensor<8x8xf32>)
    -> (tensor<4x16x32xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x4x32xf32>) {
  %0 = stablehlo.dot_general %y, %x, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, HIGH] : (tensor<4x8x32xf32>, tensor<4x8x16xf32>) -> tensor<4x32x16xf32>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<4x32x16xf32>) -> tensor<4x16x32xf32>
  %2 = stablehlo.dot_general %z, %z, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<4x8x16xf32>, tensor<4x8x32xf32>) -> tensor<4x16x32xf32>
  %5 = stablehlo.transpose %4, dims = [1, 0, 2] : (tensor<4x16x32xf32>) -> tensor<16x4x32xf32>
  return %1, %2, %3, %5 : tensor<4x16x32xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x4x32xf32>
}
