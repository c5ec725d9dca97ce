// tanh and erf of f32 are piecewise polynomials on targets that look up lanes in a table, with seven and
// six coefficients if it has 16 entries, eight each if it has eight: no division and no exponential. On
// other targets they are not.
// RUN: split-file %s %t
// RUN: tenon-compile %t/tanh.mlir -s asm --arch x86_64 --cpu sapphirerapids | FileCheck %s --check-prefix=TANH
// RUN: tenon-compile %t/erf.mlir -s asm --arch x86_64 --cpu znver4 | FileCheck %s --check-prefix=ERF
// RUN: tenon-compile %t/tanh.mlir -s asm --arch x86_64 --cpu haswell | FileCheck %s --check-prefix=SHORT
// RUN: tenon-compile %t/erf.mlir -s asm --arch x86_64 --cpu znver3 | FileCheck %s --check-prefix=SHORT
// RUN: tenon-compile %t/tanh.mlir -s asm --arch x86_64 --cpu sandybridge | FileCheck %s --check-prefix=NARROW

// TANH-LABEL: loop.0.phase0:
// TANH-NOT: div
// TANH-COUNT-7: vperm{{d|ps}}
// TANH-NOT: {{vperm|div}}
// TANH: retq

// ERF-LABEL: loop.0.phase0:
// ERF-NOT: div
// ERF-COUNT-6: vperm{{d|ps}}
// ERF-NOT: {{vperm|div}}
// ERF: retq

// SHORT-LABEL: loop.0.phase0:
// SHORT-NOT: div
// SHORT-COUNT-8: vperm{{d|ps}} {{.*}}ymm
// SHORT-NOT: {{vperm|div}}
// SHORT: retq

// NARROW-LABEL: loop.0.phase0:
// NARROW-NOT: vperm
// NARROW: vdivps
// NARROW-NOT: vperm
// NARROW: retq

//--- tanh.mlir
func.func public @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = stablehlo.tanh %x : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
//--- erf.mlir
func.func public @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = stablehlo.composite "chlo.erf" %x {decomposition = @erf, version = 1 : i32} : (tensor<1024xf32>) -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
func.func private @erf(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  return %x : tensor<1024xf32>
}
