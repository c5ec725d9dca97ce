// A factor for each channel of small images. A loop over one image loads its factor once. If the
// lanes' channels repeat after few registers (6 x 6: 9 of 8 lanes), all images are one loop.
// RUN: tenon-compile %s -s program | FileCheck %s
// A device's items divide for themselves.
// RUN: tenon-compile %s -s program --target spirv64 | FileCheck %s --check-prefix=DEVICE

// CHECK-LABEL: tenon.kernel @loop.0
// CHECK: tenon.parallel [32, 128, 1]
// CHECK: tenon.load %arg0
// CHECK: tenon.map %c0 to %c49
// CHECK-NOT: tenon.load %arg0
//
// CHECK-LABEL: tenon.kernel @loop.1
// CHECK: tenon.map
// CHECK: tenon.load %arg0
//
// The factor is the same along all dimensions that are collapsed.
//
// CHECK-LABEL: tenon.kernel @loop.2
// CHECK: tenon.map
// CHECK-NOT: tenon.map %c0 to %c49

// DEVICE-LABEL: tenon.kernel @loop.0
// DEVICE-NOT: tenon.parallel [32, 128, 1]
func.func @main(%x: tensor<32x128x7x7xf32>, %k: tensor<128xf32>, %y: tensor<32x128x6x6xf32>,
                %z: tensor<30x126x7x7xf32>, %i: tensor<30xf32>)
    -> (tensor<32x128x7x7xf32>, tensor<32x128x6x6xf32>, tensor<30x126x7x7xf32>) {
  %0 = stablehlo.broadcast_in_dim %k, dims = [1] : (tensor<128xf32>) -> tensor<32x128x7x7xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<32x128x7x7xf32>
  %2 = stablehlo.broadcast_in_dim %k, dims = [1] : (tensor<128xf32>) -> tensor<32x128x6x6xf32>
  %3 = stablehlo.multiply %y, %2 : tensor<32x128x6x6xf32>
  %4 = stablehlo.broadcast_in_dim %i, dims = [0] : (tensor<30xf32>) -> tensor<30x126x7x7xf32>
  %5 = stablehlo.multiply %z, %4 : tensor<30x126x7x7xf32>
  return %1, %3, %5 : tensor<32x128x7x7xf32>, tensor<32x128x6x6xf32>, tensor<30x126x7x7xf32>
}
