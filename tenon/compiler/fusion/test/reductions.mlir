// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-fuse))' | FileCheck %s

// Reductions of rows fuse with their producers, and with elementwise ops on the rows afterwards.

// CHECK-LABEL: func.func @softmax(
// CHECK-COUNT-1: tenon.fusion loop
// CHECK: applies stablehlo.maximum
// CHECK: stablehlo.exponential
// CHECK: applies stablehlo.add
// CHECK: stablehlo.divide
// CHECK: } {rows = 1 : i64} : (tensor<64x128xf32>, tensor<f32>, tensor<f32>) -> tensor<64x128xf32>
// CHECK-NEXT: return
func.func @softmax(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<64xf32>) -> tensor<64x128xf32>
  %d = stablehlo.subtract %x, %mb : tensor<64x128xf32>
  %e = stablehlo.exponential %d : tensor<64x128xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<64xf32>) -> tensor<64x128xf32>
  %r = stablehlo.divide %e, %sb : tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}

// CHECK-LABEL: func.func @sum_of_squares(
// CHECK-COUNT-1: tenon.fusion loop
// CHECK: stablehlo.multiply
// CHECK: applies stablehlo.add
// CHECK: stablehlo.sqrt
// CHECK: } {rows = 1 : i64}
// CHECK-NEXT: return
func.func @sum_of_squares(%x: tensor<64x128xf32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %x, %x : tensor<64x128xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
  %2 = stablehlo.sqrt %1 : tensor<64xf32>
  return %2 : tensor<64xf32>
}

// Reductions of columns fuse with their producers, too, but have no rows.
// CHECK-LABEL: func.func @columns(
// CHECK-COUNT-1: tenon.fusion loop
// CHECK: stablehlo.multiply
// CHECK: applies stablehlo.add across dimensions = [0]
// CHECK-NOT: rows
// CHECK: return
func.func @columns(%x: tensor<64x128xf32>) -> tensor<128xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %x, %x : tensor<64x128xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64x128xf32>, tensor<f32>) -> tensor<128xf32>
  return %1 : tensor<128xf32>
}

// A costly value that a window reads repeatedly is computed once, in a kernel before it.
// CHECK-LABEL: func.func @window(
// CHECK: tenon.fusion loop
// CHECK: stablehlo.exponential
// CHECK: tenon.fusion loop
// CHECK: stablehlo.reduce_window
func.func @window(%x: tensor<100xf32>) -> tensor<98xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.exponential %x : tensor<100xf32>
  %1 = "stablehlo.reduce_window"(%0, %zero) <{window_dimensions = array<i64: 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<100xf32>, tensor<f32>) -> tensor<98xf32>
  return %1 : tensor<98xf32>
}

// Values that all rows of a column reduction share are computed before, not once per row.

// CHECK-LABEL: func.func @variance_of_columns(
// CHECK: tenon.fusion loop
// CHECK-COUNT-1: applies stablehlo.add
// CHECK-NOT: applies
// CHECK: stablehlo.divide
// CHECK: tenon.fusion loop
// CHECK-NOT: applies
// CHECK: stablehlo.subtract
// CHECK: applies stablehlo.add
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @variance_of_columns(%x: tensor<512x128xf32>) -> tensor<128xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<512.0> : tensor<128xf32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512x128xf32>, tensor<f32>) -> tensor<128xf32>
  %1 = stablehlo.divide %0, %n : tensor<128xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<128xf32>) -> tensor<512x128xf32>
  %3 = stablehlo.subtract %x, %2 : tensor<512x128xf32>
  %4 = stablehlo.multiply %3, %3 : tensor<512x128xf32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512x128xf32>, tensor<f32>) -> tensor<128xf32>
  %6 = stablehlo.divide %5, %n : tensor<128xf32>
  return %6 : tensor<128xf32>
}
