// Found by scripts/fuzz.py: positions of lanes in shifted short rows can be negative, and their
// division rounded towards zero.
// REQUIRES: plugin
// RUN: tenon-run --check %s -p %plugin -q
// RUN: tenon-run --check %s --reference -q
func.func @main() {
  %in:3 = call @inputs() : () -> (tensor<1x1xf32>, tensor<1x1xf32>, tensor<4x12x1x1xf32>)
  %out = call @program(%in#0, %in#1, %in#2) : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<4x12x1x1xf32>) -> (tensor<1x48xf32>)
  %want_out = stablehlo.constant dense<"0x0000000000000000000000000000000000000000000000000000000000000000000040C00000803F000000000000C0C0000080C0000000C00000000000000000000040C00000C0C00000A0400000C0400000C0C000008040000000000000E0C000000000000080BF000080BF000000000000E0C00000E04000008040000080C00000803F000040C00000803F0000A040000000C000008040000080BF0000E0400000E040000000C10000803F000080BF000080C0000080BF00000000000080C0"> : tensor<1x48xf32>
  stablehlo.custom_call @check.expect_eq(%out, %want_out) {has_side_effect = true} : (tensor<1x48xf32>, tensor<1x48xf32>) -> ()
  return
}
func.func private @inputs() -> (tensor<1x1xf32>, tensor<1x1xf32>, tensor<4x12x1x1xf32>) {
  %0 = stablehlo.constant dense<"0x00000000"> : tensor<1x1xf32>
  %1 = stablehlo.constant dense<"0x00000000"> : tensor<1x1xf32>
  %2 = stablehlo.constant dense<"0x0000000000000000000000000000A04000008040000080BF000080BF0000803F000000000000803F000000000000803F000000C00000803F000080400000C0C00000E040000080BF00008040000040C0000080BF000000C1000000C000000040000080C0000040C00000C0C0000040C00000E0C000000000000000C00000803F000080C00000E040000080BF000080BF0000C0C00000E0C00000C040000080C0000000000000E0400000A040000080C0000080BF000080BF0000803F0000C040"> : tensor<4x12x1x1xf32>
  return %0, %1, %2 : tensor<1x1xf32>, tensor<1x1xf32>, tensor<4x12x1x1xf32>
}
func.func private @program(%arg0: tensor<1x1xf32>, %arg1: tensor<1x1xf32>, %arg2: tensor<4x12x1x1xf32>) -> tensor<1x48xf32> {
  %0 = stablehlo.transpose %arg2, dims = [1, 0, 2, 3] : (tensor<4x12x1x1xf32>) -> tensor<12x4x1x1xf32>
  %1 = stablehlo.reshape %0 : (tensor<12x4x1x1xf32>) -> tensor<4x12x1x1xf32>
  %2 = stablehlo.reshape %1 : (tensor<4x12x1x1xf32>) -> tensor<1x48xf32>
  %3 = stablehlo.slice %2 [0:1, 0:47] : (tensor<1x48xf32>) -> tensor<1x47xf32>
  %4 = stablehlo.concatenate %arg1, %3, dim = 1 : (tensor<1x1xf32>, tensor<1x47xf32>) -> tensor<1x48xf32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %5 = stablehlo.pad %4, %cst, low = [0, 3], high = [0, 0], interior = [0, 0] : (tensor<1x48xf32>, tensor<f32>) -> tensor<1x51xf32>
  %6 = stablehlo.slice %5 [0:1, 0:48] : (tensor<1x51xf32>) -> tensor<1x48xf32>
  %7 = stablehlo.slice %6 [0:1, 0:47] : (tensor<1x48xf32>) -> tensor<1x47xf32>
  %8 = stablehlo.concatenate %arg0, %7, dim = 1 : (tensor<1x1xf32>, tensor<1x47xf32>) -> tensor<1x48xf32>
  %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %9 = stablehlo.pad %8, %cst_0, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<1x48xf32>, tensor<f32>) -> tensor<1x49xf32>
  %10 = stablehlo.slice %9 [0:1, 0:48] : (tensor<1x49xf32>) -> tensor<1x48xf32>
  %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %11 = stablehlo.pad %10, %cst_1, low = [0, 3], high = [0, 0], interior = [0, 0] : (tensor<1x48xf32>, tensor<f32>) -> tensor<1x51xf32>
  %12 = stablehlo.slice %11 [0:1, 0:48] : (tensor<1x51xf32>) -> tensor<1x48xf32>
  %13 = stablehlo.reshape %12 : (tensor<1x48xf32>) -> tensor<6x8xf32>
  %14 = stablehlo.reverse %13, dims = [1] : tensor<6x8xf32>
  %15 = stablehlo.reshape %14 : (tensor<6x8xf32>) -> tensor<1x48xf32>
  return %15 : tensor<1x48xf32>
}
