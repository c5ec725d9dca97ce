// Chains of 16-bit floats stay in f32 inside a kernel: one rounding for each stored vector,
// none where a rounded value is only computed with. With xla_allow_excess_precision = false
// each op rounds.
// RUN: printf '\072\040\012\032xla_allow_excess_precision\022\002\020\000' > %t.strict
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu sapphirerapids | FileCheck %s
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu sapphirerapids --options %t.strict \
// RUN:   | FileCheck %s --check-prefix=STRICT

// The main loop and the rest of the row.
// CHECK-COUNT-2: vcvtneps2bf16
// CHECK-NOT: vcvtneps2bf16
// STRICT-COUNT-8: vcvtneps2bf16
// STRICT-NOT: vcvtneps2bf16
func.func public @main(%x: tensor<1000xbf16>, %y: tensor<1000xbf16>) -> tensor<1000xbf16> {
  %0 = stablehlo.multiply %x, %y : tensor<1000xbf16>
  %1 = stablehlo.negate %0 : tensor<1000xbf16>
  %2 = stablehlo.add %1, %x : tensor<1000xbf16>
  %3 = stablehlo.multiply %2, %2 : tensor<1000xbf16>
  %4 = stablehlo.subtract %3, %y : tensor<1000xbf16>
  return %4 : tensor<1000xbf16>
}
