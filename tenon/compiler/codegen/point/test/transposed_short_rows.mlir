// The position of the largest of eight numbers in each row, sixteen rows at a time. A lane
// processes a row: half registers of eight rows are transposed in three steps. The remaining rows
// run the same code, which stores fewer lanes, so the code exists once.
// RUN: tenon-compile %s --stage=llvm --cpu=znver4 | FileCheck %s

// CHECK-LABEL: define internal void @loop.0.phase0
// CHECK-NOT: {{gather|masked|reduce}}
// CHECK-COUNT-16: load <8 x float>
// CHECK-NOT: {{gather|masked|reduce|load <}}
// CHECK: shufflevector <16 x float>
// CHECK-NOT: {{gather|masked|reduce|load <}}
// CHECK: store <16 x i32>
// CHECK-NOT: {{gather|masked|reduce|load <}}
// CHECK: call void @llvm.memmove
func.func public @main(%x: tensor<1003x8xf32>) -> tensor<1003xi32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 1 : tensor<1003x8xi32>
  %0:2 = stablehlo.reduce(%x init: %low), (%i init: %zero) across dimensions = [1] : (tensor<1003x8xf32>, tensor<1003x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<1003xf32>, tensor<1003xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %left = stablehlo.or %gt, %nan : tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %before = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %before : tensor<i1>
      %take = stablehlo.or %left, %tie : tensor<i1>
      %v = stablehlo.select %left, %a, %b : tensor<i1>, tensor<f32>
      %w = stablehlo.select %take, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<f32>, tensor<i32>
    }
  return %0#1 : tensor<1003xi32>
}
