// RUN: tenon-compile %s -s simplify | FileCheck %s

// Folding materializes at most 64 KiB of data: larger results stay code.

// CHECK-LABEL: func.func {{.*}}@main(
// CHECK: stablehlo.iota
// CHECK: return
func.func @main() -> tensor<65536xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<65536xf32>
  %1 = stablehlo.add %0, %0 : tensor<65536xf32>
  return %1 : tensor<65536xf32>
}
