// The host of a device computes the counters of loops, and passes them to kernels. It reads a scalar
// back only where control flow depends on it.
// RUN: rm -rf %t && mkdir %t && split-file %s %t
// RUN: tenon-compile %t/counted.mlir --target spirv64 --stage=program | FileCheck %t/counted.mlir
// RUN: tenon-compile %t/converging.mlir --target spirv64 --stage=program | FileCheck %t/converging.mlir

//--- counted.mlir
// CHECK-LABEL: tenon.program @main
// CHECK-NOT: tenon.read
// CHECK: tenon.while
// The sum is carried in memory, the counter is not.
// CHECK: ^bb0(%[[I:.*]]: tensor<i32>):
// CHECK: tenon.launch @{{.*}} : {{.*}}memref<f32>, memref<f32>
// CHECK: %[[F:.*]] = stablehlo.convert %[[I]]
// CHECK: tenon.launch @{{.*}}(%[[F]], {{.*}} : tensor<f32>, memref<1000xf32>, memref<1000xf32>
// CHECK-NOT: tenon.read
// CHECK: tenon.kernel
func.func @main(%x: tensor<1000xf32>, %s: tensor<f32>) -> (tensor<1000xf32>, tensor<f32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %i0 = stablehlo.constant dense<0> : tensor<i32>
  %i1 = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<7> : tensor<i32>
  %e = stablehlo.exponential %s : tensor<f32>
  %b = stablehlo.broadcast_in_dim %e, dims = [] : (tensor<f32>) -> tensor<1000xf32>
  %y = stablehlo.multiply %x, %b : tensor<1000xf32>
  %0:3 = stablehlo.while(%i = %i0, %a = %z, %v = %y) : tensor<i32>, tensor<f32>, tensor<1000xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %r = stablehlo.reduce(%v init: %z) applies stablehlo.add across dimensions = [0] : (tensor<1000xf32>, tensor<f32>) -> tensor<f32>
    %a2 = stablehlo.add %a, %r : tensor<f32>
    %i2 = stablehlo.add %i, %i1 : tensor<i32>
    %fi = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
    %fb = stablehlo.broadcast_in_dim %fi, dims = [] : (tensor<f32>) -> tensor<1000xf32>
    %v2 = stablehlo.add %v, %fb : tensor<1000xf32>
    stablehlo.return %i2, %a2, %v2 : tensor<i32>, tensor<f32>, tensor<1000xf32>
  }
  %l = stablehlo.log %0#1 : tensor<f32>
  return %0#2, %l : tensor<1000xf32>, tensor<f32>
}

//--- converging.mlir
// CHECK-LABEL: tenon.program @main
// CHECK: tenon.while
// CHECK: tenon.launch
// CHECK: %[[C:.*]] = tenon.read {{.*}} : memref<i1> -> tensor<i1>
// CHECK-NEXT: tenon.yield %[[C]] : tensor<i1>
// CHECK: } do {
// CHECK-NOT: tenon.read
// CHECK: tenon.kernel
func.func @main(%x: tensor<1000xf32>, %limit: tensor<f32>) -> tensor<1000xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<1000xf32>
  %0 = stablehlo.while(%v = %x) : tensor<1000xf32>
  cond {
    %r = stablehlo.reduce(%v init: %z) applies stablehlo.add across dimensions = [0] : (tensor<1000xf32>, tensor<f32>) -> tensor<f32>
    %c = stablehlo.compare GT, %r, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %v2 = stablehlo.multiply %v, %half : tensor<1000xf32>
    stablehlo.return %v2 : tensor<1000xf32>
  }
  return %0 : tensor<1000xf32>
}
