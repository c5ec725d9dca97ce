// The items of a group take four consecutive points of a sum, and then those 1,024 further, so that they
// read neighbouring elements, with four loads under way. If the reducer is not known to allow another
// order, each takes consecutive points, and the partial results are combined in order.
// RUN: rm -rf %t && mkdir %t && split-file %s %t
// RUN: tenon-compile %t/sum.mlir --target spirv64 --dump %t -o %t/image
// RUN: cat %t/*device.ll | FileCheck %t/sum.mlir
// RUN: rm %t/*.ll && tenon-compile %t/first.mlir --target spirv64 --dump %t -o %t/image
// RUN: cat %t/*device.ll | FileCheck %t/first.mlir

//--- sum.mlir
// CHECK: define spir_kernel void @loop_0_phase0(
// CHECK-NOT: mul i64 %{{.*}}, 40
// CHECK: add nsw i64 %{{.*}}, 4096
// CHECK: _Z7barrierj
func.func @main(%x: tensor<8x10000xf32>) -> tensor<8xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<8x10000xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

//--- first.mlir
// The first element that is not zero: 40 consecutive elements an item.
// CHECK: define spir_kernel void @loop_0_phase0(
// CHECK: %[[FIRST:.*]] = mul i64 %{{.*}}, 40
// CHECK: add i64 %[[FIRST]], 40
// CHECK: _Z7barrierj
func.func @main(%x: tensor<8x10000xf32>) -> tensor<8xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) across dimensions = [1] : (tensor<8x10000xf32>, tensor<f32>) -> tensor<8xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %c = stablehlo.compare NE, %a, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %s = stablehlo.select %c, %a, %b : tensor<i1>, tensor<f32>
    stablehlo.return %s : tensor<f32>
  }
  return %0 : tensor<8xf32>
}
