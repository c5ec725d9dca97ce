// Values that are computed from transposed arrays and transposed back, and reductions of transposed
// arrays.
// RUN: split-file %s %t
// RUN: tenon-compile %t/groups.mlir -s simplify | FileCheck %t/groups.mlir
// RUN: tenon-compile %t/expanded.mlir -s simplify | FileCheck %t/expanded.mlir
// RUN: tenon-compile %t/order.mlir -s simplify | FileCheck %t/order.mlir
// RUN: tenon-compile %t/any_order.mlir -s simplify | FileCheck %t/any_order.mlir
// RUN: tenon-compile %t/used_twice.mlir -s simplify | FileCheck %t/used_twice.mlir
// RUN: tenon-compile %t/separated.mlir -s simplify | FileCheck %t/separated.mlir
// RUN: tenon-compile %t/before_reduction.mlir -s simplify | FileCheck %t/before_reduction.mlir
// RUN: tenon-compile %t/before_reduction_order.mlir -s simplify | FileCheck %t/before_reduction_order.mlir
// RUN: tenon-compile %t/costly.mlir -s simplify | FileCheck %t/costly.mlir
// RUN: tenon-compile %t/scores.mlir -s simplify | FileCheck %t/scores.mlir

//--- groups.mlir
// Sums of groups of rows, as of packbits along the first dimension.
// CHECK-LABEL: func.func {{.*}}@main(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<64x6xi32>
// CHECK-NOT: transpose
// CHECK: %[[GROUPS:.*]] = stablehlo.reshape %[[X]] : (tensor<64x6xi32>) -> tensor<8x8x6xi32>
// CHECK: %[[SHIFTS:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [1] : (tensor<8xi32>) -> tensor<8x8x6xi32>
// CHECK: %[[SHIFTED:.*]] = stablehlo.shift_left %[[GROUPS]], %[[SHIFTS]] : tensor<8x8x6xi32>
// CHECK: stablehlo.reduce(%[[SHIFTED]] init: {{.*}}) applies stablehlo.add across dimensions = [1] : (tensor<8x8x6xi32>, tensor<i32>) -> tensor<8x6xi32>
// CHECK-NOT: transpose
func.func @main(%x: tensor<64x6xi32>, %shifts: tensor<8xi32>) -> tensor<8x6xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<64x6xi32>) -> tensor<6x64xi32>
  %groups = stablehlo.reshape %t : (tensor<6x64xi32>) -> tensor<6x8x8xi32>
  %all = stablehlo.broadcast_in_dim %shifts, dims = [2] : (tensor<8xi32>) -> tensor<6x8x8xi32>
  %shifted = stablehlo.shift_left %groups, %all : tensor<6x8x8xi32>
  %sum = stablehlo.reduce(%shifted init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<6x8x8xi32>, tensor<i32>) -> tensor<6x8xi32>
  %result = stablehlo.transpose %sum, dims = [1, 0] : (tensor<6x8xi32>) -> tensor<8x6xi32>
  return %result : tensor<8x6xi32>
}

//--- expanded.mlir
// A broadcast whose operand is transposed, an iota, a constant and unit dimensions.
// CHECK-LABEL: func.func {{.*}}@main(
// CHECK-NOT: transpose
// CHECK: stablehlo.iota dim = 1 : tensor<4x8x6xi32>
// CHECK-NOT: transpose
// CHECK: stablehlo.reshape {{.*}} : (tensor<4x8x6xi32>) -> tensor<32x6xi32>
// CHECK-NOT: transpose
func.func @main(%x: tensor<4x6xi32>) -> tensor<32x6xi32> {
  %one = stablehlo.constant dense<1> : tensor<6x4x8xi32>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xi32>) -> tensor<6x4xi32>
  %ones = stablehlo.reshape %t : (tensor<6x4xi32>) -> tensor<6x4x1xi32>
  %all = stablehlo.broadcast_in_dim %ones, dims = [0, 1, 2] : (tensor<6x4x1xi32>) -> tensor<6x4x8xi32>
  %bits = stablehlo.iota dim = 2 : tensor<6x4x8xi32>
  %shifted = stablehlo.shift_right_logical %all, %bits : tensor<6x4x8xi32>
  %low = stablehlo.and %shifted, %one : tensor<6x4x8xi32>
  %flat = stablehlo.reshape %low : (tensor<6x4x8xi32>) -> tensor<6x32xi32>
  %result = stablehlo.transpose %flat, dims = [1, 0] : (tensor<6x32xi32>) -> tensor<32x6xi32>
  return %result : tensor<32x6xi32>
}

//--- order.mlir
// Not: the reduced elements would come in another order.
// CHECK-LABEL: func.func {{.*}}@main(
// CHECK: stablehlo.reduce{{.*}} across dimensions = [1, 3] : (tensor<2x3x4x5xf32>
func.func @main(%x: tensor<4x5x2x3xf32>) -> tensor<4x2xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.transpose %x, dims = [2, 3, 0, 1] : (tensor<4x5x2x3xf32>) -> tensor<2x3x4x5xf32>
  %sum = "stablehlo.reduce"(%t, %zero) <{dimensions = array<i64: 1, 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %is = stablehlo.compare NE, %a, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %first = stablehlo.select %is, %a, %b : tensor<i1>, tensor<f32>
    stablehlo.return %first : tensor<f32>
  }) : (tensor<2x3x4x5xf32>, tensor<f32>) -> tensor<2x4xf32>
  %result = stablehlo.transpose %sum, dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return %result : tensor<4x2xf32>
}

//--- any_order.mlir
// The order of a sum's terms does not matter.
// CHECK: stablehlo.reduce({{.*}} across dimensions = [0, 1] : (tensor<64x6xf32>
func.func @main(%x: tensor<64x6xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<64x6xf32>) -> tensor<6x64xf32>
  %sum = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x64xf32>, tensor<f32>) -> tensor<f32>
  return %sum : tensor<f32>
}

//--- used_twice.mlir
// Not: the sum is needed as it is, too.
// CHECK-LABEL: func.func {{.*}}@main(
// CHECK: stablehlo.reduce{{.*}} across dimensions = [2] : (tensor<6x8x8xi32>
// CHECK-NOT: stablehlo.reduce
func.func @main(%x: tensor<64x6xi32>) -> (tensor<8x6xi32>, tensor<48xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<64x6xi32>) -> tensor<6x64xi32>
  %groups = stablehlo.reshape %t : (tensor<6x64xi32>) -> tensor<6x8x8xi32>
  %sum = stablehlo.reduce(%groups init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<6x8x8xi32>, tensor<i32>) -> tensor<6x8xi32>
  %result = stablehlo.transpose %sum, dims = [1, 0] : (tensor<6x8xi32>) -> tensor<8x6xi32>
  %flat = stablehlo.reshape %sum : (tensor<6x8xi32>) -> tensor<48xi32>
  return %result, %flat : tensor<8x6xi32>, tensor<48xi32>
}

//--- separated.mlir
// Not: dimensions that are merged do not stay together, and a large array would be
// transposed.
// CHECK-LABEL: func.func {{.*}}@main(
// CHECK: stablehlo.transpose {{.*}} -> tensor<6x4x8xi32>
// CHECK: stablehlo.transpose {{.*}} -> tensor<8x24xi32>
// CHECK: stablehlo.transpose {{.*}} -> tensor<8x6xi32>
func.func @main(%x: tensor<4x8x6xi32>, %y: tensor<6x8x64xi32>) -> (tensor<8x24xi32>, tensor<8x6xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %t = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<4x8x6xi32>) -> tensor<6x4x8xi32>
  %merged = stablehlo.reshape %t : (tensor<6x4x8xi32>) -> tensor<24x8xi32>
  %0 = stablehlo.transpose %merged, dims = [1, 0] : (tensor<24x8xi32>) -> tensor<8x24xi32>
  %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<6x8x64xi32>, tensor<i32>) -> tensor<6x8xi32>
  %1 = stablehlo.transpose %sum, dims = [1, 0] : (tensor<6x8xi32>) -> tensor<8x6xi32>
  return %0, %1 : tensor<8x24xi32>, tensor<8x6xi32>
}

//--- before_reduction.mlir
// A reduction whose operand is transposed below cheap ops that others use.
// CHECK-LABEL: func.func {{.*}}@main(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<64x6x2xf32>
// CHECK: %[[ABS:.*]] = stablehlo.abs %[[X]] : tensor<64x6x2xf32>
// CHECK: %[[SUM:.*]] = stablehlo.reduce(%[[ABS]] init: {{.*}}) applies stablehlo.add across dimensions = [0] : (tensor<64x6x2xf32>, tensor<f32>) -> tensor<6x2xf32>
// CHECK: stablehlo.transpose %[[SUM]], dims = [1, 0] : (tensor<6x2xf32>) -> tensor<2x6xf32>
func.func @main(%x: tensor<64x6x2xf32>) -> (tensor<2x6xf32>, tensor<2x6x64xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.transpose %x, dims = [2, 1, 0] : (tensor<64x6x2xf32>) -> tensor<2x6x64xf32>
  %abs = stablehlo.abs %t : tensor<2x6x64xf32>
  %sum = stablehlo.reduce(%abs init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x6x64xf32>, tensor<f32>) -> tensor<2x6xf32>
  return %sum, %abs : tensor<2x6xf32>, tensor<2x6x64xf32>
}

//--- before_reduction_order.mlir
// Not: the reduced elements would come in another order.
// CHECK: stablehlo.reduce({{.*}} across dimensions = [0, 1] : (tensor<6x64xf32>
func.func @main(%x: tensor<64x6xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<64x6xf32>) -> tensor<6x64xf32>
  %sum = "stablehlo.reduce"(%t, %zero) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %is = stablehlo.compare NE, %a, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %first = stablehlo.select %is, %a, %b : tensor<i1>, tensor<f32>
    stablehlo.return %first : tensor<f32>
  }) : (tensor<6x64xf32>, tensor<f32>) -> tensor<f32>
  return %sum : tensor<f32>
}

//--- costly.mlir
// Not: exponentials are needed transposed, too.
// CHECK: stablehlo.exponential
// CHECK: stablehlo.reduce({{.*}} across dimensions = [1] : (tensor<6x64xf32>
// CHECK-NOT: stablehlo.exponential
func.func @main(%x: tensor<64x6xf32>) -> (tensor<6xf32>, tensor<6x64xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<64x6xf32>) -> tensor<6x64xf32>
  %exp = stablehlo.exponential %t : tensor<6x64xf32>
  %neg = stablehlo.negate %exp : tensor<6x64xf32>
  %sum = stablehlo.reduce(%neg init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x64xf32>, tensor<f32>) -> tensor<6xf32>
  return %sum, %neg : tensor<6xf32>, tensor<6x64xf32>
}

//--- scores.mlir
// Not: a product's result would be used in two orders of dimensions, and attention not recognized.
// CHECK: %[[SCORES:.*]] = stablehlo.transpose
// CHECK: %[[SCALED:.*]] = stablehlo.multiply %[[SCORES]]
// CHECK: stablehlo.reduce(%[[SCALED]] init: {{.*}} across dimensions = [2] : (tensor<3x6x64xf32>
// CHECK: stablehlo.subtract %[[SCALED]]
func.func @main(%q: tensor<6x3x4xf32>, %k: tensor<64x4xf32>) -> tensor<3x6x64xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %scale = stablehlo.constant dense<0.25> : tensor<3x6x64xf32>
  %product = stablehlo.dot_general %k, %q, contracting_dims = [1] x [2] : (tensor<64x4xf32>, tensor<6x3x4xf32>) -> tensor<64x6x3xf32>
  %scores = stablehlo.transpose %product, dims = [2, 1, 0] : (tensor<64x6x3xf32>) -> tensor<3x6x64xf32>
  %scaled = stablehlo.multiply %scores, %scale : tensor<3x6x64xf32>
  %most = stablehlo.reduce(%scaled init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<3x6x64xf32>, tensor<f32>) -> tensor<3x6xf32>
  %all = stablehlo.broadcast_in_dim %most, dims = [0, 1] : (tensor<3x6xf32>) -> tensor<3x6x64xf32>
  %below = stablehlo.subtract %scaled, %all : tensor<3x6x64xf32>
  return %below : tensor<3x6x64xf32>
}
