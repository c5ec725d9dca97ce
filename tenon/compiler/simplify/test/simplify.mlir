// RUN: tenon-compile %s -s simplify | FileCheck %s
// RUN: tenon-compile %s -s simplify --no-fold | FileCheck %s --check-prefix=KEPT

// Equal ops are merged, unused ones removed, and constant ones folded.

// CHECK-LABEL: func.func {{.*}}@main(
// CHECK: stablehlo.constant dense<[5.000000e+00, 7.000000e+00]> : tensor<2xf32>
// CHECK-COUNT-1: stablehlo.exponential
// CHECK-NOT: stablehlo.exponential
// CHECK-NOT: stablehlo.cosine
// CHECK: return
//
// KEPT-LABEL: func.func {{.*}}@main(
// KEPT: dense<[1.000000e+00, 2.000000e+00]>
// KEPT: return
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<[4.0, 5.0]> : tensor<2xf32>
  %0 = stablehlo.add %a, %b : tensor<2xf32>
  %1 = stablehlo.exponential %x : tensor<2xf32>
  %2 = stablehlo.exponential %x : tensor<2xf32>
  %unused = stablehlo.cosine %x : tensor<2xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<2xf32>
  return %0, %3 : tensor<2xf32>, tensor<2xf32>
}
