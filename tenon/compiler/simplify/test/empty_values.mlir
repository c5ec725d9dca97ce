// RUN: tenon-compile %s -s simplify | FileCheck %s

// A call is removed if its only used results have no elements and it has no side effects.

// CHECK-LABEL: func.func {{.*}}@main(
// CHECK-NOT: stablehlo.custom_call @no_effect
// CHECK: stablehlo.custom_call @effect
// CHECK-NOT: stablehlo.select
// CHECK: return %[[W:.*]], %[[W]]
func.func @main(%x: tensor<0x0xf64>) -> (tensor<0xcomplex<f64>>, tensor<0xcomplex<f64>>) {
  %0:2 = stablehlo.custom_call @no_effect(%x) {api_version = 4 : i32} : (tensor<0x0xf64>) -> (tensor<0xcomplex<f64>>, tensor<i32>)
  %1 = stablehlo.custom_call @effect(%x) {api_version = 4 : i32, has_side_effect = true} : (tensor<0x0xf64>) -> tensor<0xcomplex<f64>>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %ok = stablehlo.compare EQ, %0#1, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %2 = stablehlo.select %ok, %0#0, %1 : tensor<i1>, tensor<0xcomplex<f64>>
  return %2, %1 : tensor<0xcomplex<f64>>, tensor<0xcomplex<f64>>
}
