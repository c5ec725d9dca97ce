// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-fuse{excess-precision=true}))' | FileCheck %s
// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-fuse))' \
// RUN:   | FileCheck %s --check-prefix=EACH

// With excess precision, nothing is rounded to 16 bits between the products of attention. Scores
// and the values computed from them have 32 bits, also in the regions of reductions. Products of
// weights read 16 bits. By default each operation rounds.

// EACH-LABEL: func.func @softmax_of_bf16(
// EACH: tenon.fusion attention(
// EACH: stablehlo.dot_general {{.*}} -> tensor<512x256xbf16>
// EACH: stablehlo.exponential {{.*}} : tensor<512x256xbf16>
// EACH: stablehlo.divide {{.*}} : tensor<512x256xbf16>

// CHECK-LABEL: func.func @softmax_of_bf16(
// CHECK: tenon.fusion attention(
// CHECK: stablehlo.dot_general {{.*}} -> tensor<512x256xf32>
// CHECK: applies stablehlo.maximum {{.*}} : (tensor<512x256xf32>, tensor<f32>)
// CHECK: stablehlo.exponential {{.*}} : tensor<512x256xf32>
// CHECK-NOT: stablehlo.convert
// CHECK: stablehlo.divide {{.*}} : tensor<512x256xf32>
// CHECK-NEXT: stablehlo.convert {{.*}} : (tensor<512x256xf32>) -> tensor<512x256xbf16>
// CHECK-NEXT: stablehlo.dot_general {{.*}} -> tensor<512x32xbf16>
// CHECK: tenon.yield
func.func @softmax_of_bf16(%q: tensor<512x32xbf16>, %k: tensor<32x256xbf16>, %v: tensor<256x32xbf16>) -> tensor<512x32xbf16> {
  %low = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [0] : (tensor<512x32xbf16>, tensor<32x256xbf16>) -> tensor<512x256xbf16>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<512x256xbf16>, tensor<bf16>) -> tensor<512xbf16>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<512xbf16>) -> tensor<512x256xbf16>
  %d = stablehlo.subtract %s, %mb : tensor<512x256xbf16>
  %e = stablehlo.exponential %d : tensor<512x256xbf16>
  %w = stablehlo.convert %e : (tensor<512x256xbf16>) -> tensor<512x256xf32>
  %t = stablehlo.reduce(%w init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<512x256xf32>, tensor<f32>) -> tensor<512xf32>
  %n = stablehlo.convert %t : (tensor<512xf32>) -> tensor<512xbf16>
  %tb = stablehlo.broadcast_in_dim %n, dims = [0] : (tensor<512xbf16>) -> tensor<512x256xbf16>
  %p = stablehlo.divide %e, %tb : tensor<512x256xbf16>
  %o = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<512x256xbf16>, tensor<256x32xbf16>) -> tensor<512x32xbf16>
  return %o : tensor<512x32xbf16>
}

// Ops on bits keep 16-bit elements.
// CHECK-LABEL: func.func @bits_of_bf16(
// CHECK: tenon.fusion attention(
// CHECK: stablehlo.dot_general {{.*}} -> tensor<512x256xbf16>
// CHECK: tenon.yield
func.func @bits_of_bf16(%q: tensor<512x32xbf16>, %k: tensor<32x256xbf16>, %v: tensor<256x32xbf16>) -> tensor<512x32xbf16> {
  %one = stablehlo.constant dense<32767> : tensor<512x256xui16>
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [0] : (tensor<512x32xbf16>, tensor<32x256xbf16>) -> tensor<512x256xbf16>
  %i = stablehlo.bitcast_convert %s : (tensor<512x256xbf16>) -> tensor<512x256xui16>
  %a = stablehlo.and %i, %one : tensor<512x256xui16>
  %f = stablehlo.bitcast_convert %a : (tensor<512x256xui16>) -> tensor<512x256xbf16>
  %t = stablehlo.reduce(%f init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<512x256xbf16>, tensor<bf16>) -> tensor<512xbf16>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<512xbf16>) -> tensor<512x256xbf16>
  %p = stablehlo.divide %f, %tb : tensor<512x256xbf16>
  %o = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<512x256xbf16>, tensor<256x32xbf16>) -> tensor<512x32xbf16>
  return %o : tensor<512x32xbf16>
}
