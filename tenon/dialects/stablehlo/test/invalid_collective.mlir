// RUN: tenon-opt %s -split-input-file -verify-diagnostics

// Constraints of communication.
// Each case is named after the constraint of the specification that it violates.

func.func @all_gather_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{all_gather_dim = 2 is not in the range}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x12xf32>
  return
}

// -----

func.func @all_gather_c2(%x: tensor<4x6xf32>) {
  // expected-error @below {{replica_groups has the member 0 twice}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x12xf32>
  return
}

// -----

func.func @all_gather_c4(%x: tensor<4x6xf32>) {
  // expected-error @below {{not all from 0 to 2}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x12xf32>
  return
}

// -----

func.func @all_gather_c5(%x: tensor<4x6xf32>) {
  // expected-error @below {{use_global_device_ids needs a positive channel id}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, use_global_device_ids, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x12xf32>
  return
}

// -----

func.func @all_gather_c6(%x: tensor<4x6xf32>) {
  // expected-error @below {{size 6 is not 6 times a multiple of 2 members}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @all_gather_c6_partitions(%x: tensor<4x6xf32>) {
  // expected-error @below {{size 18 is not 6 times a multiple of 2 members}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x18xf32>
  return
}

// -----

func.func @all_gather_c6_partitions_other_dim(%x: tensor<4x6xf32>) {
  // expected-error @below {{does not have the inferred shape [4, 12]}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<8x12xf32>
  return
}

// -----

func.func @reduce_scatter_c8_partitions(%x: tensor<4x6xf32>) {
  // expected-error @below {{size 6 is not 6 times a multiple of 2 members}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @all_gather_rank(%x: tensor<4x6xf32>) {
  // expected-error @below {{replica_groups must have rank 2}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1xi64>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @all_reduce_c5(%x: tensor<4x6xf32>) {
  // expected-error @below {{computation takes 1 arguments, expected 2}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @all_reduce_c6(%x: tensor<4x6xf32>) {
  // expected-error @below {{shapes of operand}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @reduce_scatter_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{size 4 is not divisible into 3 parts}}
  %0 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<1x6xf32>
  return
}

// -----

func.func @reduce_scatter_c8(%x: tensor<4x6xf32>) {
  // expected-error @below {{does not have the inferred shape [4, 2]}}
  %0 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @all_to_all_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{split_dimension = 2 is not in the range}}
  %0 = "stablehlo.all_to_all"(%x) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 2 : i64}> : (tensor<4x6xf32>) -> tensor<8x3xf32>
  return
}

// -----

func.func @all_to_all_c4(%x: tensor<4x6xf32>) {
  // expected-error @below {{value is positive}}
  %0 = "stablehlo.all_to_all"(%x) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 0 : i64, split_dimension = 1 : i64}> : (tensor<4x6xf32>) -> tensor<8x3xf32>
  return
}

// -----

func.func @all_to_all_c8(%x: tensor<4x6xf32>) {
  // expected-error @below {{split_count = 3, but groups have 2 members}}
  %0 = "stablehlo.all_to_all"(%x) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 3 : i64, split_dimension = 1 : i64}> : (tensor<4x6xf32>) -> tensor<12x2xf32>
  return
}

// -----

func.func @all_to_all_c9(%x: tensor<4x6xf32>) {
  // expected-error @below {{does not have the inferred shape [8, 3]}}
  %0 = "stablehlo.all_to_all"(%x) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @all_to_all_empty(%x: tensor<4x6xf32>) {
  // expected-error @below {{groups have 0 members}}
  %0 = "stablehlo.all_to_all"(%x) <{concat_dimension = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<4x6xf32>) -> tensor<8x3xf32>
  return
}

// -----

func.func @collective_broadcast_c3() {
  // expected-error @below {{has no operands to broadcast}}
  "stablehlo.collective_broadcast"() <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : () -> ()
  return
}

// -----

func.func @collective_broadcast_c4(%x: tensor<4x6xf32>, %r: tensor<1xi64>) {
  // expected-error @below {{roots must be one i32 per operand}}
  %0 = "stablehlo.collective_broadcast"(%x, %r) <{has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>, tensor<1xi64>) -> tensor<4x6xf32>
  return
}

// -----

func.func @collective_permute_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{expected the shape [n, 2]}}
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<0> : tensor<1x3xi64>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @collective_permute_c2(%x: tensor<4x6xf32>) {
  // expected-error @below {{sources of source_target_pairs has the element 0 twice}}
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @collective_permute_c4(%x: tensor<4x6xf32>) {
  // expected-error @below {{has an element less than 0}}
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @async_start_c2(%x: tensor<f32>) {
  // expected-error @below {{body cannot have the op stablehlo.negate}}
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<f32>):
    %b = stablehlo.negate %a : tensor<f32>
    stablehlo.return %b : tensor<f32>
  }) : (tensor<f32>) -> !stablehlo.future<tensor<f32>>
  return
}

// -----

func.func @async_done_c1(%f: !stablehlo.future<tensor<f32>>) {
  // expected-error @below {{cannot return}}
  %0 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<f32>>) -> tensor<i32>
  return
}

// -----

func.func @infeed_c3(%t: !stablehlo.token) {
  // expected-error @below {{last result must be a token}}
  %0 = "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> tensor<f32>
  return
}

// -----

func.func @infeed_layout(%t: !stablehlo.token) {
  // expected-error @below {{layout must be an array of integer arrays}}
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = "", layout = [1]}> : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
  return
}

// -----

func.func @send_c5(%t: !stablehlo.token) {
  // expected-error @below {{channel type is 1, expected 2}}
  %0 = "stablehlo.send"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, is_host_transfer = true}> : (!stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @recv_c1(%t: !stablehlo.token) {
  // expected-error @below {{expected the shape [n, 2]}}
  %0 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<0> : tensor<2xi64>}> : (!stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @partition_id() {
  // expected-error @below {{does not have the inferred shape []}}
  %0 = stablehlo.partition_id : tensor<2xui32>
  return
}

// -----

// expected-error @below {{a future holds ranked tensors}}
func.func @future_type(%f: !stablehlo.future<f32>) {
  return
}
