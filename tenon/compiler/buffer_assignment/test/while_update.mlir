// RUN: tenon-compile %s -s program | FileCheck %s

// The update takes over the storage of %b until the end of the iteration. So the next value of %b
// is not computed there before.
//
// CHECK: ^bb0(%{{.*}}: memref<8x8xf32>, %[[Y:.*]]: memref<8x8xf32>, %{{.*}}: memref<i32>, %[[A:.*]]: memref<8x8xf32>, %[[B:.*]]: memref<8x8xf32>):
// CHECK: } do {
// CHECK: tenon.launch @update_slice.{{[0-9]+}}({{.*}}, %[[B]])
// CHECK-NOT: tenon.launch @loop.{{[0-9]+}}(%[[Y]], %[[B]])
// CHECK: tenon.launch @loop.{{[0-9]+}}(%[[Y]], %[[T:.*]]) :
// CHECK: tenon.yield
func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>, %n: tensor<i32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %a = %x, %b = %x)
      : tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %row = stablehlo.slice %a [0:1:1, 0:8:1] : (tensor<8x8xf32>) -> tensor<1x8xf32>
    %updated = stablehlo.dynamic_update_slice %b, %row, %i, %zero : (tensor<8x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x8xf32>
    %new = stablehlo.cosine %y : tensor<8x8xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %updated, %new : tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
  return %0#1, %0#2 : tensor<8x8xf32>, tensor<8x8xf32>
}
