// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

// Zeros of the padding are multiplied: with the infinite tap they give NaN. Only at the first pixel
// does that tap meet the padding.
module @padding {
  func.func @main() {
    %x = stablehlo.constant dense<1.0> : tensor<1x4x1xf32>
    %w = stablehlo.constant dense<[[[0x7F800000]], [[1.0]], [[1.0]]]> : tensor<3x1x1xf32>
    %x2 = stablehlo.optimization_barrier %x : tensor<1x4x1xf32>
    %w2 = stablehlo.optimization_barrier %w : tensor<3x1x1xf32>
    %r = stablehlo.convolution(%x2, %w2) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
      window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x4x1xf32>, tensor<3x1x1xf32>) -> tensor<1x4x1xf32>
    %nan = stablehlo.compare NE, %r, %r, FLOAT : (tensor<1x4x1xf32>, tensor<1x4x1xf32>) -> tensor<1x4x1xi1>
    %expected = stablehlo.constant dense<[[[true], [false], [false], [false]]]> : tensor<1x4x1xi1>
    stablehlo.custom_call @check.expect_eq(%nan, %expected) {has_side_effect = true} : (tensor<1x4x1xi1>, tensor<1x4x1xi1>) -> ()
    return
  }
}

// -----

// The same for the zeros between the elements of a dilated input: results whose infinite tap meets a zero are
// NaN, the others are infinite.
module @dilated_input {
  func.func @main() {
    %x = stablehlo.constant dense<1.0> : tensor<1x3x1xf64>
    %w = stablehlo.constant dense<[[[0x7FF0000000000000]], [[1.0]]]> : tensor<2x1x1xf64>
    %x2 = stablehlo.optimization_barrier %x : tensor<1x3x1xf64>
    %w2 = stablehlo.optimization_barrier %w : tensor<2x1x1xf64>
    %r = stablehlo.convolution(%x2, %w2) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
      window = {lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x3x1xf64>, tensor<2x1x1xf64>) -> tensor<1x4x1xf64>
    %nan = stablehlo.compare NE, %r, %r, FLOAT : (tensor<1x4x1xf64>, tensor<1x4x1xf64>) -> tensor<1x4x1xi1>
    %expected = stablehlo.constant dense<[[[false], [true], [false], [true]]]> : tensor<1x4x1xi1>
    stablehlo.custom_call @check.expect_eq(%nan, %expected) {has_side_effect = true} : (tensor<1x4x1xi1>, tensor<1x4x1xi1>) -> ()
    return
  }
}
