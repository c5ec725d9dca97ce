// Every op on 16-bit floats rounds its result. In a chain of ops numbers stay in f32. Sums and
// products are rounded there by a bit test and a masked addition. Negating and halving need no
// rounding. A conversion instruction produces the stored value. If the compiler option
// xla_allow_excess_precision is true, only the stored value is rounded.
// RUN: printf '\072\040\012\032xla_allow_excess_precision\022\002\020\001' > %t.excess
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu sapphirerapids | FileCheck %s
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu sapphirerapids --options %t.excess \
// RUN:   | FileCheck %s --check-prefix=EXCESS

// The main loop and the remainder of the row, two registers side by side: three roundings and a
// store for each.
// CHECK-COUNT-6: vptestmd
// CHECK-NOT: vptestmd
// CHECK-COUNT-2: vcvtneps2bf16
// CHECK-NOT: vcvtneps2bf16
// CHECK-COUNT-6: vptestmd
// CHECK-NOT: vptestmd
// CHECK-COUNT-2: vcvtneps2bf16
// CHECK-NOT: vptestmd
// CHECK-NOT: vcvtneps2bf16
// EXCESS-NOT: vptestmd
// EXCESS-COUNT-4: vcvtneps2bf16
// EXCESS-NOT: vptestmd
// EXCESS-NOT: vcvtneps2bf16
func.func public @main(%x: tensor<1000xbf16>, %y: tensor<1000xbf16>) -> tensor<1000xbf16> {
  %half = stablehlo.constant dense<0.5> : tensor<1000xbf16>
  %0 = stablehlo.multiply %x, %y : tensor<1000xbf16>
  %1 = stablehlo.negate %0 : tensor<1000xbf16>
  %2 = stablehlo.add %1, %x : tensor<1000xbf16>
  %3 = stablehlo.multiply %2, %half : tensor<1000xbf16>
  %4 = stablehlo.multiply %3, %2 : tensor<1000xbf16>
  %5 = stablehlo.subtract %4, %y : tensor<1000xbf16>
  return %5 : tensor<1000xbf16>
}
