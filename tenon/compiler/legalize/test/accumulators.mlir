// RUN: tenon-opt %s --tenon-legalize | FileCheck %s
// Reducers of narrow floats run on f32; the result is rounded once.

// CHECK-LABEL: func.func @sum(
func.func @sum(%x: tensor<8x4xbf16>) -> tensor<4xbf16> {
  // CHECK: %[[X:.*]] = stablehlo.convert %arg0 : (tensor<8x4xbf16>) -> tensor<8x4xf32>
  // CHECK: %[[R:.*]] = stablehlo.reduce(%[[X]] {{.*}}(tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: stablehlo.convert %[[R]] : (tensor<4xf32>) -> tensor<4xbf16>
  %0 = stablehlo.constant dense<0.0> : tensor<bf16>
  %1 = stablehlo.reduce(%x init: %0) applies stablehlo.add across dimensions = [0] : (tensor<8x4xbf16>, tensor<bf16>) -> tensor<4xbf16>
  return %1 : tensor<4xbf16>
}

// These ops need no rounding, but processors have no maximum of 16-bit floats.
// CHECK-LABEL: func.func @largest(
func.func @largest(%x: tensor<8x4xbf16>) -> tensor<4xbf16> {
  // CHECK: %[[X:.*]] = stablehlo.convert %arg0 : (tensor<8x4xbf16>) -> tensor<8x4xf32>
  // CHECK: %[[R:.*]] = stablehlo.reduce(%[[X]] {{.*}}applies stablehlo.maximum {{.*}}(tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: stablehlo.convert %[[R]] : (tensor<4xf32>) -> tensor<4xbf16>
  %0 = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %1 = stablehlo.reduce(%x init: %0) applies stablehlo.maximum across dimensions = [0] : (tensor<8x4xbf16>, tensor<bf16>) -> tensor<4xbf16>
  return %1 : tensor<4xbf16>
}

// A conversion to the accumulators' type is removed; one to another type stays.
// CHECK-LABEL: func.func @conversions(
func.func @conversions(%x: tensor<8xf16>) -> tensor<f16> {
  // CHECK: reducer(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>)
  // CHECK-NEXT: %[[S:.*]] = stablehlo.add %[[A]], %[[B]] : tensor<f32>
  // CHECK-NEXT: %[[N:.*]] = stablehlo.convert %[[S]] : (tensor<f32>) -> tensor<bf16>
  // CHECK-NEXT: %[[W:.*]] = stablehlo.convert %[[N]] : (tensor<bf16>) -> tensor<f32>
  // CHECK-NEXT: stablehlo.return %[[W]] : tensor<f32>
  %0 = stablehlo.constant dense<0.0> : tensor<f16>
  %1 = stablehlo.reduce(%x init: %0) across dimensions = [0] : (tensor<8xf16>, tensor<f16>) -> tensor<f16>
   reducer(%a: tensor<f16>, %b: tensor<f16>) {
    %2 = stablehlo.convert %a : (tensor<f16>) -> tensor<f32>
    %3 = stablehlo.convert %b : (tensor<f16>) -> tensor<f32>
    %4 = stablehlo.add %2, %3 : tensor<f32>
    %5 = stablehlo.convert %4 : (tensor<f32>) -> tensor<f16>
    %6 = stablehlo.convert %5 : (tensor<f16>) -> tensor<bf16>
    %7 = stablehlo.convert %6 : (tensor<bf16>) -> tensor<f16>
    stablehlo.return %7 : tensor<f16>
  }
  return %1 : tensor<f16>
}

// CHECK-LABEL: func.func @prefix(
func.func @prefix(%x: tensor<32xf8E4M3FN>) -> tensor<32xf8E4M3FN> {
  // CHECK: "stablehlo.reduce_window"({{.*}}
  // CHECK: (tensor<32xf32>, tensor<f32>) -> tensor<32xf32>
  %0 = stablehlo.constant dense<0.0> : tensor<f8E4M3FN>
  %1 = "stablehlo.reduce_window"(%x, %0) <{window_dimensions = array<i64: 32>, padding = dense<[[31, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f8E4M3FN>, %b: tensor<f8E4M3FN>):
    %2 = stablehlo.add %a, %b : tensor<f8E4M3FN>
    stablehlo.return %2 : tensor<f8E4M3FN>
  }) : (tensor<32xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<32xf8E4M3FN>
  return %1 : tensor<32xf8E4M3FN>
}
