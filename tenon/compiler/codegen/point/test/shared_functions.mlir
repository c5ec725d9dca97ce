// The third sine of a kernel and all later ones call one function, so the code of a kernel does not
// grow with the number of its sines. A short function (a square root) is always inline.
// RUN: split-file %s %t
// RUN: tenon-compile %t/sines.mlir -s llvm --arch x86_64 --cpu znver4 | FileCheck %s --check-prefix=SINES
// RUN: tenon-compile %t/roots.mlir -s llvm --arch x86_64 --cpu znver4 | FileCheck %s --check-prefix=ROOTS

// SINES: define internal fastcc <[[LANES:[0-9]+]] x float> @shared.sine.f32.f32.[[LANES]](
// SINES-NOT: define {{.*}}@shared.sine
// SINES-NOT: call {{.*}}@{{sin|cos}}f

// ROOTS-NOT: @shared

// Vectors of 64-bit elements cost more, and their divisions most. A constant divisor stays a constant:
// each has a function of its own.
// RUN: tenon-compile %t/wide.mlir -s llvm --arch x86_64 --cpu znver3 | FileCheck %s --check-prefix=WIDE

// WIDE-DAG: define internal fastcc <{{[48]}} x double> @shared.log.f64.f64.{{[48]}}(
// WIDE-DAG: define internal fastcc <{{[48]}} x i64> @shared.remainder.i64.i64.i64.{{[48]}}.by.7(
// WIDE-DAG: srem <{{[48]}} x i64> %{{.*}}, splat (i64 7)
// WIDE-DAG: define internal fastcc <{{[48]}} x i64> @shared.remainder.i64.i64.i64.{{[48]}}.by.11(
// WIDE-DAG: srem <{{[48]}} x i64> %{{.*}}, splat (i64 11)

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

//--- wide.mlir
func.func @main(%x: tensor<4096xf64>, %n: tensor<4096xi64>) -> (tensor<4096xf64>, tensor<4096xi64>) {
  %seven = stablehlo.constant dense<7> : tensor<4096xi64>
  %eleven = stablehlo.constant dense<11> : tensor<4096xi64>
  %l0 = stablehlo.log %x : tensor<4096xf64>
  %m0 = stablehlo.add %l0, %x : tensor<4096xf64>
  %l1 = stablehlo.log %m0 : tensor<4096xf64>
  %m1 = stablehlo.add %l1, %x : tensor<4096xf64>
  %l2 = stablehlo.log %m1 : tensor<4096xf64>
  %m2 = stablehlo.add %l2, %x : tensor<4096xf64>
  %l3 = stablehlo.log %m2 : tensor<4096xf64>
  %m3 = stablehlo.add %l3, %x : tensor<4096xf64>
  %r0 = stablehlo.remainder %n, %eleven : tensor<4096xi64>
  %p0 = stablehlo.multiply %r0, %n : tensor<4096xi64>
  %r1 = stablehlo.remainder %p0, %seven : tensor<4096xi64>
  %p1 = stablehlo.multiply %r1, %n : tensor<4096xi64>
  %r2 = stablehlo.remainder %p1, %eleven : tensor<4096xi64>
  %p2 = stablehlo.multiply %r2, %n : tensor<4096xi64>
  %r3 = stablehlo.remainder %p2, %seven : tensor<4096xi64>
  %p3 = stablehlo.multiply %r3, %n : tensor<4096xi64>
  %r4 = stablehlo.remainder %p3, %eleven : tensor<4096xi64>
  %p4 = stablehlo.multiply %r4, %n : tensor<4096xi64>
  %r5 = stablehlo.remainder %p4, %seven : tensor<4096xi64>
  %p5 = stablehlo.multiply %r5, %n : tensor<4096xi64>
  %r6 = stablehlo.remainder %p5, %eleven : tensor<4096xi64>
  %p6 = stablehlo.multiply %r6, %n : tensor<4096xi64>
  %r7 = stablehlo.remainder %p6, %seven : tensor<4096xi64>
  %p7 = stablehlo.multiply %r7, %n : tensor<4096xi64>
  return %m3, %p7 : tensor<4096xf64>, tensor<4096xi64>
}
