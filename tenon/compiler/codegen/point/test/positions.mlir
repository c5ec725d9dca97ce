// Flattened dimensions, also with a dimension of size 1 between them, and moved by constants: the
// bytes of a vector are neighbours in memory and are loaded at once, not one by one.
// RUN: tenon-compile %s -s llvm --arch x86_64 --cpu znver4 | FileCheck %s
//
// CHECK-LABEL: define internal void @loop.0.phase0(
// CHECK-NOT: insertelement <{{.*}} x i8>
// CHECK: call <{{.*}} x i8> @llvm.masked.load
// CHECK-NOT: insertelement <{{.*}} x i8>
// CHECK-LABEL: define hidden i32 @tenon_entry(
func.func @main(%x: tensor<31x1x7x1x13xui8>) -> tensor<31x1x7x1x13xui8> {
  %i = stablehlo.constant dense<0> : tensor<ui8>
  %0 = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<ui8>, %b: tensor<ui8>):
    %m = stablehlo.xor %a, %b : tensor<ui8>
    stablehlo.return %m : tensor<ui8>
  }) {window_dimensions = array<i64: 1, 1, 3, 1, 1>, padding = dense<[[0,0],[0,0],[1,1],[0,0],[0,0]]> : tensor<5x2xi64>} : (tensor<31x1x7x1x13xui8>, tensor<ui8>) -> tensor<31x1x7x1x13xui8>
  return %0 : tensor<31x1x7x1x13xui8>
}
