// Instructions of SSE4A are slow between those of AVX: LLVM used insertq to transpose these rows.
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu znver3 | FileCheck %s --implicit-check-not=insertq --implicit-check-not=extrq

// CHECK: vpaddq
func.func @main(%x: tensor<20000x8xi8>) -> tensor<20000xi64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %0 = stablehlo.convert %x : (tensor<20000x8xi8>) -> tensor<20000x8xi64>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<20000x8xi64>, tensor<i64>) -> tensor<20000xi64>
  return %1 : tensor<20000xi64>
}
