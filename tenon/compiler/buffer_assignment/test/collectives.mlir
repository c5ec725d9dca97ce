// RUN: tenon-compile %s -s program | FileCheck %s

// Devices add up their arrays in place if nothing reads the parts afterwards: the first sum. The
// argument of the second belongs to the caller, and the third operand is read again. Temporaries
// lie behind the frame, which takes 64 bytes.
//
// CHECK: tenon.launch @{{[^(]*}}({{.*}}, %[[A:[a-z0-9]+]])
// CHECK: tenon.collective 0 ins(%[[A]] : {{.*}}outs(%[[A]] :
// CHECK: tenon.collective 1 ins(%[[X:[a-z0-9]+]] : {{.*}}outs(%[[B:[a-z0-9]+]] :
// CHECK: %[[C:[a-z0-9]+]] = tenon.arena_view 64
// CHECK: tenon.launch @{{[^(]*}}({{.*}}, %[[C]])
// CHECK: tenon.collective 2 ins(%[[C]] : {{.*}}outs(%[[D:[a-z0-9]+]] :
// CHECK: tenon.launch @{{[^(]*}}({{.*}}%[[C]]
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func public @main(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>) {
    %a = stablehlo.cosine %x : tensor<1000xf32>
    %s = "stablehlo.all_reduce"(%a) ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %1 = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<1000xf32>) -> tensor<1000xf32>
    %t = "stablehlo.all_reduce"(%x) ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %1 = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids} : (tensor<1000xf32>) -> tensor<1000xf32>
    %c = stablehlo.sine %y : tensor<1000xf32>
    %u = "stablehlo.all_reduce"(%c) ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %1 = stablehlo.maximum %l, %r : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, use_global_device_ids} : (tensor<1000xf32>) -> tensor<1000xf32>
    %v = stablehlo.subtract %c, %u : tensor<1000xf32>
    return %s, %t, %v : tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>
  }
}
