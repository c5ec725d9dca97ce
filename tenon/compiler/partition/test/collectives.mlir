// RUN: split-file %s %t
// RUN: tenon-opt %t/scatter.mlir --partition | FileCheck %s --check-prefix=SCATTER
// RUN: tenon-opt %t/other.mlir --partition | FileCheck %s --check-prefix=OTHER
// RUN: tenon-opt %t/gather.mlir --partition | FileCheck %s --check-prefix=GATHER
// RUN: tenon-opt %t/combine.mlir --partition | FileCheck %s --check-prefix=COMBINE
// RUN: tenon-opt %t/apart.mlir --partition | FileCheck %s --check-prefix=APART
// RUN: tenon-opt %t/equal.mlir --partition | FileCheck %s --check-prefix=EQUAL

// Each device takes the part of the sum that has its position in the group, by an index as
// jax.lax.axis_index computes it.
// SCATTER: "stablehlo.reduce_scatter"(%arg0) <{
// SCATTER-SAME: scatter_dimension = 1 : i64
// SCATTER-NOT: all_reduce
// SCATTER-NOT: dynamic_slice

// The part of the neighbor, and a part that is known only at run time, are no such parts.
// OTHER: "stablehlo.all_reduce"
// OTHER: stablehlo.dynamic_slice
// OTHER: stablehlo.dynamic_slice
// OTHER-NOT: reduce_scatter

// What a device takes of the gathered tensor is what it gave.
// GATHER-NOT: all_gather
// GATHER: return %arg0 : tensor<2x8xf32>

// Sums of independent values become one op of two operands, and those of one direction two
// gathers; users move behind it.
// COMBINE: %[[R:.*]]:2 = "stablehlo.all_reduce"(%arg0, %{{.*}}) <{
// COMBINE: }) : (tensor<8xf32>, tensor<3xf32>) -> (tensor<8xf32>, tensor<3xf32>)
// COMBINE: "stablehlo.all_gather"(%arg0, %arg1)
// COMBINE: stablehlo.sine %[[R]]#0
// COMBINE-NOT: all_reduce

// Not joined: sums that depend on each other, of other groups, of other types, of much data,
// and on the other side of a call.
// APART: "stablehlo.all_reduce"(%arg0) <{
// APART: %[[S:.*]] = stablehlo.sine
// APART: "stablehlo.all_reduce"(%[[S]])
// APART: "stablehlo.all_reduce"(%arg0) <{
// APART: "stablehlo.all_reduce"(%arg1)
// APART: "stablehlo.all_reduce"(%arg2)
// APART: stablehlo.custom_call
// APART: "stablehlo.all_reduce"(%arg3)

// Equal sums are computed once, and those without users not at all.
// EQUAL-COUNT-1: "stablehlo.all_reduce"(%arg0)
// EQUAL-NOT: all_reduce
// EQUAL: stablehlo.multiply %[[V:.*]], %[[V]]

//--- scatter.mlir
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"y"}, {}]>]
        out_shardings=[<@mesh, [{"y"}, {"x"}]>] manual_axes={"x", "y"} (%b: tensor<4x8xf32>) {
      %1 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %z = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %z : tensor<f32>
      }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
      %p = stablehlo.partition_id : tensor<ui32>
      %two = stablehlo.constant dense<2> : tensor<ui32>
      %four = stablehlo.constant dense<4> : tensor<ui32>
      %q = stablehlo.divide %p, %two : tensor<ui32>
      %r = stablehlo.remainder %q, %four : tensor<ui32>
      %i = stablehlo.convert %r : (tensor<ui32>) -> tensor<i32>
      %size = stablehlo.constant dense<2> : tensor<i32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %whole = stablehlo.constant dense<8> : tensor<i32>
      %start = stablehlo.multiply %i, %size : tensor<i32>
      %negative = stablehlo.compare LT, %start, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %wrapped = stablehlo.add %start, %whole : tensor<i32>
      %index = stablehlo.select %negative, %wrapped, %start : tensor<i1>, tensor<i32>
      %2 = stablehlo.dynamic_slice %1, %zero, %index, sizes = [4, 2] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
      sdy.return %2 : tensor<4x2xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

//--- other.mlir
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<8xf32>, %n: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0:2 = sdy.manual_computation(%a, %n) in_shardings=[<@mesh, [{}]>, <@mesh, []>]
        out_shardings=[<@mesh, [{"x"}]>, <@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<8xf32>, %m: tensor<i32>) {
      %1 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %z = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %z : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      %p = stablehlo.partition_id : tensor<ui32>
      %one = stablehlo.constant dense<1> : tensor<ui32>
      %two = stablehlo.constant dense<2> : tensor<ui32>
      %four = stablehlo.constant dense<4> : tensor<ui32>
      %q = stablehlo.add %p, %one : tensor<ui32>
      %r = stablehlo.remainder %q, %four : tensor<ui32>
      %start = stablehlo.multiply %r, %two : tensor<ui32>
      %2 = stablehlo.dynamic_slice %1, %start, sizes = [2] : (tensor<8xf32>, tensor<ui32>) -> tensor<2xf32>
      %3 = stablehlo.dynamic_slice %1, %m, sizes = [2] : (tensor<8xf32>, tensor<i32>) -> tensor<2xf32>
      sdy.return %2, %3 : tensor<2xf32>, tensor<2xf32>
    } : (tensor<8xf32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>)
    return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
  }
}

//--- gather.mlir
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>]
        out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<2x8xf32>) {
      %1 = "stablehlo.all_gather"(%b) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> : (tensor<2x8xf32>) -> tensor<8x8xf32>
      %p = stablehlo.partition_id : tensor<ui32>
      %two = stablehlo.constant dense<2> : tensor<ui32>
      %zero = stablehlo.constant dense<0> : tensor<ui32>
      %start = stablehlo.multiply %p, %two : tensor<ui32>
      %2 = stablehlo.dynamic_slice %1, %start, %zero, sizes = [2, 8] : (tensor<8x8xf32>, tensor<ui32>, tensor<ui32>) -> tensor<2x8xf32>
      sdy.return %2 : tensor<2x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

//--- combine.mlir
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<8xf32>, %c: tensor<3xf32>) -> (tensor<8xf32>, tensor<3xf32>, tensor<16xf32>, tensor<6xf32>) {
    %0:4 = sdy.manual_computation(%a, %c) in_shardings=[<@mesh, [{}]>, <@mesh, [{}]>]
        out_shardings=[<@mesh, [{}]>, <@mesh, [{}]>, <@mesh, [{}]>, <@mesh, [{}]>] manual_axes={"x"} (%b: tensor<8xf32>, %d: tensor<3xf32>) {
      %1 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %z = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %z : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      %2 = stablehlo.sine %1 : tensor<8xf32>
      %g = "stablehlo.all_gather"(%b) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<8xf32>) -> tensor<16xf32>
      %3 = stablehlo.sine %d : tensor<3xf32>
      %4 = "stablehlo.all_reduce"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %z = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %z : tensor<f32>
      }) : (tensor<3xf32>) -> tensor<3xf32>
      %h = "stablehlo.all_gather"(%d) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<3xf32>) -> tensor<6xf32>
      sdy.return %2, %4, %g, %h : tensor<8xf32>, tensor<3xf32>, tensor<16xf32>, tensor<6xf32>
    } : (tensor<8xf32>, tensor<3xf32>) -> (tensor<8xf32>, tensor<3xf32>, tensor<16xf32>, tensor<6xf32>)
    return %0#0, %0#1, %0#2, %0#3 : tensor<8xf32>, tensor<3xf32>, tensor<16xf32>, tensor<6xf32>
  }
}

//--- apart.mlir
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<8xf32>, %c: tensor<8xi32>, %d: tensor<262144xf32>, %e: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xi32>, tensor<262144xf32>, tensor<4xf32>) {
    %0:5 = sdy.manual_computation(%a, %c, %d, %e) in_shardings=[<@mesh, [{}]>, <@mesh, [{}]>, <@mesh, [{}]>, <@mesh, [{}]>]
        out_shardings=[<@mesh, [{}]>, <@mesh, [{}]>, <@mesh, [{}]>, <@mesh, [{}]>, <@mesh, [{}]>] manual_axes={"x", "y"} (%b: tensor<8xf32>, %i: tensor<8xi32>, %l: tensor<262144xf32>, %m: tensor<4xf32>) {
      %1 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %z = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %z : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      %2 = stablehlo.sine %1 : tensor<8xf32>
      %3 = "stablehlo.all_reduce"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %z = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %z : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      %4 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %z = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %z : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      %5 = "stablehlo.all_reduce"(%i) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>):
        %z = stablehlo.add %x, %y : tensor<i32>
        stablehlo.return %z : tensor<i32>
      }) : (tensor<8xi32>) -> tensor<8xi32>
      %6 = "stablehlo.all_reduce"(%l) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %z = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %z : tensor<f32>
      }) : (tensor<262144xf32>) -> tensor<262144xf32>
      stablehlo.custom_call @xla_ffi_partitioned_python_cpu_callback(%b) {has_side_effect = true} : (tensor<8xf32>) -> ()
      %7 = "stablehlo.all_reduce"(%m) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %z = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %z : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      sdy.return %3, %4, %5, %6, %7 : tensor<8xf32>, tensor<8xf32>, tensor<8xi32>, tensor<262144xf32>, tensor<4xf32>
    } : (tensor<8xf32>, tensor<8xi32>, tensor<262144xf32>, tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xi32>, tensor<262144xf32>, tensor<4xf32>)
    return %0#0, %0#1, %0#2, %0#3, %0#4 : tensor<8xf32>, tensor<8xf32>, tensor<8xi32>, tensor<262144xf32>, tensor<4xf32>
  }
}

//--- equal.mlir
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<8xf32>) -> tensor<4xf32> {
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>]
        out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
      %1 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %z = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %z : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      %2 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %z = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %z : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      %3 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %z = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %z : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      %4 = stablehlo.multiply %1, %2 : tensor<4xf32>
      sdy.return %4 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
