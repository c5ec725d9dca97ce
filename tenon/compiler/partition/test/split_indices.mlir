// RUN: split-file %s %t
// RUN: tenon-opt %t/lookup.mlir --partition | FileCheck %s --check-prefix=LOOKUP
// RUN: tenon-opt %t/unsigned.mlir --partition | FileCheck %s --check-prefix=UNSIGNED
// RUN: tenon-opt %t/update.mlir --partition | FileCheck %s --check-prefix=UPDATE
// RUN: tenon-opt %t/sum.mlir --partition | FileCheck %s --check-prefix=SUM
// RUN: tenon-opt %t/narrow.mlir --partition | FileCheck %s --check-prefix=NARROW

// An embedding whose table is split by rows: a device looks up what it has, and gives zero
// bits for the rest.
// LOOKUP: func.func @main(%[[T:.*]]: tensor<250x16xf32>, %[[I:.*]]: tensor<8x1xi32>)
// LOOKUP-NOT: all_gather
// LOOKUP: "stablehlo.gather"(%[[T]], %{{.*}}) <{{.*}} -> tensor<8x16xf32>
// LOOKUP: stablehlo.bitcast_convert {{.*}} -> tensor<8x16xui32>
// LOOKUP: %[[M:.*]] = stablehlo.select
// LOOKUP: "stablehlo.all_reduce"(%[[M]])
// LOOKUP: stablehlo.or
// LOOKUP: stablehlo.bitcast_convert {{.*}} -> tensor<8x16xf32>

// i64 does not have all indices of type ui64: the table is split by columns.
// UNSIGNED: "stablehlo.all_to_all"(%arg0)
// UNSIGNED: "stablehlo.gather"

// Each device drops the updates of other rows.
// UPDATE: func.func @main(%[[T:.*]]: tensor<250x16xf32>, %{{.*}}: tensor<8x1xi32>, %[[U:.*]]: tensor<8x16xf32>)
// UPDATE-NOT: all_
// UPDATE: "stablehlo.scatter"(%[[T]], %{{.*}}, %[[U]])

// The gradient of a table that every device has, from a part of the batch: only the first
// device starts from the table.
// SUM: func.func @main(%[[T:.*]]: tensor<10x16xf32>, %{{.*}}: tensor<200x1xi32>, %[[U:.*]]: tensor<200x16xf32>)
// SUM: %[[S:.*]] = stablehlo.select %{{.*}}, %[[T]],
// SUM: %[[R:.*]] = "stablehlo.scatter"(%[[S]], %{{.*}}, %[[U]])
// SUM: "stablehlo.all_reduce"(%[[R]])

// Sums of bf16 would be rounded once more.
// NARROW: "stablehlo.all_gather"
// NARROW: "stablehlo.scatter"

//--- lookup.mlir
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%t: tensor<1000x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<8x1xi32>) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = "stablehlo.gather"(%t, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 16>} : (tensor<1000x16xf32>, tensor<8x1xi32>) -> tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}

//--- unsigned.mlir
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%t: tensor<1000x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<8x1xui64>) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = "stablehlo.gather"(%t, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 16>} : (tensor<1000x16xf32>, tensor<8x1xui64>) -> tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}

//--- update.mlir
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%t: tensor<1000x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<8x1xi32>, %u: tensor<8x16xf32>) -> (tensor<1000x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = "stablehlo.scatter"(%t, %i, %u) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      stablehlo.return %y : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<1000x16xf32>, tensor<8x1xi32>, tensor<8x16xf32>) -> tensor<1000x16xf32>
    return %0 : tensor<1000x16xf32>
  }
}

//--- sum.mlir
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%t: tensor<10x16xf32>, %i: tensor<800x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %u: tensor<800x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<10x16xf32> {
    %0 = "stablehlo.scatter"(%t, %i, %u) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<10x16xf32>, tensor<800x1xi32>, tensor<800x16xf32>) -> tensor<10x16xf32>
    return %0 : tensor<10x16xf32>
  }
}

//--- narrow.mlir
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%t: tensor<10x16xbf16>, %i: tensor<800x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %u: tensor<800x16xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<10x16xbf16> {
    %0 = "stablehlo.scatter"(%t, %i, %u) ({
    ^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
      %z = stablehlo.add %x, %y : tensor<bf16>
      stablehlo.return %z : tensor<bf16>
    }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<10x16xbf16>, tensor<800x1xi32>, tensor<800x16xbf16>) -> tensor<10x16xbf16>
    return %0 : tensor<10x16xbf16>
  }
}
