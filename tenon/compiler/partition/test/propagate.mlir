// RUN: tenon-opt %s --split-input-file --propagate-shardings | FileCheck %s
// RUN: tenon-opt %s --split-input-file --propagate-shardings --settle-boundary | FileCheck %s --check-prefix=SETTLED

// A product and what follows it. tests/partition compares many programs with Shardy.
// CHECK-LABEL: func @main
// CHECK: stablehlo.dot_general{{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>}
// CHECK: stablehlo.tanh{{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>}
// CHECK: stablehlo.transpose{{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", ?}, {"x", ?}]>]>}
// SETTLED-LABEL: func @main
// SETTLED-SAME: %arg0: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
// SETTLED-SAME: (tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>})
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%a: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                %b: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
    -> (tensor<16x64xf32>, tensor<32x16xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  %1 = stablehlo.tanh %0 : tensor<16x64xf32>
  %2 = stablehlo.transpose %a, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
  return %1, %2 : tensor<16x64xf32>, tensor<32x16xf32>
}

// -----

// All values that a loop passes on have one sharding. A constant is copied for each user.
// CHECK-LABEL: func @main
// CHECK: %[[A:.*]] = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>}
// CHECK: stablehlo.while
// CHECK-SAME: attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>, <@mesh, []>]>}
// CHECK: stablehlo.add{{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>}
// CHECK-NOT: data_flow_edge
// SETTLED-LABEL: func @main
// SETTLED-SAME: -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8xf32>
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %n: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = stablehlo.constant dense<[0., 1., 2., 3., 4., 5., 6., 7.]> : tensor<8xf32>
  %0:2 = stablehlo.while(%i = %c, %k = %n) : tensor<8xf32>, tensor<i32>
  cond {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %p = stablehlo.compare GT, %k, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %s = stablehlo.add %i, %x : tensor<8xf32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %m = stablehlo.subtract %k, %one : tensor<i32>
    stablehlo.return %s, %m : tensor<8xf32>, tensor<i32>
  }
  return %0#0, %c : tensor<8xf32>, tensor<8xf32>
}

// -----

// Axes that do not divide a dimension are not reported, nor are sub-axes. Calls are named
// computations from here on.
// CHECK-LABEL: func @main
// CHECK-SAME: -> (tensor<2x2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, ?}, {"x":(2)2, ?}, {"x":(4)2, ?}]>})
// CHECK: sdy.named_computation<"f">(%arg0) in_shardings=[<@mesh, [{"x", ?}]>]
// SETTLED-LABEL: func @main
// SETTLED-SAME: -> (tensor<2x2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>})
sdy.mesh @mesh = <["x"=8]>
func.func @main(%x: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<2x2x4xf32> {
  %0 = call @f(%x) : (tensor<16xf32>) -> tensor<2x2x4xf32>
  return %0 : tensor<2x2x4xf32>
}
func.func private @f(%x: tensor<16xf32>) -> tensor<2x2x4xf32> {
  %0 = stablehlo.reshape %x : (tensor<16xf32>) -> tensor<2x2x4xf32>
  return %0 : tensor<2x2x4xf32>
}
