// RUN: tenon-opt %s --split-input-file --partition | FileCheck %s

// A sum of bf16 over all devices is rounded once. The initial value is added once, in f32.
// CHECK: func.func @main(%{{.*}}: tensor<2x3xbf16>, %[[I:.*]]: tensor<bf16>)
// CHECK: stablehlo.reduce({{.*}}) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
// CHECK: "stablehlo.all_reduce"
// CHECK: (tensor<3xf32>) -> tensor<3xf32>
// CHECK: %[[F:.*]] = stablehlo.convert %[[I]] : (tensor<bf16>) -> tensor<f32>
// CHECK: stablehlo.add {{.*}} : tensor<3xf32>
// CHECK: stablehlo.convert {{.*}} : (tensor<3xf32>) -> tensor<3xbf16>
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<8x3xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %init: tensor<bf16>) -> tensor<3xbf16> {
    %0 = stablehlo.reduce(%a init: %init) applies stablehlo.add across dimensions = [0]
        : (tensor<8x3xbf16>, tensor<bf16>) -> tensor<3xbf16>
    return %0 : tensor<3xbf16>
  }
}

// -----

// Maxima are exact: they stay in bf16.
// CHECK: applies stablehlo.maximum across dimensions = [0] : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<3xbf16>
// CHECK-NOT: f32
// CHECK: return
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<8x3xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %init: tensor<bf16>) -> tensor<3xbf16> {
    %0 = stablehlo.reduce(%a init: %init) applies stablehlo.maximum across dimensions = [0]
        : (tensor<8x3xbf16>, tensor<bf16>) -> tensor<3xbf16>
    return %0 : tensor<3xbf16>
  }
}
