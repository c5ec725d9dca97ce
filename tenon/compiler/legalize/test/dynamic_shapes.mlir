// RUN: tenon-opt %s --tenon-legalize | FileCheck %s

// CHECK-LABEL: func.func @known_results(
func.func @known_results(%x: tensor<4xf32>, %s: tensor<2xi64>) -> (tensor<2x4xf32>, tensor<2x2xf32>, tensor<2x4xi32>) {
  // CHECK-DAG: stablehlo.broadcast_in_dim %{{.*}}, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  // CHECK-DAG: stablehlo.reshape %{{.*}} : (tensor<4xf32>) -> tensor<2x2xf32>
  // CHECK-DAG: stablehlo.iota dim = 1 : tensor<2x4xi32>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  %1 = stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  %2 = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> tensor<2x4xi32>
  return %0, %1, %2 : tensor<2x4xf32>, tensor<2x2xf32>, tensor<2x4xi32>
}

// CHECK-LABEL: func.func @slices(
func.func @slices(%x: tensor<8xf32>, %from: tensor<1xi64>, %to: tensor<1xi64>) -> (tensor<3xf32>, tensor<4xf32>) {
  // CHECK-DAG: stablehlo.slice %{{.*}} [1:7:2]
  // CHECK-DAG: stablehlo.dynamic_slice %{{.*}}, %{{.*}}, sizes = [4]
  %one = stablehlo.constant dense<1> : tensor<1xi64>
  %two = stablehlo.constant dense<2> : tensor<1xi64>
  %seven = stablehlo.constant dense<7> : tensor<1xi64>
  %0 = stablehlo.real_dynamic_slice %x, %one, %seven, %two : (tensor<8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xf32>
  %1 = stablehlo.real_dynamic_slice %x, %from, %to, %one : (tensor<8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32>
  return %0, %1 : tensor<3xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @pad(
func.func @pad(%x: tensor<4xf32>, %v: tensor<f32>) -> tensor<10xf32> {
  // CHECK: stablehlo.pad %{{.*}}, %{{.*}}, low = [1], high = [2], interior = [1]
  %one = stablehlo.constant dense<1> : tensor<1xi64>
  %two = stablehlo.constant dense<2> : tensor<1xi64>
  %0 = stablehlo.dynamic_pad %x, %v, %one, %two, %one : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}
