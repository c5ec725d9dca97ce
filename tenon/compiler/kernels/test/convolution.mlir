// RUN: tenon-compile %s -s program | FileCheck %s
// RUN: tenon-compile %s -s program | tenon-opt | FileCheck %s

// A convolution is one kernel. Its epilogue applies the ops that follow to each value before it is
// stored.
//
// CHECK: tenon.launch @convolution.0(
// CHECK-NOT: tenon.launch
// CHECK: tenon.kernel @convolution.0
// CHECK: tenon.convolution %{{.*}}, %{{.*}} scratch %{{.*}} accumulate f32 {
// CHECK-NEXT: ^bb0(%[[B:.*]]: index, %[[Y:.*]]: index, %[[X:.*]]: index, %[[F:.*]]: index, %[[V:.*]]: tensor<f32>):
// CHECK: %[[R:.*]] = stablehlo.maximum %[[V]],
// CHECK-NEXT: tenon.store %[[R]], %{{.*}}[%[[B]], %[[Y]], %[[X]], %[[F]]]
// CHECK: padding_high = array<i64: 1, 1>, padding_low = array<i64: 1, 1>
// CHECK-NOT: tenon.kernel
func.func @main(%x: tensor<1x16x16x8xf32>, %k: tensor<3x3x8x4xf32>)
    -> tensor<1x16x16x4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<1x16x16x4xf32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x16x16x8xf32>, tensor<3x3x8x4xf32>) -> tensor<1x16x16x4xf32>
  %1 = stablehlo.maximum %0, %zero : tensor<1x16x16x4xf32>
  return %1 : tensor<1x16x16x4xf32>
}
