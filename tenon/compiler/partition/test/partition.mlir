// RUN: split-file %s %t
// RUN: tenon-opt %t/product.mlir --partition | FileCheck %s --check-prefix=PRODUCT
// RUN: tenon-opt %t/manual.mlir --partition | FileCheck %s --check-prefix=MANUAL
// RUN: tenon-opt %t/partial.mlir --partition | FileCheck %s --check-prefix=PARTIAL
// RUN: tenon-opt %t/loop.mlir --partition | FileCheck %s --check-prefix=LOOP
// RUN: not tenon-opt %t/effect.mlir --partition 2>&1 | FileCheck %s --check-prefix=EFFECT
// RUN: tenon-opt %t/call.mlir --partition | FileCheck %s --check-prefix=CALL
// RUN: tenon-opt %t/parts.mlir --partition | FileCheck %s --check-prefix=PARTS
// RUN: not tenon-opt %t/body.mlir --partition 2>&1 | FileCheck %s --check-prefix=BODY
// RUN: not tenon-opt %t/many.mlir --partition 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not tenon-opt %t/devices.mlir --partition 2>&1 | FileCheck %s --check-prefix=DEVICES

// A product that is contracted over an axis, and the sum over all devices: appendix C of the
// survey. Sums of bf16 are combined in f32.
// PRODUCT: func.func @main(%[[A:.*]]: tensor<4x16xbf16>, %[[B:.*]]: tensor<16x64xbf16>)
// PRODUCT-SAME: -> (tensor<4x64xbf16>, tensor<f32>, tensor<16x4xbf16>)
// PRODUCT-NEXT: %[[D:.*]] = stablehlo.dot_general {{.*}} -> tensor<4x64xf32>
// PRODUCT-NEXT: %[[R:.*]] = "stablehlo.all_reduce"(%[[D]])
// PRODUCT-SAME{LITERAL}: replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]>
// PRODUCT: stablehlo.convert %[[R]] : (tensor<4x64xf32>) -> tensor<4x64xbf16>
// PRODUCT: %[[S:.*]] = stablehlo.reduce
// PRODUCT: "stablehlo.all_reduce"(%[[S]])
// PRODUCT-SAME{LITERAL}: replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]>
// PRODUCT: stablehlo.transpose %[[A]], dims = [1, 0] : (tensor<4x16xbf16>) -> tensor<16x4xbf16>
// PRODUCT-NOT: sdy

// A computation that is manual over all axes is the program of one device. An argument without
// sharding gets the one that the computation asks for, through elementwise ops.
// MANUAL: func.func @main(%[[A:.*]]: tensor<4x16xf32>) -> tensor<4x16xf32>
// MANUAL-NEXT: %[[S:.*]] = stablehlo.sine %[[A]]
// MANUAL-NEXT: %[[R:.*]] = "stablehlo.all_reduce"(%[[S]])
// MANUAL-NOT: sdy
// MANUAL: return %[[R]]

// Axes that are not manual may split the body.
// PARTIAL: func.func @main(%[[A:.*]]: tensor<4x4xf32>) -> tensor<4x4xf32>
// PARTIAL-NEXT: "stablehlo.all_reduce"(%[[A]])
// PARTIAL-SAME{LITERAL}: replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]>

// A value that does not change in the loop is exchanged before it.
// LOOP: "stablehlo.collective_permute"
// LOOP: stablehlo.while
// LOOP-NOT: stablehlo.collective_permute

// EFFECT: 'stablehlo.custom_call' op
// EFFECT-SAME: calls with side effects in a program without a mesh

// The first device calls with the whole value, and all get the result.
// CALL: func.func @main(%[[A:.*]]: tensor<4xf32>) -> tensor<4xf32>
// CALL: %[[G:.*]] = "stablehlo.all_gather"(%[[A]])
// CALL: %[[I:.*]] = "stablehlo.if"
// CALL-NEXT: %[[C:.*]] = stablehlo.custom_call @xla_ffi_python_cpu_callback(%[[G]])
// CALL-NEXT: stablehlo.return %[[C]]
// CALL: "stablehlo.collective_broadcast"(%[[I]])
// CALL-SAME{LITERAL}: replica_groups = dense<[[0, 1, 2, 3]]>
// CALL: stablehlo.custom_call @xla_ffi_partitioned_python_cpu_callback(%[[A]])

// Parts of an axis that no common part divides are gathered first.
// PARTS: func.func @main(%[[A:.*]]: tensor<6xf32>) -> tensor<4xf32>
// PARTS: "stablehlo.all_gather"({{.*}} -> tensor<24xf32>
// PARTS: stablehlo.dynamic_slice {{.*}} -> tensor<4xf32>

// BODY: the body's argument 0 does not have the shape of its operand's part

// MANY: a program for 1073741824 partitions; at most 65536 are supported

// DEVICES: the program's meshes have 8 devices, but it is compiled for 4 partitions

//--- product.mlir
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(
      %a: tensor<16x32xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
      %b: tensor<32x64xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
      -> (tensor<16x64xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<f32>,
          tensor<32x16xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
        {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
        : (tensor<16x32xbf16>, tensor<32x64xbf16>) -> tensor<16x64xbf16>
    %1 = stablehlo.tanh %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
        : tensor<16x64xbf16>
    %2 = stablehlo.convert %a
        {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>}
        : (tensor<16x32xbf16>) -> tensor<16x32xf32>
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %c) applies stablehlo.add across dimensions = [0, 1]
        : (tensor<16x32xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.transpose %a, dims = [1, 0]
        {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}]>]>}
        : (tensor<16x32xbf16>) -> tensor<32x16xbf16>
    return %1, %3, %4 : tensor<16x64xbf16>, tensor<f32>, tensor<32x16xbf16>
  }
}

//--- manual.mlir
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<16x16xf32>)
      -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %s = stablehlo.sine %a : tensor<16x16xf32>
    %0 = sdy.manual_computation(%s) in_shardings=[<@mesh, [{"x"}, {}]>]
        out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<4x16xf32>) {
      %1 = "stablehlo.all_reduce"(%b) <{
          channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
          replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %2 = stablehlo.add %x, %y : tensor<f32>
        %3 = sdy.sharding_constraint %2 <@mesh, []> : tensor<f32>
        stablehlo.return %3 : tensor<f32>
      }) : (tensor<4x16xf32>) -> tensor<4x16xf32>
      sdy.return %1 : tensor<4x16xf32>
    } : (tensor<16x16xf32>) -> tensor<16x16xf32>
    return %0 : tensor<16x16xf32>
  }
}

//--- partial.mlir
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(
      %a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
      -> tensor<4x8xf32> {
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x", ?}, {"y", ?}]>]
        out_shardings=[<@mesh, [{?}, {"y", ?}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
      %1 = sdy.sharding_constraint %b <@mesh, [{}, {"y"}]> : tensor<4x8xf32>
      %2 = "stablehlo.all_reduce"(%1) <{
          channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
          replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>,
          use_global_device_ids}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %3 = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %3 : tensor<f32>
      }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
      sdy.return %2 : tensor<4x8xf32>
    } : (tensor<16x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}

//--- loop.mlir
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(
      %a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
      %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    %0 = stablehlo.while(%v = %a) : tensor<8xf32>
      cond {
        %p = stablehlo.constant dense<true> : tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %1 = stablehlo.reverse %b, dims = [0] : tensor<8xf32>
        %2 = stablehlo.add %v, %1
            {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
        stablehlo.return %2 : tensor<8xf32>
      }
    return %0 : tensor<8xf32>
  }
}

//--- effect.mlir
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%a: tensor<16xf32>) -> tensor<16xf32> {
    stablehlo.custom_call @print(%a) {api_version = 4 : i32, has_side_effect = true}
        : (tensor<16xf32>) -> ()
    return %a : tensor<16xf32>
  }
}

//--- call.mlir
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  sdy.mesh @maximal_mesh_0 = <[], device_ids=[0]>
  func.func @main(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%a) {api_version = 4 : i32,
        sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_0, []>]>}
        : (tensor<16xf32>) -> tensor<16xf32>
    stablehlo.custom_call @xla_ffi_partitioned_python_cpu_callback(%a)
        {api_version = 4 : i32, has_side_effect = true,
         sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_0, []>]>}
        : (tensor<16xf32>) -> ()
    return %0 : tensor<16xf32>
  }
}

//--- parts.mlir
module attributes {mhlo.num_partitions = 12 : i32} {
  sdy.mesh @mesh = <["x"=12]>
  func.func @main(%a: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)4}]>})
      -> (tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)6}]>}) {
    %0 = stablehlo.negate %a : tensor<24xf32>
    return %0 : tensor<24xf32>
  }
}

//--- body.mlir
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%a: tensor<16xf32>) -> tensor<16xf32> {
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>]
        out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<8xf32>) {
      sdy.return %b : tensor<8xf32>
    } : (tensor<16xf32>) -> tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}

//--- many.mlir
module attributes {mhlo.num_partitions = 1073741824 : i32} {
  sdy.mesh @mesh = <["x"=32768, "y"=32768]>
  func.func @main(%a: tensor<65536xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> tensor<65536xf32> {
    return %a : tensor<65536xf32>
  }
}

//--- devices.mlir
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    return %a : tensor<8xf32>
  }
}
