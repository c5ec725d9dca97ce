// Sorts and transforms whose code, or whose tables, SPIR-V does not have in LLVM's form: vectors of
// one lane, constants of more than 65,535 elements.
// RUN: rm -rf %t && mkdir %t && split-file %s %t
// RUN: tenon-compile %t/sort.mlir --target spirv64 -o %t/sort.image
// RUN: tenon-compile %t/fft.mlir --target spirv64 -o %t/fft.image

//--- sort.mlir
func.func @main(%x: tensor<7x3xi64>, %y: tensor<7x3xi32>) -> (tensor<7x3xi64>, tensor<7x3xi32>) {
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<7x3xi64>, tensor<7x3xi32>) -> (tensor<7x3xi64>, tensor<7x3xi32>)
  return %0#0, %0#1 : tensor<7x3xi64>, tensor<7x3xi32>
}

//--- fft.mlir
func.func @main(%x: tensor<2x16384xcomplex<f32>>) -> tensor<2x16384xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [16384] : (tensor<2x16384xcomplex<f32>>) -> tensor<2x16384xcomplex<f32>>
  return %0 : tensor<2x16384xcomplex<f32>>
}
