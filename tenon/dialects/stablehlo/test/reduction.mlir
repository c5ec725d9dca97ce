// RUN: tenon-opt %s | tenon-opt | FileCheck %s

// Ops that apply a region to elements.

// CHECK-LABEL: func.func @reduce(
func.func @reduce(%x: tensor<4x6xf32>, %s: tensor<f32>, %i: tensor<4x6xi32>, %j: tensor<i32>) {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.reduce(%{{[^ ,:()]+}} init: %{{[^ ,:()]+}}) applies stablehlo.add across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
  %0 = stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.reduce(%{{[^ ,:()]+}} init: %{{[^ ,:()]+}}) across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.reduce(%x init: %s) across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>)  {
    // CHECK: %{{[^ ,:()]+}} = stablehlo.subtract %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<f32>
    %2 = stablehlo.subtract %a, %b : tensor<f32>
    // CHECK: stablehlo.return %{{[^ ,:()]+}} : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  // CHECK: %{{[^ ,:()]+}}:2 = stablehlo.reduce(%{{[^ ,:()]+}} init: %{{[^ ,:()]+}}), (%{{[^ ,:()]+}} init: %{{[^ ,:()]+}}) across dimensions = [1] {note = "kept"} : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
  %3:2 = stablehlo.reduce(%x init: %s), (%i init: %j) across dimensions = [1] {note = "kept"} : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>)  {
    // CHECK: stablehlo.return %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<f32>, tensor<i32>
    stablehlo.return %a, %d : tensor<f32>, tensor<i32>
  }
  // CHECK: %{{[^ ,:()]+}} = stablehlo.reduce(%{{[^ ,:()]+}} init: %{{[^ ,:()]+}}) applies stablehlo.maximum across dimensions = [] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  %4 = stablehlo.reduce(%x init: %s) applies stablehlo.maximum across dimensions = [] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: func.func @promoted(
func.func @promoted(%x: tensor<4xbf16>, %s: tensor<bf16>) -> tensor<f32> {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.reduce(%{{[^ ,:()]+}} init: %{{[^ ,:()]+}}) across dimensions = [0] : (tensor<4xbf16>, tensor<bf16>) -> tensor<f32>
  %0 = stablehlo.reduce(%x init: %s) across dimensions = [0] : (tensor<4xbf16>, tensor<bf16>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>)  {
    // CHECK: %{{[^ ,:()]+}} = stablehlo.add %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<f32>
    %1 = stablehlo.add %a, %b : tensor<f32>
    // CHECK: stablehlo.return %{{[^ ,:()]+}} : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @windows(
func.func @windows(%x: tensor<4x6xf32>, %y: tensor<2x3xf32>, %s: tensor<f32>) {
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.reduce_window"(%{{[^ ,:()]+}}, %{{[^ ,:()]+}}) <{padding = dense<{{\[\[}}0, 0], [1, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 2>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 1>}> ({
  %0 = "stablehlo.reduce_window"(%x, %s) <{padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 2>, window_dilations = array<i64: 1, 2>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // CHECK: %{{[^ ,:()]+}} = stablehlo.maximum %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<f32>
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    // CHECK: stablehlo.return %{{[^ ,:()]+}} : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<2x5xf32>
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.select_and_scatter"(%{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}}) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  %2 = "stablehlo.select_and_scatter"(%x, %y, %s) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // CHECK: %{{[^ ,:()]+}} = stablehlo.compare GE, %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    // CHECK: stablehlo.return %{{[^ ,:()]+}} : tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // CHECK: %{{[^ ,:()]+}} = stablehlo.add %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<f32>
    %3 = stablehlo.add %a, %b : tensor<f32>
    // CHECK: stablehlo.return %{{[^ ,:()]+}} : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: func.func @sort_and_map(
func.func @sort_and_map(%x: tensor<4x6xf32>, %i: tensor<4x6xi32>) {
  // CHECK: %{{[^ ,:()]+}}:2 = "stablehlo.sort"(%{{[^ ,:()]+}}, %{{[^ ,:()]+}}) <{dimension = 1 : i64, is_stable = true}> ({
  %0:2 = "stablehlo.sort"(%x, %i) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    // CHECK: %{{[^ ,:()]+}} = stablehlo.compare LT, %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %1 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    // CHECK: stablehlo.return %{{[^ ,:()]+}} : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4x6xf32>, tensor<4x6xi32>) -> (tensor<4x6xf32>, tensor<4x6xi32>)
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.map"(%{{[^ ,:()]+}}, %{{[^ ,:()]+}}) <{dimensions = array<i64: 0, 1>}> ({
  %2 = "stablehlo.map"(%x, %i) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>):
    // CHECK: stablehlo.return %{{[^ ,:()]+}} : tensor<i32>
    stablehlo.return %b : tensor<i32>
  }) : (tensor<4x6xf32>, tensor<4x6xi32>) -> tensor<4x6xi32>
  return
}
