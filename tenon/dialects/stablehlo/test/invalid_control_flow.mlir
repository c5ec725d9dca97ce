// RUN: tenon-opt %s -split-input-file -verify-diagnostics

// Constraints of control flow, tuples and calls.
// Each case is named after the constraint of the specification that it violates.

func.func @if_c1(%p: tensor<i1>, %s: tensor<f32>) {
  // expected-error @below {{true_branch takes 1 arguments, expected none}}
  %0 = "stablehlo.if"(%p) ({
    ^bb0(%a: tensor<f32>):
    stablehlo.return %s : tensor<f32>
  }, {
    stablehlo.return %s : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----

func.func @if_c3(%p: tensor<i1>, %s: tensor<f32>) {
  // expected-error @below {{false_branch returns}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %s : tensor<f32>
  }, {
    stablehlo.return %p : tensor<i1>
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----

func.func @if_scalar(%p: tensor<2xi1>, %s: tensor<f32>) {
  // expected-error @below {{pred must be a scalar}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %s : tensor<f32>
  }, {
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2xi1>) -> tensor<f32>
  return
}

// -----

func.func @case_c1(%i: tensor<i32>) {
  // expected-error @below {{has no branches}}
  "stablehlo.case"(%i) : (tensor<i32>) -> ()
  return
}

// -----

func.func @case_c3(%i: tensor<i32>, %s: tensor<f32>) {
  // expected-error @below {{branch 1 returns}}
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %s : tensor<f32>
  }, {
    stablehlo.return
  }) : (tensor<i32>) -> tensor<f32>
  return
}

// -----

func.func @while_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{cond must return one value of type}}
  %0 = stablehlo.while(%a = %x) : tensor<4x6xf32>
  cond {
    stablehlo.return %a : tensor<4x6xf32>
  } do {
    stablehlo.return %a : tensor<4x6xf32>
  }
  return
}

// -----

func.func @while_c2(%x: tensor<4x6xf32>, %t: tensor<i1>, %y: tensor<4x5xf32>) {
  // expected-error @below {{body returns}}
  %0 = stablehlo.while(%a = %x) : tensor<4x6xf32>
  cond {
    stablehlo.return %t : tensor<i1>
  } do {
    stablehlo.return %y : tensor<4x5xf32>
  }
  return
}

// -----

func.func @while_c3(%x: tensor<4x6xf32>, %t: tensor<i1>) {
  // expected-error @below {{results have types}}
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<4x6xf32>):
    stablehlo.return %t : tensor<i1>
  }, {
  ^bb0(%a: tensor<4x6xf32>):
    stablehlo.return %a : tensor<4x6xf32>
  }) : (tensor<4x6xf32>) -> tensor<f32>
  return
}

// -----

func.func @optimization_barrier_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{does not match result type}}
  %0 = "stablehlo.optimization_barrier"(%x) : (tensor<4x6xf32>) -> tensor<f32>
  return
}

// -----

func.func @tuple_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{operands have types}}
  %0 = "stablehlo.tuple"(%x) : (tensor<4x6xf32>) -> tuple<tensor<f32>>
  return
}

// -----

func.func @get_tuple_element_c1(%t: tuple<tensor<f32>>) {
  // expected-error @below {{index = 1 is not in the range}}
  %0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<f32>>) -> tensor<f32>
  return
}

// -----

func.func @get_tuple_element_c2(%t: tuple<tensor<f32>>) {
  // expected-error @below {{types of element}}
  %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<f32>>) -> tensor<i32>
  return
}

// -----

func.func private @impl(tensor<4x6xf32>) -> tensor<4x6xf32>

func.func @composite_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{is not of the form dialect.op}}
  %0 = stablehlo.composite "asin" %x {decomposition = @impl} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @composite_c2(%x: tensor<4x6xf32>) {
  // expected-error @below {{decomposition @missing is not a function}}
  %0 = stablehlo.composite "chlo.asin" %x {decomposition = @missing} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @composite_c3(%x: tensor<4x6xf32>) {
  // expected-error @below {{but decomposition @composite_c3 has type}}
  %0 = stablehlo.composite "chlo.asin" %x {decomposition = @composite_c3} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @custom_call_layouts(%x: tensor<4x6xf32>) {
  // expected-error @below {{operand_layouts[0] has the element 0 twice}}
  %0 = stablehlo.custom_call @f(%x) {operand_layouts = [dense<[0, 0]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @custom_call_one_layout(%x: tensor<4x6xf32>) {
  // expected-error @below {{needs both operand_layouts and result_layouts}}
  %0 = stablehlo.custom_call @f(%x) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @custom_call_alias(%x: tensor<4x6xf32>) {
  // expected-error @below {{operand_index of output_operand_alias = 1 is not in the range}}
  %0 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @custom_call_alias_type(%x: tensor<4x6xf32>) {
  // expected-error @below {{pairs type}}
  %0 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4x6xf32>) -> tensor<f32>
  return
}

// -----

func.func @custom_call_config(%x: tensor<4x6xf32>) {
  // expected-error @below {{backend_config must be a string for API_VERSION_ORIGINAL}}
  %0 = stablehlo.custom_call @f(%x) {backend_config = {a = 1 : i32}} : (tensor<4x6xf32>) -> tensor<f32>
  return
}

// -----

func.func @rng_c2(%a: tensor<i32>, %s: tensor<1xi64>) {
  // expected-error @below {{NORMAL needs floats}}
  %0 = stablehlo.rng %a, %a, %s, distribution = NORMAL : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<4xi32>
  return
}

// -----

func.func @rng_c3(%a: tensor<f32>, %s: tensor<2xi64>) {
  // expected-error @below {{shape has 2 elements}}
  %0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @rng_bit_generator_c1(%k: tensor<2xui64>) {
  // expected-error @below {{types of initial_state}}
  %0:2 = "stablehlo.rng_bit_generator"(%k) <{rng_algorithm = #stablehlo<rng_algorithm DEFAULT>}> : (tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}

// -----

func.func @rng_bit_generator_c2(%k: tensor<3xui64>) {
  // expected-error @below {{THREE_FRY cannot have state type}}
  %0:2 = "stablehlo.rng_bit_generator"(%k) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}
