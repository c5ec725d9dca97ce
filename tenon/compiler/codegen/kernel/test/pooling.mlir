// The points of a window are unrolled, without branches between them. Points outside of the image
// are read from memory that holds the initial value: masked loads would cost hundreds of cycles if
// no page follows the image.
// RUN: tenon-compile %s -s llvm --arch x86_64 --cpu znver4 | FileCheck %s
//
// CHECK-LABEL: define internal void @loop.0.phase0(
// CHECK: store <64 x float> splat (float 0xFFF0000000000000), ptr %[[OUTSIDE:.*]], align 64
// CHECK: loop:
// CHECK-NOT: masked.load
// CHECK-COUNT-9: select i1 %{{.*}}, ptr %{{.*}}, ptr %[[OUTSIDE]]
// CHECK-NOT: masked.load
// CHECK: br i1 {{.*}}, label %loop, label %exit
// CHECK-NOT: br
// CHECK: exit:
func.func @main(%x: tensor<2x16x16x64xf32>) -> tensor<2x8x8x64xf32> {
  %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, padding = dense<[[0,0],[0,1],[0,1],[0,0]]> : tensor<4x2xi64>} : (tensor<2x16x16x64xf32>, tensor<f32>) -> tensor<2x8x8x64xf32>
  return %0 : tensor<2x8x8x64xf32>
}
