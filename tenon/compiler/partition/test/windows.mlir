// RUN: split-file %s %t
// RUN: tenon-opt %t/convolution.mlir --partition | FileCheck %s --check-prefix=CONV
// RUN: tenon-opt %t/dilated.mlir --partition | FileCheck %s --check-prefix=DILATED

// Devices send one row of borders to each neighbor along y. Those at the edge receive none,
// and read the zeros of the padding.
// CONV: func.func @main(%[[X:.*]]: tensor<2x8x16x4xf32>, %{{.*}}: tensor<3x3x4x8xf32>) -> tensor<2x8x16x8xf32>
// CONV: %[[LAST:.*]] = stablehlo.slice %[[X]] [0:2, 7:8, 0:16, 0:4]
// CONV: %[[LOW:.*]] = "stablehlo.collective_permute"(%[[LAST]])
// CONV-SAME{LITERAL}: source_target_pairs = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]>
// CONV: %[[FIRST:.*]] = stablehlo.slice %[[X]] [0:2, 0:1, 0:16, 0:4]
// CONV: %[[HIGH:.*]] = "stablehlo.collective_permute"(%[[FIRST]])
// CONV-SAME{LITERAL}: source_target_pairs = dense<[[1, 0], [3, 2], [5, 4], [7, 6]]>
// CONV: %[[ALL:.*]] = stablehlo.concatenate %[[LOW]], %[[X]], %[[HIGH]], dim = 1
// CONV: stablehlo.convolution(%[[ALL]], {{.*}}pad = {{\[\[}}0, 0], [1, 1]]
// CONV-NOT: all_gather

// Windows over a dilated input differ between shards.
// DILATED-NOT: collective_permute
// DILATED: all_gather
// DILATED: stablehlo.convolution

//--- convolution.mlir
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%a: tensor<8x16x16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}, {}]>}, %k: tensor<3x3x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}]>}) -> tensor<8x16x16x8xf32> {
    %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x16x16x4xf32>, tensor<3x3x4x8xf32>) -> tensor<8x16x16x8xf32>
    return %0 : tensor<8x16x16x8xf32>
  }
}

//--- dilated.mlir
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<1x16x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %k: tensor<3x3x5xf32>) -> tensor<1x32x5xf32> {
    %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[1, 2]], lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x16x3xf32>, tensor<3x3x5xf32>) -> tensor<1x32x5xf32>
    return %0 : tensor<1x32x5xf32>
  }
}
