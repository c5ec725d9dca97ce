// Found by scripts/fuzz.py: LLVM 22 takes the lower 32 of 64 bits without clearing the upper.
// REQUIRES: plugin
// RUN: tenon-run --check %s -p %plugin -q
// RUN: tenon-run --check %s --reference -q
func.func @main() {
  %in:8 = call @inputs() : () -> (tensor<i32>, tensor<8xf16>, tensor<1x2xui8>, tensor<i32>, tensor<1xf16>, tensor<8xi1>, tensor<i32>, tensor<ui32>)
  %out:8 = call @program(%in#0, %in#1, %in#2, %in#3, %in#4, %in#5, %in#6, %in#7) : (tensor<i32>, tensor<8xf16>, tensor<1x2xui8>, tensor<i32>, tensor<1xf16>, tensor<8xi1>, tensor<i32>, tensor<ui32>) -> (tensor<8xi1>, tensor<1xf16>, tensor<i32>, tensor<3x1xf16>, tensor<2x2xf16>, tensor<i32>, tensor<ui32>, tensor<i32>)
  %want_out0 = stablehlo.constant dense<[true, false, true, false, true, true, false, false]> : tensor<8xi1>
  stablehlo.custom_call @check.expect_eq(%out#0, %want_out0) {has_side_effect = true} : (tensor<8xi1>, tensor<8xi1>) -> ()
  %want_out1 = stablehlo.constant dense<"0x003C"> : tensor<1xf16>
  stablehlo.custom_call @check.expect_eq(%out#1, %want_out1) {has_side_effect = true} : (tensor<1xf16>, tensor<1xf16>) -> ()
  %want_out2 = stablehlo.constant dense<"0xF7FFFFFF"> : tensor<i32>
  stablehlo.custom_call @check.expect_eq(%out#2, %want_out2) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
  %want_out3 = stablehlo.constant dense<"0x003D003A00B4"> : tensor<3x1xf16>
  stablehlo.custom_call @check.expect_eq(%out#3, %want_out3) {has_side_effect = true} : (tensor<3x1xf16>, tensor<3x1xf16>) -> ()
  %want_out4 = stablehlo.constant dense<"0x003D003D003F003F"> : tensor<2x2xf16>
  stablehlo.custom_call @check.expect_eq(%out#4, %want_out4) {has_side_effect = true} : (tensor<2x2xf16>, tensor<2x2xf16>) -> ()
  %want_out5 = stablehlo.constant dense<"0xF7FFFFFF"> : tensor<i32>
  stablehlo.custom_call @check.expect_eq(%out#5, %want_out5) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
  %want_out6 = stablehlo.constant dense<"0xF7FFFFFF"> : tensor<ui32>
  stablehlo.custom_call @check.expect_eq(%out#6, %want_out6) {has_side_effect = true} : (tensor<ui32>, tensor<ui32>) -> ()
  %want_out7 = stablehlo.constant dense<"0xF7FFFFFF"> : tensor<i32>
  stablehlo.custom_call @check.expect_eq(%out#7, %want_out7) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
  return
}
func.func private @inputs() -> (tensor<i32>, tensor<8xf16>, tensor<1x2xui8>, tensor<i32>, tensor<1xf16>, tensor<8xi1>, tensor<i32>, tensor<ui32>) {
  %0 = stablehlo.constant dense<"0xF7FFFFFF"> : tensor<i32>
  %1 = stablehlo.constant dense<"0x003D003D003F0034003A003800B800B4"> : tensor<8xf16>
  %2 = stablehlo.constant dense<"0x0805"> : tensor<1x2xui8>
  %3 = stablehlo.constant dense<"0xF7FFFFFF"> : tensor<i32>
  %4 = stablehlo.constant dense<"0x003C"> : tensor<1xf16>
  %5 = stablehlo.constant dense<[true, false, true, false, true, true, false, false]> : tensor<8xi1>
  %6 = stablehlo.constant dense<"0xF7FFFFFF"> : tensor<i32>
  %7 = stablehlo.constant dense<"0xF7FFFFFF"> : tensor<ui32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<i32>, tensor<8xf16>, tensor<1x2xui8>, tensor<i32>, tensor<1xf16>, tensor<8xi1>, tensor<i32>, tensor<ui32>
}
func.func private @program(%arg0: tensor<i32>, %arg1: tensor<8xf16>, %arg2: tensor<1x2xui8>, %arg3: tensor<i32>, %arg4: tensor<1xf16>, %arg5: tensor<8xi1>, %arg6: tensor<i32>, %arg7: tensor<ui32>) -> (tensor<8xi1>, tensor<1xf16>, tensor<i32>, tensor<3x1xf16>, tensor<2x2xf16>, tensor<i32>, tensor<ui32>, tensor<i32>) {
  %0 = "stablehlo.gather"(%arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], start_index_map = [0]>, indices_are_sorted = false, slice_sizes = array<i64: 7>}> : (tensor<8xf16>, tensor<1x2xui8>) -> tensor<7x2xf16>
  %1 = stablehlo.slice %0 [0:2, 0:2] : (tensor<7x2xf16>) -> tensor<2x2xf16>
  %2 = stablehlo.slice %0 [0:7:3, 1:2:3] : (tensor<7x2xf16>) -> tensor<3x1xf16>
  return %arg5, %arg4, %arg3, %2, %1, %arg0, %arg7, %arg6 : tensor<8xi1>, tensor<1xf16>, tensor<i32>, tensor<3x1xf16>, tensor<2x2xf16>, tensor<i32>, tensor<ui32>, tensor<i32>
}
