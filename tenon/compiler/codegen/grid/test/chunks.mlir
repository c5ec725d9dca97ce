// The points of a chunk share scratch memory, so a group computes them one after another. Here a chunk
// is two of the 32 blocks of rows.
// RUN: rm -rf %t && mkdir %t && tenon-compile %s --target spirv64 --dump %t -o %t.tenon
// RUN: cat %t/*device.ll | FileCheck %s
// RUN: cat %t/*launcher.ll | FileCheck %s --check-prefix=LAUNCHER

// CHECK: define spir_kernel void @attention_0_phase0(
// CHECK: %[[FIRST:.*]] = mul i64 %{{.*}}, 2
// CHECK-NEXT: add i64 %[[FIRST]], 2

// LAUNCHER: call i32 %{{.*}}(ptr %0, i64 0, ptr %{{.*}}, i64 16)
func.func @main(%arg0: tensor<8x256x64xf16>, %arg1: tensor<8x256x64xf16>, %arg2: tensor<8x256x64xf16>) -> (tensor<8x256x64xf16>) {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %cst_0 = stablehlo.constant dense<0xFC00> : tensor<f16>
  %cst_1 = stablehlo.constant dense<8.000000e+00> : tensor<f16>
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x256x64xf16>, tensor<8x256x64xf16>) -> tensor<8x256x256xf16>
  %1 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f16>) -> tensor<8x256x256xf16>
  %2 = stablehlo.divide %0, %1 : tensor<8x256x256xf16>
  %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.maximum across dimensions = [2] : (tensor<8x256x256xf16>, tensor<f16>) -> tensor<8x256xf16>
  %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<8x256xf16>
  %5 = stablehlo.maximum %4, %3 : tensor<8x256xf16>
  %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<8x256xf16>) -> tensor<8x256x1xf16>
  %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<8x256x1xf16>) -> tensor<8x256x256xf16>
  %8 = stablehlo.subtract %2, %7 : tensor<8x256x256xf16>
  %9 = stablehlo.exponential %8 : tensor<8x256x256xf16>
  %10 = stablehlo.convert %9 : (tensor<8x256x256xf16>) -> tensor<8x256x256xf32>
  %11 = stablehlo.reduce(%10 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x256x256xf32>, tensor<f32>) -> tensor<8x256xf32>
  %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<8x256xf32>) -> tensor<8x256x1xf32>
  %13 = stablehlo.convert %12 : (tensor<8x256x1xf32>) -> tensor<8x256x1xf16>
  %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<8x256x1xf16>) -> tensor<8x256x256xf16>
  %15 = stablehlo.divide %9, %14 : tensor<8x256x256xf16>
  %16 = stablehlo.dot_general %15, %arg2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x256x256xf16>, tensor<8x256x64xf16>) -> tensor<8x256x64xf16>
  return %16 : tensor<8x256x64xf16>
}
