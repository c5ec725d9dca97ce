// Products of narrow elements use the target's dot product instructions where those are faster:
// pairs of bf16, quads of s8. Both use the matrix unit on processors that have one.
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu znver4 | FileCheck %s --check-prefix=ZEN
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu sapphirerapids | FileCheck %s --check-prefix=TILES
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu x86-64-v3 | FileCheck %s --check-prefix=AVX2

// ZEN-DAG: vdpbf16ps
// ZEN-DAG: vpdpbusd
// TILES-NOT: {{vdpbf16ps|vpdpbusd}}
// TILES-DAG: tdpbf16ps
// TILES-DAG: tdpbssd
// TILES-NOT: {{vdpbf16ps|vpdpbusd}}
// AVX2-NOT: {{vdpbf16ps|vpdpbusd}}
func.func public @main(%a: tensor<128x128xbf16>, %b: tensor<128x128xbf16>,
                       %c: tensor<128x128xi8>, %d: tensor<128x128xi8>)
    -> (tensor<128x128xf32>, tensor<128x128xi32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<128x128xbf16>, tensor<128x128xbf16>) -> tensor<128x128xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0]
      : (tensor<128x128xi8>, tensor<128x128xi8>) -> tensor<128x128xi32>
  return %0, %1 : tensor<128x128xf32>, tensor<128x128xi32>
}
