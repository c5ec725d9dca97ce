// RUN: tenon-compile %s -s program | FileCheck %s
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu sapphirerapids | FileCheck %s --check-prefix=ASM

// A large column reduction reads whole rows in order, eight at a time, into a row of accumulators.
// Eight parts of the columns run in parallel and are combined afterwards.
//
// CHECK: tenon.kernel @loop.0
// CHECK: tenon.parallel [8, 1] grain 1
// CHECK: tenon.map
// CHECK: tenon.for
// CHECK: tenon.map
// CHECK-COUNT-8: stablehlo.add
// CHECK: tenon.store
// CHECK: tenon.parallel [1]
// CHECK: tenon.map
// CHECK-COUNT-8: stablehlo.add
// CHECK: tenon.store
//
// ASM-LABEL: loop.0.phase0:
// ASM-COUNT-8: vaddps {{.*}}%zmm
// ASM-NOT: gather
// ASM: retq
func.func @main(%x: tensor<4096x1024xf32>) -> tensor<1024xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4096x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  return %s : tensor<1024xf32>
}
