// A loop over a few numbers that a device computes is one kernel (the other is the sine). Otherwise each number would be a
// kernel in each iteration. On a processor the numbers are in registers, without a kernel.
// RUN: tenon-compile %s --target sm_80 -s program | FileCheck %s
// RUN: tenon-compile %s -s program | FileCheck %s --check-prefix=CPU

// CHECK: tenon.program @main
// CHECK-NOT: tenon.while
// CHECK-COUNT-2: tenon.launch
// CHECK-NOT: {{tenon.launch|tenon.while}}
// CHECK: tenon.kernel @interchanged_loop
// CHECK: tenon.for
//
// CPU: tenon.program @main
// CPU-NOT: tenon.launch
// CPU: tenon.while
// CPU-NOT: tenon.launch
func.func @main(%a: tensor<f32>, %b: tensor<f32>, %x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<300> : tensor<i32>
  %sine = stablehlo.sine %x : tensor<f32>
  %0:3 = stablehlo.while(%n = %zero, %p = %a, %q = %b) : tensor<i32>, tensor<f32>, tensor<f32>
  cond {
    %1 = stablehlo.compare LT, %n, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    // An element of an iota is computed from its position.
    %1 = stablehlo.iota dim = 0 : tensor<300xf32>
    %2 = stablehlo.dynamic_slice %1, %n, sizes = [1] : (tensor<300xf32>, tensor<i32>) -> tensor<1xf32>
    %3 = stablehlo.reshape %2 : (tensor<1xf32>) -> tensor<f32>
    %4 = stablehlo.multiply %q, %3 : tensor<f32>
    %5 = stablehlo.tanh %p : tensor<f32>
    %6 = stablehlo.add %5, %sine : tensor<f32>
    %7 = stablehlo.add %n, %one : tensor<i32>
    stablehlo.return %7, %4, %6 : tensor<i32>, tensor<f32>, tensor<f32>
  }
  return %0#1, %0#2 : tensor<f32>, tensor<f32>
}
