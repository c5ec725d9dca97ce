// RUN: tenon-compile %s -s program | FileCheck %s

// A long sum of bf16 is split into parts for threads, like one of f32: its accumulators start from
// a converted zero, which is a neutral element too. A product that starts from 2 is not split,
// because every part would start from 2.

// CHECK: tenon.kernel @loop.0
// CHECK: tenon.parallel [{{[0-9]+}}{{.*}}] grain
// CHECK-NOT: tenon.reduce [1000000]
// CHECK: tenon.reduce [1000000]
// CHECK: stablehlo.multiply
func.func @main(%x: tensor<1000000xbf16>) -> (tensor<bf16>, tensor<bf16>) {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %two = stablehlo.constant dense<2.0> : tensor<bf16>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1000000xbf16>, tensor<bf16>) -> tensor<bf16>
  %p = stablehlo.reduce(%x init: %two) applies stablehlo.multiply across dimensions = [0] : (tensor<1000000xbf16>, tensor<bf16>) -> tensor<bf16>
  return %s, %p : tensor<bf16>, tensor<bf16>
}
