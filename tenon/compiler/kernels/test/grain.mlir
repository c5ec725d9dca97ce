// A million elements are divided into chunks by the cost of a point. Long chains of ops are
// computed in two registers side by side.
// RUN: split-file %s %t
// RUN: tenon-compile %t/exp.mlir --stage=program --arch x86_64 --cpu znver4 | FileCheck %s --check-prefix=EXP
// RUN: tenon-compile %t/small.mlir --stage=program --arch x86_64 --cpu znver4 | FileCheck %s --check-prefix=SMALL
// RUN: tenon-compile %t/chain.mlir -s llvm --arch x86_64 --cpu znver4 | FileCheck %s --check-prefix=CHAIN

// EXP: tenon.parallel [14] grain 1 {
// SMALL: tenon.parallel [1] grain 1 {

// CHAIN: load <32 x i16>
// CHAIN: store <32 x i16>

//--- exp.mlir
func.func public @main(%x: tensor<1000000xf32>) -> tensor<1000000xf32> {
  %0 = stablehlo.exponential %x : tensor<1000000xf32>
  return %0 : tensor<1000000xf32>
}
//--- small.mlir
func.func public @main(%x: tensor<100000xf32>) -> tensor<100000xf32> {
  %0 = stablehlo.add %x, %x : tensor<100000xf32>
  return %0 : tensor<100000xf32>
}
//--- chain.mlir
func.func public @main(%x: tensor<4096xbf16>) -> tensor<4096xbf16> {
  %0 = stablehlo.multiply %x, %x : tensor<4096xbf16>
  %1 = stablehlo.tanh %0 : tensor<4096xbf16>
  %2 = stablehlo.multiply %1, %x : tensor<4096xbf16>
  return %2 : tensor<4096xbf16>
}
