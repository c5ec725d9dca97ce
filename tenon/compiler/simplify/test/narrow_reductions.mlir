// RUN: tenon-compile %s -s simplify | FileCheck %s

// Sums, products and bitwise results of widened integers that are narrowed again.

// CHECK-LABEL: func.func {{.*}}@main(
// CHECK: %[[SUM:.*]] = stablehlo.reduce(%arg0 init: {{.*}}) applies stablehlo.add across dimensions = [1] : (tensor<6x8xui8>, tensor<ui8>) -> tensor<6xui8>
// CHECK: %[[SIGNED:.*]] = stablehlo.convert %arg1 : (tensor<6x8xi8>) -> tensor<6x8xi16>
// CHECK: stablehlo.reduce(%[[SIGNED]] init: {{.*}}) applies stablehlo.multiply across dimensions = [0, 1] : (tensor<6x8xi16>, tensor<i16>) -> tensor<i16>
//
// Not: a maximum needs all bits; of wide integers; with a second use of the wide sum; of
// transposed arrays.
// CHECK: stablehlo.maximum {{.*}} (tensor<6x8xui32>, tensor<ui32>) -> tensor<6xui32>
// CHECK: stablehlo.add {{.*}} (tensor<6x8xi32>, tensor<i32>) -> tensor<6xi32>
// CHECK: stablehlo.add {{.*}} (tensor<6x8xui32>, tensor<ui32>) -> tensor<8xui32>
// CHECK: stablehlo.add {{.*}} (tensor<4x2x6xui32>, tensor<ui32>) -> tensor<4x6xui32>
func.func @main(%x: tensor<6x8xui8>, %y: tensor<6x8xi8>, %z: tensor<6x8xi32>)
    -> (tensor<6xui8>, tensor<i16>, tensor<6xui8>, tensor<6xi8>, tensor<8xui8>, tensor<8xui32>,
        tensor<4x6xui8>) {
  %zero = stablehlo.constant dense<0> : tensor<ui32>
  %one = stablehlo.constant dense<65537> : tensor<i32>
  %wide = stablehlo.convert %x : (tensor<6x8xui8>) -> tensor<6x8xui32>
  %0 = stablehlo.reduce(%wide init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x8xui32>, tensor<ui32>) -> tensor<6xui32>
  %1 = stablehlo.convert %0 : (tensor<6xui32>) -> tensor<6xui8>
  %wide_signed = stablehlo.convert %y : (tensor<6x8xi8>) -> tensor<6x8xi32>
  %2 = stablehlo.reduce(%wide_signed init: %one) applies stablehlo.multiply across dimensions = [0, 1] : (tensor<6x8xi32>, tensor<i32>) -> tensor<i32>
  %3 = stablehlo.convert %2 : (tensor<i32>) -> tensor<i16>
  %4 = stablehlo.reduce(%wide init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<6x8xui32>, tensor<ui32>) -> tensor<6xui32>
  %5 = stablehlo.convert %4 : (tensor<6xui32>) -> tensor<6xui8>
  %izero = stablehlo.constant dense<0> : tensor<i32>
  %6 = stablehlo.reduce(%z init: %izero) applies stablehlo.add across dimensions = [1] : (tensor<6x8xi32>, tensor<i32>) -> tensor<6xi32>
  %7 = stablehlo.convert %6 : (tensor<6xi32>) -> tensor<6xi8>
  %8 = stablehlo.reduce(%wide init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6x8xui32>, tensor<ui32>) -> tensor<8xui32>
  %9 = stablehlo.convert %8 : (tensor<8xui32>) -> tensor<8xui8>
  %transposed = stablehlo.transpose %x, dims = [1, 0] : (tensor<6x8xui8>) -> tensor<8x6xui8>
  %rows = stablehlo.reshape %transposed : (tensor<8x6xui8>) -> tensor<4x2x6xui8>
  %wide_rows = stablehlo.convert %rows : (tensor<4x2x6xui8>) -> tensor<4x2x6xui32>
  %10 = stablehlo.reduce(%wide_rows init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x2x6xui32>, tensor<ui32>) -> tensor<4x6xui32>
  %11 = stablehlo.convert %10 : (tensor<4x6xui32>) -> tensor<4x6xui8>
  return %1, %3, %5, %7, %9, %8, %11 : tensor<6xui8>, tensor<i16>, tensor<6xui8>, tensor<6xi8>, tensor<8xui8>, tensor<8xui32>, tensor<4x6xui8>
}
