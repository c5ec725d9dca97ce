// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-fuse))' | FileCheck %s

// Each element depends on its neighbours, so the new array needs a second buffer. The loop is
// unrolled by two, from one buffer to the other and back. An odd iteration comes before the loop.
// CHECK-LABEL: func.func @neighbours(
// CHECK: tenon.fusion loop
// CHECK: stablehlo.while
// CHECK: do {
// CHECK: %[[THERE:[0-9]+]] = tenon.fusion loop(%{{.*}})
// CHECK: stablehlo.add %iterArg
// CHECK: %[[BACK:[0-9]+]] = tenon.fusion loop(%[[THERE]])
// CHECK: stablehlo.return %{{.*}}, %[[BACK]]
func.func @neighbours(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.constant dense<9> : tensor<i32>
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

// An array that is updated in place needs no second buffer.
// CHECK-LABEL: func.func @in_place(
// CHECK: do {
// CHECK-COUNT-1: tenon.fusion
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @in_place(%x: tensor<1000xf32>, %n: tensor<1xf32>) -> tensor<1000xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.constant dense<10> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<1000xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.dynamic_update_slice %y, %n, %i : (tensor<1000xf32>, tensor<1xf32>, tensor<i32>) -> tensor<1000xf32>
    %2 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %2, %1 : tensor<i32>, tensor<1000xf32>
  }
  return %0#1 : tensor<1000xf32>
}
