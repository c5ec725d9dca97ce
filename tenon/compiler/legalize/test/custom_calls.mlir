// RUN: tenon-opt %s --tenon-legalize | FileCheck %s

// CHECK-LABEL: func.func @annotations(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @annotations(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = stablehlo.custom_call @annotate_device_placement(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @MoveToHost(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @LayoutConstraint(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// The surrounding calls with side effects stay in order.
// CHECK-LABEL: func.func @control_dependency(
func.func @control_dependency(%x: tensor<4xf32>, %y: tensor<2xi32>) -> tensor<4xf32> {
  // CHECK-NEXT: stablehlo.custom_call @first
  // CHECK-NEXT: %[[SECOND:.*]] = stablehlo.custom_call @second
  // CHECK-NEXT: return %[[SECOND]]
  %0 = stablehlo.custom_call @first(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @second(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  stablehlo.custom_call @control_dep(%1, %y) {has_side_effect = true} : (tensor<4xf32>, tensor<2xi32>) -> ()
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @unknown_target(
func.func @unknown_target(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: stablehlo.custom_call @foreign
  %0 = stablehlo.custom_call @foreign(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @tuple_result(
func.func @tuple_result(%x: tensor<4xf32>) -> tensor<i32> {
  // CHECK: %[[CALL:.*]]:2 = stablehlo.custom_call @foreign
  // CHECK: return %[[CALL]]#1
  %0 = stablehlo.custom_call @foreign(%x) : (tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<i32>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32>
  return %1 : tensor<i32>
}

// CHECK-LABEL: func.func @top_k(
func.func @top_k(%x: tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  // CHECK: %[[INDICES:.*]] = stablehlo.iota dim = 1 : tensor<2x8xi32>
  // CHECK: "stablehlo.sort"(%{{.*}}, %[[INDICES]]) <{dimension = 1 : i64, is_stable = true}>
  // CHECK: stablehlo.compare GT, {{.*}} TOTALORDER
  // CHECK-COUNT-2: stablehlo.slice
  %0:2 = stablehlo.custom_call @TopK(%x) : (tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xi32>
}

func.func private @smaller(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}

// CHECK-LABEL: func.func @approx_top_k(
func.func @approx_top_k(%x: tensor<8xf32>, %i: tensor<8xi32>, %a: tensor<f32>, %b: tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>) {
  // CHECK: "stablehlo.sort"
  // CHECK: stablehlo.compare LT
  // CHECK: stablehlo.return
  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %a, %b) {called_computations = [@smaller], backend_config = {top_k = 2 : i64, reduction_dim = 0 : i64}, api_version = 4 : i32} : (tensor<8xf32>, tensor<8xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>
}

// CHECK-LABEL: func.func @qr(
func.func @qr(%a: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>) {
  // CHECK-NOT: custom_call
  // CHECK: stablehlo.while
  %0:2 = stablehlo.custom_call @Qr(%a) : (tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>)
  %1 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%0#0, %0#1) : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  return %1, %0#1 : tensor<8x4xf32>, tensor<4xf32>
}

func.func private @chlo.erf(tensor<4xf32>) -> tensor<4xf32>
func.func private @chlo.sinh(tensor<4xf32>) -> tensor<4xf32>
func.func private @chlo.cosh(tensor<4xf32>) -> tensor<4xf32>

// The form in which jaxlib before 0.9 sends elementwise functions.
// CHECK-LABEL: func.func @element_functions(
func.func @element_functions(%x: tensor<4xf32>, %z: tensor<4xcomplex<f32>>)
    -> (tensor<4xf32>, tensor<4xcomplex<f32>>, tensor<4xf32>) {
  // CHECK-DAG: stablehlo.composite "chlo.erf"
  // CHECK-DAG: stablehlo.composite "chlo.sinh"
  // CHECK: stablehlo.custom_call @mhlo.no_such_function
  %0 = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @mhlo.sinh(%z) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %2 = stablehlo.custom_call @mhlo.no_such_function(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xcomplex<f32>>, tensor<4xf32>
}
