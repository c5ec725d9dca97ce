// RUN: tenon-compile %s -s program | FileCheck %s --check-prefix=PROGRAM
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu sapphirerapids | FileCheck %s

// Transforms of rows: one kernel, a lane a row, in vector registers; squares transposed on the
// way in and out; roots of unity are constants; nothing is gathered or called.
//
// PROGRAM-COUNT-1: tenon.launch
// PROGRAM-NOT: tenon.launch
// PROGRAM: tenon.fft
//
// CHECK-LABEL: fft.0.phase0.0:
// CHECK-NOT: {{call|gather|scatter}}
// CHECK: vpermt2pd {{.*}}%zmm
// CHECK-NOT: {{call|gather|scatter}}
// CHECK: vfmadd{{.*}}%zmm
// CHECK-NOT: {{call|gather|scatter}}
// CHECK: retq
func.func @main(%x: tensor<1024x1024xcomplex<f32>>) -> tensor<1024x1024xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [1024] : (tensor<1024x1024xcomplex<f32>>) -> tensor<1024x1024xcomplex<f32>>
  return %0 : tensor<1024x1024xcomplex<f32>>
}
