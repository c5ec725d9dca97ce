// Reductions over outer and short innermost dimensions become two: of the outer dimensions, by columns,
// and of the inner ones.
// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-fuse))' | FileCheck %s

// CHECK-LABEL: func.func @channels(
// CHECK: %[[COLUMNS:.*]] = tenon.fusion loop(%arg0, %arg1) {
// CHECK: across dimensions = [0] : (tensor<32x64x7x7xf32>, tensor<f32>) -> tensor<64x7x7xf32>
// CHECK: tenon.fusion loop(%[[COLUMNS]], %arg1) {
// CHECK: across dimensions = [1, 2] : (tensor<64x7x7xf32>, tensor<f32>) -> tensor<64xf32>
func.func @channels(%x: tensor<32x64x7x7xf32>, %z: tensor<f32>) -> tensor<64xf32> {
  %s = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [0, 2, 3] : (tensor<32x64x7x7xf32>, tensor<f32>) -> tensor<64xf32>
  return %s : tensor<64xf32>
}

// The initial value of a sum would count twice, and partial sums of bf16 would be rounded. Long rows
// and few of them gain nothing.

// CHECK-LABEL: func.func @whole(
// CHECK-COUNT-4: across dimensions = [0, 2]
// CHECK: return
func.func @whole(%x: tensor<64x64x16xf32>, %n: tensor<64x64x16xbf16>, %long: tensor<64x64x128xi32>, %few: tensor<8x512x16xi32>, %z: tensor<f32>, %zn: tensor<bf16>) -> (tensor<64xf32>, tensor<64xbf16>, tensor<64xi32>, tensor<512xi32>) {
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 2] : (tensor<64x64x16xf32>, tensor<f32>) -> tensor<64xf32>
  %1 = stablehlo.reduce(%n init: %zn) applies stablehlo.maximum across dimensions = [0, 2] : (tensor<64x64x16xbf16>, tensor<bf16>) -> tensor<64xbf16>
  %zi = stablehlo.constant dense<0> : tensor<i32>
  %2 = stablehlo.reduce(%long init: %zi) applies stablehlo.add across dimensions = [0, 2] : (tensor<64x64x128xi32>, tensor<i32>) -> tensor<64xi32>
  %3 = stablehlo.reduce(%few init: %zi) applies stablehlo.add across dimensions = [0, 2] : (tensor<8x512x16xi32>, tensor<i32>) -> tensor<512xi32>
  return %0, %1, %2, %3 : tensor<64xf32>, tensor<64xbf16>, tensor<64xi32>, tensor<512xi32>
}

// A reducer that does not commute keeps its order.

// CHECK-LABEL: func.func @ordered(
// CHECK-COUNT-1: across dimensions = [0, 2]
// CHECK: return
func.func @ordered(%x: tensor<64x64x16xf32>, %z: tensor<f32>) -> tensor<64xf32> {
  %r = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<64x64x16xf32>, tensor<f32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
