// Sums of everything are split so that all of a device has a part, and so are sums of columns. A column
// is read by one item, which has several loads under way, and neighbouring items have neighbouring
// columns. Short sums are not split.
// RUN: rm -rf %t && mkdir %t && split-file %s %t
// RUN: tenon-compile %t/all.mlir --target nvptx64:sm_90a --dump %t -o %t/image
// RUN: cat %t/*launcher.ll | FileCheck %t/all.mlir
// RUN: rm %t/*.ll && tenon-compile %t/columns.mlir --target nvptx64:sm_90a --dump %t -o %t/image
// RUN: cat %t/*launcher.ll %t/*device.ptx | FileCheck %t/columns.mlir
// RUN: rm %t/*.ll && tenon-compile %t/short.mlir --target nvptx64:sm_90a --dump %t -o %t/image
// RUN: cat %t/*launcher.ll | FileCheck %t/short.mlir

//--- all.mlir
// CHECK: call i32 %{{.*}}(ptr %0, i64 0, ptr %{{.*}}, i64 1024)
// CHECK: call i32 %{{.*}}(ptr %0, i64 1, ptr %{{.*}}, i64 1)
func.func @main(%x: tensor<4194304xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4194304xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

//--- columns.mlir
// CHECK: call i32 %{{.*}}(ptr %0, i64 0, ptr %{{.*}}, i64 256)
// CHECK: .visible .entry loop_0_phase0(
// CHECK-COUNT-8: ld.global
// CHECK: bra
// CHECK-NOT: bar.sync
func.func @main(%x: tensor<1024x1024xf32>) -> tensor<1024xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}

//--- short.mlir
// CHECK-COUNT-1: call i32 %{{.*}}(ptr %0, i64
// CHECK-NOT: call i32
func.func @main(%x: tensor<8192xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8192xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
