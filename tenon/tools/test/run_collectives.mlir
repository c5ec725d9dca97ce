// Collectives that jaxlib 0.10 cannot read: a reduction to one device, and roots that are
// known at run time. On devices of the plugin they give what the specification says.
// REQUIRES: plugin
// RUN: split-file %s %t
// RUN: tenon-run %t/good.mlir -p %plugin --option device_count=4 --partitions 4 | FileCheck %s
// RUN: tenon-run %t/good.mlir --reference --partitions 4 | FileCheck %s
// RUN: not tenon-run %t/wrong_root.mlir -p %plugin --option device_count=4 --partitions 4 2>&1 | FileCheck %s --check-prefix=ROOT
// RUN: not tenon-run %t/other_roots.mlir -p %plugin --option device_count=4 --partitions 4 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not tenon-run %t/good.mlir -p %plugin --partitions 4 2>&1 | FileCheck %s --check-prefix=COUNT

// The group is 3, 0, 2; device 1 is in none.
// CHECK: result 0.0: f32[1] {0}
// CHECK: result 0.1: f32[1] {0}
// CHECK: result 0.2: f32[1] {2}
// CHECK: result 0.3: f32[1] {3}
// CHECK: result 1.0: f32[1] {0}
// CHECK: result 1.1: f32[1] {0}
// CHECK: result 1.2: f32[1] {0}
// CHECK: result 1.3: f32[1] {0}
// CHECK: result 2.0: f32[1] {0}
// CHECK: result 2.1: f32[1] {5}
// CHECK: result 2.2: f32[1] {2}
// CHECK: result 2.3: f32[1] {3}
// CHECK: result 3.0: f32[1] {5}
// CHECK: result 3.1: f32[1] {0}
// CHECK: result 3.2: f32[1] {2}
// CHECK: result 3.3: f32[1] {3}

// ROOT: INVALID_ARGUMENT{{.*}}collective_broadcast at program:3:8: root 3 in a group of 3
// OTHER: INVALID_ARGUMENT{{.*}}collective_broadcast at program:5:8: members of a group have roots
// COUNT: the program needs 1 x 4 (replicas x partitions) devices, but there are 1

//--- good.mlir
func.func @main() -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) {
  %id = stablehlo.partition_id : tensor<ui32>
  %number = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>
  %a = stablehlo.reshape %number : (tensor<f32>) -> tensor<1xf32>
  %first = "stablehlo.collective_reduce"(%a) <{
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      replica_groups = dense<[[3, 0, 2]]> : tensor<1x3xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1xf32>) -> tensor<1xf32>
  %root = stablehlo.constant dense<2> : tensor<1xi32>
  %second = "stablehlo.collective_reduce"(%a, %root) <{has_dynamic_root,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      replica_groups = dense<[[3, 0, 2]]> : tensor<1x3xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1xf32>, tensor<1xi32>) -> tensor<1xf32>
  %roots = stablehlo.constant dense<[2, 0]> : tensor<2xi32>
  %both:2 = "stablehlo.collective_broadcast"(%a, %a, %roots) <{has_dynamic_root,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      replica_groups = dense<[[3, 0, 2]]> : tensor<1x3xi64>}>
      : (tensor<1xf32>, tensor<1xf32>, tensor<2xi32>) -> (tensor<1xf32>, tensor<1xf32>)
  return %first, %second, %both#0, %both#1
      : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
}

//--- wrong_root.mlir
func.func @main(%a: tensor<1xf32>) -> tensor<1xf32> {
  %root = stablehlo.constant dense<3> : tensor<1xi32>
  %0 = "stablehlo.collective_broadcast"(%a, %root) <{has_dynamic_root,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      replica_groups = dense<[[3, 0, 2]]> : tensor<1x3xi64>}>
      : (tensor<1xf32>, tensor<1xi32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

//--- other_roots.mlir
func.func @main(%a: tensor<1xf32>) -> tensor<1xf32> {
  %id = stablehlo.partition_id : tensor<ui32>
  %number = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
  %root = stablehlo.reshape %number : (tensor<i32>) -> tensor<1xi32>
  %0 = "stablehlo.collective_reduce"(%a, %root) <{has_dynamic_root,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1xf32>, tensor<1xi32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}
