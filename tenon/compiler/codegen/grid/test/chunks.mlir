// The points of a chunk share scratch memory, so a group computes them one after another. Here a
// chunk is two of the 300 blocks of rows, whose scores are in global memory.
// RUN: rm -rf %t && mkdir %t && tenon-compile %s --target spirv64 --dump %t -o %t.tenon
// RUN: cat %t/*device.ll | FileCheck %s
// RUN: cat %t/*launcher.ll | FileCheck %s --check-prefix=LAUNCHER

// CHECK: define spir_kernel void @attention_0_phase1(
// CHECK: %[[FIRST:.*]] = mul i64 %{{.*}}, 2
// CHECK-NEXT: add i64 %[[FIRST]], 2

// LAUNCHER: call i32 %{{.*}}(ptr %0, i64 1, ptr %{{.*}}, i64 150)
func.func @main(%q: tensor<300x16x16xf32>, %k: tensor<300x1040x16xf32>, %v: tensor<300x1040x16xf32>) -> tensor<300x16x16xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<300x16x16xf32>, tensor<300x1040x16xf32>) -> tensor<300x16x1040xf32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<300x16x1040xf32>, tensor<f32>) -> tensor<300x16xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<300x16xf32>) -> tensor<300x16x1040xf32>
  %d = stablehlo.subtract %s, %mb : tensor<300x16x1040xf32>
  %e = stablehlo.exponential %d : tensor<300x16x1040xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<300x16x1040xf32>, tensor<f32>) -> tensor<300x16xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0, 1] : (tensor<300x16xf32>) -> tensor<300x16x1040xf32>
  %p = stablehlo.divide %e, %tb : tensor<300x16x1040xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<300x16x1040xf32>, tensor<300x1040x16xf32>) -> tensor<300x16x16xf32>
  return %o : tensor<300x16x16xf32>
}
