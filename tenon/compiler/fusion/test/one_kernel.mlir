// Programs that are one kernel with one phase. Operands are read from memory once, by rows that
// stay in the cache, and no intermediate result is written to memory.
// RUN: split-file %s %t
// RUN: tenon-compile %t/layer_norm.mlir --stage=program | FileCheck %s
// RUN: tenon-compile %t/log_sum_exp.mlir --stage=program | FileCheck %s
// RUN: tenon-compile %t/argmax.mlir --stage=program | FileCheck %s
// RUN: tenon-compile %t/pooling.mlir --stage=program | FileCheck %s
// RUN: tenon-compile %t/stencil.mlir --stage=program | FileCheck %s
// RUN: tenon-compile %t/all_pairs.mlir --stage=program | FileCheck %s

// CHECK-LABEL: tenon.program @main
// CHECK-SAME: arena 0
// CHECK-COUNT-1: tenon.launch
// CHECK-NOT: tenon.launch
// CHECK-COUNT-1: tenon.parallel
// CHECK-NOT: {{tenon.parallel|tenon.kernel}}

//--- layer_norm.mlir
func.func public @main(%x: tensor<2048x768xf32>) -> tensor<2048x768xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<768.0> : tensor<2048xf32>
  %epsilon = stablehlo.constant dense<1.0e-05> : tensor<2048xf32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2048x768xf32>, tensor<f32>) -> tensor<2048xf32>
  %mean = stablehlo.divide %0, %n : tensor<2048xf32>
  %1 = stablehlo.broadcast_in_dim %mean, dims = [0] : (tensor<2048xf32>) -> tensor<2048x768xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<2048x768xf32>
  %3 = stablehlo.multiply %2, %2 : tensor<2048x768xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2048x768xf32>, tensor<f32>) -> tensor<2048xf32>
  %variance = stablehlo.divide %4, %n : tensor<2048xf32>
  %5 = stablehlo.add %variance, %epsilon : tensor<2048xf32>
  %6 = stablehlo.rsqrt %5 : tensor<2048xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<2048xf32>) -> tensor<2048x768xf32>
  %8 = stablehlo.multiply %2, %7 : tensor<2048x768xf32>
  return %8 : tensor<2048x768xf32>
}
//--- log_sum_exp.mlir
func.func public @main(%x: tensor<1024x1000xf32>) -> tensor<1024xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<1024x1000xf32>, tensor<f32>) -> tensor<1024xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<1024xf32>) -> tensor<1024x1000xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<1024x1000xf32>
  %3 = stablehlo.exponential %2 : tensor<1024x1000xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1024x1000xf32>, tensor<f32>) -> tensor<1024xf32>
  %5 = stablehlo.log %4 : tensor<1024xf32>
  %6 = stablehlo.add %5, %0 : tensor<1024xf32>
  return %6 : tensor<1024xf32>
}
//--- argmax.mlir
func.func public @main(%x: tensor<1024x1000xf32>) -> tensor<1024xi32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %first = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 1 : tensor<1024x1000xi32>
  %0:2 = stablehlo.reduce(%x init: %low), (%i init: %first) across dimensions = [1] : (tensor<1024x1000xf32>, tensor<1024x1000xi32>, tensor<f32>, tensor<i32>) -> (tensor<1024xf32>, tensor<1024xi32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>)  {
    %1 = stablehlo.compare GT, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    %4 = stablehlo.compare EQ, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.compare LT, %b, %d, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %7 = stablehlo.or %3, %6 : tensor<i1>
    %8 = stablehlo.select %3, %a, %c : tensor<i1>, tensor<f32>
    %9 = stablehlo.select %7, %b, %d : tensor<i1>, tensor<i32>
    stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
  }
  return %0#1 : tensor<1024xi32>
}
//--- pooling.mlir
func.func public @main(%x: tensor<8x56x56x64xf32>) -> tensor<8x28x28x64xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %low) <{padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8x56x56x64xf32>, tensor<f32>) -> tensor<8x28x28x64xf32>
  return %0 : tensor<8x28x28x64xf32>
}
//--- stencil.mlir
func.func public @main(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = stablehlo.slice %x [511:512, 0:512] : (tensor<512x512xf32>) -> tensor<1x512xf32>
  %1 = stablehlo.slice %x [0:511, 0:512] : (tensor<512x512xf32>) -> tensor<511x512xf32>
  %up = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x512xf32>, tensor<511x512xf32>) -> tensor<512x512xf32>
  %2 = stablehlo.slice %x [0:512, 1:512] : (tensor<512x512xf32>) -> tensor<512x511xf32>
  %3 = stablehlo.slice %x [0:512, 0:1] : (tensor<512x512xf32>) -> tensor<512x1xf32>
  %right = stablehlo.concatenate %2, %3, dim = 1 : (tensor<512x511xf32>, tensor<512x1xf32>) -> tensor<512x512xf32>
  %4 = stablehlo.add %up, %right : tensor<512x512xf32>
  %5 = stablehlo.subtract %4, %x : tensor<512x512xf32>
  return %5 : tensor<512x512xf32>
}
//--- all_pairs.mlir
func.func public @main(%x: tensor<1000x16xf32>) -> tensor<1000x1000xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<1000x16xf32>) -> tensor<1000x1000x16xf32>
  %1 = stablehlo.broadcast_in_dim %x, dims = [1, 2] : (tensor<1000x16xf32>) -> tensor<1000x1000x16xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<1000x1000x16xf32>
  %3 = stablehlo.multiply %2, %2 : tensor<1000x1000x16xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<1000x1000x16xf32>, tensor<f32>) -> tensor<1000x1000xf32>
  return %4 : tensor<1000x1000xf32>
}
