// RUN: tenon-compile %s -s text | FileCheck %s

// Asynchronous operations run where they start, which needs no control dependencies.
// CHECK-LABEL: func.func public @main
// CHECK-NOT: {{async|control_dep}}
// CHECK: %[[SUM:.*]] = "stablehlo.all_reduce"(%arg0)
// CHECK-NOT: {{async|control_dep}}
// CHECK: return %[[SUM]]
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func public @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    %0 = "stablehlo.async_start"(%a) ({
    ^bb0(%b: tensor<8xf32>):
      %2 = "stablehlo.all_reduce"(%b) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %3 = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %3 : tensor<f32>
      }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids,
          channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}
        : (tensor<8xf32>) -> tensor<8xf32>
      stablehlo.return %2 : tensor<8xf32>
    }) : (tensor<8xf32>) -> !stablehlo.future<tensor<8xf32>>
    stablehlo.custom_call @control_dep(%0, %a) {has_side_effect = true} : (!stablehlo.future<tensor<8xf32>>, tensor<8xf32>) -> ()
    stablehlo.custom_call @control_dep(%0, %0) {has_side_effect = true} : (!stablehlo.future<tensor<8xf32>>, !stablehlo.future<tensor<8xf32>>) -> ()
    %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<8xf32>>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
