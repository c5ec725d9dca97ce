// RUN: tenon-compile %s -s legalize | FileCheck %s

// Products of many matrices of at most 4 x 4 are elementwise. Sums start from +0, as those of
// other products.

// CHECK-LABEL: func.func {{.*}}@main(
// CHECK-NOT: dot_general
// CHECK: %[[X0:.*]] = stablehlo.slice %arg0 [0:50, 0:2, 0:1]
// CHECK: %[[Y0:.*]] = stablehlo.slice %arg1 [0:50, 0:1, 0:3]
// CHECK: %[[P0:.*]] = stablehlo.multiply
// CHECK: stablehlo.add %[[P0]], %{{.*}} : tensor<50x2x3xf32>
// CHECK: stablehlo.slice %arg0 [0:50, 0:2, 1:2]
// CHECK: stablehlo.multiply {{.*}} : tensor<50x2x3xf32>
// CHECK: stablehlo.multiply {{.*}} : tensor<50x2xf32>
//
// bf16 is added up in f32, and i8 in the result's i32.
// CHECK-COUNT-2: stablehlo.multiply {{.*}} : tensor<50x2x2xf32>
// CHECK: stablehlo.convert {{.*}} : (tensor<50x2x2xf32>) -> tensor<50x2x2xbf16>
// CHECK-COUNT-2: stablehlo.multiply {{.*}} : tensor<50xi32>
//
// Not: few matrices, a side of 5, no batch, bool.
// CHECK-COUNT-4: dot_general
// CHECK-NOT: dot_general
// CHECK: return
func.func @main(%x: tensor<50x2x2xf32>, %y: tensor<50x2x3xf32>, %v: tensor<50x2xf32>,
                %half: tensor<50x2x2xbf16>, %bytes: tensor<50x2xi8>, %few: tensor<31x2x2xf32>,
                %five: tensor<50x2x5xf32>, %one: tensor<2x3xf32>, %bool: tensor<50x2x2xi1>)
    -> (tensor<50x2x3xf32>, tensor<50x2xf32>, tensor<50x2x2xbf16>, tensor<50xi32>, tensor<31x2x2xf32>,
        tensor<50x2x2xf32>, tensor<50x2x3xf32>, tensor<50x2x2xi1>) {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<50x2x2xf32>, tensor<50x2x3xf32>) -> tensor<50x2x3xf32>
  %1 = stablehlo.dot_general %x, %v, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<50x2x2xf32>, tensor<50x2xf32>) -> tensor<50x2xf32>
  %2 = stablehlo.dot_general %half, %half, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<50x2x2xbf16>, tensor<50x2x2xbf16>) -> tensor<50x2x2xbf16>
  %3 = stablehlo.dot_general %bytes, %bytes, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<50x2xi8>, tensor<50x2xi8>) -> tensor<50xi32>
  %4 = stablehlo.dot_general %few, %few, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<31x2x2xf32>, tensor<31x2x2xf32>) -> tensor<31x2x2xf32>
  %5 = stablehlo.dot_general %five, %five, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<50x2x5xf32>, tensor<50x2x5xf32>) -> tensor<50x2x2xf32>
  %6 = stablehlo.dot_general %x, %one, contracting_dims = [2] x [0] : (tensor<50x2x2xf32>, tensor<2x3xf32>) -> tensor<50x2x3xf32>
  %7 = stablehlo.dot_general %bool, %bool, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<50x2x2xi1>, tensor<50x2x2xi1>) -> tensor<50x2x2xi1>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<50x2x3xf32>, tensor<50x2xf32>, tensor<50x2x2xbf16>, tensor<50xi32>, tensor<31x2x2xf32>, tensor<50x2x2xf32>, tensor<50x2x3xf32>, tensor<50x2x2xi1>
}
