// RUN: tenon-compile %s -s simplify | FileCheck %s

// All rows of the array are multiplied at once, before the loop that reads them one by one. The
// second loop reads only some of the rows, so it keeps its own product.
// CHECK: %[[ALL:[0-9]+]] = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0]
// CHECK-SAME: -> tensor<100x8x32xf32>
// CHECK: do {
// CHECK: stablehlo.dynamic_slice %[[ALL]], %iterArg
// CHECK-NOT: stablehlo.dot_general
// CHECK: do {
// CHECK: stablehlo.dot_general
func.func @main(%x: tensor<100x8x16xf32>, %w: tensor<16x32xf32>, %h: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %few = stablehlo.constant dense<10> : tensor<i32>
  %last = stablehlo.constant dense<100> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %h) : tensor<i32>, tensor<8x32xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.dynamic_slice %x, %i, %zero, %zero, sizes = [1, 8, 16] : (tensor<100x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x16xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x8x16xf32>) -> tensor<8x16xf32>
    %3 = stablehlo.dot_general %2, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %4 = stablehlo.add %y, %3 : tensor<8x32xf32>
    %5 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %5, %4 : tensor<i32>, tensor<8x32xf32>
  }
  %1:2 = stablehlo.while(%i = %zero, %y = %0#1) : tensor<i32>, tensor<8x32xf32>
  cond {
    %2 = stablehlo.compare LT, %i, %few, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %2 = stablehlo.dynamic_slice %x, %i, %zero, %zero, sizes = [1, 8, 16] : (tensor<100x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x16xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x8x16xf32>) -> tensor<8x16xf32>
    %4 = stablehlo.dot_general %3, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %5 = stablehlo.add %y, %4 : tensor<8x32xf32>
    %6 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %6, %5 : tensor<i32>, tensor<8x32xf32>
  }
  return %1#1 : tensor<8x32xf32>
}
