// REQUIRES: plugin
// RUN: split-file %s %t
// RUN: tenon-run --check %t/right.mlir -p %plugin | FileCheck %s --check-prefix=RIGHT
// RUN: tenon-run --check %t/returned.mlir -p %plugin | FileCheck %s --check-prefix=RETURNED
// RUN: not tenon-run --check %t/wrong.mlir -p %plugin 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not tenon-run --check %t/none.mlir -p %plugin 2>&1 | FileCheck %s --check-prefix=NONE

// Test programs: the plugin computes the checked values, and the reference evaluator the
// inputs and the comparisons.
//
// RIGHT: result 0: i32[3] {2, 4, 6}
// RIGHT-NEXT: result 1: f32[] {1.5}
// RIGHT-NEXT: the results are as the program expects
// WRONG: tenon-run: FAILED_PRECONDITION: {{.*}}@check.expect_eq: i32[3]: 1 of 3 values differ; first at [2]: got 6, expected 7
// NONE: tenon-run: INVALID_ARGUMENT: {{.*}}none.mlir': --check wants a program without arguments

//--- right.mlir
func.func @main() {
  %0:2 = call @inputs() : () -> (tensor<3xi32>, tensor<f32>)
  %1 = call @expected() : () -> tensor<3xi32>
  %2 = stablehlo.add %0#0, %0#0 : tensor<3xi32>
  stablehlo.custom_call @check.expect_eq(%2, %1) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
  %3 = stablehlo.constant dense<1.5> : tensor<f32>
  %4 = stablehlo.abs %0#1 : tensor<f32>
  stablehlo.custom_call @check.expect_close(%4, %3) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
  return
}
func.func private @inputs() -> (tensor<3xi32>, tensor<f32>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %1 = stablehlo.constant dense<-1.5> : tensor<f32>
  return %0, %1 : tensor<3xi32>, tensor<f32>
}
func.func private @expected() -> tensor<3xi32> {
  %0 = stablehlo.constant dense<[2, 4, 6]> : tensor<3xi32>
  return %0 : tensor<3xi32>
}

//--- returned.mlir
// RETURNED: the results are as the program expects
func.func @main() -> tensor<i1> {
  %0 = stablehlo.constant dense<[2, 4, 7]> : tensor<3xi32>
  %1 = stablehlo.add %0, %0 : tensor<3xi32>
  %2 = stablehlo.constant dense<[4, 8, 14]> : tensor<3xi32>
  %3 = stablehlo.custom_call @check.eq(%1, %2) : (tensor<3xi32>, tensor<3xi32>) -> tensor<i1>
  return %3 : tensor<i1>
}

//--- wrong.mlir
func.func @main() {
  %0 = call @inputs() : () -> tensor<3xi32>
  %1 = stablehlo.constant dense<[2, 4, 7]> : tensor<3xi32>
  %2 = stablehlo.add %0, %0 : tensor<3xi32>
  stablehlo.custom_call @check.expect_eq(%2, %1) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
  return
}
func.func private @inputs() -> tensor<3xi32> {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  return %0 : tensor<3xi32>
}

//--- none.mlir
func.func @main(%x: tensor<3xi32>) -> tensor<3xi32> {
  return %x : tensor<3xi32>
}
