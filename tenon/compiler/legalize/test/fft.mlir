// RUN: tenon-opt %s --tenon-legalize | FileCheck %s

// A short transform is one real product with the matrix of both parts.
// CHECK-LABEL: func.func @direct(
func.func @direct(%x: tensor<3x8xcomplex<f32>>) -> tensor<3x8xcomplex<f32>> {
  // CHECK: stablehlo.dot_general {{.*}} : (tensor<16x16xf32>, tensor<16x3xf32>) -> tensor<16x3xf32>
  // CHECK: stablehlo.complex
  // CHECK-NOT: stablehlo.fft
  %0 = stablehlo.fft %x, type = FFT, length = [8] : (tensor<3x8xcomplex<f32>>) -> tensor<3x8xcomplex<f32>>
  return %0 : tensor<3x8xcomplex<f32>>
}

// 48 = 16 * 3: the outputs of the first step are columns of the second.
// CHECK-LABEL: func.func @mixed_radix(
func.func @mixed_radix(%x: tensor<1x48xcomplex<f64>>) -> tensor<1x48xcomplex<f64>> {
  // CHECK: stablehlo.dot_general {{.*}} -> tensor<32x3xf64>
  // CHECK: stablehlo.dot_general {{.*}} -> tensor<6x16xf64>
  %0 = stablehlo.fft %x, type = IFFT, length = [48] : (tensor<1x48xcomplex<f64>>) -> tensor<1x48xcomplex<f64>>
  return %0 : tensor<1x48xcomplex<f64>>
}

// A prime: padded to 128, a convolution.
// CHECK-LABEL: func.func @bluestein(
func.func @bluestein(%x: tensor<37xcomplex<f32>>) -> tensor<37xcomplex<f32>> {
  // CHECK: stablehlo.pad {{.*}} -> tensor<2x128x1xf32>
  // CHECK-NOT: stablehlo.fft
  %0 = stablehlo.fft %x, type = FFT, length = [37] : (tensor<37xcomplex<f32>>) -> tensor<37xcomplex<f32>>
  return %0 : tensor<37xcomplex<f32>>
}

// A real transform multiplies real numbers only.
// CHECK-LABEL: func.func @real(
func.func @real(%x: tensor<3x8xf32>) -> tensor<3x5xcomplex<f32>> {
  // CHECK: stablehlo.dot_general {{.*}} : (tensor<16x8xf32>, tensor<8x3xf32>) -> tensor<16x3xf32>
  // CHECK: stablehlo.complex {{.*}} : tensor<3x5xcomplex<f32>>
  %0 = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<3x8xf32>) -> tensor<3x5xcomplex<f32>>
  return %0 : tensor<3x5xcomplex<f32>>
}

// CHECK-LABEL: func.func @empty(
func.func @empty(%x: tensor<0x8xcomplex<f32>>) -> tensor<0x8xcomplex<f32>> {
  // CHECK-NEXT: %[[EMPTY:.*]] = stablehlo.constant
  // CHECK-NEXT: return %[[EMPTY]]
  %0 = stablehlo.fft %x, type = FFT, length = [8] : (tensor<0x8xcomplex<f32>>) -> tensor<0x8xcomplex<f32>>
  return %0 : tensor<0x8xcomplex<f32>>
}
