// The third sine of a kernel and all later ones call one function, so the code of a kernel does not
// grow with the number of its sines. A short function (a square root) is always inline.
// RUN: split-file %s %t
// RUN: tenon-compile %t/sines.mlir -s llvm --arch x86_64 --cpu znver4 | FileCheck %s --check-prefix=SINES
// RUN: tenon-compile %t/roots.mlir -s llvm --arch x86_64 --cpu znver4 | FileCheck %s --check-prefix=ROOTS

// SINES: define internal fastcc <[[LANES:[0-9]+]] x float> @shared.sine.f32.f32.[[LANES]](
// SINES-NOT: define {{.*}}@shared.sine
// SINES-NOT: call {{.*}}@{{sin|cos}}f

// ROOTS-NOT: @shared

//--- sines.mlir
func.func @main(%x: tensor<4096xf32>, %y: tensor<4096xf32>) -> tensor<4096xf32> {
  %s0 = stablehlo.sine %x : tensor<4096xf32>
  %m0 = stablehlo.multiply %s0, %y : tensor<4096xf32>
  %s1 = stablehlo.sine %m0 : tensor<4096xf32>
  %m1 = stablehlo.multiply %s1, %y : tensor<4096xf32>
  %s2 = stablehlo.sine %m1 : tensor<4096xf32>
  %m2 = stablehlo.multiply %s2, %y : tensor<4096xf32>
  %s3 = stablehlo.sine %m2 : tensor<4096xf32>
  %m3 = stablehlo.multiply %s3, %y : tensor<4096xf32>
  %s4 = stablehlo.sine %m3 : tensor<4096xf32>
  %m4 = stablehlo.multiply %s4, %y : tensor<4096xf32>
  %s5 = stablehlo.sine %m4 : tensor<4096xf32>
  %m5 = stablehlo.multiply %s5, %y : tensor<4096xf32>
  return %m5 : tensor<4096xf32>
}

//--- roots.mlir
func.func @main(%x: tensor<4096xf32>, %y: tensor<4096xf32>) -> tensor<4096xf32> {
  %s0 = stablehlo.sqrt %x : tensor<4096xf32>
  %m0 = stablehlo.multiply %s0, %y : tensor<4096xf32>
  %s1 = stablehlo.sqrt %m0 : tensor<4096xf32>
  %m1 = stablehlo.multiply %s1, %y : tensor<4096xf32>
  %s2 = stablehlo.sqrt %m1 : tensor<4096xf32>
  %m2 = stablehlo.multiply %s2, %y : tensor<4096xf32>
  %s3 = stablehlo.sqrt %m2 : tensor<4096xf32>
  %m3 = stablehlo.multiply %s3, %y : tensor<4096xf32>
  %s4 = stablehlo.sqrt %m3 : tensor<4096xf32>
  %m4 = stablehlo.multiply %s4, %y : tensor<4096xf32>
  %s5 = stablehlo.sqrt %m4 : tensor<4096xf32>
  %m5 = stablehlo.multiply %s5, %y : tensor<4096xf32>
  return %m5 : tensor<4096xf32>
}
