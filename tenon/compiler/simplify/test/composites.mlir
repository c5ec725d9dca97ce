// RUN: tenon-compile %s -s simplify | FileCheck %s

// Composites that are elementwise functions have no side effects. Unused ones are removed, and
// so are those whose result has no elements.

// CHECK: sym_name = "main"
// CHECK-NOT: composite
// CHECK: "stablehlo.composite"(%arg0) <{{.*}}name = "chlo.erfc"
// CHECK-NOT: composite
func.func @main(%x: tensor<3xf32>, %y: tensor<0xf32>) -> (tensor<3xf32>, tensor<0xf32>) {
  %0 = stablehlo.composite "chlo.erf" %x {decomposition = @unused} : (tensor<3xf32>) -> tensor<3xf32>
  %1 = stablehlo.composite "chlo.erfc" %x {decomposition = @unused} : (tensor<3xf32>) -> tensor<3xf32>
  %2 = stablehlo.composite "chlo.erfc" %y {decomposition = @none} : (tensor<0xf32>) -> tensor<0xf32>
  return %1, %2 : tensor<3xf32>, tensor<0xf32>
}
func.func private @unused(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func private @none(%x: tensor<0xf32>) -> tensor<0xf32> {
  return %x : tensor<0xf32>
}
