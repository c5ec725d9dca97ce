// Products of 16- and 8-bit elements with the matrix unit. It is configured once for all tiles of a
// chunk, a tile has two by two registers of sums, results are stored without a call, and the unit
// is released.
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu sapphirerapids | FileCheck %s
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu sapphirerapids --features=-amx-tile,-amx-bf16,-amx-int8 | FileCheck %s --check-prefix=NONE

// CHECK: ldtilecfg
// CHECK-NOT: {{ldtilecfg|tdpbf16ps|vdpbf16ps|vfmadd}}
// CHECK: callq tile
// CHECK: vcvtneps2bf16
// CHECK: tilerelease
// CHECK-LABEL: tile.contract{{.*}}:
// CHECK-COUNT-4: tilezero
// CHECK-COUNT-4: tdpbf16ps
// CHECK-NOT: {{tdpbf16ps|ldtilecfg}}
// CHECK-COUNT-4: tilestored
// CHECK-NOT: tilerelease
// CHECK: retq
// NONE-NOT: {{tdp|ldtilecfg|tilerelease}}
func.func public @main(%a: tensor<128x128xbf16>, %b: tensor<128x128xbf16>)
    -> tensor<128x128xbf16> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<128x128xbf16>, tensor<128x128xbf16>) -> tensor<128x128xbf16>
  return %0 : tensor<128x128xbf16>
}
