// RUN: tenon-opt %s --tenon-legalize | FileCheck %s

// The reversal of a filter is folded into the convolution, which reads the filter backwards.
// The gradient with respect to the input has such a reversal.
// CHECK-LABEL: func.func @gradient(
// CHECK-NOT: stablehlo.reverse
// CHECK: stablehlo.convolution(%arg0, %arg1)
// CHECK-SAME: reverse = [true, true]
func.func @gradient(%dy: tensor<1x8x8x4xf32>, %w: tensor<3x3x5x4xf32>) -> tensor<1x8x8x5xf32> {
  %0 = stablehlo.reverse %w, dims = [0, 1] : tensor<3x3x5x4xf32>
  %1 = stablehlo.convolution(%dy, %0) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f],
    window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x8x8x4xf32>, tensor<3x3x5x4xf32>) -> tensor<1x8x8x5xf32>
  return %1 : tensor<1x8x8x5xf32>
}

// Two reversals cancel.
// CHECK-LABEL: func.func @twice(
// CHECK-NOT: stablehlo.reverse
// CHECK: stablehlo.convolution(%arg0, %arg1)
// CHECK-SAME: reverse = [false, true]
func.func @twice(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x5xf32>) -> tensor<1x6x6x5xf32> {
  %0 = stablehlo.reverse %w, dims = [0, 1] : tensor<3x3x4x5xf32>
  %1 = stablehlo.convolution(%x, %0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x8x8x4xf32>, tensor<3x3x4x5xf32>) -> tensor<1x6x6x5xf32>
  return %1 : tensor<1x6x6x5xf32>
}

// Reversed features give a different filter.
// CHECK-LABEL: func.func @features(
// CHECK: stablehlo.reverse
// CHECK: stablehlo.convolution
func.func @features(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x5xf32>) -> tensor<1x6x6x5xf32> {
  %0 = stablehlo.reverse %w, dims = [0, 2] : tensor<3x3x4x5xf32>
  %1 = stablehlo.convolution(%x, %0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x8x8x4xf32>, tensor<3x3x4x5xf32>) -> tensor<1x6x6x5xf32>
  return %1 : tensor<1x6x6x5xf32>
}

// Factors of two kinds are multiplied in the higher one.
// CHECK-LABEL: func.func @integers_and_floats(
// CHECK: %[[X:.*]] = stablehlo.convert %arg0 : (tensor<1x8x8x4xi8>) -> tensor<1x8x8x4xf32>
// CHECK: stablehlo.convolution(%[[X]], %arg1)
func.func @integers_and_floats(%x: tensor<1x8x8x4xi8>, %w: tensor<3x3x4x5xf32>) -> tensor<1x6x6x5xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x8x8x4xi8>, tensor<3x3x4x5xf32>) -> tensor<1x6x6x5xf32>
  return %0 : tensor<1x6x6x5xf32>
}
