// Sums of rolled arrays are loads of neighbours, without masks, gathers or a comparison for each
// element. Along the last dimension, rows are split where the roll wraps around. Along other
// dimensions, the row is chosen once.
// RUN: split-file %s %t
// RUN: tenon-compile %t/last.mlir -s program | FileCheck %s --check-prefix=LAST
// RUN: tenon-compile %t/last.mlir -s asm --arch x86_64 --cpu znver4 | FileCheck %s --check-prefix=ASM
// RUN: tenon-compile %t/first.mlir -s program | FileCheck %s --check-prefix=FIRST
// RUN: tenon-compile %t/padded.mlir -s program | FileCheck %s --check-prefix=PADDED

// LAST: tenon.kernel
// LAST-NOT: arith.cmpi
// LAST-NOT: mask
// LAST-NOT: stablehlo.select

// ASM-LABEL: loop.0.phase0:
// ASM-NOT: {{gather|vpcmp|vblend}}
// ASM: vaddps {{.*}}(%r{{.*}}), %zmm
// ASM-NOT: {{gather|vpcmp|vblend}}
// ASM: retq

// FIRST: tenon.parallel
// FIRST: arith.cmpi
// FIRST: arith.select
// FIRST: tenon.map
// FIRST-NOT: {{arith.cmpi|stablehlo.select}}
// FIRST-COUNT-2: tenon.load
// FIRST-NOT: {{tenon.load|stablehlo.select}}

// In the padding, the roll has no element: the row that is chosen there is outside the array.
// PADDED: tenon.load %arg0[{{.*}}] if

//--- last.mlir
func.func @main(%x: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %last = stablehlo.slice %x [0:64, 4095:4096] : (tensor<64x4096xf32>) -> tensor<64x1xf32>
  %rest = stablehlo.slice %x [0:64, 0:4095] : (tensor<64x4096xf32>) -> tensor<64x4095xf32>
  %roll = stablehlo.concatenate %last, %rest, dim = 1 : (tensor<64x1xf32>, tensor<64x4095xf32>) -> tensor<64x4096xf32>
  %0 = stablehlo.add %x, %roll : tensor<64x4096xf32>
  return %0 : tensor<64x4096xf32>
}

//--- first.mlir
func.func @main(%x: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %last = stablehlo.slice %x [63:64, 0:4096] : (tensor<64x4096xf32>) -> tensor<1x4096xf32>
  %rest = stablehlo.slice %x [0:63, 0:4096] : (tensor<64x4096xf32>) -> tensor<63x4096xf32>
  %roll = stablehlo.concatenate %last, %rest, dim = 0 : (tensor<1x4096xf32>, tensor<63x4096xf32>) -> tensor<64x4096xf32>
  %0 = stablehlo.add %x, %roll : tensor<64x4096xf32>
  return %0 : tensor<64x4096xf32>
}

//--- padded.mlir
func.func @main(%x: tensor<65x40xi32>) -> tensor<65x40xi32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %a = stablehlo.slice %x [64:65, 0:40] : (tensor<65x40xi32>) -> tensor<1x40xi32>
  %b = stablehlo.slice %x [0:64, 0:40] : (tensor<65x40xi32>) -> tensor<64x40xi32>
  %r = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1x40xi32>, tensor<64x40xi32>) -> tensor<65x40xi32>
  %p = stablehlo.pad %r, %z, low = [5, 0], high = [-5, 0], interior = [0, 0] : (tensor<65x40xi32>, tensor<i32>) -> tensor<65x40xi32>
  %n = stablehlo.negate %p : tensor<65x40xi32>
  return %n : tensor<65x40xi32>
}
