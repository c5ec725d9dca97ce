// RUN: tenon-opt %s | tenon-opt | FileCheck %s

// Elementwise ops of several tensors.

// CHECK-LABEL: func.func @arithmetic(
func.func @arithmetic(%x: tensor<2x3xf32>, %y: tensor<?x3xf32>) {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.add %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<2x3xf32>
  %0 = stablehlo.add %x, %x : tensor<2x3xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.add %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : (tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.add %x, %y : (tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<2x3xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.subtract %{{[^ ,:()]+}}, %{{[^ ,:()]+}} {mhlo.frontend_attributes = {note = "kept"}} : tensor<2x3xf32>
  %2 = stablehlo.subtract %x, %x {mhlo.frontend_attributes = {note = "kept"}} : tensor<2x3xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.multiply %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<2x3xf32>
  %3 = stablehlo.multiply %x, %x : tensor<2x3xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.divide %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<2x3xf32>
  %4 = stablehlo.divide %x, %x : tensor<2x3xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.remainder %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<2x3xf32>
  %5 = stablehlo.remainder %x, %x : tensor<2x3xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.power %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<2x3xf32>
  %6 = stablehlo.power %x, %x : tensor<2x3xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.maximum %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<2x3xf32>
  %7 = stablehlo.maximum %x, %x : tensor<2x3xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.minimum %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<2x3xf32>
  %8 = stablehlo.minimum %x, %x : tensor<2x3xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.atan2 %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<2x3xf32>
  %9 = stablehlo.atan2 %x, %x : tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @logic(
func.func @logic(%x: tensor<4xi1>, %i: tensor<4xui16>) {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.and %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<4xi1>
  %0 = stablehlo.and %x, %x : tensor<4xi1>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.or %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<4xi1>
  %1 = stablehlo.or %x, %x : tensor<4xi1>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.xor %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<4xui16>
  %2 = stablehlo.xor %i, %i : tensor<4xui16>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.shift_left %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<4xui16>
  %3 = stablehlo.shift_left %i, %i : tensor<4xui16>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.shift_right_arithmetic %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<4xui16>
  %4 = stablehlo.shift_right_arithmetic %i, %i : tensor<4xui16>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.shift_right_logical %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<4xui16>
  %5 = stablehlo.shift_right_logical %i, %i : tensor<4xui16>
  return
}

// CHECK-LABEL: func.func @compare(
func.func @compare(%x: tensor<4xf32>, %i: tensor<4xi32>, %p: tensor<4xi1>) {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.compare EQ, %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %0 = stablehlo.compare EQ, %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.compare LT, %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = stablehlo.compare LT, %x, %x, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.compare GE, %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %2 = stablehlo.compare GE, %i, %i, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.compare NE, %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %3 = stablehlo.compare NE, %p, %p, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  // The form in old artifacts.
  // CHECK: stablehlo.compare LT, {{.*}}, SIGNED : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %4 = stablehlo.compare LT, %x, %x, SIGNED : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @others(
func.func @others(%x: tensor<4xf32>, %p: tensor<4xi1>, %q: tensor<i1>, %s: tensor<f32>) {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.complex %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<4xcomplex<f32>>
  %0 = stablehlo.complex %x, %x : tensor<4xcomplex<f32>>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.select %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<4xi1>, tensor<4xf32>
  %1 = stablehlo.select %p, %x, %x : tensor<4xi1>, tensor<4xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.select %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<i1>, tensor<4xf32>
  %2 = stablehlo.select %q, %x, %x : tensor<i1>, tensor<4xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.clamp %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<4xf32>
  %3 = stablehlo.clamp %x, %x, %x : tensor<4xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.clamp %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = stablehlo.clamp %s, %x, %s : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}
