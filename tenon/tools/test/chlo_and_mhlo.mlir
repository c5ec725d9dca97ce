// CHLO and MHLO in text, as clients other than JAX send them.
// RUN: split-file %s %t
// RUN: tenon-run --check --quiet --reference %t/chlo.mlir
// RUN: tenon-compile %t/erf.mlir -s legalize | FileCheck %s --check-prefix=LEGAL
// RUN: tenon-compile %t/mhlo.mlir -s import | FileCheck %s --check-prefix=MHLO
// RUN: not tenon-compile %t/fusion.mlir -o %t/x 2>&1 | FileCheck %s --check-prefix=FUSION
// RUN: not tenon-compile %t/generic.mlir -o %t/x 2>&1 | FileCheck %s --check-prefix=GENERIC
// RUN: not tenon-compile %t/broadcast.mlir -o %t/x 2>&1 | FileCheck %s --check-prefix=BROADCAST
// RUN: not tenon-compile %t/complex.mlir -o %t/x 2>&1 | FileCheck %s --check-prefix=COMPLEX
// RUN: not tenon-compile %t/dynamic.mlir -o %t/x 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: not tenon-compile %t/unknown.mlir -o %t/x 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// The op is printed in the generic form, because its decomposition has been removed.
// LEGAL: "stablehlo.composite"(%arg0) {{.*}}name = "chlo.erf"

//--- erf.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "chlo.erf"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

//--- chlo.mlir
func.func @main() {
  %x = stablehlo.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>
  %y = stablehlo.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %sum = chlo.broadcast_add %x, %y : (tensor<3x1xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<[[11.0, 21.0], [12.0, 22.0], [13.0, 23.0]]> : tensor<3x2xf32>
  stablehlo.custom_call @check.expect_eq(%sum, %expected) {has_side_effect = true} : (tensor<3x2xf32>, tensor<3x2xf32>) -> ()
  %zero = stablehlo.constant dense<0.0> : tensor<3xf32>
  %scan:2 = chlo.scan(%sum) inits(%zero) dimension=1 attributes {is_reverse = true} {
  ^bb0(%input: tensor<3xf32>, %carry: tensor<3xf32>):
    // Not commutative: the order of steps shows.
    %twice = stablehlo.add %carry, %carry : tensor<3xf32>
    %next = stablehlo.add %input, %twice : tensor<3xf32>
    stablehlo.return %carry, %next : tensor<3xf32>, tensor<3xf32>
  } : (tensor<3x2xf32>, tensor<3xf32>) -> (tensor<3x2xf32>, tensor<3xf32>)
  %outputs = stablehlo.constant dense<[[21.0, 0.0], [22.0, 0.0], [23.0, 0.0]]> : tensor<3x2xf32>
  %carries = stablehlo.constant dense<[53.0, 56.0, 59.0]> : tensor<3xf32>
  stablehlo.custom_call @check.expect_eq(%scan#0, %outputs) {has_side_effect = true} : (tensor<3x2xf32>, tensor<3x2xf32>) -> ()
  stablehlo.custom_call @check.expect_eq(%scan#1, %carries) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
  %erf = chlo.erf %y : tensor<2xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<2xf32>
  stablehlo.custom_call @check.expect_eq(%erf, %ones) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  return
}

// MHLO: mhlo.num_partitions = 1
// MHLO: stablehlo.convert %arg0 : tensor<2x3xf32>
// MHLO: stablehlo.constant dense<1.000000e+00> : tensor<f32>
// MHLO: stablehlo.broadcast_in_dim %{{.*}}, dims = []
// MHLO: chlo.erf
// MHLO: stablehlo.transpose %{{.*}}, dims = [1, 0]
// MHLO: stablehlo.dot_general {{.*}} contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST]
// MHLO: stablehlo.reduce_window
// MHLO-SAME: window_dimensions = array<i64: 2, 2>
// MHLO: stablehlo.return
// MHLO: stablehlo.compare LT

//--- mhlo.mlir
module attributes {mhlo.num_partitions = 1 : i32} {
func.func @main(%arg0: tensor<2x3xf32> {mhlo.layout_mode = "default"}) -> tensor<i1> {
  %0 = "mhlo.copy"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>  // not "mhlo.copy"(
  %1 = mhlo.constant dense<1.000000e+00> : tensor<f32>
  %2 = "mhlo.broadcast_in_dim"(%1) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<f32>) -> tensor<2x3xf32>
  %3 = mhlo.add %0, %2 : tensor<2x3xf32>
  %4 = mhlo.erf %3 : tensor<2x3xf32>
  %5 = "mhlo.transpose"(%4) {permutation = dense<[1, 0]> : tensor<2xi64>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %6 = "mhlo.dot_general"(%4, %5) {dot_dimension_numbers = #mhlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#mhlo<precision HIGHEST>, #mhlo<precision HIGHEST>]} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %7 = "mhlo.reduce_window"(%6, %1) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %m = mhlo.maximum %x, %y : tensor<f32>
    mhlo.return %m : tensor<f32>
  }) {window_dimensions = dense<2> : tensor<2xi64>, padding = dense<0> : tensor<2x2xi64>} : (tensor<2x2xf32>, tensor<f32>) -> tensor<1x1xf32>
  %8 = "mhlo.reshape"(%7) : (tensor<1x1xf32>) -> tensor<f32>
  %9 = mhlo.compare LT, %8, %1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %9 : tensor<i1>
}}

// FUSION: UNIMPLEMENTED: {{.*}}'mhlo.fusion' op at line 3 is not one that StableHLO has too; send StableHLO

//--- fusion.mlir
// A comment with mhlo.fusion.
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = mhlo.fusion %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// GENERIC: UNIMPLEMENTED: {{.*}}'mhlo.topk' op at line 2 is not one that StableHLO has too

//--- generic.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0:2 = "mhlo.topk"(%x) {k = 2 : i64} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %0#0 : tensor<2xf32>
}

// BROADCAST: INVALID_ARGUMENT: {{.*}}'chlo.broadcast_add' op cannot broadcast 'tensor<3xf32>' and 'tensor<2xf32>' to 'tensor<3xf32>' at {{.*}}:2

//--- broadcast.mlir
func.func @main(%x: tensor<3xf32>, %y: tensor<2xf32>) -> tensor<3xf32> {
  %0 = chlo.broadcast_add %x, %y : (tensor<3xf32>, tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// COMPLEX: UNIMPLEMENTED: {{.*}}'chlo.bessel_i1e' op on 'tensor<3xcomplex<f32>>' is not supported at {{.*}}:2

//--- complex.mlir
func.func @main(%x: tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>> {
  %0 = chlo.bessel_i1e %x : tensor<3xcomplex<f32>> -> tensor<3xcomplex<f32>>
  return %0 : tensor<3xcomplex<f32>>
}

// DYNAMIC: UNIMPLEMENTED: {{.*}}'chlo.erf' op on dynamic shapes is not supported

//--- dynamic.mlir
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = chlo.erf %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// UNKNOWN: INVALID_ARGUMENT: {{.*}}'chlo.dilog'

//--- unknown.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "chlo.dilog"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
