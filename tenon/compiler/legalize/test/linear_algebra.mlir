// RUN: tenon-opt %s --tenon-legalize | FileCheck %s

// A small system is solved row by row.
// CHECK-LABEL: func.func @small_solve(
func.func @small_solve(%a: tensor<4x4xf32>, %b: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // CHECK: stablehlo.while
  // CHECK: stablehlo.dynamic_slice
  // CHECK: stablehlo.dot_general
  // CHECK: stablehlo.divide
  // CHECK: stablehlo.dynamic_update_slice
  // CHECK-NOT: triangular_solve
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// A unit diagonal is not looked at; bf16 is computed in f32.
// CHECK-LABEL: func.func @unit_diagonal(
func.func @unit_diagonal(%a: tensor<4x4xbf16>, %b: tensor<4x2xbf16>) -> tensor<4x2xbf16> {
  // CHECK: stablehlo.convert {{.*}} -> tensor<4x4xf32>
  // CHECK: stablehlo.while
  // CHECK-NOT: stablehlo.divide
  // CHECK: return %{{.*}} : tensor<4x2xbf16>
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<4x4xbf16>, tensor<4x2xbf16>) -> tensor<4x2xbf16>
  return %0 : tensor<4x2xbf16>
}

// One loop inverts all diagonal blocks, products do the rest.
// CHECK-LABEL: func.func @blocked_solve(
func.func @blocked_solve(%a: tensor<3x96x96xf64>, %b: tensor<3x96x5xf64>) -> tensor<3x96x5xf64> {
  // CHECK: stablehlo.concatenate {{.*}} -> tensor<3x3x32x32xf64>
  // CHECK: stablehlo.while
  // CHECK-NOT: stablehlo.while
  // CHECK: stablehlo.dot_general {{.*}} (tensor<3x32x32xf64>, tensor<3x32x5xf64>) -> tensor<3x32x5xf64>
  // CHECK: return
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x96x96xf64>, tensor<3x96x5xf64>) -> tensor<3x96x5xf64>
  return %0 : tensor<3x96x5xf64>
}

// CHECK-LABEL: func.func @cholesky(
func.func @cholesky(%a: tensor<40x40xcomplex<f32>>) -> tensor<40x40xcomplex<f32>> {
  // CHECK: stablehlo.constant dense<(0x7FC00000,0.000000e+00)> : tensor<40x40xcomplex<f32>>
  // CHECK-NOT: stablehlo.cholesky
  // CHECK-NOT: triangular_solve
  // CHECK: stablehlo.while
  // CHECK: stablehlo.sqrt
  // CHECK: stablehlo.select
  %0 = stablehlo.cholesky %a, lower = true : tensor<40x40xcomplex<f32>>
  return %0 : tensor<40x40xcomplex<f32>>
}
