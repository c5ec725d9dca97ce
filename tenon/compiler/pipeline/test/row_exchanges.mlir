// The loop by which JAX makes a permutation of pivots: on a device, the factorization has the permutation.
// A loop that exchanges fewer rows, or numbers of another type, stays.
// RUN: rm -rf %t && mkdir %t
// RUN: tenon-compile %s --target spirv64 --dump %t -o %t/image && cat %t/*.fuse.mlir | FileCheck %s
// RUN: sed s/128/40/g %s > %t/small.mlir
// RUN: rm %t/*.fuse.mlir && tenon-compile %t/small.mlir --target spirv64 --dump %t -o %t/image
// RUN: cat %t/*.fuse.mlir | FileCheck %s --check-prefix=SMALL
// RUN: sed 's/dense<128> : tensor<i32> \/\/ iterations/dense<127> : tensor<i32>/' %s > %t/fewer.mlir
// RUN: rm %t/*.fuse.mlir && tenon-compile %t/fewer.mlir --target spirv64 --dump %t -o %t/image
// RUN: cat %t/*.fuse.mlir | FileCheck %s --check-prefix=FEWER
// RUN: sed '/^!/s/i32/i64/' %s > %t/wide.mlir
// RUN: rm %t/*.fuse.mlir && tenon-compile %t/wide.mlir --target spirv64 --dump %t -o %t/image
// RUN: cat %t/*.fuse.mlir | FileCheck %s --check-prefix=FEWER
// The permutation of a tall matrix has rows that are not exchanged. A loop that does something else stays.
// RUN: sed -e '/func.func\|lapack/s/128x128/200x128/g' -e '/return.*!order/s/128x128/200x128/' -e '/^!order/s/128/200/' -e '/slice %order\|%4 = /s/%at/%i/' %s > %t/tall.mlir
// RUN: rm %t/*.fuse.mlir && tenon-compile %t/tall.mlir --target spirv64 --dump %t -o %t/image
// RUN: cat %t/*.fuse.mlir | FileCheck %s
// RUN: sed '/^ *%next = /s/^/stablehlo.custom_call @report(%i) {api_version = 4 : i32, has_side_effect = true} : (tensor<i32>) -> ()\n/' %s > %t/reports.mlir
// RUN: rm %t/*.fuse.mlir && tenon-compile %t/reports.mlir --target spirv64 --dump %t -o %t/image
// RUN: cat %t/*.fuse.mlir | FileCheck %s --check-prefix=REPORTS

// CHECK: tenon.lu_panel
// CHECK-NOT: stablehlo.scatter
// SMALL-NOT: stablehlo.while
// SMALL: tenon.lu_panel {{.*}}tensor<40x40xf32>
// SMALL-NOT: stablehlo.while
// FEWER: stablehlo.scatter
// REPORTS: tenon.lu_panel
// REPORTS: stablehlo.while
// REPORTS: stablehlo.scatter
// REPORTS: stablehlo.custom_call @report
!order = tensor<128xi32>
!one = tensor<1xi32>
!number = tensor<i32>
func.func @main(%a: tensor<128x128xf32>) -> (tensor<128x128xf32>, !order) {
  %lu:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) {api_version = 4 : i32, backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<128x128xf32>) -> (tensor<128x128xf32>, tensor<128xi32>, tensor<i32>)
  %ones = stablehlo.constant dense<1> : tensor<128xi32>
  %pivots = stablehlo.subtract %lu#1, %ones : tensor<128xi32>
  %rows = stablehlo.iota dim = 0 : !order
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:4 = stablehlo.while(%p = %pivots, %n = %zero, %i = %zero, %order = %rows) : tensor<128xi32>, tensor<i32>, tensor<i32>, !order
  cond {
    %count = stablehlo.constant dense<128> : tensor<i32> // iterations
    %more = stablehlo.compare LT, %n, %count, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %none = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %size = stablehlo.constant dense<128> : tensor<i32>
    %negative = stablehlo.compare LT, %i, %none, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %from_end = stablehlo.add %i, %size : tensor<i32>
    %at = stablehlo.select %negative, %from_end, %i : tensor<i1>, tensor<i32>
    %1 = stablehlo.dynamic_slice %p, %at, sizes = [1] : (tensor<128xi32>, tensor<i32>) -> tensor<1xi32>
    %j = stablehlo.reshape %1 : (tensor<1xi32>) -> tensor<i32>
    %2 = stablehlo.dynamic_slice %order, %at, sizes = [1] : (!order, tensor<i32>) -> !one
    %x = stablehlo.reshape %2 : (!one) -> !number
    %3 = stablehlo.dynamic_slice %order, %j, sizes = [1] : (!order, tensor<i32>) -> !one
    %y = stablehlo.reshape %3 : (!one) -> !number
    %4 = stablehlo.reshape %at : (tensor<i32>) -> tensor<1xi32>
    %5 = "stablehlo.scatter"(%order, %4, %y) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, indices_are_sorted = true, unique_indices = true}> ({
    ^bb0(%old: !number, %new: !number):
      stablehlo.return %new : !number
    }) : (!order, tensor<1xi32>, !number) -> !order
    %6 = stablehlo.reshape %j : (tensor<i32>) -> tensor<1xi32>
    %7 = "stablehlo.scatter"(%5, %6, %x) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, indices_are_sorted = true, unique_indices = true}> ({
    ^bb0(%old: !number, %new: !number):
      stablehlo.return %new : !number
    }) : (!order, tensor<1xi32>, !number) -> !order
    %next = stablehlo.add %i, %one : tensor<i32>
    %next_n = stablehlo.add %n, %one : tensor<i32>
    stablehlo.return %p, %next_n, %next, %7 : tensor<128xi32>, tensor<i32>, tensor<i32>, !order
  }
  return %lu#0, %0#3 : tensor<128x128xf32>, !order
}
