// A remainder of one element is computed without vectors. LLVM 22 does not end compiling it as
// one lane of reversed vectors of 64 bytes (AVX-512 VBMI); found by scripts/fuzz.py, seed 7018222.
// RUN: tenon-compile %s --stage=llvm --cpu=znver4 | FileCheck %s

// CHECK-LABEL: define internal void @loop.0.phase0
// CHECK-NOT: masked
// CHECK: store <64 x i8>
// CHECK-NOT: masked
// CHECK-COUNT-4: load i8
// CHECK: xor i8
// CHECK: store i8
// CHECK: ret void
func.func public @main(%x: tensor<5x65xui8>) -> tensor<5x65xui8> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<5x65xui8>
  %1 = stablehlo.add %x, %0 : tensor<5x65xui8>
  %2 = stablehlo.reverse %1, dims = [1] : tensor<5x65xui8>
  %3 = stablehlo.xor %1, %2 : tensor<5x65xui8>
  return %3 : tensor<5x65xui8>
}
