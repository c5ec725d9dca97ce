// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-fuse))' | FileCheck %s

// Two kernels read x and compute d = x - m, each for itself: d is never in memory. The reduction and
// the result cannot be one kernel, because the second depends on the first.

// CHECK-LABEL: func.func @two_kernels(
// CHECK: %[[S:.*]] = tenon.fusion loop(%{{.*}}%arg0
// CHECK: stablehlo.subtract
// CHECK: tenon.yield {{.*}} : tensor<256xf32>
// CHECK: tenon.fusion loop(%{{.*}}%arg0
// CHECK: stablehlo.subtract
// CHECK: tenon.yield {{.*}} : tensor<512x256xf32>
// CHECK-NOT: tenon.fusion
func.func @two_kernels(%x: tensor<512x256xf32>, %m: tensor<256xf32>) -> tensor<512x256xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [1] : (tensor<256xf32>) -> tensor<512x256xf32>
  %d = stablehlo.subtract %x, %mb : tensor<512x256xf32>
  %dd = stablehlo.multiply %d, %d : tensor<512x256xf32>
  %s = stablehlo.reduce(%dd init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512x256xf32>, tensor<f32>) -> tensor<256xf32>
  %f = stablehlo.custom_call @foreign(%s) : (tensor<256xf32>) -> tensor<256xf32>
  %fb = stablehlo.broadcast_in_dim %f, dims = [1] : (tensor<256xf32>) -> tensor<512x256xf32>
  %o = stablehlo.multiply %d, %fb : tensor<512x256xf32>
  return %o : tensor<512x256xf32>
}

// A costly value is stored, and what is computed from it in one of the kernels is not.

// CHECK-LABEL: func.func @costly(
// CHECK: tenon.fusion loop(%arg0)
// CHECK: stablehlo.exponential
// CHECK: tenon.yield {{.*}} : tensor<512x256xf32>
// CHECK: tenon.fusion loop
// CHECK-NOT: stablehlo.exponential
func.func @costly(%x: tensor<512x256xf32>) -> tensor<512x256xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %e = stablehlo.exponential %x : tensor<512x256xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512x256xf32>, tensor<f32>) -> tensor<256xf32>
  %f = stablehlo.custom_call @foreign(%s) : (tensor<256xf32>) -> tensor<256xf32>
  %fb = stablehlo.broadcast_in_dim %f, dims = [1] : (tensor<256xf32>) -> tensor<512x256xf32>
  %o = stablehlo.multiply %e, %fb : tensor<512x256xf32>
  return %o : tensor<512x256xf32>
}

// A sum of three arrays is stored: each kernel would read three arrays instead of one.

// CHECK-LABEL: func.func @three_arrays(
// CHECK: %[[SUM:.*]] = tenon.fusion loop(%arg0, %arg1, %arg2)
// CHECK: tenon.fusion loop(%[[SUM]]
func.func @three_arrays(%x: tensor<512x256xf32>, %y: tensor<512x256xf32>, %z: tensor<512x256xf32>) -> tensor<512x256xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.add %x, %y : tensor<512x256xf32>
  %d = stablehlo.add %a, %z : tensor<512x256xf32>
  %s = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512x256xf32>, tensor<f32>) -> tensor<256xf32>
  %f = stablehlo.custom_call @foreign(%s) : (tensor<256xf32>) -> tensor<256xf32>
  %fb = stablehlo.broadcast_in_dim %f, dims = [1] : (tensor<256xf32>) -> tensor<512x256xf32>
  %o = stablehlo.multiply %d, %fb : tensor<512x256xf32>
  return %o : tensor<512x256xf32>
}

// A product's epilogue stores what is computed from it alone, instead of the product.

// CHECK-LABEL: func.func @epilogue(
// CHECK: tenon.fusion contract
// CHECK: stablehlo.multiply
// CHECK: tenon.fusion loop
// CHECK-NOT: stablehlo.multiply
// CHECK: tenon.yield
func.func @epilogue(%x: tensor<512x64xf32>, %y: tensor<64x256xf32>) -> tensor<512x256xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<512x256xf32>
  %p = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<512x64xf32>, tensor<64x256xf32>) -> tensor<512x256xf32>
  %d = stablehlo.multiply %p, %half : tensor<512x256xf32>
  %s = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512x256xf32>, tensor<f32>) -> tensor<256xf32>
  %f = stablehlo.custom_call @foreign(%s) : (tensor<256xf32>) -> tensor<256xf32>
  %fb = stablehlo.broadcast_in_dim %f, dims = [1] : (tensor<256xf32>) -> tensor<512x256xf32>
  %o = stablehlo.multiply %d, %fb : tensor<512x256xf32>
  return %o : tensor<512x256xf32>
}

// Differences of points: lanes of rows of 3 elements would be gathered from both arrays of points.

// CHECK-LABEL: func.func @short_rows(
// CHECK: tenon.fusion loop(
// CHECK: stablehlo.subtract
// CHECK: tenon.fusion loop
// CHECK-NOT: stablehlo.subtract
func.func @short_rows(%x: tensor<200x3xf32>) -> tensor<200x200x3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %xa = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<200x3xf32>) -> tensor<200x200x3xf32>
  %xb = stablehlo.broadcast_in_dim %x, dims = [1, 2] : (tensor<200x3xf32>) -> tensor<200x200x3xf32>
  %d = stablehlo.subtract %xa, %xb : tensor<200x200x3xf32>
  %s = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<200x200x3xf32>, tensor<f32>) -> tensor<200x3xf32>
  %f = stablehlo.custom_call @foreign(%s) : (tensor<200x3xf32>) -> tensor<200x3xf32>
  %fb = stablehlo.broadcast_in_dim %f, dims = [1, 2] : (tensor<200x3xf32>) -> tensor<200x200x3xf32>
  %o = stablehlo.multiply %d, %fb : tensor<200x200x3xf32>
  return %o : tensor<200x200x3xf32>
}

// An array that is updated in place is not read again: the update would have to copy it.

// CHECK-LABEL: func.func @updated(
// CHECK: tenon.fusion loop(
// CHECK: stablehlo.subtract
// CHECK-NOT: stablehlo.subtract
func.func @updated(%x: tensor<512x256xf32>, %m: tensor<256xf32>, %i: tensor<i32>) -> (tensor<512x256xf32>, tensor<256xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %o = stablehlo.constant dense<0> : tensor<i32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [1] : (tensor<256xf32>) -> tensor<512x256xf32>
  %d = stablehlo.subtract %x, %mb : tensor<512x256xf32>
  %s = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512x256xf32>, tensor<f32>) -> tensor<256xf32>
  %t = stablehlo.reduce(%d init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<512x256xf32>, tensor<f32>) -> tensor<256xf32>
  %r = stablehlo.reshape %s : (tensor<256xf32>) -> tensor<1x256xf32>
  %u = stablehlo.dynamic_update_slice %x, %r, %i, %o : (tensor<512x256xf32>, tensor<1x256xf32>, tensor<i32>, tensor<i32>) -> tensor<512x256xf32>
  return %u, %t : tensor<512x256xf32>, tensor<256xf32>
}
