// For a device with matrix instructions both products read one transpose of %x, and each kernel
// computes the mask, which depends on indices alone. Other devices have two transposes.
// RUN: rm -rf %t && mkdir %t && tenon-compile %s --target nvptx64:sm_80 --dump %t -o %t/image
// RUN: cat %t/*fuse.mlir | FileCheck %s
// RUN: rm -rf %t && mkdir %t && tenon-compile %s --target spirv64 --dump %t -o %t/image
// RUN: cat %t/*fuse.mlir | FileCheck %s --check-prefix=OTHER

// CHECK-NOT: -> tensor<2x4x64x128xi1>
// CHECK: stablehlo.transpose %{{.*}}, dims = [0, 2, 1, 3]
// CHECK-NOT: stablehlo.transpose
// CHECK: stablehlo.dot_general {{.*}} contracting_dims = [3] x [2]
// CHECK: stablehlo.compare
// CHECK: stablehlo.dot_general {{.*}} contracting_dims = [3] x [2]
// CHECK: stablehlo.compare

// The factors of the last product are exchanged, so that its rows are contiguous as they are in the
// transpose.
// CHECK: stablehlo.dot_general {{.*}} -> tensor<2x4x64x128xf32>
// CHECK: stablehlo.transpose {{.*}}, dims = [0, 2, 1, 3]

// OTHER-COUNT-2: stablehlo.transpose
// OTHER: stablehlo.transpose {{.*}}, dims = [0, 3, 1, 2]
func.func @main(%x: tensor<2x64x4x32xbf16>, %y: tensor<2x4x32x128xbf16>, %z: tensor<2x4x32x128xbf16>) -> (tensor<2x4x64x128xf32>, tensor<2x4x64x128xf32>, tensor<2x64x4x128xf32>) {
  %a = stablehlo.transpose %x, dims = [0, 2, 1, 3] : (tensor<2x64x4x32xbf16>) -> tensor<2x4x64x32xbf16>
  %b = stablehlo.transpose %x, dims = [0, 2, 3, 1] : (tensor<2x64x4x32xbf16>) -> tensor<2x4x32x64xbf16>
  %p = stablehlo.dot_general %a, %y, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x4x64x32xbf16>, tensor<2x4x32x128xbf16>) -> tensor<2x4x64x128xf32>
  %q = stablehlo.dot_general %b, %z, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<2x4x32x64xbf16>, tensor<2x4x32x128xbf16>) -> tensor<2x4x64x128xf32>
  %i = stablehlo.iota dim = 2 : tensor<2x4x64x128xi32>
  %j = stablehlo.iota dim = 3 : tensor<2x4x64x128xi32>
  %mask = stablehlo.compare GE, %i, %j, SIGNED : (tensor<2x4x64x128xi32>, tensor<2x4x64x128xi32>) -> tensor<2x4x64x128xi1>
  %low = stablehlo.constant dense<-1.0> : tensor<2x4x64x128xf32>
  %r = stablehlo.select %mask, %p, %low : tensor<2x4x64x128xi1>, tensor<2x4x64x128xf32>
  %s = stablehlo.select %mask, %q, %low : tensor<2x4x64x128xi1>, tensor<2x4x64x128xf32>
  %o = stablehlo.dot_general %y, %a, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [3] : (tensor<2x4x32x128xbf16>, tensor<2x4x64x32xbf16>) -> tensor<2x4x128x64xf32>
  %t = stablehlo.transpose %o, dims = [0, 3, 1, 2] : (tensor<2x4x128x64xf32>) -> tensor<2x64x4x128xf32>
  return %r, %s, %t : tensor<2x4x64x128xf32>, tensor<2x4x64x128xf32>, tensor<2x64x4x128xf32>
}
