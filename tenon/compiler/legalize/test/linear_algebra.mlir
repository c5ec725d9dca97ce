// RUN: tenon-opt %s --tenon-legalize | FileCheck %s

// Types that have a kernel do not change.
// CHECK-LABEL: func.func @solve(
func.func @solve(%a: tensor<4x4xf32>, %b: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // CHECK-NEXT: stablehlo.triangular_solve
  // CHECK-NEXT: return
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// bf16 is computed in f32.
// CHECK-LABEL: func.func @small_floats(
func.func @small_floats(%a: tensor<4x4xbf16>, %b: tensor<4x2xbf16>) -> tensor<4x2xbf16> {
  // CHECK: stablehlo.convert {{.*}} -> tensor<4x4xf32>
  // CHECK: triangular_solve{{.*}} -> tensor<4x2xf32>
  // CHECK: return %{{.*}} : tensor<4x2xbf16>
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<4x4xbf16>, tensor<4x2xbf16>) -> tensor<4x2xbf16>
  return %0 : tensor<4x2xbf16>
}

// The status decides between the factor and NaN.
// CHECK-LABEL: func.func @cholesky(
func.func @cholesky(%a: tensor<3x40x40xcomplex<f32>>) -> tensor<3x40x40xcomplex<f32>> {
  // CHECK: stablehlo.constant dense<(0x7FC00000,0.000000e+00)>
  // CHECK: %[[F:.*]], %[[S:.*]] = tenon.cholesky %{{.*}} lower true : tensor<3x40x40xcomplex<f32>> -> tensor<3x40x40xcomplex<f32>>, tensor<3xi32>
  // CHECK: stablehlo.compare EQ, %[[S]]
  // CHECK: stablehlo.select %{{.*}}, %[[F]]
  %0 = stablehlo.cholesky %a, lower = true : tensor<3x40x40xcomplex<f32>>
  return %0 : tensor<3x40x40xcomplex<f32>>
}

// JAX's custom calls of LAPACK.
// CHECK-LABEL: func.func @potrf(
func.func @potrf(%a: tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<i32>) {
  // The other triangle keeps its input.
  // CHECK: %[[FACTOR:.*]], %[[STATUS:.*]] = tenon.cholesky %[[A:.*]] lower false : tensor<8x8xf64> -> tensor<8x8xf64>, tensor<i32>
  // CHECK: %[[RESULT:.*]] = stablehlo.select %{{.*}}, %[[FACTOR]], %[[A]]
  // CHECK-NEXT: return %[[RESULT]], %[[STATUS]]
  %0:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {api_version = 4 : i32, backend_config = {uplo = 85 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<i32>)
  return %0#0, %0#1 : tensor<8x8xf64>, tensor<i32>
}

// CHECK-LABEL: func.func @trsm(
func.func @trsm(%a: tensor<4x4xcomplex<f64>>, %b: tensor<2x4xcomplex<f64>>) -> tensor<2x4xcomplex<f64>> {
  // CHECK-NEXT: stablehlo.triangular_solve
  // CHECK-SAME: left_side = false, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true
  %0 = stablehlo.custom_call @lapack_ztrsm_ffi(%a, %b) {api_version = 4 : i32, backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 67 : ui8, uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x4xcomplex<f64>>, tensor<2x4xcomplex<f64>>) -> tensor<2x4xcomplex<f64>>
  return %0 : tensor<2x4xcomplex<f64>>
}

// CHECK-LABEL: func.func @getrf(
func.func @getrf(%a: tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>, tensor<2x4xi32>, tensor<2xi32>) {
  // CHECK: %[[F:.*]], %[[P:.*]] = tenon.lu %{{.*}} : tensor<2x4x6xf32> -> tensor<2x4x6xf32>, tensor<2x4xi32>
  // CHECK: stablehlo.slice %[[F]]
  // CHECK: stablehlo.reduce
  // CHECK: return %[[F]], %[[P]]
  %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) {api_version = 4 : i32, backend_config = {}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>, tensor<2x4xi32>, tensor<2xi32>)
  return %0#0, %0#1, %0#2 : tensor<2x4x6xf32>, tensor<2x4xi32>, tensor<2xi32>
}

// Calls that do not fit the routine stay for the code that knows their target.
// CHECK-LABEL: func.func @other_calls(
func.func @other_calls(%a: tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<i32>) {
  // CHECK: custom_call @lapack_spotrf_ffi
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {api_version = 4 : i32, backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<i32>)
  // CHECK: custom_call @lapack_dpotrf_ffi
  %1:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {api_version = 4 : i32, backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<i32>)
  // Row-major matrices.
  // CHECK: custom_call @lapack_dpotrf_ffi
  %2:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%0#0) {api_version = 4 : i32, backend_config = {uplo = 76 : ui8}} : (tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<i32>)
  return %2#0, %1#1 : tensor<4x4xf64>, tensor<i32>
}
