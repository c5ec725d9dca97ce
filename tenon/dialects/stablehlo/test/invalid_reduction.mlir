// RUN: tenon-opt %s -split-input-file -verify-diagnostics

// Constraints of the ops that apply a region to elements.
// Each case is named after the constraint of the specification that it violates.

func.func @reduce_c2(%x: tensor<4x6xf32>, %s: tensor<i32>) {
  // expected-error @below {{element types of input}}
  %0 = "stablehlo.reduce"(%x, %s) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<i32>) -> tensor<6xf32>
  return
}

// -----

func.func @reduce_c3(%x: tensor<4x6xf32>) {
  // expected-error @below {{has 1 operands and 1 results}}
  %0 = "stablehlo.reduce"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @reduce_c4(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{has an element outside the range [0, 2)}}
  %0 = "stablehlo.reduce"(%x, %s) <{dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
  return
}

// -----

func.func @reduce_c5(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{has the element 0 twice}}
  %0 = "stablehlo.reduce"(%x, %s) <{dimensions = array<i64: 0, 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
  return
}

// -----

func.func @reduce_c6_arguments(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{body takes 1 arguments, expected 2}}
  %0 = "stablehlo.reduce"(%x, %s) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
  return
}

// -----

func.func @reduce_c6_types(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{body argument 1 has type}}
  %0 = "stablehlo.reduce"(%x, %s) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f64>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
  return
}

// -----

func.func @reduce_c6_returned(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{body returns 2 values, expected 1}}
  %0 = "stablehlo.reduce"(%x, %s) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a, %b : tensor<f32>, tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
  return
}

// -----

func.func @reduce_c6_promotion(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{cannot be promoted}}
  %0 = "stablehlo.reduce"(%x, %s) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f16>, %b: tensor<f16>):
    stablehlo.return %a : tensor<f16>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf16>
  return
}

// -----

func.func @reduce_c7(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{does not have the inferred shape [6]}}
  %0 = "stablehlo.reduce"(%x, %s) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_init(%x: tensor<4x6xf32>, %s: tensor<1xf32>) {
  // expected-error @below {{initial value must be a scalar}}
  %0 = "stablehlo.reduce"(%x, %s) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<1xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @reduce_applies(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{expected a commutative binary stablehlo op}}
  %0 = stablehlo.reduce(%x init: %s) applies stablehlo.subtract across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
  return
}

// -----

func.func @reduce_window_c4(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{window_dimensions has 1 elements, expected 2}}
  %0 = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @reduce_window_c5(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{has an element less than 1}}
  %0 = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 1, 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @reduce_window_c7(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{window strides = [1, 0] has an element less than 1}}
  %0 = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 1, 1>, window_strides = array<i64: 1, 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @reduce_window_c10(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{window dilation has 1 elements, expected 2}}
  %0 = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 1, 1>, window_dilations = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @reduce_window_c12(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{expected the shape [2, 2]}}
  %0 = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 1, 1>, padding = dense<0> : tensor<2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @reduce_window_c15(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{does not have the inferred shape [3, 5]}}
  %0 = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @reduce_window_overflow(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{exceeds 64 bits}}
  %0 = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 1, 1>, padding = dense<9223372036854775807> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @reduce_window_negative(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{removes more than the size 4}}
  %0 = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 1, 1>, padding = dense<-3> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @select_and_scatter_c2(%x: tensor<4x6xf32>, %s: tensor<f32>, %y: tensor<3x3xf32>) {
  // expected-error @below {{does not have the inferred shape [2, 3]}}
  %0 = "stablehlo.select_and_scatter"(%x, %y, %s) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<3x3xf32>, tensor<f32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @select_and_scatter_c4(%x: tensor<4x6xf32>, %s: tensor<f32>, %y: tensor<4x6xf32>) {
  // expected-error @below {{window_dimensions has 0 elements, expected 2}}
  %0 = "stablehlo.select_and_scatter"(%x, %y, %s) <{}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @select_and_scatter_c9(%x: tensor<4x6xf32>, %s: tensor<f32>, %y: tensor<4x6xf32>) {
  // expected-error @below {{select must return one value of type}}
  %0 = "stablehlo.select_and_scatter"(%x, %y, %s) <{window_dimensions = array<i64: 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @sort_c4(%x: tensor<4x6xf32>) {
  // expected-error @below {{dimension = 2 is not in the range [-2, 2)}}
  %0 = "stablehlo.sort"(%x) <{dimension = 2 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @sort_c5(%x: tensor<4x6xf32>) {
  // expected-error @below {{comparator must return one value of type}}
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @map_c3(%x: tensor<4x6xf32>) {
  // expected-error @below {{dimensions = [0], expected [0, 1]}}
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @map_c4(%x: tensor<4x6xf32>) {
  // expected-error @below {{computation takes 2 arguments, expected 1}}
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @terminator(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  %0 = "stablehlo.reduce"(%x, %s) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // expected-error @below {{'func.return' op expects parent op 'func.func'}}
    func.return
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
  return
}
