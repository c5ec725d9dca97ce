// RUN: tenon-opt %s | tenon-opt | FileCheck %s

// Communication ops.

// CHECK-LABEL: func.func @groups(
func.func @groups(%x: tensor<4x8xf32>, %r: tensor<1xi32>) {
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.all_gather"(%{{[^ ,:()]+}}) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<{{\[\[}}0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<4x16xf32>
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<4x16xf32>
  // CHECK: %{{[^ ,:()]+}}:2 = "stablehlo.all_reduce"(%{{[^ ,:()]+}}, %{{[^ ,:()]+}}) <{replica_groups = dense<{{\[\[}}0, 1, 2], [3, -1, -1]]> : tensor<2x3xi64>}> ({
  %1:2 = "stablehlo.all_reduce"(%x, %x) <{replica_groups = dense<[[0, 1, 2], [3, -1, -1]]> : tensor<2x3xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // CHECK: %{{[^ ,:()]+}} = stablehlo.add %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<f32>
    %2 = stablehlo.add %a, %b : tensor<f32>
    // CHECK: stablehlo.return %{{[^ ,:()]+}} : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.reduce_scatter"(%{{[^ ,:()]+}}) <{replica_groups = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  %3 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // CHECK: %{{[^ ,:()]+}} = stablehlo.add %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<f32>
    %4 = stablehlo.add %a, %b : tensor<f32>
    // CHECK: stablehlo.return %{{[^ ,:()]+}} : tensor<f32>
    stablehlo.return %4 : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<2x8xf32>
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.all_to_all"(%{{[^ ,:()]+}}) <{concat_dimension = 0 : i64, replica_groups = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %5 = "stablehlo.all_to_all"(%x) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<4x8xf32>) -> tensor<8x4xf32>
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.collective_broadcast"(%{{[^ ,:()]+}}) <{replica_groups = dense<{{\[\[}}1, 0]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %6 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.collective_broadcast"(%{{[^ ,:()]+}}, %{{[^ ,:()]+}}) <{has_dynamic_root, replica_groups = dense<{{\[\[}}1, 0]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<4x8xf32>
  %7 = "stablehlo.collective_broadcast"(%x, %r) <{has_dynamic_root, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<4x8xf32>
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.collective_reduce"(%{{[^ ,:()]+}}) <{replica_groups = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>}> ({
  %8 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // CHECK: %{{[^ ,:()]+}} = stablehlo.add %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<f32>
    %9 = stablehlo.add %a, %b : tensor<f32>
    // CHECK: stablehlo.return %{{[^ ,:()]+}} : tensor<f32>
    stablehlo.return %9 : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.collective_permute"(%{{[^ ,:()]+}}) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, source_target_pairs = dense<{{\[\[}}0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %10 = "stablehlo.collective_permute"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.cross-replica-sum"(%{{[^ ,:()]+}}) <{replica_groups = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %11 = "stablehlo.cross-replica-sum"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.all_gather"(%{{[^ ,:()]+}}) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 4>]>, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  %12 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 4>]>, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// Groups of replicas, all of whose partitions participate: any multiple of the group size.
// CHECK-LABEL: func.func @partitions(
func.func @partitions(%x: tensor<4x12xf32>) {
  // CHECK: "stablehlo.all_gather"
  // CHECK-SAME: -> tensor<4x48xf32>
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x12xf32>) -> tensor<4x48xf32>
  // CHECK: "stablehlo.reduce_scatter"
  %1 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  // CHECK: -> tensor<4x3xf32>
  }) : (tensor<4x12xf32>) -> tensor<4x3xf32>
  return
}

// CHECK-LABEL: func.func @ids(
func.func @ids() {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.replica_id : tensor<ui32>
  %0 = stablehlo.replica_id : tensor<ui32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.partition_id : tensor<ui32>
  %1 = stablehlo.partition_id : tensor<ui32>
  return
}

// CHECK-LABEL: func.func @async(
func.func @async(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.async_start"(%{{[^ ,:()]+}}) ({
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%y: tensor<4x8xf32>):
    // CHECK: %{{[^ ,:()]+}} = "stablehlo.collective_permute"(%{{[^ ,:()]+}}) <{source_target_pairs = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = "stablehlo.collective_permute"(%y) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: stablehlo.return %{{[^ ,:()]+}} : tensor<4x8xf32>
    stablehlo.return %2 : tensor<4x8xf32>
  // CHECK: }) : (tensor<4x8xf32>) -> !stablehlo.future<tensor<4x8xf32>>
  }) : (tensor<4x8xf32>) -> !stablehlo.future<tensor<4x8xf32>>
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.async_done"(%{{[^ ,:()]+}}) : (!stablehlo.future<tensor<4x8xf32>>) -> tensor<4x8xf32>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<4x8xf32>>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @host(
func.func @host(%x: tensor<4xf32>, %t: !stablehlo.token) {
  // CHECK: %{{[^ ,:()]+}}:2 = "stablehlo.infeed"(%{{[^ ,:()]+}}) <{infeed_config = "a", layout = {{\[\[}}0]]}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = "a", layout = [[0]]}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.outfeed"(%{{[^ ,:()]+}}, %{{[^ ,:()]+}}) <{outfeed_config = ""}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %1 = "stablehlo.outfeed"(%x, %0#1) <{outfeed_config = ""}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.send"(%{{[^ ,:()]+}}, %{{[^ ,:()]+}}) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %2 = "stablehlo.send"(%x, %1) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  // CHECK: %{{[^ ,:()]+}}:2 = "stablehlo.recv"(%{{[^ ,:()]+}}) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %3:2 = "stablehlo.recv"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}
