// RUN: tenon-opt %s -pass-pipeline='builtin.module(func.func(tenon-legalize))' | FileCheck %s

// Products are brought to one form.

// CHECK-LABEL: func.func @dot(
// CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
// CHECK-NOT: stablehlo.dot{{ }}
// CHECK: return
func.func @dot(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.dot %x, %y : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Factors of different types are multiplied in the result's type.
// CHECK-LABEL: func.func @unlike(
// CHECK-COUNT-2: stablehlo.convert
// CHECK: stablehlo.dot_general %{{.*}}, %{{.*}} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
func.func @unlike(%x: tensor<8x16xbf16>, %y: tensor<16x4xf16>) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xbf16>, tensor<16x4xf16>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Integers and floats, as lax.dot_general sends them with a precision.
// CHECK-LABEL: func.func @integers_and_floats(
// CHECK: %[[X:.*]] = stablehlo.convert %{{.*}} : (tensor<8x16xi32>) -> tensor<8x16xf32>
// CHECK: stablehlo.dot_general %[[X]], %arg1, {{.*}} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
func.func @integers_and_floats(%x: tensor<8x16xi32>, %y: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xi32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Sums of floats become integers after the last term.
// CHECK-LABEL: func.func @integer_result(
// CHECK: %[[SUM:.*]] = stablehlo.dot_general {{.*}} : (tensor<8x16xf16>, tensor<16x4xf16>) -> tensor<8x4xf32>
// CHECK: stablehlo.convert %[[SUM]] : (tensor<8x4xf32>) -> tensor<8x4xi32>
func.func @integer_result(%x: tensor<8x16xf16>, %y: tensor<16x4xf16>) -> tensor<8x4xi32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf16>, tensor<16x4xf16>) -> tensor<8x4xi32>
  return %0 : tensor<8x4xi32>
}

// CHECK-LABEL: func.func @complex_result(
// CHECK: %[[SUM:.*]] = stablehlo.dot_general {{.*}} -> tensor<8x4xf32>
// CHECK: stablehlo.convert %[[SUM]] : (tensor<8x4xf32>) -> tensor<8x4xcomplex<f32>>
func.func @complex_result(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) -> tensor<8x4xcomplex<f32>> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xcomplex<f32>>
  return %0 : tensor<8x4xcomplex<f32>>
}
