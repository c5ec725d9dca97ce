// RUN: tenon-opt %s -pass-pipeline='builtin.module(func.func(tenon-legalize))' | FileCheck %s

// CHECK-LABEL: func.func @inference(
// CHECK-SAME: %[[X:.*]]: tensor<8x16xf32>, %[[SCALE:.*]]: tensor<16xf32>, %[[OFFSET:.*]]: tensor<16xf32>, %[[MEAN:.*]]: tensor<16xf32>, %[[VARIANCE:.*]]: tensor<16xf32>
// CHECK: %[[EPSILON:.*]] = stablehlo.constant dense<1.000000e-03>
// CHECK: stablehlo.add %[[VARIANCE]], %[[EPSILON]]
// CHECK: stablehlo.broadcast_in_dim %[[MEAN]], dims = [1]
// CHECK: stablehlo.subtract %[[X]],
// CHECK: stablehlo.broadcast_in_dim %[[SCALE]], dims = [1]
// CHECK: stablehlo.broadcast_in_dim %[[OFFSET]], dims = [1]
// CHECK-NOT: batch_norm
// CHECK: return
func.func @inference(%x: tensor<8x16xf32>, %s: tensor<16xf32>, %o: tensor<16xf32>,
                     %m: tensor<16xf32>, %v: tensor<16xf32>) -> tensor<8x16xf32> {
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<8x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @training(
// CHECK-COUNT-2: applies stablehlo.add across dimensions = [0]
// CHECK-NOT: batch_norm
// CHECK: return
func.func @training(%x: tensor<8x16xf32>, %s: tensor<16xf32>, %o: tensor<16xf32>)
    -> (tensor<8x16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<8x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<8x16xf32>, tensor<16xf32>, tensor<16xf32>)
  return %0#0, %0#1, %0#2 : tensor<8x16xf32>, tensor<16xf32>, tensor<16xf32>
}

// CHECK-LABEL: func.func @grad(
// CHECK-NOT: batch_norm
// CHECK: return
func.func @grad(%x: tensor<8x16xf32>, %s: tensor<16xf32>, %m: tensor<16xf32>,
                %v: tensor<16xf32>, %g: tensor<8x16xf32>)
    -> (tensor<8x16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<8x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<16xf32>, tensor<16xf32>)
  return %0#0, %0#1, %0#2 : tensor<8x16xf32>, tensor<16xf32>, tensor<16xf32>
}
