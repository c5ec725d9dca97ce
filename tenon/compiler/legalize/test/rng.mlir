// RUN: tenon-opt %s --tenon-legalize | FileCheck %s

// CHECK-LABEL: func.func @threefry(
func.func @threefry(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>) {
  // CHECK: stablehlo.iota dim = 0 : tensor<4x1xui64>
  // CHECK: stablehlo.concatenate {{.*}} -> tensor<4x2xui32>
  // CHECK-NOT: rng_bit_generator
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
  return %0#0, %0#1 : tensor<2xui64>, tensor<8xui32>
}

// Blocks of four words; the last block is used in part.
// CHECK-LABEL: func.func @philox(
func.func @philox(%s: tensor<3xui64>) -> (tensor<3xui64>, tensor<7xui32>) {
  // CHECK: stablehlo.iota dim = 0 : tensor<2xui64>
  // CHECK: stablehlo.concatenate {{.*}} -> tensor<4x2xui32>
  // CHECK: stablehlo.slice {{.*}} -> tensor<7xui32>
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<7xui32>)
  return %0#0, %0#1 : tensor<3xui64>, tensor<7xui32>
}

// Two draws of one program give different numbers.
// CHECK-LABEL: func.func @rng(
func.func @rng(%a: tensor<f32>, %b: tensor<f32>) -> (tensor<7xf32>, tensor<7xf32>) {
  // CHECK-DAG: dense<6840227781045911552> : tensor<ui64>
  // CHECK-DAG: dense<6840227781045911553> : tensor<ui64>
  // CHECK-DAG: stablehlo.cosine
  %shape = stablehlo.constant dense<7> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<7xf32>
  %1 = stablehlo.rng %a, %b, %shape, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<7xf32>
  return %0, %1 : tensor<7xf32>, tensor<7xf32>
}
