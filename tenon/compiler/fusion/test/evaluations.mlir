// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-fuse))' | FileCheck %s

// Rows are split where a roll along them wraps around.

// CHECK-LABEL: func.func @roll_last(
// CHECK-COUNT-1: tenon.fusion loop
// CHECK: stablehlo.concatenate
// CHECK: } {row_starts = array<i64: 0, 1>}
// CHECK-NEXT: return
func.func @roll_last(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %last = stablehlo.slice %x [0:64, 127:128] : (tensor<64x128xf32>) -> tensor<64x1xf32>
  %rest = stablehlo.slice %x [0:64, 0:127] : (tensor<64x128xf32>) -> tensor<64x127xf32>
  %roll = stablehlo.concatenate %last, %rest, dim = 1 : (tensor<64x1xf32>, tensor<64x127xf32>) -> tensor<64x128xf32>
  %0 = stablehlo.add %x, %roll : tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// An op of one instruction is recomputed: at two points this costs less than a store and two loads.

// CHECK-LABEL: func.func @cheap_producer(
// CHECK-COUNT-1: tenon.fusion loop
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @cheap_producer(%y: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %x = stablehlo.multiply %y, %y : tensor<64x128xf32>
  %last = stablehlo.slice %x [0:64, 127:128] : (tensor<64x128xf32>) -> tensor<64x1xf32>
  %rest = stablehlo.slice %x [0:64, 0:127] : (tensor<64x128xf32>) -> tensor<64x127xf32>
  %roll = stablehlo.concatenate %last, %rest, dim = 1 : (tensor<64x1xf32>, tensor<64x127xf32>) -> tensor<64x128xf32>
  %0 = stablehlo.add %x, %roll : tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// A chain of 16 instructions is not recomputed for gathers at three points: it becomes a kernel of
// its own.

// CHECK-LABEL: func.func @dear_producer(
// CHECK: tenon.fusion loop
// CHECK: stablehlo.exponential
// CHECK: } : (tensor<4096xf32>) -> tensor<4096xf32>
// CHECK: tenon.fusion loop
// CHECK-COUNT-2: "stablehlo.gather"
// CHECK: return
func.func @dear_producer(%y: tensor<4096xf32>, %p: tensor<4096x1xi32>, %q: tensor<4096x1xi32>) -> tensor<4096xf32> {
  %e = stablehlo.exponential %y : tensor<4096xf32>
  %x = stablehlo.exponential %e : tensor<4096xf32>
  %a = "stablehlo.gather"(%x, %p) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<4096xf32>, tensor<4096x1xi32>) -> tensor<4096xf32>
  %b = "stablehlo.gather"(%x, %q) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<4096xf32>, tensor<4096x1xi32>) -> tensor<4096xf32>
  %0 = stablehlo.add %a, %b : tensor<4096xf32>
  return %0 : tensor<4096xf32>
}

// Operands that are evaluated at one point each are fused, however long the chain.

// CHECK-LABEL: func.func @chain(
// CHECK-COUNT-1: tenon.fusion loop
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @chain(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = stablehlo.exponential %x : tensor<64x128xf32>
  %1 = stablehlo.add %0, %x : tensor<64x128xf32>
  %2 = stablehlo.tanh %1 : tensor<64x128xf32>
  %3 = stablehlo.multiply %2, %0 : tensor<64x128xf32>
  %4 = stablehlo.log %3 : tensor<64x128xf32>
  return %4 : tensor<64x128xf32>
}

// The kernel of a transpose has tiles and no rows to split, so it joins no kernel with split rows.

// CHECK-LABEL: func.func @transpose_and_roll(
// CHECK: tenon.fusion concatenate
// CHECK: tenon.fusion loop
// CHECK-NEXT: ^bb0
// CHECK-NEXT: stablehlo.transpose
// CHECK: return
func.func @transpose_and_roll(%x: tensor<128x128xf32>, %y: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %last = stablehlo.slice %x [0:128, 127:128] : (tensor<128x128xf32>) -> tensor<128x1xf32>
  %rest = stablehlo.slice %x [0:128, 0:127] : (tensor<128x128xf32>) -> tensor<128x127xf32>
  %roll = stablehlo.concatenate %last, %rest, dim = 1 : (tensor<128x1xf32>, tensor<128x127xf32>) -> tensor<128x128xf32>
  %t = stablehlo.transpose %y, dims = [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
  %0 = stablehlo.add %t, %roll : tensor<128x128xf32>
  return %0 : tensor<128x128xf32>
}
