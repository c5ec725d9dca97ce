// Rows of windows are split at whole registers, so that no window of the middle part reaches into
// the padding: its loads have one condition for all lanes, that of the row.
// RUN: split-file %s %t
// RUN: tenon-compile %t/strided.mlir -s program --arch x86_64 --cpu znver3 | FileCheck %s --check-prefix=STRIDED
// RUN: tenon-compile %t/strided.mlir -s asm --arch x86_64 --cpu znver3 | FileCheck %s --check-prefix=ASM
// RUN: tenon-compile %t/strided.mlir -s program --target spirv64 | FileCheck %s --check-prefix=DEVICE
// RUN: tenon-compile %t/whole.mlir -s program --arch x86_64 --cpu znver3 | FileCheck %s --check-prefix=WHOLE

// Windows of the first and of the last point reach into the padding.
// STRIDED: tenon.map %c0 to %c8
// STRIDED: tenon.load {{.*}} if
// STRIDED: tenon.map %c8 to %c24
// STRIDED: %[[ROW:.*]] = arith.cmpi ult
// STRIDED-NOT: arith.cmpi
// STRIDED: tenon.load {{.*}} if %[[ROW]] else
// STRIDED: tenon.map %c24 to %c28
// STRIDED: tenon.load {{.*}} if
// STRIDED-NOT: tenon.map

// ASM-LABEL: loop.0.phase0:
// ASM-NOT: {{vmaskmov|vgather}}
// ASM: retq

// An item of a device computes one point.
// DEVICE-COUNT-1: tenon.map
// DEVICE-NOT: tenon.map

// A row without padding, and one of few registers whose windows have no stride, are whole.
// WHOLE: tenon.map %c0 to %c28
// WHOLE-NOT: tenon.map
// WHOLE: tenon.map %c0 to %c58
// WHOLE-NOT: tenon.map

//--- strided.mlir
func.func @main(%x: tensor<8x57x57xf32>) -> tensor<8x28x28xf32> {
  %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 5, 5>, window_strides = array<i64: 1, 2, 2>, padding = dense<[[0,0],[1,1],[1,1]]> : tensor<3x2xi64>} : (tensor<8x57x57xf32>, tensor<f32>) -> tensor<8x28x28xf32>
  return %0 : tensor<8x28x28xf32>
}

//--- whole.mlir
func.func @main(%x: tensor<8x58x58xf32>) -> (tensor<8x28x28xf32>, tensor<8x58x58xf32>) {
  %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3, 3>, window_strides = array<i64: 1, 2, 2>} : (tensor<8x58x58xf32>, tensor<f32>) -> tensor<8x28x28xf32>
  %1 = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3, 3>, padding = dense<[[0,0],[1,1],[1,1]]> : tensor<3x2xi64>} : (tensor<8x58x58xf32>, tensor<f32>) -> tensor<8x58x58xf32>
  return %0, %1 : tensor<8x28x28xf32>, tensor<8x58x58xf32>
}
