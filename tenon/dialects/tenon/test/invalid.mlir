// RUN: tenon-opt %s -split-input-file -verify-diagnostics

func.func @fusion_arguments(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{the body takes arguments of types ('tensor<4xf32>'), but has ('tensor<8xf32>')}}
  %0 = tenon.fusion loop(%x) {
  ^bb0(%a: tensor<8xf32>):
    %1 = stablehlo.slice %a [0:4:1] : (tensor<8xf32>) -> tensor<4xf32>
    tenon.yield %1 : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @fusion_results(%x: tensor<4xf32>) {
  // expected-error @below {{the body yields ('tensor<4xf32>'), expected ('tensor<4xi32>')}}
  %0 = tenon.fusion loop(%x) {
  ^bb0(%a: tensor<4xf32>):
    tenon.yield %a : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @fusion_without_yield(%x: tensor<4xf32>) {
  // expected-error @below {{the body must end in tenon.yield}}
  tenon.fusion loop(%x) {
  ^bb0(%a: tensor<4xf32>):
    %1 = stablehlo.negate %a : tensor<4xf32>
  } : (tensor<4xf32>) -> ()
  return
}

// -----

// expected-error @below {{has 3 parameters but 2 block arguments}}
tenon.program @parameters parameters 3 arena 0 aliases [] {
^bb0(%x: memref<4xf32>, %y: memref<4xf32>):
}

// -----

// expected-error @below {{needs one entry in `aliases` per result}}
tenon.program @aliases parameters 1 arena 0 aliases [] {
^bb0(%x: memref<4xf32>, %y: memref<4xf32>):
}

// -----

// expected-error @below {{result 0 aliases parameter 1, which does not exist}}
tenon.program @alias_of_nothing parameters 1 arena 0 aliases [1] {
^bb0(%x: memref<4xf32>, %y: memref<4xf32>):
}

// -----

tenon.program @while_condition parameters 1 arena 0 aliases [] {
^bb0(%x: memref<i32>):
  %0 = tenon.read %x : memref<i32> -> tensor<i32>
  // expected-error @below {{the condition yields ('tensor<i32>'), expected ('tensor<i1>')}}
  %1 = tenon.while(%0 : tensor<i32>) {
  ^bb0(%i: tensor<i32>):
    tenon.yield %i : tensor<i32>
  } do {
  ^bb0(%i: tensor<i32>):
    tenon.yield %i : tensor<i32>
  } -> tensor<i32>
}

// -----

tenon.program @while_types parameters 1 arena 0 aliases [] {
^bb0(%x: memref<i32>):
  %0 = tenon.read %x : memref<i32> -> tensor<i32>
  // expected-error @below {{results must have the types of the initial values}}
  tenon.while(%0 : tensor<i32>) {
  ^bb0(%i: tensor<i32>):
    %p = stablehlo.constant dense<false> : tensor<i1>
    tenon.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>):
    tenon.yield %i : tensor<i32>
  }
}

// -----

tenon.program @case_branches parameters 1 arena 0 aliases [] {
^bb0(%x: memref<i32>):
  %0 = tenon.read %x : memref<i32> -> tensor<i32>
  // expected-error @below {{a branch yields (), expected ('tensor<i32>')}}
  %1 = tenon.case %0 {
    tenon.yield %0 : tensor<i32>
  }, {
    tenon.yield
  } : (tensor<i32>) -> tensor<i32>
}

// -----

tenon.kernel @grain {
  // expected-error @below {{needs a positive grain}}
  tenon.parallel [4] grain 0 {
  ^bb0(%i: index):
  }
}

// -----

tenon.kernel @negative {
  // expected-error @below {{has a negative size}}
  tenon.parallel [-4] grain 1 {
  ^bb0(%i: index):
  }
}

// -----

tenon.kernel @indices {
  // expected-error @below {{the body takes arguments of types ('index', 'index'), but has ('index')}}
  tenon.parallel [4, 4] grain 1 {
  ^bb0(%i: index):
  }
}

// -----

tenon.kernel @rank {
^bb0(%x: memref<4x8xf32>):
  %c0 = arith.constant 0 : index
  // expected-error @below {{has 1 indices for a view of rank 2}}
  %0 = tenon.load %x[%c0] : memref<4x8xf32> -> tensor<f32>
}

// -----

tenon.kernel @element_type {
^bb0(%x: memref<4xf32>):
  %c0 = arith.constant 0 : index
  // expected-error @below {{accesses 'memref<4xf32>' as 'tensor<i32>'}}
  %0 = tenon.load %x[%c0] : memref<4xf32> -> tensor<i32>
}

// -----

tenon.kernel @mask {
^bb0(%x: memref<4xf32>):
  %c0 = arith.constant 0 : index
  %m = arith.cmpi eq, %c0, %c0 : index
  // expected-error @below {{needs `other` with a mask}}
  %0 = tenon.load %x[%c0] if %m : memref<4xf32> -> tensor<f32>
}

// -----

tenon.kernel @combiner {
^bb0(%x: memref<4xf32>, %init: tensor<f32>):
  // expected-error @below {{the combiner takes arguments of types ('tensor<f32>', 'tensor<f32>'), but has ('tensor<f32>')}}
  %0 = tenon.reduce [4] init(%init : tensor<f32>) {
  ^bb0(%i: index):
    %1 = tenon.load %x[%i] : memref<4xf32> -> tensor<f32>
    tenon.yield %1 : tensor<f32>
  } combine {
  ^bb0(%a: tensor<f32>):
    tenon.yield %a : tensor<f32>
  } -> tensor<f32>
}

// -----

tenon.kernel @product {
^bb0(%a: memref<1x4x8xf32>, %b: memref<1x4x2xf32>, %s: memref<64xi8>):
  // expected-error @below {{operand shapes do not match}}
  tenon.contract %a, %b scratch %s accumulate f32 {
  ^bb0(%batch: index, %m: index, %n: index, %v: tensor<f32>):
  } : memref<1x4x8xf32>, memref<1x4x2xf32>, memref<64xi8>
}

// -----

tenon.kernel @factors {
^bb0(%a: memref<2x4x4xf32>, %u: memref<2x4x4xf32>, %n: memref<2xi32>, %s: memref<64xi8>):
  // expected-error @below {{needs a result of rank 3 and numbers of rank 2}}
  tenon.linalg cholesky %a to %u, %n scratch %s lower false unit_diagonal false
      conjugate false : (memref<2x4x4xf32>) to (memref<2x4x4xf32>, memref<2xi32>), memref<64xi8>
}

// -----

tenon.kernel @solution {
^bb0(%a: memref<2x4x4xf32>, %x: memref<2x4x4xf32>, %s: memref<64xi8>):
  // expected-error @below {{needs 2 inputs and 1 outputs}}
  tenon.linalg triangular_solve %a to %x scratch %s lower false unit_diagonal false
      conjugate false : (memref<2x4x4xf32>) to (memref<2x4x4xf32>), memref<64xi8>
}

// -----

tenon.kernel @plan_of_more_scratch {
^bb0(%a: memref<4x8xcomplex<f32>>, %b: memref<4x8xcomplex<f32>>, %s: memref<64xi8>):
  // expected-error @+1 {{has 64 bytes of scratch, but its plan needs 128}}
  tenon.fft %a to %b scratch %s lengths [8] inverse false {tenon.plan = {scratch_bytes = 128 : i64}}
      : memref<4x8xcomplex<f32>> to memref<4x8xcomplex<f32>>, memref<64xi8>
}

// -----

tenon.kernel @plan_of_no_structured_op {
^bb0(%x: memref<4xf32>):
  // expected-error @+1 {{has a plan, but is not a structured op}}
  tenon.parallel [4] grain 4 {
  ^bb0(%i: index):
  } {tenon.plan = {}}
}

// -----

tenon.kernel @plan_of_another_type {
^bb0(%a: memref<4x8xcomplex<f32>>, %b: memref<4x8xcomplex<f32>>, %s: memref<64xi8>):
  // expected-error @+1 {{has a plan that is not a dictionary}}
  tenon.fft %a to %b scratch %s lengths [8] inverse false {tenon.plan = 3 : i64}
      : memref<4x8xcomplex<f32>> to memref<4x8xcomplex<f32>>, memref<64xi8>
}
