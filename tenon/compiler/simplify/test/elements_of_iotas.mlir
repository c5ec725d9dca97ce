// An element of an iota is its clamped position, if the iota's type and the position's have all
// positions. Otherwise the iota stays.
// RUN: tenon-compile %s -s simplify | FileCheck %s

// CHECK-LABEL: func.func {{.*}}@main(
// CHECK-SAME: %[[I:[a-z0-9]+]]: tensor<i32>, %[[J:[a-z0-9]+]]: tensor<i8>
// CHECK: %[[C:.*]] = stablehlo.clamp %{{.*}}, %[[I]], %{{.*}} : tensor<i32>
// CHECK: stablehlo.convert %[[C]] : (tensor<i32>) -> tensor<f32>
// CHECK: stablehlo.dynamic_slice %{{.*}}, %[[I]], sizes = [1] : (tensor<300xbf16>
// CHECK: stablehlo.dynamic_slice %{{.*}}, %[[J]], sizes = [1] : (tensor<300xf32>
func.func @main(%i: tensor<i32>, %j: tensor<i8>) -> (tensor<1xf32>, tensor<1xbf16>, tensor<1xf32>) {
  %f = stablehlo.iota dim = 0 : tensor<300xf32>
  %0 = stablehlo.dynamic_slice %f, %i, sizes = [1] : (tensor<300xf32>, tensor<i32>) -> tensor<1xf32>
  %h = stablehlo.iota dim = 0 : tensor<300xbf16>
  %1 = stablehlo.dynamic_slice %h, %i, sizes = [1] : (tensor<300xbf16>, tensor<i32>) -> tensor<1xbf16>
  %2 = stablehlo.dynamic_slice %f, %j, sizes = [1] : (tensor<300xf32>, tensor<i8>) -> tensor<1xf32>
  return %0, %1, %2 : tensor<1xf32>, tensor<1xbf16>, tensor<1xf32>
}
