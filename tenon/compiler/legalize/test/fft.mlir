// RUN: tenon-opt %s --tenon-legalize | FileCheck %s

// Lengths without large prime factors have a kernel, whether or not one side is real.
// CHECK-LABEL: func.func @kernel(
func.func @kernel(%x: tensor<4x6x48xf32>) -> tensor<4x6x25xcomplex<f32>> {
  // CHECK-NEXT: stablehlo.fft
  // CHECK-NEXT: return
  %0 = stablehlo.fft %x, type = RFFT, length = [6, 48] : (tensor<4x6x48xf32>) -> tensor<4x6x25xcomplex<f32>>
  return %0 : tensor<4x6x25xcomplex<f32>>
}

// Large prime factors and odd real lengths in the last dimension have a kernel too.
// CHECK-LABEL: func.func @prime(
func.func @prime(%x: tensor<5x1021xf64>) -> tensor<5x511xcomplex<f64>> {
  // CHECK-NEXT: stablehlo.fft
  // CHECK-NEXT: return
  %0 = stablehlo.fft %x, type = RFFT, length = [1021] : (tensor<5x1021xf64>) -> tensor<5x511xcomplex<f64>>
  return %0 : tensor<5x511xcomplex<f64>>
}

// A dimension with a large prime factor is moved to the end for a transform of its own.
// CHECK-LABEL: func.func @forward(
func.func @forward(%x: tensor<2x263x12xf32>) -> tensor<2x263x7xcomplex<f32>> {
  // CHECK: %[[ROWS:.*]] = stablehlo.fft %{{.*}}, type = RFFT, length = [12]
  // CHECK: %[[MOVED:.*]] = stablehlo.transpose %[[ROWS]], dims = [0, 2, 1]
  // CHECK: %[[COLUMNS:.*]] = stablehlo.fft %[[MOVED]], type = FFT, length = [263]
  // CHECK: stablehlo.transpose %[[COLUMNS]], dims = [0, 2, 1]
  %0 = stablehlo.fft %x, type = RFFT, length = [263, 12] : (tensor<2x263x12xf32>) -> tensor<2x263x7xcomplex<f32>>
  return %0 : tensor<2x263x7xcomplex<f32>>
}

// IRFFT transforms the last dimension last.
// CHECK-LABEL: func.func @backward(
func.func @backward(%x: tensor<263x7xcomplex<f32>>) -> tensor<263x12xf32> {
  // CHECK: stablehlo.fft %{{.*}}, type = IFFT, length = [263]
  // CHECK: stablehlo.fft %{{.*}}, type = IRFFT, length = [12]
  %0 = stablehlo.fft %x, type = IRFFT, length = [263, 12] : (tensor<263x7xcomplex<f32>>) -> tensor<263x12xf32>
  return %0 : tensor<263x12xf32>
}

// A transform of length one is the identity.
// CHECK-LABEL: func.func @one(
func.func @one(%x: tensor<3x1xcomplex<f32>>) -> tensor<3x1xcomplex<f32>> {
  // CHECK-NEXT: return %arg0
  %0 = stablehlo.fft %x, type = IFFT, length = [1] : (tensor<3x1xcomplex<f32>>) -> tensor<3x1xcomplex<f32>>
  return %0 : tensor<3x1xcomplex<f32>>
}

// CHECK-LABEL: func.func @one_real(
func.func @one_real(%x: tensor<4x1xf32>) -> tensor<4x1xcomplex<f32>> {
  // CHECK: stablehlo.complex
  // CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [4]
  %0 = stablehlo.fft %x, type = RFFT, length = [4, 1] : (tensor<4x1xf32>) -> tensor<4x1xcomplex<f32>>
  return %0 : tensor<4x1xcomplex<f32>>
}

// CHECK-LABEL: func.func @empty(
func.func @empty(%x: tensor<0x8xcomplex<f32>>) -> tensor<0x8xcomplex<f32>> {
  // CHECK-NEXT: %[[EMPTY:.*]] = stablehlo.constant
  // CHECK-NEXT: return %[[EMPTY]]
  %0 = stablehlo.fft %x, type = FFT, length = [8] : (tensor<0x8xcomplex<f32>>) -> tensor<0x8xcomplex<f32>>
  return %0 : tensor<0x8xcomplex<f32>>
}
