// How rows are sorted. By an order that the compiler does not know (%m): groups
// sort blocks of positions in local memory, then all items merge the blocks of a row, two launches
// of one kernel and the last one. By keys: long rows by digits (%s), short ones by a network of
// records (%n). Of the first elements alone (%t), a group goes through a part of the row.
// RUN: rm -rf %t && mkdir %t && tenon-compile %s --target spirv64 --dump %t -o %t/image
// RUN: cat %t/*device.ll | FileCheck %s
// RUN: cat %t/*device.ll | FileCheck %s --check-prefix KEYS

// CHECK: define spir_kernel void @[[SORT:sort_[0-9]+_phase0]]_blocks(
// CHECK: call spir_func void @_Z7barrierj
// CHECK: define spir_kernel void @[[SORT]]_merge({{.*}}i64 %{{[0-9]+}})
// CHECK-NOT: barrier
// CHECK: define spir_kernel void @[[SORT]]_last_merge(
// CHECK-NOT: alloca

// KEYS-DAG: define spir_kernel void @[[RADIX:sort_[0-9]+_phase0]]_sums(
// KEYS-DAG: define spir_kernel void @[[RADIX]]_first_counts(
// KEYS-DAG: define spir_kernel void @[[RADIX]]_moves({{.*}}i64 %{{[0-9]+}})
// KEYS-DAG: define spir_kernel void @[[RADIX]]_last_moves(
// KEYS-DAG: define spir_kernel void @sort_{{[0-9]+}}_phase0_network(
// KEYS-DAG: define spir_kernel void @[[TOP:sort_[0-9]+_phase0]]_top(
// KEYS-DAG: define spir_kernel void @[[TOP]]_of_parts(
func.func @main(%x: tensor<10000xf32>, %y: tensor<10000xi32>, %z: tensor<300x1000xf32>)
    -> (tensor<10000xf32>, tensor<10000xi32>, tensor<10000xi32>, tensor<300x1000xf32>, tensor<5xf32>) {
  %i = stablehlo.iota dim = 0 : tensor<10000xi32>
  %s:2 = "stablehlo.sort"(%x, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):
    %r = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<10000xf32>, tensor<10000xi32>) -> (tensor<10000xf32>, tensor<10000xi32>)
  %m = "stablehlo.sort"(%y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %seven = stablehlo.constant dense<7> : tensor<i32>
    %p = stablehlo.remainder %a, %b : tensor<i32>
    %r = stablehlo.compare LT, %p, %seven : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<10000xi32>) -> tensor<10000xi32>
  %n = "stablehlo.sort"(%z) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %r = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<300x1000xf32>) -> tensor<300x1000xf32>
  %t = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %r = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<10000xf32>) -> tensor<10000xf32>
  %k = stablehlo.slice %t [0:5] : (tensor<10000xf32>) -> tensor<5xf32>
  return %s#0, %s#1, %m, %n, %k : tensor<10000xf32>, tensor<10000xi32>, tensor<10000xi32>, tensor<300x1000xf32>, tensor<5xf32>
}
