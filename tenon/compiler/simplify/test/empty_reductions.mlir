// A reduction of no elements is its initial values, whatever the combiner.
// RUN: tenon-compile %s -s simplify | FileCheck %s

// CHECK-LABEL: func.func {{.*}}@main(
// CHECK-SAME: %{{.*}}: tensor<3x0x5xcomplex<f32>>, %{{.*}}: tensor<0x4xf32>, %[[X:.*]]: tensor<complex<f32>>, %[[Y:.*]]: tensor<f32>)
// CHECK-NOT: stablehlo.reduce
// CHECK-DAG: %[[B:.*]] = stablehlo.broadcast_in_dim %[[Y]], dims = [] : (tensor<f32>) -> tensor<4xf32>
// CHECK: return %[[X]], %[[B]]
func.func @main(%a: tensor<3x0x5xcomplex<f32>>, %b: tensor<0x4xf32>, %x: tensor<complex<f32>>, %y: tensor<f32>) -> (tensor<complex<f32>>, tensor<4xf32>) {
  %0 = stablehlo.reduce(%a init: %x) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x0x5xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
  %1 = stablehlo.reduce(%b init: %y) applies stablehlo.maximum across dimensions = [0] : (tensor<0x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1 : tensor<complex<f32>>, tensor<4xf32>
}
