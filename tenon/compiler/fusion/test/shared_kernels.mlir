// Layers that differ in a constant share one kernel, which receives the constant as an operand.
// RUN: tenon-compile %s --stage=program | FileCheck %s

// CHECK-COUNT-6: tenon.launch @contract.0(
// CHECK-NOT: tenon.launch
// CHECK-COUNT-1: tenon.kernel
// CHECK-NOT: tenon.kernel
func.func public @main(%x0: tensor<4x32xf32>, %w: tensor<32x32xf32>) -> tensor<4x32xf32> {
  %b0 = stablehlo.constant dense<1.0> : tensor<4x32xf32>
  %p0 = stablehlo.dot_general %x0, %w, contracting_dims = [1] x [0]
      : (tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32>
  %x1 = stablehlo.add %p0, %b0 : tensor<4x32xf32>
  %b1 = stablehlo.constant dense<2.0> : tensor<4x32xf32>
  %p1 = stablehlo.dot_general %x1, %w, contracting_dims = [1] x [0]
      : (tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32>
  %x2 = stablehlo.add %p1, %b1 : tensor<4x32xf32>
  %b2 = stablehlo.constant dense<3.0> : tensor<4x32xf32>
  %p2 = stablehlo.dot_general %x2, %w, contracting_dims = [1] x [0]
      : (tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32>
  %x3 = stablehlo.add %p2, %b2 : tensor<4x32xf32>
  %b3 = stablehlo.constant dense<4.0> : tensor<4x32xf32>
  %p3 = stablehlo.dot_general %x3, %w, contracting_dims = [1] x [0]
      : (tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32>
  %x4 = stablehlo.add %p3, %b3 : tensor<4x32xf32>
  %b4 = stablehlo.constant dense<5.0> : tensor<4x32xf32>
  %p4 = stablehlo.dot_general %x4, %w, contracting_dims = [1] x [0]
      : (tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32>
  %x5 = stablehlo.add %p4, %b4 : tensor<4x32xf32>
  %b5 = stablehlo.constant dense<6.0> : tensor<4x32xf32>
  %p5 = stablehlo.dot_general %x5, %w, contracting_dims = [1] x [0]
      : (tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32>
  %x6 = stablehlo.add %p5, %b5 : tensor<4x32xf32>
  return %x6 : tensor<4x32xf32>
}
