// Processors compute maxima of 16-bit floats in f32; devices have instructions for them.
// RUN: tenon-compile %s -s legalize --arch x86_64 --cpu znver3 | FileCheck %s --check-prefix=PROCESSOR
// RUN: tenon-compile %s -s legalize --target spirv64 | FileCheck %s --check-prefix=DEVICE
//
// PROCESSOR: stablehlo.reduce{{.*}} (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
// DEVICE: stablehlo.reduce{{.*}} (tensor<8x4xf16>, tensor<f16>) -> tensor<4xf16>
func.func @main(%x: tensor<8x4xf16>) -> tensor<4xf16> {
  %0 = stablehlo.constant dense<0xFC00> : tensor<f16>
  %1 = stablehlo.reduce(%x init: %0) applies stablehlo.maximum across dimensions = [0] : (tensor<8x4xf16>, tensor<f16>) -> tensor<4xf16>
  return %1 : tensor<4xf16>
}
