// RUN: tenon-compile %s -s program | FileCheck %s
// RUN: tenon-compile %s -s llvm | FileCheck %s --check-prefix=LLVM

// Carried scalars are SSA values; carried arrays stay in one buffer. The body computes in the
// result's own storage. The only copy is that of the argument, before the loop.
//
// CHECK: tenon.program @main parameters 2 arena 0 aliases [-1, -1]
// CHECK: ^bb0(%[[X:.*]]: memref<16x16xf32>, %{{.*}}: memref<i32>, %[[R:.*]]: memref<16x16xf32>, %[[S:.*]]: memref<i32>):
// CHECK: tenon.copy %[[X]] to %[[R]]
// CHECK: %[[W:.*]]:2 = tenon.while(%{{.*}}, %{{.*}} : tensor<i32>, tensor<i32>) {
// CHECK: stablehlo.compare LT
// CHECK: } do {
// CHECK-NOT: tenon.copy
// CHECK: tenon.launch @loop.0(%[[R]], %[[R]])
// CHECK-NOT: tenon.copy
// CHECK-COUNT-2: stablehlo.add
// CHECK: tenon.yield %{{.*}}, %{{.*}} : tensor<i32>, tensor<i32>
// CHECK: tenon.write %[[W]]#1 to %[[S]]
//
// LLVM-LABEL: define hidden i32 @tenon_entry(
// LLVM: phi i32
// LLVM: phi i32
func.func @main(%x: tensor<16x16xf32>, %n: tensor<i32>)
    -> (tensor<16x16xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %s = %zero, %a = %x)
      : tensor<i32>, tensor<i32>, tensor<16x16xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %b = stablehlo.cosine %a : tensor<16x16xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %t = stablehlo.add %s, %i : tensor<i32>
    stablehlo.return %j, %t, %b : tensor<i32>, tensor<i32>, tensor<16x16xf32>
  }
  return %0#2, %0#1 : tensor<16x16xf32>, tensor<i32>
}
