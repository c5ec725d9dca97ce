// A loop whose elements depend on neighbours uses double buffering: one copy before the loop, none
// inside.
// RUN: tenon-compile %s --stage=program | FileCheck %s

// CHECK: tenon.copy
// CHECK: do {
// CHECK: tenon.launch @[[KERNEL:loop.[0-9]+]](%[[HOME:.*]], %[[OTHER:[0-9]+]])
// CHECK: tenon.launch @[[KERNEL]](%[[OTHER]], %[[HOME]])
// CHECK-NOT: tenon.copy
// CHECK: tenon.kernel
func.func public @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.constant dense<10> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<1000xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.reverse %y, dims = [0] : tensor<1000xf32>
    %2 = stablehlo.subtract %y, %1 : tensor<1000xf32>
    %3 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %3, %2 : tensor<i32>, tensor<1000xf32>
  }
  return %0#1 : tensor<1000xf32>
}
