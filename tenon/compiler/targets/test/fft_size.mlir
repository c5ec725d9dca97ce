// RUN: tenon-compile %s -s asm --arch x86_64 --cpu sapphirerapids > %t
// RUN: grep -c -E '^[[:space:]]+[a-z]' %t | FileCheck %s --check-prefix=CODE
// RUN: awk '/[.]size.*roots/ {bytes += $NF} END {print bytes}' %t | FileCheck %s --check-prefix=TABLES

// A transform of a long prime is a convolution in loops. Its code does not grow with the length
// (fewer than 1,000 instructions); its tables are linear in it. Here the chirp is 32 KB, and the
// roots and the filter's spectrum, of about 8,192 numbers, are 64 KB each.
//
// CODE: {{^[0-9]?[0-9]?[0-9]$}}
// TABLES: {{^[12][0-9][0-9][0-9][0-9][0-9]$}}
func.func @main(%x: tensor<4093xcomplex<f32>>) -> tensor<4093xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [4093] : (tensor<4093xcomplex<f32>>) -> tensor<4093xcomplex<f32>>
  return %0 : tensor<4093xcomplex<f32>>
}
