// Sums, products and quotients of f16 are f16 instructions on targets that have them. On others
// they are f32 instructions between conversions, with the same rounding.
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu sapphirerapids | FileCheck %s
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu skylake-avx512 \
// RUN:   | FileCheck %s --check-prefix=CONVERT

// CHECK-NOT: vcvtps2ph
// CHECK-DAG: vmulph
// CHECK-DAG: vaddph
// CHECK-DAG: vdivph
// CHECK-NOT: vcvtps2ph
// CONVERT-NOT: vaddph
// CONVERT: vcvtps2ph
// CONVERT: vcvtps2ph
// CONVERT: vcvtps2ph
func.func public @main(%x: tensor<1024xf16>, %y: tensor<1024xf16>) -> tensor<1024xf16> {
  %0 = stablehlo.multiply %x, %y : tensor<1024xf16>
  %1 = stablehlo.add %0, %x : tensor<1024xf16>
  %2 = stablehlo.divide %1, %y : tensor<1024xf16>
  return %2 : tensor<1024xf16>
}
