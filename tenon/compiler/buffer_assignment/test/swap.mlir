// RUN: tenon-compile %s -s program | FileCheck %s

// Two carried arrays that are swapped in each iteration cannot be updated in place: one is saved
// before it is overwritten.
//
// CHECK: ^bb0(%{{.*}}: memref<16x16xf32>, %{{.*}}: memref<16x16xf32>, %{{.*}}: memref<i32>, %[[A:.*]]: memref<16x16xf32>, %[[B:.*]]: memref<16x16xf32>):
// CHECK: tenon.while
// CHECK: } do {
// CHECK: %[[T:.*]] = tenon.arena_view
// CHECK-NEXT: tenon.copy %[[B]] to %[[T]]
// CHECK-NEXT: tenon.copy %[[A]] to %[[B]]
// CHECK-NEXT: tenon.copy %[[T]] to %[[A]]
// CHECK-NEXT: tenon.yield
func.func @main(%x: tensor<16x16xf32>, %y: tensor<16x16xf32>, %n: tensor<i32>)
    -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %a = %x, %b = %y)
      : tensor<i32>, tensor<16x16xf32>, tensor<16x16xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %b, %a : tensor<i32>, tensor<16x16xf32>, tensor<16x16xf32>
  }
  return %0#1, %0#2 : tensor<16x16xf32>, tensor<16x16xf32>
}
