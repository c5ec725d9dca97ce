// RUN: tenon-run %s --reference --replicas 1 --partitions 2 --seed 3 -o %t. -q
// RUN: tenon-run %s --reference --partitions 2 -i %t.0.0.npy -i %t.1.0.npy | FileCheck %s
// RUN: tenon-run %s --reference --partitions 2 -i %t.0.0.npy -i %t.1.0.npy -o %t.again. -q
// RUN: cmp %t.again.0.1.npy %t.again.1.1.npy
// RUN: not tenon-run %s --reference --partitions 2 -i %t.0.0.npy 2>&1 | FileCheck %s --check-prefix=COUNT

// Every device prints its number, and all have the same sum.
// CHECK: result 0.0: i32[2] {{.*}}
// CHECK-NEXT: result 0.1: i32[2] [[SUM:.*]]
// CHECK-NEXT: result 1.0: i32[2] {{.*}}
// CHECK-NEXT: result 1.1: i32[2] [[SUM]]
// COUNT: the program takes 1 arguments on each of 2 devices, but --input was given 1 times
func.func @main(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  %0 = "stablehlo.all_reduce"(%x) <{
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<2xi32>) -> tensor<2xi32>
  return %x, %0 : tensor<2xi32>, tensor<2xi32>
}
