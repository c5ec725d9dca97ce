// RUN: tenon-opt %s | tenon-opt | FileCheck %s

// Control flow, tuples, tokens, barriers.

// CHECK-LABEL: func.func @while(
func.func @while(%i: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %{{[^ ,:()]+}}:2 = stablehlo.while(%{{[^ ,:()]+}} = %{{[^ ,:()]+}}, %{{[^ ,:()]+}} = %{{[^ ,:()]+}}) : tensor<i32>, tensor<4xf32> attributes {note = "kept"}
  %0:2 = stablehlo.while(%a = %i, %b = %x) : tensor<i32>, tensor<4xf32> attributes {note = "kept"}
  cond {
    // CHECK: %{{[^ ,:()]+}} = stablehlo.compare LT, %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %1 = stablehlo.compare LT, %a, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    // CHECK: stablehlo.return %{{[^ ,:()]+}} : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    // CHECK: %{{[^ ,:()]+}} = stablehlo.add %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<4xf32>
    %1 = stablehlo.add %b, %x : tensor<4xf32>
    // CHECK: stablehlo.return %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<i32>, tensor<4xf32>
    stablehlo.return %a, %1 : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @branches(
func.func @branches(%p: tensor<i1>, %i: tensor<i32>, %x: tensor<4xf32>) {
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.if"(%{{[^ ,:()]+}}) ({
  %0 = "stablehlo.if"(%p) ({
    // CHECK: stablehlo.return %{{[^ ,:()]+}} : tensor<4xf32>
    stablehlo.return %x : tensor<4xf32>
  }, {
    // CHECK: %{{[^ ,:()]+}} = stablehlo.negate %{{[^ ,:()]+}} : tensor<4xf32>
    %1 = stablehlo.negate %x : tensor<4xf32>
    // CHECK: stablehlo.return %{{[^ ,:()]+}} : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  // CHECK: %{{[^ ,:()]+}}:2 = "stablehlo.case"(%{{[^ ,:()]+}}) ({
  %2:2 = "stablehlo.case"(%i) ({
    // CHECK: stablehlo.return %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<4xf32>, tensor<i1>
    stablehlo.return %x, %p : tensor<4xf32>, tensor<i1>
  }, {
    // CHECK: stablehlo.return %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<4xf32>, tensor<i1>
    stablehlo.return %0, %p : tensor<4xf32>, tensor<i1>
  }) : (tensor<i32>) -> (tensor<4xf32>, tensor<i1>)
  // CHECK: "stablehlo.if"(%{{[^ ,:()]+}}) ({
  "stablehlo.if"(%p) ({
    // CHECK: stablehlo.return
    stablehlo.return
  }, {
    // CHECK: stablehlo.return
    stablehlo.return
  }) : (tensor<i1>) -> ()
  return
}

// CHECK-LABEL: func.func @values(
func.func @values(%x: tensor<4xf32>, %t: !stablehlo.token) {
  // CHECK: %{{[^ ,:()]+}}:2 = stablehlo.optimization_barrier %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<4xf32>, !stablehlo.token
  %0:2 = stablehlo.optimization_barrier %x, %t : tensor<4xf32>, !stablehlo.token
  // CHECK: stablehlo.optimization_barrier()
  stablehlo.optimization_barrier()
  // CHECK: %{{[^ ,:()]+}} = stablehlo.tuple %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tuple<tensor<4xf32>, !stablehlo.token>
  %1 = stablehlo.tuple %x, %t : tuple<tensor<4xf32>, !stablehlo.token>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.get_tuple_element %{{[^ ,:()]+}}[0] : (tuple<tensor<4xf32>, !stablehlo.token>) -> tensor<4xf32>
  %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<4xf32>, !stablehlo.token>) -> tensor<4xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.tuple : tuple<>
  %3 = stablehlo.tuple  : tuple<>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.create_token : !stablehlo.token
  %4 = stablehlo.create_token : !stablehlo.token
  // CHECK: %{{[^ ,:()]+}} = stablehlo.after_all %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : !stablehlo.token
  %5 = stablehlo.after_all %t, %4 : !stablehlo.token
  // CHECK: %{{[^ ,:()]+}} = stablehlo.after_all : !stablehlo.token
  %6 = stablehlo.after_all  : !stablehlo.token
  return
}
