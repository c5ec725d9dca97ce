// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-fuse))' | FileCheck %s

// Heads that share keys: rows are [position, group]. The program transposes them to
// [group, position] and back. This becomes one kernel, in the order of the first product.
// CHECK-LABEL: func.func @mapped_over_groups(
// CHECK: tenon.fusion attention(
// CHECK: stablehlo.dot_general {{.*}} -> tensor<2x128x4x128xf32>
// CHECK: stablehlo.iota dim = 1 : tensor<2x128x4x128xi32>
// CHECK: stablehlo.reduce{{.*}} -> tensor<2x128x4xf32>
// CHECK: stablehlo.dot_general {{.*}} -> tensor<2x16x128x4xf32>
// CHECK-NOT: x128x128x
// CHECK: return
func.func @mapped_over_groups(%q: tensor<2x128x4x16xf32>, %k: tensor<2x128x16xf32>, %v: tensor<2x128x16xf32>) -> tensor<128x2x4x16xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [3] x [2] : (tensor<2x128x4x16xf32>, tensor<2x128x16xf32>) -> tensor<2x128x4x128xf32>
  %t = stablehlo.transpose %s, dims = [2, 0, 1, 3] : (tensor<2x128x4x128xf32>) -> tensor<4x2x128x128xf32>
  %i = stablehlo.iota dim = 2 : tensor<4x2x128x128xi32>
  %j = stablehlo.iota dim = 3 : tensor<4x2x128x128xi32>
  %in = stablehlo.compare GE, %i, %j : (tensor<4x2x128x128xi32>, tensor<4x2x128x128xi32>) -> tensor<4x2x128x128xi1>
  %low = stablehlo.constant dense<-1.0e9> : tensor<4x2x128x128xf32>
  %m = stablehlo.select %in, %t, %low : tensor<4x2x128x128xi1>, tensor<4x2x128x128xf32>
  %e = stablehlo.exponential %m : tensor<4x2x128x128xf32>
  %r = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<4x2x128x128xf32>, tensor<f32>) -> tensor<4x2x128xf32>
  %r1 = stablehlo.reshape %r : (tensor<4x2x128xf32>) -> tensor<4x2x128x1xf32>
  %rb = stablehlo.broadcast_in_dim %r1, dims = [0, 1, 2, 3] : (tensor<4x2x128x1xf32>) -> tensor<4x2x128x128xf32>
  %w = stablehlo.divide %e, %rb : tensor<4x2x128x128xf32>
  %wt = stablehlo.transpose %w, dims = [1, 0, 2, 3] : (tensor<4x2x128x128xf32>) -> tensor<2x4x128x128xf32>
  %o = stablehlo.dot_general %v, %wt, batching_dims = [0] x [0], contracting_dims = [1] x [3] : (tensor<2x128x16xf32>, tensor<2x4x128x128xf32>) -> tensor<2x16x4x128xf32>
  %y = stablehlo.transpose %o, dims = [3, 0, 2, 1] : (tensor<2x16x4x128xf32>) -> tensor<128x2x4x16xf32>
  return %y : tensor<128x2x4x16xf32>
}

// If the columns come first, the factors are exchanged,
// CHECK-LABEL: func.func @columns_first(
// CHECK: tenon.fusion contract(
// CHECK: stablehlo.dot_general {{.*}} -> tensor<2x128x4x128xf32>
// CHECK: stablehlo.exponential %{{.*}} : tensor<2x128x4x128xf32>
// CHECK: stablehlo.transpose {{.*}}, dims = [0, 2, 1, 3]
func.func @columns_first(%q: tensor<2x128x4x16xf32>, %k: tensor<2x128x16xf32>) -> tensor<2x4x128x128xf32> {
  %s = stablehlo.dot_general %k, %q, batching_dims = [0] x [0], contracting_dims = [2] x [3] : (tensor<2x128x16xf32>, tensor<2x128x4x16xf32>) -> tensor<2x128x128x4xf32>
  %t = stablehlo.transpose %s, dims = [0, 3, 2, 1] : (tensor<2x128x128x4xf32>) -> tensor<2x4x128x128xf32>
  %e = stablehlo.exponential %t : tensor<2x4x128x128xf32>
  return %e : tensor<2x4x128x128xf32>
}

// ... but not with an algorithm, which may treat left and right differently,
// CHECK-LABEL: func.func @algorithm(
// CHECK: stablehlo.dot_general {{.*}} -> tensor<2x128x128x4xf32>
func.func @algorithm(%q: tensor<2x128x4x16xf32>, %k: tensor<2x128x16xf32>) -> tensor<2x4x128x128xf32> {
  %s = stablehlo.dot_general %k, %q, batching_dims = [0] x [0], contracting_dims = [2] x [3], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x128x16xf32>, tensor<2x128x4x16xf32>) -> tensor<2x128x128x4xf32>
  %t = stablehlo.transpose %s, dims = [0, 3, 2, 1] : (tensor<2x128x128x4xf32>) -> tensor<2x4x128x128xf32>
  return %t : tensor<2x4x128x128xf32>
}

// ... and not if an equally large array with another order is added.
// CHECK-LABEL: func.func @large_bias(
// CHECK: stablehlo.transpose {{.*}}, dims = [2, 0, 1, 3] : (tensor<2x128x4x128xf32>) -> tensor<4x2x128x128xf32>
// CHECK: stablehlo.add {{.*}} : tensor<4x2x128x128xf32>
func.func @large_bias(%q: tensor<2x128x4x16xf32>, %k: tensor<2x128x16xf32>, %bias: tensor<4x2x128x128xf32>) -> tensor<4x2x128x128xf32> {
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [3] x [2] : (tensor<2x128x4x16xf32>, tensor<2x128x16xf32>) -> tensor<2x128x4x128xf32>
  %t = stablehlo.transpose %s, dims = [2, 0, 1, 3] : (tensor<2x128x4x128xf32>) -> tensor<4x2x128x128xf32>
  %b = stablehlo.add %t, %bias : tensor<4x2x128x128xf32>
  return %b : tensor<4x2x128x128xf32>
}
