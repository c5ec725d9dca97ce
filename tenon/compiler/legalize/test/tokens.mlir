// RUN: tenon-opt %s --tenon-legalize | FileCheck %s

// Tokens are removed from control flow; custom calls keep theirs.

// CHECK-LABEL: func.func @while(
func.func @while(%n: tensor<i32>) -> tensor<i32> {
  // CHECK: stablehlo.while(%{{[^,]*}} = %{{[^,]*}}) : tensor<i32>
  // CHECK: stablehlo.compare LT
  // CHECK: %[[TOKEN:.*]] = stablehlo.create_token
  // CHECK: stablehlo.custom_call @log(%{{.*}}, %[[TOKEN]])
  // CHECK: stablehlo.return %{{[^,]*}} : tensor<i32>
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = stablehlo.while(%i = %n, %token = %t) : tensor<i32>, !stablehlo.token
  cond {
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.custom_call @log(%i, %token) {has_side_effect = true} : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
    %2 = stablehlo.add %i, %i : tensor<i32>
    stablehlo.return %2, %1 : tensor<i32>, !stablehlo.token
  }
  return %0#0 : tensor<i32>
}

// CHECK-LABEL: func.func @branches(
func.func @branches(%p: tensor<i1>, %x: tensor<4xf32>, %t: !stablehlo.token) -> tensor<4xf32> {
  // CHECK: %[[IF:.*]] = "stablehlo.if"
  // CHECK: stablehlo.return %{{[^,]*}} : tensor<4xf32>
  // CHECK: stablehlo.return %{{[^,]*}} : tensor<4xf32>
  // CHECK: (tensor<i1>) -> tensor<4xf32>
  // CHECK: return %[[IF]]
  %0:2 = "stablehlo.if"(%p) ({
    %1 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %t, %1 : !stablehlo.token, tensor<4xf32>
  }, {
    %1 = stablehlo.after_all %t, %t : !stablehlo.token
    stablehlo.return %1, %x : !stablehlo.token, tensor<4xf32>
  }) : (tensor<i1>) -> (!stablehlo.token, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}
