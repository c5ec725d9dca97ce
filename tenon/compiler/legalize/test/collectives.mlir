// RUN: tenon-opt %s --tenon-legalize | FileCheck %s

// Collectives of a program for one device.

// CHECK-LABEL: func.func @all_reduce(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @all_reduce(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @gather_and_scatter(
// CHECK-SAME: %[[X:.*]]: tensor<4x2xf32>
func.func @gather_and_scatter(%x: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]]
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %1 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %2 = "stablehlo.all_to_all"(%x) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0, %1, %2 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}

// CHECK-LABEL: func.func @permute(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @permute(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[ZERO:.*]] = stablehlo.constant dense<0.0
  // CHECK: return %[[X]], %[[ZERO]]
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @ids(
func.func @ids() -> (tensor<ui32>, tensor<ui32>) {
  // CHECK: %[[ZERO:.*]] = stablehlo.constant dense<0> : tensor<ui32>
  // CHECK: return %[[ZERO]], %[[ZERO]]
  %0 = stablehlo.partition_id : tensor<ui32>
  %1 = stablehlo.replica_id : tensor<ui32>
  return %0, %1 : tensor<ui32>, tensor<ui32>
}

// A program written for groups of two does not change.
// CHECK-LABEL: func.func @group_of_two(
func.func @group_of_two(%x: tensor<4xf32>) -> tensor<8xf32> {
  // CHECK: stablehlo.all_gather
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
