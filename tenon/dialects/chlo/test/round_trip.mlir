// RUN: tenon-opt %s | tenon-opt | FileCheck %s
// RUN: tenon-opt %s --mlir-print-op-generic | tenon-opt | FileCheck %s

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // CHECK: chlo.erf %{{.*}} : tensor<4xf32> -> tensor<4xf32>
  %0 = chlo.erf %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: chlo.lgamma %{{.*}} : tensor<4xf32> -> tensor<4xf32>
  %1 = "chlo.lgamma"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: chlo.is_inf %{{.*}} : tensor<4xf32> -> tensor<4xi1>
  %2 = chlo.is_inf %x : tensor<4xf32> -> tensor<4xi1>
  // CHECK: chlo.zeta %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %3 = chlo.zeta %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  // CHECK: chlo.mulhi %{{.*}}, %{{.*}} : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %4 = chlo.mulhi %i, %i : tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @broadcasts
func.func @broadcasts(%x: tensor<3x1xf32>, %y: tensor<4xf32>, %p: tensor<i1>) {
  // CHECK: chlo.broadcast_add {{.*}} : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %0 = chlo.broadcast_add %x, %y : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  // CHECK: chlo.broadcast_compare {{.*}}comparison_direction = #chlo<comparison_direction LT>
  %1 = chlo.broadcast_compare %x, %y {broadcast_dimensions = array<i64: 1>, compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xi1>
  // CHECK: chlo.broadcast_select
  %2 = chlo.broadcast_select %p, %x, %y : (tensor<i1>, tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func.func @others
func.func @others(%x: tensor<3x4xf32>, %r: tensor<2x4x5xf32>, %s: tensor<2xi64>, %c: tensor<3xf32>) {
  // CHECK: chlo.constant dense<1> : tensor<2xi32>
  %0 = chlo.constant dense<1> : tensor<2xi32>
  // CHECK: chlo.constant_like
  %1 = "chlo.constant_like"(%x) {value = 2.5 : f32} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  // CHECK: #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>
  %2 = "chlo.ragged_dot"(%x, %r, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_ragged_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], rhs_group_dimensions = [0]>} : (tensor<3x4xf32>, tensor<2x4x5xf32>, tensor<2xi64>) -> tensor<3x5xf32>
  // CHECK: chlo.top_k(%{{.*}}, k = 2) : tensor<3x4xf32> -> (tensor<3x2xf32>, tensor<3x2xi32>)
  %3:2 = chlo.top_k(%x, k = 2) : tensor<3x4xf32> -> (tensor<3x2xf32>, tensor<3x2xi32>)
  // CHECK: chlo.scan(%{{.*}}) inits (%{{.*}}) dimension=1 attributes {is_reverse = true}
  %4:2 = chlo.scan(%x) inits(%c) dimension=1 attributes {is_reverse = true} {
  ^bb0(%input: tensor<3xf32>, %carry: tensor<3xf32>):
    %sum = stablehlo.add %input, %carry : tensor<3xf32>
    stablehlo.return %sum, %sum : tensor<3xf32>, tensor<3xf32>
  } : (tensor<3x4xf32>, tensor<3xf32>) -> (tensor<3x4xf32>, tensor<3xf32>)
  return
}
