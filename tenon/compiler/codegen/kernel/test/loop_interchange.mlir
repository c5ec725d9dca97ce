// A loop over independent points is interchanged with its body: all iterations of one point run
// before the next point. It is one kernel, carried values stay in registers, and there are no loads
// or stores between iterations. The product of the small matrices is one multiply-add for each
// element.
// RUN: tenon-compile %s --stage=program | FileCheck %s --check-prefix=PROGRAM
// RUN: tenon-compile %s --stage=llvm --cpu=znver4 | FileCheck %s

// PROGRAM: tenon.launch @interchanged_loop
// PROGRAM-NOT: tenon.launch
// PROGRAM: tenon.parallel
// PROGRAM: tenon.map
// PROGRAM: tenon.for %c0 to %c50 init
// PROGRAM-NOT: {{tenon.(load|store|reduce|contract)}}
// PROGRAM: tenon.yield
// PROGRAM: tenon.store

// CHECK: phi <64 x float>
// CHECK-NOT: {{ load | store }}
// CHECK: fmul contract <64 x float>
// CHECK-NOT: {{ load | store }}
// CHECK: fadd contract <64 x float>
// CHECK-NOT: {{ load | store }}
// CHECK: br i1
// CHECK: "stackrealign"
func.func public @main(%a: tensor<2x2x640xf32>, %b: tensor<640x2xf32>) -> tensor<640x2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %last = stablehlo.constant dense<50> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %b) : tensor<i32>, tensor<640x2xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.dot_general %a, %x, batching_dims = [2] x [0], contracting_dims = [1] x [1]
        : (tensor<2x2x640xf32>, tensor<640x2xf32>) -> tensor<640x2xf32>
    %2 = stablehlo.subtract %x, %1 : tensor<640x2xf32>
    %3 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %3, %2 : tensor<i32>, tensor<640x2xf32>
  }
  return %0#1 : tensor<640x2xf32>
}
