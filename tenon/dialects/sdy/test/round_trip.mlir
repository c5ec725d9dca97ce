// RUN: tenon-opt %s | tenon-opt | FileCheck %s

// CHECK: sdy.mesh @mesh = <["x"=2, "y"=4]>
sdy.mesh @mesh = <["x"=2, "y"=4]>
// CHECK: sdy.mesh @ordered = <["x"=2], device_ids=[1, 0]>
sdy.mesh @ordered = <["x"=2], device_ids=[1, 0]>
// CHECK: sdy.mesh @one_device = <[], device_ids=[3]>
sdy.mesh @one_device = <[], device_ids=[3]>
// CHECK: sdy.mesh @empty = <[]>
sdy.mesh @empty = <[]> {stablehlo.mesh = {axes = []}}

// CHECK-LABEL: func.func @shardings(
// CHECK-SAME: #sdy.sharding<@mesh, [{"x", "y"}, {}]>
// CHECK-SAME: #sdy.sharding<@mesh, [{"x", ?}p1, {?}p0], replicated={"y":(1)2}, unreduced={"y":(2)2}>
// CHECK-SAME: #sdy.sharding<mesh<["z"=2]>, []>
// CHECK-SAME: #sdy.sharding<@mesh, [], unreduced=max{"x"}>
func.func @shardings(
    %a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>},
    %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {?}p0], replicated={"y":(1)2}, unreduced={"y":(2)2}>},
    %c: tensor<f32> {sdy.sharding = #sdy.sharding<mesh<["z"=2]>, []>},
    %d: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced=max{"x"}>}) {
  return
}

// CHECK-LABEL: func.func @ops(
func.func @ops(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: sdy.sharding_constraint %{{.*}} <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %0 = sdy.sharding_constraint %x <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  // CHECK: sdy.reshard %{{.*}} <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  // CHECK: sdy.sharding_group %{{.*}} group_id=21 : tensor<8x8xf32>
  sdy.sharding_group %1 group_id=21 : tensor<8x8xf32>
  // CHECK: sdy.propagation_barrier %{{.*}} allowed_direction=BACKWARD : tensor<8x8xf32>
  %2 = sdy.propagation_barrier %1 allowed_direction=BACKWARD : tensor<8x8xf32>
  // CHECK: sdy.data_flow_edge %{{.*}} : tensor<8x8xf32>
  %edge = sdy.data_flow_edge %2 : tensor<8x8xf32>
  // CHECK: sdy.manual_computation(%{{.*}}) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%[[ARG:.*]]: tensor<4x2xf32>) {
  // CHECK-NEXT: sdy.return %[[ARG]] : tensor<4x2xf32>
  // CHECK-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = sdy.manual_computation(%2) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%arg: tensor<4x2xf32>) {
    sdy.return %arg : tensor<4x2xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: sdy.named_computation<"f">(%{{.*}}) in_shardings=[<@mesh, [{}, {}]>] (%{{.*}}: tensor<8x8xf32>) {
  %4 = sdy.named_computation<"f">(%3) in_shardings=[<@mesh, [{}, {}]>] (%arg: tensor<8x8xf32>) {
    sdy.return %arg : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
    sdy.return
  } : () -> ()
  // CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk])->([i, z_1]) {i=8, j=2, k=4, l=1, m=1, n=1, o=1, p=1, q=1, r=1, s=1, t=1, u=1, v=1, w=1, x=1, y=1, z=1, z_1=8} reduction={j} need_replication={k}, custom>
  %5 = stablehlo.custom_call @f(%4) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk])->([i, z_1]) {i=8, j=2, k=4, l=1, m=1, n=1, o=1, p=1, q=1, r=1, s=1, t=1, u=1, v=1, w=1, x=1, y=1, z=1, z_1=8} reduction={j} need_replication={k}, custom>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %5 : tensor<8x8xf32>
}
