// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-fuse))' | FileCheck %s

// Attention and its gradients are two kernels. The forward kernel returns values of rows. The
// other kernel recomputes the weights of each block of rows, and accumulates the sums over rows
// of its blocks. No array of scores is a result.

// CHECK-LABEL: func.func @gradients(
// CHECK: tenon.fusion attention(
// CHECK-COUNT-2: stablehlo.dot_general
// CHECK: tenon.yield {{.*}} : tensor<512x1xf32>, tensor<512x1xf32>, tensor<512x32xf32>
// CHECK: tenon.fusion attention(
// CHECK-NOT: stablehlo.reduce({{.*}}maximum
// CHECK-COUNT-5: stablehlo.dot_general
// CHECK: tenon.yield {{.*}} : tensor<256x32xf32>, tensor<256x32xf32>, tensor<512x32xf32>
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @gradients(%q: tensor<512x32xf32>, %k: tensor<256x32xf32>, %v: tensor<256x32xf32>) -> (tensor<512x32xf32>, tensor<256x32xf32>, tensor<256x32xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<512x32xf32>, tensor<256x32xf32>) -> tensor<512x256xf32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<512x256xf32>, tensor<f32>) -> tensor<512xf32>
  %m1 = stablehlo.reshape %m : (tensor<512xf32>) -> tensor<512x1xf32>
  %mb = stablehlo.broadcast_in_dim %m1, dims = [0, 1] : (tensor<512x1xf32>) -> tensor<512x256xf32>
  %x = stablehlo.subtract %s, %mb : tensor<512x256xf32>
  %e = stablehlo.exponential %x : tensor<512x256xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<512x256xf32>, tensor<f32>) -> tensor<512xf32>
  %t1 = stablehlo.reshape %t : (tensor<512xf32>) -> tensor<512x1xf32>
  %tb = stablehlo.broadcast_in_dim %t1, dims = [0, 1] : (tensor<512x1xf32>) -> tensor<512x256xf32>
  %p = stablehlo.divide %e, %tb : tensor<512x256xf32>
  %o = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<512x256xf32>, tensor<256x32xf32>) -> tensor<512x32xf32>
  %do = stablehlo.add %o, %o : tensor<512x32xf32>
  %dv = stablehlo.dot_general %p, %do, contracting_dims = [0] x [0] : (tensor<512x256xf32>, tensor<512x32xf32>) -> tensor<256x32xf32>
  %dp = stablehlo.dot_general %do, %v, contracting_dims = [1] x [1] : (tensor<512x32xf32>, tensor<256x32xf32>) -> tensor<512x256xf32>
  %g = stablehlo.multiply %dp, %e : tensor<512x256xf32>
  %r = stablehlo.reduce(%g init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<512x256xf32>, tensor<f32>) -> tensor<512xf32>
  %rb = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<512xf32>) -> tensor<512x256xf32>
  %h = stablehlo.subtract %dp, %rb : tensor<512x256xf32>
  %i = stablehlo.divide %h, %tb : tensor<512x256xf32>
  %ds = stablehlo.multiply %i, %e : tensor<512x256xf32>
  %dk = stablehlo.dot_general %ds, %q, contracting_dims = [0] x [0] : (tensor<512x256xf32>, tensor<512x32xf32>) -> tensor<256x32xf32>
  %dq = stablehlo.dot_general %ds, %k, contracting_dims = [1] x [0] : (tensor<512x256xf32>, tensor<256x32xf32>) -> tensor<512x32xf32>
  return %dq, %dk, %dv : tensor<512x32xf32>, tensor<256x32xf32>, tensor<256x32xf32>
}

// Weights that are a result are loaded, not recomputed. The sum over rows joins the kernel that
// computes them, unless the other factor depends on that kernel's result.
// CHECK-LABEL: func.func @weights_are_a_result(
// CHECK: tenon.fusion attention(
// CHECK-COUNT-3: stablehlo.dot_general
// CHECK: tenon.fusion contract(
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @weights_are_a_result(%q: tensor<512x32xf32>, %k: tensor<256x32xf32>, %v: tensor<256x32xf32>, %d: tensor<512x32xf32>) -> (tensor<512x256xf32>, tensor<256x32xf32>, tensor<32x256xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<512x32xf32>, tensor<256x32xf32>) -> tensor<512x256xf32>
  %t = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<512x256xf32>, tensor<f32>) -> tensor<512xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<512xf32>) -> tensor<512x256xf32>
  %p = stablehlo.divide %s, %tb : tensor<512x256xf32>
  %o = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<512x256xf32>, tensor<256x32xf32>) -> tensor<512x32xf32>
  %x = stablehlo.dot_general %p, %o, contracting_dims = [0] x [0] : (tensor<512x256xf32>, tensor<512x32xf32>) -> tensor<256x32xf32>
  %y = stablehlo.dot_general %d, %p, contracting_dims = [0] x [0] : (tensor<512x32xf32>, tensor<512x256xf32>) -> tensor<32x256xf32>
  return %p, %x, %y : tensor<512x256xf32>, tensor<256x32xf32>, tensor<32x256xf32>
}

// The gradient of a hidden layer after a normalization: a chain of its own, whose last epilogue
// reads the elements of the first chain. It loads them, because an epilogue has no rows of the
// scores, which have another width here.
// CHECK-LABEL: func.func @epilogue_reads_elements(
// CHECK: tenon.fusion attention(
// CHECK-COUNT-2: stablehlo.dot_general
// CHECK: tenon.fusion attention(
// CHECK-COUNT-2: stablehlo.dot_general
// CHECK-NOT: stablehlo.dot_general
// CHECK: return
func.func @epilogue_reads_elements(%x: tensor<1024x128xf32>, %up: tensor<128x512xf32>, %down: tensor<512x128xf32>, %g: tensor<1024x96xf32>, %head: tensor<128x96xf32>) -> (tensor<1024x128xf32>, tensor<1024x512xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %h = stablehlo.dot_general %x, %up, contracting_dims = [1] x [0] : (tensor<1024x128xf32>, tensor<128x512xf32>) -> tensor<1024x512xf32>
  %r = stablehlo.reduce(%h init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1024x512xf32>, tensor<f32>) -> tensor<1024xf32>
  %rb = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<1024xf32>) -> tensor<1024x512xf32>
  %a = stablehlo.subtract %h, %rb : tensor<1024x512xf32>
  %y = stablehlo.dot_general %a, %down, contracting_dims = [1] x [0] : (tensor<1024x512xf32>, tensor<512x128xf32>) -> tensor<1024x128xf32>
  %dn = stablehlo.dot_general %g, %head, contracting_dims = [1] x [1] : (tensor<1024x96xf32>, tensor<128x96xf32>) -> tensor<1024x128xf32>
  %s = stablehlo.reduce(%dn init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1024x128xf32>, tensor<f32>) -> tensor<1024xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<1024xf32>) -> tensor<1024x128xf32>
  %dy = stablehlo.subtract %dn, %sb : tensor<1024x128xf32>
  %da = stablehlo.dot_general %dy, %down, contracting_dims = [1] x [1] : (tensor<1024x128xf32>, tensor<512x128xf32>) -> tensor<1024x512xf32>
  %dh = stablehlo.multiply %da, %a : tensor<1024x512xf32>
  return %y, %dh : tensor<1024x128xf32>, tensor<1024x512xf32>
}

// The same with equal widths: the shapes agree, but the element that the epilogue needs is not
// one of the row's.
// CHECK-LABEL: func.func @epilogue_reads_elements_of_equal_width(
// CHECK: tenon.fusion attention(
// CHECK-COUNT-2: stablehlo.dot_general
// CHECK: tenon.fusion attention(
// CHECK-COUNT-2: stablehlo.dot_general
// CHECK-NOT: stablehlo.dot_general
// CHECK: return
func.func @epilogue_reads_elements_of_equal_width(%x: tensor<1024x128xf32>, %up: tensor<128x128xf32>, %down: tensor<128x128xf32>, %g: tensor<1024x96xf32>, %head: tensor<128x96xf32>) -> (tensor<1024x128xf32>, tensor<1024x128xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %h = stablehlo.dot_general %x, %up, contracting_dims = [1] x [0] : (tensor<1024x128xf32>, tensor<128x128xf32>) -> tensor<1024x128xf32>
  %r = stablehlo.reduce(%h init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1024x128xf32>, tensor<f32>) -> tensor<1024xf32>
  %rb = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<1024xf32>) -> tensor<1024x128xf32>
  %a = stablehlo.subtract %h, %rb : tensor<1024x128xf32>
  %y = stablehlo.dot_general %a, %down, contracting_dims = [1] x [0] : (tensor<1024x128xf32>, tensor<128x128xf32>) -> tensor<1024x128xf32>
  %dn = stablehlo.dot_general %g, %head, contracting_dims = [1] x [1] : (tensor<1024x96xf32>, tensor<128x96xf32>) -> tensor<1024x128xf32>
  %s = stablehlo.reduce(%dn init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1024x128xf32>, tensor<f32>) -> tensor<1024xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<1024xf32>) -> tensor<1024x128xf32>
  %dy = stablehlo.subtract %dn, %sb : tensor<1024x128xf32>
  %da = stablehlo.dot_general %dy, %down, contracting_dims = [1] x [1] : (tensor<1024x128xf32>, tensor<128x128xf32>) -> tensor<1024x128xf32>
  %dh = stablehlo.multiply %da, %a : tensor<1024x128xf32>
  return %y, %dh : tensor<1024x128xf32>, tensor<1024x128xf32>
}
