// RUN: tenon-compile %s -s simplify | FileCheck %s

// Operations whose result is exact are folded. Elementary functions of constants stay code. In
// a loop, those of an array or of a scalar are hoisted; one of a splat stays where it is used.

// CHECK-LABEL: func.func {{.*}}@main(
// CHECK-DAG: %[[ARRAY:.*]] = stablehlo.constant dense<[5.000000e-01, 1.500000e+00]>
// CHECK-DAG: %[[NUMBER:.*]] = stablehlo.constant dense<7.500000e-01> : tensor<f32>
// CHECK-DAG: %[[SINES:.*]] = stablehlo.sine %[[ARRAY]]
// CHECK-DAG: %[[EXP:.*]] = stablehlo.exponential %[[NUMBER]]
// CHECK: stablehlo.while
// CHECK: do {
// CHECK-NOT: stablehlo.sine
// CHECK-NOT: stablehlo.exponential
// CHECK: %[[TANH:.*]] = stablehlo.tanh
// CHECK-NOT: stablehlo.sine
// CHECK-NOT: stablehlo.exponential
// CHECK: stablehlo.return
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<2xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %a = stablehlo.constant dense<[1.0, 3.0]> : tensor<2xf32>
    %b = stablehlo.constant dense<2.0> : tensor<2xf32>
    %halves = stablehlo.divide %a, %b : tensor<2xf32>
    %sines = stablehlo.sine %halves : tensor<2xf32>
    %c = stablehlo.constant dense<0.75> : tensor<f32>
    %e = stablehlo.exponential %c : tensor<f32>
    %f = stablehlo.broadcast_in_dim %e, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %t = stablehlo.tanh %b : tensor<2xf32>
    %2 = stablehlo.multiply %y, %sines : tensor<2xf32>
    %3 = stablehlo.add %2, %f : tensor<2xf32>
    %4 = stablehlo.multiply %3, %t : tensor<2xf32>
    %5 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %5, %4 : tensor<i32>, tensor<2xf32>
  }
  return %0#1 : tensor<2xf32>
}
