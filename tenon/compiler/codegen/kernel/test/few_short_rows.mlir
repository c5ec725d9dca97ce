// Rows are read with a stride, so registers side by side do not read longer parts of them: LLVM took 2.5 s
// for the loads of this program. Columns of the same number are widened.
// RUN: split-file %s %t
// RUN: tenon-compile %t/rows.mlir -s llvm --arch x86_64 --cpu znver3 | FileCheck %t/rows.mlir
// RUN: tenon-compile %t/columns.mlir -s llvm --arch x86_64 --cpu znver3 | FileCheck %t/columns.mlir

//--- rows.mlir
// CHECK-NOT: load <32 x float>
// CHECK: load <8 x float>
// CHECK-NOT: load <32 x float>
func.func @main(%x: tensor<50x7xf32>, %y: tensor<50x7xf32>) -> (tensor<50xf32>, tensor<50xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0:2 = stablehlo.reduce(%x init: %one), (%y init: %zero) across dimensions = [1] : (tensor<50x7xf32>, tensor<50x7xf32>, tensor<f32>, tensor<f32>) -> (tensor<50xf32>, tensor<50xf32>)
    reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<f32>, %d: tensor<f32>) {
    %ac = stablehlo.multiply %a, %c : tensor<f32>
    %bd = stablehlo.multiply %b, %d : tensor<f32>
    %re = stablehlo.subtract %ac, %bd : tensor<f32>
    %ad = stablehlo.multiply %a, %d : tensor<f32>
    %bc = stablehlo.multiply %b, %c : tensor<f32>
    %im = stablehlo.add %ad, %bc : tensor<f32>
    stablehlo.return %re, %im : tensor<f32>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<50xf32>, tensor<50xf32>
}

//--- columns.mlir
// CHECK: load <32 x float>
func.func @main(%x: tensor<7x50xf32>) -> tensor<50xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7x50xf32>, tensor<f32>) -> tensor<50xf32>
  return %0 : tensor<50xf32>
}
