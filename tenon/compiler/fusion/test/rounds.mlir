// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-fuse))' | FileCheck %s

// Each point of a loop over elementwise ops goes its own way: the loop is one kernel. What
// its counter comes to is known.
// CHECK-LABEL: func.func @independent(
// CHECK: tenon.fusion "rounds"(%arg0)
// CHECK: stablehlo.while
// CHECK: stablehlo.dynamic_update_slice
// CHECK: tenon.yield
// CHECK: return {{.*}} : tensor<i32>, tensor<9x40xf32>
func.func @independent(%x: tensor<40xf32>) -> (tensor<i32>, tensor<9x40xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.constant dense<9> : tensor<i32>
  %zeros = stablehlo.constant dense<0.0> : tensor<9x40xf32>
  %0:3 = stablehlo.while(%i = %zero, %y = %x, %rows = %zeros) : tensor<i32>, tensor<40xf32>, tensor<9x40xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.sine %y : tensor<40xf32>
    %row = stablehlo.reshape %1 : (tensor<40xf32>) -> tensor<1x40xf32>
    %2 = stablehlo.dynamic_update_slice %rows, %row, %i, %zero : (tensor<9x40xf32>, tensor<1x40xf32>, tensor<i32>, tensor<i32>) -> tensor<9x40xf32>
    %3 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %3, %1, %2 : tensor<i32>, tensor<40xf32>, tensor<9x40xf32>
  }
  return %0#0, %0#2 : tensor<i32>, tensor<9x40xf32>
}

// A reduction over the points makes them depend on each other.
// CHECK-LABEL: func.func @reduced(
// CHECK-NOT: "rounds"
// CHECK: return
func.func @reduced(%x: tensor<40xf32>) -> tensor<40xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.constant dense<9> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<40xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%y init: %none) applies stablehlo.add across dimensions = [0] : (tensor<40xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %3 = stablehlo.subtract %y, %2 : tensor<40xf32>
    %4 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %4, %3 : tensor<i32>, tensor<40xf32>
  }
  return %0#1 : tensor<40xf32>
}

// So do elements at positions of the round; and rows that are not all set keep others.
// CHECK-LABEL: func.func @positions(
// CHECK-NOT: "rounds"
// CHECK: return
func.func @positions(%x: tensor<40xf32>, %r: tensor<10x40xf32>) -> (tensor<40xf32>, tensor<10x40xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.constant dense<9> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<40xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.dynamic_slice %y, %i, sizes = [1] : (tensor<40xf32>, tensor<i32>) -> tensor<1xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<1xf32>) -> tensor<40xf32>
    %3 = stablehlo.subtract %y, %2 : tensor<40xf32>
    %4 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %4, %3 : tensor<i32>, tensor<40xf32>
  }
  %1:2 = stablehlo.while(%i = %zero, %rows = %r) : tensor<i32>, tensor<10x40xf32>
  cond {
    %2 = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %2 = stablehlo.reshape %0#1 : (tensor<40xf32>) -> tensor<1x40xf32>
    %3 = stablehlo.dynamic_update_slice %rows, %2, %i, %zero : (tensor<10x40xf32>, tensor<1x40xf32>, tensor<i32>, tensor<i32>) -> tensor<10x40xf32>
    %4 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %4, %3 : tensor<i32>, tensor<10x40xf32>
  }
  return %0#1, %1#1 : tensor<40xf32>, tensor<10x40xf32>
}
