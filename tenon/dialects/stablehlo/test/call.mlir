// RUN: tenon-opt %s | tenon-opt | FileCheck %s

// Custom calls, composites and random number ops.

// CHECK-LABEL: func.func private @impl(
func.func private @impl(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// CHECK-LABEL: func.func @composite(
func.func @composite(%x: tensor<4xf32>) {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.composite "chlo.asin" %{{[^ ,:()]+}} {decomposition = @impl} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = stablehlo.composite "chlo.asin" %x {decomposition = @impl} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.composite "my.op" %{{[^ ,:()]+}} {composite_attributes = {k = 3 : i64}, decomposition = @impl, version = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.composite "my.op" %x {composite_attributes = {k = 3 : i64}, decomposition = @impl, version = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @custom_call(
func.func @custom_call(%x: tensor<4x2xf32>, %m: memref<4xf32>, %t: !stablehlo.token) {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.custom_call @foo(%{{[^ ,:()]+}}) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %0 = stablehlo.custom_call @foo(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.custom_call @"odd name"(%{{[^ ,:()]+}}, %{{[^ ,:()]+}}) {api_version = 4 : i32, backend_config = {uplo = 76 : ui8}, has_side_effect = true} : (tensor<4x2xf32>, !stablehlo.token) -> !stablehlo.token
  %1 = stablehlo.custom_call @"odd name"(%x, %t) {api_version = 4 : i32, backend_config = {uplo = 76 : ui8}, has_side_effect = true} : (tensor<4x2xf32>, !stablehlo.token) -> !stablehlo.token
  // CHECK: %{{[^ ,:()]+}}:2 = stablehlo.custom_call @aliased(%{{[^ ,:()]+}}) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<f32>)
  %2:2 = stablehlo.custom_call @aliased(%x) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<f32>)
  // CHECK: %{{[^ ,:()]+}} = stablehlo.custom_call @buffers(%{{[^ ,:()]+}}) {called_computations = [@impl]} : (memref<4xf32>) -> tuple<memref<4xf32>, tensor<4xf32>>
  %3 = stablehlo.custom_call @buffers(%m) {called_computations = [@impl]} : (memref<4xf32>) -> tuple<memref<4xf32>, tensor<4xf32>>
  // CHECK: stablehlo.custom_call @nothing() {has_side_effect = true} : () -> ()
  stablehlo.custom_call @nothing() {has_side_effect = true} : () -> ()
  return
}

// CHECK-LABEL: func.func @random(
func.func @random(%a: tensor<f32>, %s: tensor<2xi64>, %k: tensor<2xui64>) {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.rng %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x4xf32>
  %0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x4xf32>
  // CHECK: %{{[^ ,:()]+}}, %{{[^ ,:()]+}} = stablehlo.rng_bit_generator %{{[^ ,:()]+}}, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  %output_state, %output = stablehlo.rng_bit_generator %k, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  return
}
