// Groups sort blocks of positions in local memory, then all items merge the blocks of a row, two
// launches of one kernel and the last one.
// RUN: rm -rf %t && mkdir %t && tenon-compile %s --target spirv64 --dump %t -o %t/image
// RUN: cat %t/*device.ll | FileCheck %s

// CHECK-DAG: internal addrspace(3) global [8192 x i8] undef
// CHECK: define spir_kernel void @[[SORT:sort_[0-9]+_phase0]]_blocks(
// CHECK: call spir_func void @_Z7barrierj
// CHECK: define spir_kernel void @[[SORT]]_merge({{.*}}i64 %{{[0-9]+}})
// CHECK-NOT: barrier
// CHECK: define spir_kernel void @[[SORT]]_last_merge(
// CHECK-NOT: alloca
func.func @main(%x: tensor<10000xf32>) -> (tensor<10000xf32>, tensor<10000xi32>) {
  %i = stablehlo.iota dim = 0 : tensor<10000xi32>
  %s:2 = "stablehlo.sort"(%x, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):
    %r = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<10000xf32>, tensor<10000xi32>) -> (tensor<10000xf32>, tensor<10000xi32>)
  return %s#0, %s#1 : tensor<10000xf32>, tensor<10000xi32>
}
