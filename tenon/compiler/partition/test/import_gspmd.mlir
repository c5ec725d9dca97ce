// RUN: tenon-opt %s --split-input-file --import-gspmd | FileCheck %s

// As JAX before 0.7 sends it. The mesh has the axes of which all shardings are made.
// CHECK: sdy.mesh @mesh = <["axis_2"=4, "axis_1"=2]>
// CHECK-LABEL: func @main
// CHECK-SAME: %arg0: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_2"}, {"axis_1"}]>}
// CHECK-SAME: %arg1: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_1"}, {}]>}
// CHECK-SAME: -> (tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_2", "axis_1"}, {}]>})
// CHECK: sdy.sharding_constraint %{{.*}} <@mesh, [{?}, {"axis_1"}]>
// CHECK: stablehlo.custom_call @callback{{.*}}sdy.sharding = #sdy.sharding_per_value<[<mesh<[], device_ids=[3]>, []>]>
func.func @main(%a: tensor<16x32xf32> {mhlo.sharding = "{devices=[4,2]<=[8]}"},
                %b: tensor<32x64xf32> {mhlo.sharding = "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}"})
    -> (tensor<16x64xf32> {mhlo.sharding = "{devices=[8,1]<=[8]}"}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  %1 = stablehlo.custom_call @Sharding(%0) {backend_config = "unspecified_dims=[0]", mhlo.sharding = "{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate}"} : (tensor<16x64xf32>) -> tensor<16x64xf32>
  %2 = stablehlo.custom_call @callback(%1) {mhlo.sharding = "{maximal device=3}"} : (tensor<16x64xf32>) -> tensor<16x64xf32>
  return %2 : tensor<16x64xf32>
}

// -----

// CHECK-LABEL: func @main
// CHECK: %[[X:.*]] = sdy.sharding_constraint %arg0 <@mesh, [{"axis_2"}, {?}]>
// CHECK: sdy.manual_computation(%[[X]]) in_shardings=[<@mesh, [{"axis_2"}, {?}]>] out_shardings=[<@mesh, [{"axis_2"}, {}]>] manual_axes={"axis_2"} (%[[ARG:.*]]: tensor<4x32xf32>) {
// CHECK-NEXT: %[[BODY:.*]] = func.call @body(%[[ARG]])
// CHECK-NEXT: sdy.return %[[BODY]] : tensor<4x32xf32>
// CHECK-NOT: SPMD
func.func @main(%a: tensor<16x32xf32> {mhlo.sharding = "{devices=[4,2]<=[8]}"}) -> tensor<16x32xf32> {
  %0 = stablehlo.custom_call @Sharding(%a) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"} : (tensor<16x32xf32>) -> tensor<16x32xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<16x32xf32>) -> tensor<4x32xf32>
  %2 = call @body(%1) : (tensor<4x32xf32>) -> tensor<4x32xf32>
  %3 = stablehlo.custom_call @Sharding(%2) {backend_config = "", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<4x32xf32>) -> tensor<4x32xf32>
  %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "", mhlo.sharding = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"} : (tensor<4x32xf32>) -> tensor<16x32xf32>
  return %4 : tensor<16x32xf32>
}
func.func private @body(%a: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %0 = stablehlo.negate %a : tensor<4x32xf32>
  return %0 : tensor<4x32xf32>
}

// -----

// Lists of devices become meshes with an order of their own.
// CHECK: sdy.mesh @mesh{{(_*)}} = <["axis_2"=2, "axis_1"=2]>
// CHECK: sdy.mesh @mesh{{(_*)}} = <["axis_2"=2, "axis_1"=2], device_ids=[3, 1, 0, 2]>
// CHECK-LABEL: func @main
// CHECK-SAME: <@[[TURNED:.*]], [{"axis_2"}, {"axis_1"}]>
// CHECK-SAME: -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh{{.*}}, [{"axis_2"}, {}]>})
func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,2]3,1,0,2}"})
    -> (tensor<8x8xf32> {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"}) {
  return %a : tensor<8x8xf32>
}
