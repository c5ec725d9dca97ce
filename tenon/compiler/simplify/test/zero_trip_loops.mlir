// RUN: tenon-compile %s -s simplify | FileCheck %s

// Ops that may not terminate, or may fail, stay in the loop: its trip count may be zero.

// CHECK-LABEL: func.func {{.*}}@main(
// CHECK: stablehlo.while
// CHECK: do {
// CHECK: stablehlo.while
// CHECK: stablehlo.custom_call @may_fail
// CHECK: stablehlo.dot_general
// CHECK: stablehlo.dot_general
func.func @main(%n: tensor<i32>, %m: tensor<i32>, %x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<8x8xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %w = stablehlo.while(%v = %x) : tensor<8x8xf32>
    cond {
      %2 = stablehlo.compare LT, %m, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %3 = stablehlo.add %v, %v : tensor<8x8xf32>
      stablehlo.return %3 : tensor<8x8xf32>
    }
    %c = stablehlo.custom_call @may_fail(%x) {api_version = 4 : i32} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %4 = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0]
        : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %5 = stablehlo.dot_general %4, %c, contracting_dims = [1] x [0]
        : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %6 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %6, %5 : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>
}
