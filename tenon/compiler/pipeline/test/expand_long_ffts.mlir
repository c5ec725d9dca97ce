// A length that groups of a device cannot transform is a convolution of a length that they can. The
// text that clients get, and code for processors, have the transform itself.
// RUN: rm -rf %t && mkdir %t && split-file %s %t
// RUN: tenon-compile %t/prime.mlir --target spirv64 --dump %t -o %t/image
// RUN: cat %t/*.fuse.mlir | FileCheck %t/prime.mlir
// RUN: cat %t/*.optimized.mlir | FileCheck %t/prime.mlir --check-prefix=TEXT
// RUN: tenon-compile %t/prime.mlir -s fuse | FileCheck %t/prime.mlir --check-prefix=TEXT
// RUN: rm %t/*.fuse.mlir && tenon-compile %t/kept.mlir --target spirv64 --dump %t -o %t/image
// RUN: cat %t/*.fuse.mlir | FileCheck %t/kept.mlir
// RUN: rm %t/*.fuse.mlir && tenon-compile %t/plane.mlir --target spirv64 --dump %t -o %t/image
// RUN: cat %t/*.fuse.mlir | FileCheck %t/plane.mlir
// RUN: rm %t/*.fuse.mlir && tenon-compile %t/long.mlir --target nvptx64:sm_90a --dump %t -o %t/image
// RUN: cat %t/*.fuse.mlir | FileCheck %t/long.mlir

//--- prime.mlir
// CHECK-NOT: tensor<4093xcomplex<f32>>{{.*}} type = RFFT
// CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [8192]
// CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [8192]
// CHECK-NOT: stablehlo.fft
// TEXT: stablehlo.fft %{{.*}}, type = RFFT, length = [4093]
// TEXT-NOT: stablehlo.fft
func.func @main(%x: tensor<4093xf32>) -> tensor<2047xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = RFFT, length = [4093] : (tensor<4093xf32>) -> tensor<2047xcomplex<f32>>
  return %0 : tensor<2047xcomplex<f32>>
}

//--- kept.mlir
// A product of two lengths that groups can transform needs no convolution, nor does a short prime.
// CHECK: stablehlo.fft %{{.*}}, type = IFFT, length = [3000]
// CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [509]
// CHECK-NOT: stablehlo.fft
func.func @main(%x: tensor<3000xcomplex<f32>>, %y: tensor<2x509xcomplex<f32>>) -> (tensor<3000xcomplex<f32>>, tensor<2x509xcomplex<f32>>) {
  %0 = stablehlo.fft %x, type = IFFT, length = [3000] : (tensor<3000xcomplex<f32>>) -> tensor<3000xcomplex<f32>>
  %1 = stablehlo.fft %y, type = FFT, length = [509] : (tensor<2x509xcomplex<f32>>) -> tensor<2x509xcomplex<f32>>
  return %0, %1 : tensor<3000xcomplex<f32>>, tensor<2x509xcomplex<f32>>
}

//--- plane.mlir
// Each dimension by itself.
// CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [4]
// CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [8192]
// CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [8192]
// CHECK-NOT: stablehlo.fft
func.func @main(%x: tensor<4093x4xcomplex<f32>>) -> tensor<4093x4xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [4093, 4] : (tensor<4093x4xcomplex<f32>>) -> tensor<4093x4xcomplex<f32>>
  return %0 : tensor<4093x4xcomplex<f32>>
}

//--- long.mlir
// The device computes the factors of a long convolution, the transform of one of them too.
// CHECK: stablehlo.iota dim = 0 : tensor<8388617xi64>
// CHECK: stablehlo.cosine
// CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [33554432]
// CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [33554432]
// CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [33554432]
// CHECK-NOT: stablehlo.fft
func.func @main(%x: tensor<8388617xcomplex<f32>>) -> tensor<8388617xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [8388617] : (tensor<8388617xcomplex<f32>>) -> tensor<8388617xcomplex<f32>>
  return %0 : tensor<8388617xcomplex<f32>>
}
