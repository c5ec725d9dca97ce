// What a short loop's body does costs no calls and no copies: an element that it reads and
// the rows that it writes are part of the loop's own code, the scan's result is made in
// place, and the constant is in the code, not in an array. (Elements are many and change
// places: else the loop would be a kernel.)
// RUN: tenon-compile %s --stage=program | FileCheck %s --check-prefix=PROGRAM
// RUN: tenon-compile %s --stage=llvm | FileCheck %s

// PROGRAM-LABEL: tenon.program @main
// PROGRAM: %[[ROWS:arg[0-9]+]]: memref<1000x64xf32>)
// PROGRAM: tenon.while
// PROGRAM: tenon.launch @update_slice{{.*}}%[[ROWS]])
// PROGRAM: } -> tensor<i32>
// PROGRAM-NOT: tenon.copy

// CHECK-LABEL: define hidden i32 @tenon_entry
// CHECK: body:
// CHECK-NOT: call void @{{loop|update_slice}}
// CHECK: fmul {{.*}}<[[N:[0-9]+]] x float> {{.*}}, splat (float
// CHECK-NOT: call void @{{loop|update_slice}}
func.func public @main(%x: tensor<1000x64xf32>) -> tensor<1000x64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %count = stablehlo.constant dense<1000> : tensor<i32>
  %decay = stablehlo.constant dense<0.9> : tensor<1x64xf32>
  %rows = stablehlo.constant dense<0.0> : tensor<1000x64xf32>
  %start = stablehlo.constant dense<0.0> : tensor<1x64xf32>
  %0:3 = stablehlo.while(%i = %zero, %c = %start, %out = %rows)
      : tensor<i32>, tensor<1x64xf32>, tensor<1000x64xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 64]
        : (tensor<1000x64xf32>, tensor<i32>, tensor<i32>) -> tensor<1x64xf32>
    %turned = stablehlo.reverse %c, dims = [1] : tensor<1x64xf32>
    %2 = stablehlo.multiply %turned, %decay : tensor<1x64xf32>
    %3 = stablehlo.maximum %2, %row : tensor<1x64xf32>
    %4 = stablehlo.dynamic_update_slice %out, %3, %i, %zero
        : (tensor<1000x64xf32>, tensor<1x64xf32>, tensor<i32>, tensor<i32>)
        -> tensor<1000x64xf32>
    %5 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %5, %3, %4 : tensor<i32>, tensor<1x64xf32>, tensor<1000x64xf32>
  }
  return %0#2 : tensor<1000x64xf32>
}
