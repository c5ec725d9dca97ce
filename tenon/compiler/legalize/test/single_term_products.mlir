// RUN: tenon-compile %s -s legalize | FileCheck %s

// Products whose sums have one term are elementwise. Sums start from +0, as those of other
// products.

// CHECK-LABEL: func.func {{.*}}@main(
// CHECK-NOT: dot_general
// CHECK: %[[V:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [0] : {{.*}} -> tensor<50x3xf32>
// CHECK: %[[P:.*]] = stablehlo.multiply %{{.*}}, %[[V]]
// CHECK: stablehlo.add %[[P]], %{{.*}} : tensor<50x3xf32>
//
// Of the result's dimensions the batch is first, then come those of the left operand.
// CHECK: stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : {{.*}} -> tensor<50x3x7xf32>
// CHECK: stablehlo.broadcast_in_dim %arg2, dims = [2, 0] : {{.*}} -> tensor<50x3x7xf32>
//
// bf16 with a result of f32 is exact; f32 is rounded to bf16 once; no zero for integers.
// CHECK: stablehlo.multiply {{.*}} : tensor<4x5xf32>
// CHECK: %[[WIDE:.*]] = stablehlo.multiply {{.*}} : tensor<50x3xf32>
// CHECK: %[[SUM:.*]] = stablehlo.add %[[WIDE]]
// CHECK: stablehlo.convert %[[SUM]] : {{.*}} -> tensor<50x3xbf16>
// CHECK: stablehlo.convert {{.*}} : (tensor<6xi8>) -> tensor<6xi32>
// CHECK: %[[I:.*]] = stablehlo.multiply {{.*}} : tensor<6x6xi32>
//
// Not: two terms.
// CHECK: dot_general
// CHECK-NOT: dot_general
// CHECK: return {{.*}}%[[I]]
func.func @main(%x: tensor<50x3xf32>, %v: tensor<50xf32>, %y: tensor<7x50xf32>,
                %column: tensor<4x1xbf16>, %row: tensor<1x5xbf16>, %i: tensor<6xi8>,
                %two: tensor<2x5xf32>)
    -> (tensor<50x3xf32>, tensor<50x3x7xf32>, tensor<4x5xf32>, tensor<50x3xbf16>, tensor<6x6xi32>,
        tensor<5x5xf32>) {
  %0 = stablehlo.dot_general %x, %v, batching_dims = [0] x [0], contracting_dims = [] x [] : (tensor<50x3xf32>, tensor<50xf32>) -> tensor<50x3xf32>
  %1 = stablehlo.dot_general %x, %y, batching_dims = [0] x [1], contracting_dims = [] x [] : (tensor<50x3xf32>, tensor<7x50xf32>) -> tensor<50x3x7xf32>
  %2 = stablehlo.dot_general %column, %row, contracting_dims = [1] x [0] : (tensor<4x1xbf16>, tensor<1x5xbf16>) -> tensor<4x5xf32>
  %3 = stablehlo.dot_general %x, %v, batching_dims = [0] x [0], contracting_dims = [] x [] : (tensor<50x3xf32>, tensor<50xf32>) -> tensor<50x3xbf16>
  %4 = stablehlo.dot_general %i, %i, contracting_dims = [] x [] : (tensor<6xi8>, tensor<6xi8>) -> tensor<6x6xi32>
  %5 = stablehlo.dot_general %two, %two, contracting_dims = [0] x [0] : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<5x5xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<50x3xf32>, tensor<50x3x7xf32>, tensor<4x5xf32>, tensor<50x3xbf16>, tensor<6x6xi32>, tensor<5x5xf32>
}
