// RUN: tenon-opt %s --tenon-legalize | FileCheck %s

// Lengths without large primes have a kernel of their own, whatever is real.
// CHECK-LABEL: func.func @kernel(
func.func @kernel(%x: tensor<4x6x48xf32>) -> tensor<4x6x25xcomplex<f32>> {
  // CHECK-NEXT: stablehlo.fft
  // CHECK-NEXT: return
  %0 = stablehlo.fft %x, type = RFFT, length = [6, 48] : (tensor<4x6x48xf32>) -> tensor<4x6x25xcomplex<f32>>
  return %0 : tensor<4x6x25xcomplex<f32>>
}

// Another short transform is one real product with the matrix of both parts.
// CHECK-LABEL: func.func @direct(
func.func @direct(%x: tensor<3x17xcomplex<f32>>) -> tensor<3x17xcomplex<f32>> {
  // CHECK: stablehlo.dot_general {{.*}} : (tensor<34x34xf32>, tensor<34x3xf32>) -> tensor<34x3xf32>
  // CHECK: stablehlo.complex
  // CHECK-NOT: stablehlo.fft
  %0 = stablehlo.fft %x, type = FFT, length = [17] : (tensor<3x17xcomplex<f32>>) -> tensor<3x17xcomplex<f32>>
  return %0 : tensor<3x17xcomplex<f32>>
}

// 51 = 3 * 17: the outputs of the first step are columns of the second.
// CHECK-LABEL: func.func @mixed_radix(
func.func @mixed_radix(%x: tensor<1x51xcomplex<f64>>) -> tensor<1x51xcomplex<f64>> {
  // CHECK: stablehlo.dot_general {{.*}} -> tensor<6x17xf64>
  // CHECK: stablehlo.dot_general {{.*}} -> tensor<34x3xf64>
  %0 = stablehlo.fft %x, type = IFFT, length = [51] : (tensor<1x51xcomplex<f64>>) -> tensor<1x51xcomplex<f64>>
  return %0 : tensor<1x51xcomplex<f64>>
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
func.func @real(%x: tensor<3x17xf32>) -> tensor<3x9xcomplex<f32>> {
  // CHECK: stablehlo.dot_general {{.*}} : (tensor<34x17xf32>, tensor<17x3xf32>) -> tensor<34x3xf32>
  // CHECK: stablehlo.complex {{.*}} : tensor<3x9xcomplex<f32>>
  %0 = stablehlo.fft %x, type = RFFT, length = [17] : (tensor<3x17xf32>) -> tensor<3x9xcomplex<f32>>
  return %0 : tensor<3x9xcomplex<f32>>
}

// CHECK-LABEL: func.func @empty(
func.func @empty(%x: tensor<0x8xcomplex<f32>>) -> tensor<0x8xcomplex<f32>> {
  // CHECK-NEXT: %[[EMPTY:.*]] = stablehlo.constant
  // CHECK-NEXT: return %[[EMPTY]]
  %0 = stablehlo.fft %x, type = FFT, length = [8] : (tensor<0x8xcomplex<f32>>) -> tensor<0x8xcomplex<f32>>
  return %0 : tensor<0x8xcomplex<f32>>
}
