// A reduction of stacked arrays, and of what is computed from them, combines the arrays in their
// order: no stack is stored.
// RUN: split-file %s %t
// RUN: tenon-compile %t/yes.mlir -s simplify | FileCheck %s --check-prefix=YES
// RUN: tenon-compile %t/factor.mlir -s simplify | FileCheck %s --check-prefix=FACTOR
// RUN: tenon-compile %t/no.mlir -s simplify | FileCheck %s --check-prefix=NO

// YES-LABEL: @main(
// YES-NOT: stablehlo.concatenate
// YES: %[[INIT:.*]] = stablehlo.broadcast_in_dim %arg4
// YES: %[[A:.*]] = stablehlo.multiply
// YES: %[[SUM1:.*]] = stablehlo.add %[[INIT]], %[[A]]
// YES: %[[B:.*]] = stablehlo.multiply
// YES: %[[SUM2:.*]] = stablehlo.add %[[SUM1]], %[[B]]
// YES: %[[C:.*]] = stablehlo.multiply
// YES: %[[SUM3:.*]] = stablehlo.add %[[SUM2]], %[[C]]
// YES-COUNT-3: stablehlo.maximum
// YES-NOT: stablehlo.maximum
// YES-NOT: stablehlo.reduce

//--- yes.mlir
func.func @main(%x: tensor<8x9xf32>, %y: tensor<8x9xf32>, %z: tensor<8x9xf32>, %w: tensor<3xf32>, %i: tensor<f32>)
    -> (tensor<8x9xf32>, tensor<8x9xf32>) {
  %a = stablehlo.reshape %x : (tensor<8x9xf32>) -> tensor<8x1x9xf32>
  %b = stablehlo.reshape %y : (tensor<8x9xf32>) -> tensor<8x1x9xf32>
  %c = stablehlo.reshape %z : (tensor<8x9xf32>) -> tensor<8x1x9xf32>
  %ab = stablehlo.concatenate %a, %b, dim = 1 : (tensor<8x1x9xf32>, tensor<8x1x9xf32>) -> tensor<8x2x9xf32>
  %abc = stablehlo.concatenate %ab, %c, dim = 1 : (tensor<8x2x9xf32>, tensor<8x1x9xf32>) -> tensor<8x3x9xf32>
  %weights = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<3xf32>) -> tensor<8x3x9xf32>
  %p = stablehlo.multiply %abc, %weights : tensor<8x3x9xf32>
  %0 = stablehlo.reduce(%p init: %i) applies stablehlo.add across dimensions = [1] : (tensor<8x3x9xf32>, tensor<f32>) -> tensor<8x9xf32>
  %1 = stablehlo.reduce(%abc init: %i) applies stablehlo.maximum across dimensions = [1] : (tensor<8x3x9xf32>, tensor<f32>) -> tensor<8x9xf32>
  return %0, %1 : tensor<8x9xf32>, tensor<8x9xf32>
}

// What is not made of stacks is computed as a whole, once.
//
// FACTOR-LABEL: @main(
// FACTOR-COUNT-1: stablehlo.exponential %arg1 : tensor<2x9xf32>
// FACTOR-NOT: {{stablehlo.(exponential|concatenate|reduce)}}
// FACTOR: return

//--- factor.mlir
func.func @main(%x: tensor<1x9xf32>, %w: tensor<2x9xf32>, %i: tensor<f32>) -> (tensor<9xf32>, tensor<2x9xf32>) {
  %stack = stablehlo.concatenate %x, %x, dim = 0 : (tensor<1x9xf32>, tensor<1x9xf32>) -> tensor<2x9xf32>
  %e = stablehlo.exponential %w : tensor<2x9xf32>
  %p = stablehlo.multiply %stack, %e : tensor<2x9xf32>
  %0 = stablehlo.reduce(%p init: %i) applies stablehlo.add across dimensions = [0] : (tensor<2x9xf32>, tensor<f32>) -> tensor<9xf32>
  return %0, %e : tensor<9xf32>, tensor<2x9xf32>
}

// The partial sums of 16-bit floats are not rounded. Not: a stack that is a result, too; arrays of
// several elements; another dimension; a combiner that is no single op.
//
// NO-LABEL: @main(
// NO: %[[WIDE:.*]] = stablehlo.convert {{.*}} (tensor<9xbf16>) -> tensor<9xf32>
// NO: stablehlo.add {{.*}}, %[[WIDE]] : tensor<9xf32>
// NO: stablehlo.reduce({{.*}} (tensor<2x9xi32>, tensor<i32>) -> tensor<9xi32>
// NO: stablehlo.reduce({{.*}} (tensor<4x9xi32>, tensor<i32>) -> tensor<9xi32>
// NO: stablehlo.reduce({{.*}} (tensor<2x9xi32>, tensor<i32>) -> tensor<2xi32>
// NO: stablehlo.reduce({{.*}} across dimensions = [0] : (tensor<2x9xi32>, tensor<i32>) -> tensor<9xi32>

//--- no.mlir
func.func @main(%x: tensor<1x9xbf16>, %y: tensor<1x9xi32>, %z: tensor<2x9xi32>)
    -> (tensor<9xbf16>, tensor<2x9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<2xi32>, tensor<9xi32>) {
  %fzero = stablehlo.constant dense<0.0> : tensor<bf16>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %narrow = stablehlo.concatenate %x, %x, dim = 0 : (tensor<1x9xbf16>, tensor<1x9xbf16>) -> tensor<2x9xbf16>
  %0 = stablehlo.reduce(%narrow init: %fzero) applies stablehlo.add across dimensions = [0] : (tensor<2x9xbf16>, tensor<bf16>) -> tensor<9xbf16>
  %negated = stablehlo.negate %y : tensor<1x9xi32>
  %stored = stablehlo.concatenate %y, %negated, dim = 0 : (tensor<1x9xi32>, tensor<1x9xi32>) -> tensor<2x9xi32>
  %1 = stablehlo.reduce(%stored init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<2x9xi32>, tensor<i32>) -> tensor<9xi32>
  %pairs = stablehlo.concatenate %z, %z, dim = 0 : (tensor<2x9xi32>, tensor<2x9xi32>) -> tensor<4x9xi32>
  %2 = stablehlo.reduce(%pairs init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x9xi32>, tensor<i32>) -> tensor<9xi32>
  %rows = stablehlo.concatenate %negated, %y, dim = 0 : (tensor<1x9xi32>, tensor<1x9xi32>) -> tensor<2x9xi32>
  %3 = stablehlo.reduce(%rows init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x9xi32>, tensor<i32>) -> tensor<2xi32>
  %odd = stablehlo.concatenate %negated, %negated, dim = 0 : (tensor<1x9xi32>, tensor<1x9xi32>) -> tensor<2x9xi32>
  %4 = "stablehlo.reduce"(%odd, %zero) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    %t = stablehlo.add %s, %s : tensor<i32>
    stablehlo.return %t : tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<2x9xi32>, tensor<i32>) -> tensor<9xi32>
  return %0, %stored, %1, %2, %3, %4 : tensor<9xbf16>, tensor<2x9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<2xi32>, tensor<9xi32>
}
