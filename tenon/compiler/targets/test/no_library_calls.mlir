// RUN: tenon-compile %s -s asm --arch x86_64 --cpu sapphirerapids > %t.avx512.s
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu haswell > %t.avx2.s
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu nehalem > %t.sse.s
// RUN: tenon-compile %s -s asm --arch aarch64 --cpu generic > %t.a64.s
// RUN: FileCheck %s --input-file=%t.avx512.s --check-prefix=X64
// RUN: FileCheck %s --input-file=%t.avx2.s --check-prefix=X64
// RUN: FileCheck %s --input-file=%t.sse.s --check-prefix=X64
// RUN: FileCheck %s --input-file=%t.a64.s --check-prefix=A64
// RUN: not grep -E "[[:space:]](callq?|jmp|bl|b)[[:space:]]+_*(sin|cos|tan|tanh|exp|exp2|expm1|log|log1p|log2|pow|cbrt|atan2|sincos|ldexp|fmod|round|floor|ceil)f?(@|[[:space:]]|$)" %t.avx512.s %t.avx2.s %t.sse.s %t.a64.s

// On every target, elementary functions are vector code in the kernel itself: no library calls.
//
// X64-LABEL: loop.0.phase0:
// X64-NOT: call
// X64: retq
// A64-LABEL: loop.0.phase0:
// A64-NOT: {{[[:space:]]}}bl{{[[:space:]]}}
// A64: ret
func.func @main(%x: tensor<1024xf32>, %d: tensor<256xf64>)
    -> (tensor<1024xf32>, tensor<256xf64>) {
  %0 = stablehlo.exponential %x : tensor<1024xf32>
  %1 = stablehlo.sine %0 : tensor<1024xf32>
  %2 = stablehlo.tanh %1 : tensor<1024xf32>
  %3 = stablehlo.log_plus_one %2 : tensor<1024xf32>
  %4 = stablehlo.power %3, %x : tensor<1024xf32>
  %5 = stablehlo.atan2 %4, %x : tensor<1024xf32>
  %6 = stablehlo.floor %5 : tensor<1024xf32>
  %7 = stablehlo.exponential %d : tensor<256xf64>
  %8 = stablehlo.cosine %7 : tensor<256xf64>
  %9 = stablehlo.log %8 : tensor<256xf64>
  %10 = stablehlo.remainder %9, %d : tensor<256xf64>
  return %6, %10 : tensor<1024xf32>, tensor<256xf64>
}
