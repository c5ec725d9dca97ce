// A program with a collective in a loop returns there and continues when it is called again.
// RUN: tenon-compile %s --stage=program | FileCheck %s --check-prefix=PROGRAM
// RUN: tenon-compile %s --stage=llvm | FileCheck %s

// The arena begins with the frame: the state, and the loop's counter, which is used behind the
// collective. The sum is in place.
// PROGRAM: tenon.program @main parameters 1 arena 64
// PROGRAM: tenon.while
// PROGRAM: tenon.collective 0 ins(
// PROGRAM-SAME: combine @loop.{{.*}} with [0, 1, 2]

// CHECK: define hidden i32 @tenon_entry(
// CHECK: %[[STATE:.*]] = load i32
// CHECK: switch i32 %[[STATE]], label %start [
// CHECK-NEXT: i32 1, label %resumed
// CHECK-NEXT: ]
// CHECK: store i32 1,
// CHECK: call void %{{.*}}(ptr %0, i64 0, {{.*}}, ptr @combine.loop
// CHECK-NEXT: ret i32 -1
// CHECK: resumed:
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func public @main(%x: tensor<100xf32>) -> tensor<100xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<100xf32>
    cond {
      %n = stablehlo.constant dense<5> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %1 = "stablehlo.all_reduce"(%y) <{
          channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
          replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<100xf32>) -> tensor<100xf32>
      %2 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %2, %1 : tensor<i32>, tensor<100xf32>
    }
    return %0#1 : tensor<100xf32>
  }
}
