// RUN: tenon-compile %s -s simplify | FileCheck %s

// A weight that a loop passes on unchanged is no longer carried. Its conversion is hoisted. A
// splat constant is cloned into the body, where it becomes part of a kernel.

// CHECK-LABEL: func.func {{.*}}@main(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<64x64xbf16>
// CHECK-NOT: dense<2.000000e+00>
// CHECK: %[[WIDE:.*]] = stablehlo.convert %[[W]]
// CHECK: stablehlo.while({{[^,]*, [^,]*}}) : tensor<i32>, tensor<64x64xf32>
// CHECK: do {
// CHECK: dense<2.000000e+00> : tensor<64x64xf32>
// CHECK-NOT: stablehlo.convert
// CHECK: stablehlo.dot_general {{.*}}, %[[WIDE]]
func.func @main(%w: tensor<64x64xbf16>, %x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2.0> : tensor<64x64xf32>
  %0:3 = stablehlo.while(%i = %zero, %v = %w, %y = %x)
      : tensor<i32>, tensor<64x64xbf16>, tensor<64x64xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %wide = stablehlo.convert %v : (tensor<64x64xbf16>) -> tensor<64x64xf32>
    %2 = stablehlo.dot_general %y, %wide, contracting_dims = [1] x [0]
        : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %3 = stablehlo.multiply %2, %two : tensor<64x64xf32>
    %4 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %4, %v, %3 : tensor<i32>, tensor<64x64xbf16>, tensor<64x64xf32>
  }
  return %0#2 : tensor<64x64xf32>
}
