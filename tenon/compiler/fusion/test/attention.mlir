// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-fuse))' | FileCheck %s

// Two products with row operations in between are one kernel.

// CHECK-LABEL: func.func @softmax_rows(
// CHECK: tenon.fusion attention(
// CHECK: stablehlo.dot_general
// CHECK: stablehlo.multiply
// CHECK: applies stablehlo.maximum
// CHECK: stablehlo.exponential
// CHECK: applies stablehlo.add
// CHECK: stablehlo.dot_general
// CHECK: stablehlo.add
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @softmax_rows(%q: tensor<1x4x128x32xf32>, %k: tensor<1x4x256x32xf32>, %v: tensor<1x4x256x32xf32>, %r: tensor<1x4x128x32xf32>) -> tensor<1x4x128x32xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %scale = stablehlo.constant dense<0.25> : tensor<1x4x128x256xf32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x4x128x32xf32>, tensor<1x4x256x32xf32>) -> tensor<1x4x128x256xf32>
  %x = stablehlo.multiply %s, %scale : tensor<1x4x128x256xf32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [3] : (tensor<1x4x128x256xf32>, tensor<f32>) -> tensor<1x4x128xf32>
  %m1 = stablehlo.reshape %m : (tensor<1x4x128xf32>) -> tensor<1x4x128x1xf32>
  %mb = stablehlo.broadcast_in_dim %m1, dims = [0, 1, 2, 3] : (tensor<1x4x128x1xf32>) -> tensor<1x4x128x256xf32>
  %d = stablehlo.subtract %x, %mb : tensor<1x4x128x256xf32>
  %e = stablehlo.exponential %d : tensor<1x4x128x256xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<1x4x128x256xf32>, tensor<f32>) -> tensor<1x4x128xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0, 1, 2] : (tensor<1x4x128xf32>) -> tensor<1x4x128x256xf32>
  %w = stablehlo.divide %e, %tb : tensor<1x4x128x256xf32>
  %o = stablehlo.dot_general %w, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x4x128x256xf32>, tensor<1x4x256x32xf32>) -> tensor<1x4x128x32xf32>
  %y = stablehlo.add %o, %r : tensor<1x4x128x32xf32>
  return %y : tensor<1x4x128x32xf32>
}

// ... which may also return the rows, and values of rows,
// CHECK-LABEL: func.func @rows_are_a_result(
// CHECK: tenon.fusion attention(
// CHECK: tenon.yield {{.*}} : tensor<512xf32>, tensor<512x256xf32>, tensor<512x32xf32>
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @rows_are_a_result(%q: tensor<512x32xf32>, %k: tensor<32x256xf32>, %v: tensor<256x32xf32>) -> (tensor<512xf32>, tensor<512x256xf32>, tensor<512x32xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [0] : (tensor<512x32xf32>, tensor<32x256xf32>) -> tensor<512x256xf32>
  %t = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<512x256xf32>, tensor<f32>) -> tensor<512xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<512xf32>) -> tensor<512x256xf32>
  %w = stablehlo.divide %s, %tb : tensor<512x256xf32>
  %o = stablehlo.dot_general %w, %v, contracting_dims = [1] x [0] : (tensor<512x256xf32>, tensor<256x32xf32>) -> tensor<512x32xf32>
  return %t, %w, %o : tensor<512xf32>, tensor<512x256xf32>, tensor<512x32xf32>
}

// ... consist of several loops, with views of values of rows in between,
// CHECK-LABEL: func.func @rows_of_several_loops(
// CHECK: tenon.fusion attention(
// CHECK: stablehlo.reshape
// CHECK: tenon.yield
// CHECK-NOT: tenon.fusion loop
// CHECK: tenon.fusion contract(
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @rows_of_several_loops(%q: tensor<512x32xf32>, %k: tensor<32x256xf32>, %v: tensor<256x32xf32>) -> (tensor<512x1xf32>, tensor<256x32xf32>, tensor<512x32xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [0] : (tensor<512x32xf32>, tensor<32x256xf32>) -> tensor<512x256xf32>
  %e = stablehlo.exponential %s : tensor<512x256xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<512x256xf32>, tensor<f32>) -> tensor<512xf32>
  %t1 = stablehlo.reshape %t : (tensor<512xf32>) -> tensor<512x1xf32>
  %tb = stablehlo.broadcast_in_dim %t1, dims = [0, 1] : (tensor<512x1xf32>) -> tensor<512x256xf32>
  %w = stablehlo.divide %e, %tb : tensor<512x256xf32>
  %o = stablehlo.dot_general %w, %v, contracting_dims = [1] x [0] : (tensor<512x256xf32>, tensor<256x32xf32>) -> tensor<512x32xf32>
  %p = stablehlo.dot_general %e, %o, contracting_dims = [0] x [0] : (tensor<512x256xf32>, tensor<512x32xf32>) -> tensor<256x32xf32>
  return %t1, %p, %o : tensor<512x1xf32>, tensor<256x32xf32>, tensor<512x32xf32>
}

// ... and have 16-bit elements, with scores in the type of their accumulators, or another one.
// CHECK-LABEL: func.func @narrow_weights(
// CHECK: tenon.fusion attention(
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @narrow_weights(%q: tensor<512x32xbf16>, %k: tensor<32x256xbf16>, %v: tensor<256x32xbf16>) -> tensor<512x32xbf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [0] : (tensor<512x32xbf16>, tensor<32x256xbf16>) -> tensor<512x256xf32>
  %t = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<512x256xf32>, tensor<f32>) -> tensor<512xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<512xf32>) -> tensor<512x256xf32>
  %w = stablehlo.divide %s, %tb : tensor<512x256xf32>
  %n = stablehlo.convert %w : (tensor<512x256xf32>) -> tensor<512x256xbf16>
  %o = stablehlo.dot_general %n, %v, contracting_dims = [1] x [0] : (tensor<512x256xbf16>, tensor<256x32xbf16>) -> tensor<512x32xbf16>
  return %o : tensor<512x32xbf16>
}

// CHECK-LABEL: func.func @products_of_different_types(
// CHECK: tenon.fusion attention(
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @products_of_different_types(%q: tensor<256x32xf32>, %k: tensor<32x256xf32>, %v: tensor<256x32xf64>) -> tensor<256x32xf64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [0] : (tensor<256x32xf32>, tensor<32x256xf32>) -> tensor<256x256xf32>
  %x = stablehlo.convert %s : (tensor<256x256xf32>) -> tensor<256x256xf64>
  %t = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<256x256xf64>, tensor<f64>) -> tensor<256xf64>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<256xf64>) -> tensor<256x256xf64>
  %w = stablehlo.divide %x, %tb : tensor<256x256xf64>
  %o = stablehlo.dot_general %w, %v, contracting_dims = [1] x [0] : (tensor<256x256xf64>, tensor<256x32xf64>) -> tensor<256x32xf64>
  return %o : tensor<256x32xf64>
}

// Not if the rows depend on results of other kernels that read the scores,
// CHECK-LABEL: func.func @rows_by_way_of_others(
// CHECK-NOT: tenon.fusion attention
// CHECK: return
func.func @rows_by_way_of_others(%q: tensor<256x32xf32>, %k: tensor<32x256xf32>, %v: tensor<256x32xf32>) -> tensor<256x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [0] : (tensor<256x32xf32>, tensor<32x256xf32>) -> tensor<256x256xf32>
  %e = stablehlo.exponential %s : tensor<256x256xf32>
  %c = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<256x256xf32>, tensor<f32>) -> tensor<256xf32>
  %cb = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<256xf32>) -> tensor<256x256xf32>
  %w = stablehlo.divide %e, %cb : tensor<256x256xf32>
  %o = stablehlo.dot_general %w, %v, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x32xf32>) -> tensor<256x32xf32>
  return %o : tensor<256x32xf32>
}

// ... if the ops after the products read values of rows,
// CHECK-LABEL: func.func @rows_are_read_otherwise(
// CHECK-NOT: tenon.fusion attention
// CHECK: return
func.func @rows_are_read_otherwise(%q: tensor<512x32xf32>, %k: tensor<32x256xf32>, %v: tensor<256x32xf32>) -> tensor<512x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [0] : (tensor<512x32xf32>, tensor<32x256xf32>) -> tensor<512x256xf32>
  %e = stablehlo.exponential %s : tensor<512x256xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<512x256xf32>, tensor<f32>) -> tensor<512xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<512xf32>) -> tensor<512x32xf32>
  %o = stablehlo.dot_general %e, %v, contracting_dims = [1] x [0] : (tensor<512x256xf32>, tensor<256x32xf32>) -> tensor<512x32xf32>
  %y = stablehlo.divide %o, %tb : tensor<512x32xf32>
  return %y : tensor<512x32xf32>
}

// ... if a row depends on other rows,
// CHECK-LABEL: func.func @rows_turned_round(
// CHECK-NOT: tenon.fusion attention
// CHECK: return
func.func @rows_turned_round(%q: tensor<512x32xf32>, %k: tensor<32x256xf32>, %v: tensor<256x32xf32>) -> tensor<512x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [0] : (tensor<512x32xf32>, tensor<32x256xf32>) -> tensor<512x256xf32>
  %r = stablehlo.reverse %s, dims = [0] : tensor<512x256xf32>
  %t = stablehlo.reduce(%r init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<512x256xf32>, tensor<f32>) -> tensor<512xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<512xf32>) -> tensor<512x256xf32>
  %w = stablehlo.divide %r, %tb : tensor<512x256xf32>
  %o = stablehlo.dot_general %w, %v, contracting_dims = [1] x [0] : (tensor<512x256xf32>, tensor<256x32xf32>) -> tensor<512x32xf32>
  return %o : tensor<512x32xf32>
}

// ... if the second product does not contract the rows,
// CHECK-LABEL: func.func @rows_are_not_summed(
// CHECK-NOT: tenon.fusion attention
// CHECK: return
func.func @rows_are_not_summed(%q: tensor<256x32xf32>, %k: tensor<32x256xf32>, %v: tensor<256x32xf32>) -> tensor<256x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [0] : (tensor<256x32xf32>, tensor<32x256xf32>) -> tensor<256x256xf32>
  %t = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<256x256xf32>, tensor<f32>) -> tensor<256xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<256xf32>) -> tensor<256x256xf32>
  %w = stablehlo.divide %s, %tb : tensor<256x256xf32>
  %o = stablehlo.dot_general %w, %v, contracting_dims = [0] x [0] : (tensor<256x256xf32>, tensor<256x32xf32>) -> tensor<256x32xf32>
  return %o : tensor<256x32xf32>
}

// ... or if there are few scores.
// CHECK-LABEL: func.func @few_scores(
// CHECK-NOT: tenon.fusion attention
// CHECK: return
func.func @few_scores(%q: tensor<64x32xf32>, %k: tensor<32x64xf32>, %v: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
  %t = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<64xf32>) -> tensor<64x64xf32>
  %w = stablehlo.divide %s, %tb : tensor<64x64xf32>
  %o = stablehlo.dot_general %w, %v, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  return %o : tensor<64x32xf32>
}
