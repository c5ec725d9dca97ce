// The carried values of a loop over scalars stay in registers: the loop has no load, store or call.
// RUN: tenon-compile %s --stage=program | FileCheck %s --check-prefix=PROGRAM
// RUN: tenon-compile %s --stage=llvm | FileCheck %s

// PROGRAM-NOT: tenon.launch

// CHECK: while:
// CHECK-NOT: {{load|store|call}}
// CHECK: phi float
// CHECK-NOT: {{load|store|call}}
// CHECK: fmul float
// CHECK-NOT: {{load|store|call}}
// CHECK: br label %while
func.func public @main(%n: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<f32>
  cond {
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %factor = stablehlo.constant dense<1.5> : tensor<f32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.multiply %y, %factor : tensor<f32>
    %3 = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
    %4 = stablehlo.add %2, %3 : tensor<f32>
    stablehlo.return %1, %4 : tensor<i32>, tensor<f32>
  }
  return %0#1 : tensor<f32>
}
