// RUN: tenon-compile %s -s program | FileCheck %s --check-prefix=PROGRAM
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu sapphirerapids | FileCheck %s
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu sapphirerapids | FileCheck %s --check-prefix=STEPS
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu sapphirerapids | FileCheck %s --check-prefix=ROWS

// Transforms of rows are one kernel with one row per lane, in vector registers. Transpose tiles
// are loaded and stored, without gathers and scatters. Rows are read and written, and steps of one
// radix computed, by functions whatever the lengths: of 8, 8, 4 and 4, the first two steps share
// their code.
//
// PROGRAM-COUNT-1: tenon.launch
// PROGRAM-NOT: tenon.launch
// PROGRAM: tenon.fft
//
// CHECK-LABEL: fft.0.phase0.0:
// CHECK-NOT: {{gather|scatter}}
// CHECK: callq{{.*}}fft.read_rows_in_one_pass.f32x16
// CHECK-COUNT-2: callq{{.*}}fft.step8.f32x16
// CHECK: callq{{.*}}fft.step4.f32x16
// CHECK: callq{{.*}}fft.last_step4.f32x16
// CHECK: callq{{.*}}fft.write_rows_in_one_pass.f32x16
// CHECK-NOT: {{call|gather|scatter}}
// CHECK: retq
//
// STEPS: fft.step8.f32x16:
// STEPS-NOT: {{call|gather|scatter}}
// STEPS: vfmadd{{.*}}%zmm
// STEPS-NOT: {{call|gather|scatter}}
// STEPS: retq
// STEPS-NOT: fft.step8.f32x16:
//
// ROWS: fft.read_rows_in_one_pass.f32x16:
// ROWS-NOT: {{call|gather|scatter}}
// ROWS: vpermt2pd {{.*}}%zmm
// ROWS-NOT: {{call|gather|scatter}}
// ROWS: retq
func.func @main(%x: tensor<1024x1024xcomplex<f32>>) -> tensor<1024x1024xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [1024] : (tensor<1024x1024xcomplex<f32>>) -> tensor<1024x1024xcomplex<f32>>
  return %0 : tensor<1024x1024xcomplex<f32>>
}
