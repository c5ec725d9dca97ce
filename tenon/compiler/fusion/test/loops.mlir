// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-fuse))' | FileCheck %s

// Elementwise ops are one kernel, whatever they read.

// CHECK-LABEL: func.func @chain(
// CHECK-NEXT: %[[F:.*]] = tenon.fusion loop(%{{.*}}) {
// CHECK: stablehlo.abs
// CHECK-NEXT: stablehlo.sqrt
// CHECK-NEXT: stablehlo.add
// CHECK-NEXT: tenon.yield
// CHECK-NEXT: } : (tensor<1024xf32>) -> tensor<1024xf32>
// CHECK-NEXT: return %[[F]]
func.func @chain(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = stablehlo.abs %x : tensor<1024xf32>
  %1 = stablehlo.sqrt %0 : tensor<1024xf32>
  %2 = stablehlo.add %1, %x : tensor<1024xf32>
  return %2 : tensor<1024xf32>
}

// Transposes, slices, broadcasts and iotas only change indices: they fuse with their users.
// CHECK-LABEL: func.func @ways_of_reading(
// CHECK-COUNT-1: tenon.fusion
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @ways_of_reading(%x: tensor<8x16xf32>, %b: tensor<8xf32>) -> tensor<16x8xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<8xf32>) -> tensor<16x8xf32>
  %2 = stablehlo.iota dim = 0 : tensor<16x8xf32>
  %3 = stablehlo.add %0, %1 : tensor<16x8xf32>
  %4 = stablehlo.multiply %3, %2 : tensor<16x8xf32>
  %5 = stablehlo.reverse %4, dims = [0] : tensor<16x8xf32>
  return %5 : tensor<16x8xf32>
}

// Two results that share an operand are computed in one kernel with two results: a step of an
// optimizer.
// CHECK-LABEL: func.func @momentum(
// CHECK: %[[F:.*]]:2 = tenon.fusion loop(
// CHECK-COUNT-2: stablehlo.constant
// CHECK: tenon.yield %{{.*}}, %{{.*}} : tensor<1000xf32>, tensor<1000xf32>
// CHECK-NOT: tenon.fusion
// CHECK: return %[[F]]#1, %[[F]]#0
func.func @momentum(%p: tensor<1000xf32>, %m: tensor<1000xf32>, %g: tensor<1000xf32>)
    -> (tensor<1000xf32>, tensor<1000xf32>) {
  %rate = stablehlo.constant dense<1.0e-2> : tensor<1000xf32>
  %decay = stablehlo.constant dense<9.0e-1> : tensor<1000xf32>
  %0 = stablehlo.multiply %m, %decay : tensor<1000xf32>
  %1 = stablehlo.add %0, %g : tensor<1000xf32>
  %2 = stablehlo.multiply %1, %rate : tensor<1000xf32>
  %3 = stablehlo.subtract %p, %2 : tensor<1000xf32>
  return %3, %1 : tensor<1000xf32>, tensor<1000xf32>
}

// A value that reaches a kernel again through another kernel cannot be a result of it.
// CHECK-LABEL: func.func @no_cycle(
// CHECK: %[[A:.*]] = tenon.fusion loop
// CHECK: stablehlo.exponential
// CHECK: %[[S:.*]] = tenon.fusion sort(%[[A]])
// CHECK: tenon.fusion loop(%[[A]], %[[S]])
// CHECK: stablehlo.add
func.func @no_cycle(%x: tensor<100xf32>) -> tensor<100xf32> {
  %0 = stablehlo.exponential %x : tensor<100xf32>
  %1 = "stablehlo.sort"(%0) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<100xf32>) -> tensor<100xf32>
  %2 = stablehlo.add %0, %1 : tensor<100xf32>
  return %2 : tensor<100xf32>
}

// Scalar arithmetic stays outside: it is done in registers.
// CHECK-LABEL: func.func @scalars(
// CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<i32>
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @scalars(%i: tensor<i32>, %j: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.add %i, %j : tensor<i32>
  %1 = stablehlo.multiply %0, %j : tensor<i32>
  return %1 : tensor<i32>
}

// Bodies of loops are fused like other blocks.
// CHECK-LABEL: func.func @body_of_a_loop(
// CHECK: stablehlo.while
// CHECK: do {
// CHECK: tenon.fusion loop
// CHECK: stablehlo.cosine
// CHECK-NEXT: stablehlo.negate
// CHECK-NEXT: tenon.yield
func.func @body_of_a_loop(%x: tensor<64xf32>, %n: tensor<i32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<64xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %b = stablehlo.cosine %a : tensor<64xf32>
    %d = stablehlo.negate %b : tensor<64xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %d : tensor<i32>, tensor<64xf32>
  }
  return %0#1 : tensor<64xf32>
}

// %a must not become a second result of the kernel of %x1: the kernel of %y1 and %y0 depends on
// %a, and %x1 depends on that kernel.

// CHECK-LABEL: func.func @no_cycle_through_results(
// CHECK: %[[A:.*]] = tenon.fusion
// CHECK: %[[S:.*]] = stablehlo.custom_call @foreign(%[[A]])
// CHECK: %[[Y:.*]]:2 = tenon.fusion loop(%{{.*}}%[[S]]{{.*}}) {
// CHECK: %[[X:.*]] = tenon.fusion loop(%{{.*}}) {
// CHECK: return %[[X]], %[[Y]]
func.func @no_cycle_through_results(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = stablehlo.exponential %x : tensor<4xf32>
  %y0 = stablehlo.log %x : tensor<4xf32>
  %r = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
  %x0 = stablehlo.add %y0, %a : tensor<4xf32>
  %x1 = stablehlo.add %x0, %r : tensor<4xf32>
  %s = stablehlo.custom_call @foreign(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %y1 = stablehlo.multiply %y0, %s : tensor<4xf32>
  return %x1, %y1 : tensor<4xf32>, tensor<4xf32>
}

// The kernels of %a and %b have %m in common, and become one.

// CHECK-LABEL: func.func @siblings(
// CHECK: %[[R:.*]]:3 = tenon.fusion loop(%arg0, %arg1) {
// CHECK-NOT: tenon.fusion
// CHECK: return %[[R]]
func.func @siblings(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>, tensor<4xf32>) {
  %m = stablehlo.multiply %x, %y : tensor<4xf32>
  %a = stablehlo.add %m, %x : tensor<4xf32>
  %b = stablehlo.compare LT, %m, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %c = stablehlo.subtract %m, %y : tensor<4xf32>
  return %a, %b, %c : tensor<4xf32>, tensor<4xi1>, tensor<4xf32>
}

// But not if one depends on the other, through any op.

// CHECK-LABEL: func.func @no_siblings(
// CHECK: %[[A:.*]]:2 = tenon.fusion
// CHECK: %[[S:.*]] = stablehlo.custom_call @foreign(%[[A]]
// CHECK: %[[B:.*]] = tenon.fusion
// CHECK: return %[[A]]{{.*}}, %[[B]]
func.func @no_siblings(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %m = stablehlo.multiply %x, %y : tensor<4xf32>
  %a = stablehlo.add %m, %x : tensor<4xf32>
  %s = stablehlo.custom_call @foreign(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %b = stablehlo.subtract %m, %s : tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// Nor if one reads %m at other indices.

// CHECK-LABEL: func.func @no_siblings_at_other_indices(
// CHECK-COUNT-2: tenon.fusion
// CHECK: return
func.func @no_siblings_at_other_indices(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %m = stablehlo.multiply %x, %y : tensor<4xf32>
  %a = stablehlo.add %m, %x : tensor<4xf32>
  %r = stablehlo.reverse %m, dims = [0] : tensor<4xf32>
  %b = stablehlo.subtract %r, %y : tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// Here, too, %a must not join the kernel of %x1. That kernel comes after the second call, and
// calls with side effects keep their order.

// CHECK-LABEL: func.func @no_cycle_through_effects(
// CHECK: %[[A:.*]] = tenon.fusion
// CHECK: %[[S:.*]] = stablehlo.custom_call @first(%[[A]])
// CHECK: %[[T:.*]] = stablehlo.custom_call @second
// CHECK: %[[X:.*]] = tenon.fusion loop(%{{.*}}) {
// CHECK: return %[[X]], %[[S]]
func.func @no_cycle_through_effects(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = stablehlo.exponential %x : tensor<4xf32>
  %s = stablehlo.custom_call @first(%a) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  %t = stablehlo.custom_call @second(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  %x1 = stablehlo.add %t, %a : tensor<4xf32>
  return %x1, %s : tensor<4xf32>, tensor<4xf32>
}

// Elementwise composites have no side effects and no order: a scalar one may be placed between two
// that one kernel computes.

// CHECK-LABEL: func.func @composites_have_no_order(
// CHECK: %[[S:.*]] = stablehlo.composite "chlo.erf"
// CHECK: %[[R:.*]]:2 = tenon.fusion loop(%{{.*}}) {
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @composites_have_no_order(%x: tensor<4xf32>, %y: tensor<f32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %a = stablehlo.composite "chlo.erf" %x {decomposition = @unused} : (tensor<4xf32>) -> tensor<4xf32>
  %s = stablehlo.composite "chlo.erf" %y {decomposition = @unused_scalar} : (tensor<f32>) -> tensor<f32>
  %t = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %b = stablehlo.multiply %a, %t : tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
func.func private @unused(tensor<4xf32>) -> tensor<4xf32>
func.func private @unused_scalar(tensor<f32>) -> tensor<f32>

// The first op of a loop body is a window whose start value is defined outside the loop. The clone
// of that constant still precedes the window in the fusion.
// CHECK-LABEL: func.func @window_first(
// CHECK: tenon.fusion
// CHECK: stablehlo.constant
// CHECK: "stablehlo.reduce_window"
func.func @window_first(%x: tensor<80xf32>, %n: tensor<i32>) -> tensor<80xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<80xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = "stablehlo.reduce_window"(%y, %none) <{padding = dense<[[2, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 3>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %3 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<80xf32>, tensor<f32>) -> tensor<80xf32>
    %2 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %2, %1 : tensor<i32>, tensor<80xf32>
  }
  return %0#1 : tensor<80xf32>
}

// So do iotas that number the elements of an array in order, for each user.

// CHECK-LABEL: func.func @positions_of_two_results(
// CHECK-COUNT-2: tenon.fusion loop(%arg0, %c)
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @positions_of_two_results(%x: tensor<8x32xi32>) -> (tensor<8xi32>, tensor<32xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.iota dim = 0 : tensor<256xi32>
  %1 = stablehlo.reshape %0 : (tensor<256xi32>) -> tensor<8x32xi32>
  %2 = stablehlo.multiply %1, %x : tensor<8x32xi32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x32xi32>, tensor<i32>) -> tensor<8xi32>
  %4 = stablehlo.xor %1, %x : tensor<8x32xi32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x32xi32>, tensor<i32>) -> tensor<32xi32>
  return %3, %5 : tensor<8xi32>, tensor<32xi32>
}

// Reductions of one large array become one kernel, which reads it once. The square is not stored.

// CHECK-LABEL: func.func @reductions_of_one_array(
// CHECK: %[[R:.*]]:3 = tenon.fusion loop(%arg0
// CHECK-COUNT-3: stablehlo.reduce
// CHECK: {rows = 1 : i64}
// CHECK-NOT: tenon.fusion
// CHECK: return %[[R]]
func.func @reductions_of_one_array(%x: tensor<512x256xf32>) -> (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %square = stablehlo.multiply %x, %x : tensor<512x256xf32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<512x256xf32>, tensor<f32>) -> tensor<512xf32>
  %s = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<512x256xf32>, tensor<f32>) -> tensor<512xf32>
  %t = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<512x256xf32>, tensor<f32>) -> tensor<512xf32>
  return %m, %s, %t : tensor<512xf32>, tensor<512xf32>, tensor<512xf32>
}

// Columns of sums are summed in blocks, which maxima are not.

// CHECK-LABEL: func.func @reductions_of_columns(
// CHECK: tenon.fusion loop
// CHECK: applies stablehlo.add across
// CHECK-NEXT: tenon.yield
// CHECK: tenon.fusion loop
// CHECK: applies stablehlo.maximum across
// CHECK: applies stablehlo.minimum across
func.func @reductions_of_columns(%x: tensor<512x256xf32>) -> (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512x256xf32>, tensor<f32>) -> tensor<256xf32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<512x256xf32>, tensor<f32>) -> tensor<256xf32>
  %n = stablehlo.reduce(%x init: %high) applies stablehlo.minimum across dimensions = [0] : (tensor<512x256xf32>, tensor<f32>) -> tensor<256xf32>
  return %s, %m, %n : tensor<256xf32>, tensor<256xf32>, tensor<256xf32>
}

// Not if one depends on the other, nor over other dimensions.

// CHECK-LABEL: func.func @no_common_reductions(
// CHECK-COUNT-3: tenon.fusion loop
// CHECK: return
func.func @no_common_reductions(%x: tensor<512x512xf32>) -> (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<512x512xf32>, tensor<f32>) -> tensor<512xf32>
  %f = stablehlo.custom_call @foreign(%s) : (tensor<512xf32>) -> tensor<512xf32>
  %b = stablehlo.broadcast_in_dim %f, dims = [0] : (tensor<512xf32>) -> tensor<512x512xf32>
  %d = stablehlo.subtract %x, %b : tensor<512x512xf32>
  %t = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<512x512xf32>, tensor<f32>) -> tensor<512xf32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<512x512xf32>, tensor<f32>) -> tensor<512xf32>
  return %s, %t, %m : tensor<512xf32>, tensor<512xf32>, tensor<512xf32>
}

// Nor if the array is small, or a row of it larger than the second-level cache.

// CHECK-LABEL: func.func @no_gain(
// CHECK-COUNT-4: tenon.fusion loop
// CHECK: return
func.func @no_gain(%x: tensor<8x16xf32>, %y: tensor<4x2000000xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
  %t = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x2000000xf32>, tensor<f32>) -> tensor<4xf32>
  %n = stablehlo.reduce(%y init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x2000000xf32>, tensor<f32>) -> tensor<4xf32>
  return %s, %m, %t, %n : tensor<8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>
}

// A bitcast to smaller elements of an array in memory is a view. Of a value that a kernel computes, it
// is part of the kernel; to larger elements it is a kernel.

// CHECK-LABEL: func.func @bitcasts(
// CHECK: %[[BYTES:.*]] = stablehlo.bitcast_convert %arg0
// CHECK: tenon.fusion loop(%[[BYTES]])
// CHECK: tenon.fusion loop(%arg0)
// CHECK: stablehlo.bitcast_convert
// CHECK: tenon.fusion loop(%arg1)
// CHECK: stablehlo.bitcast_convert
func.func @bitcasts(%x: tensor<64xf32>, %u: tensor<64x4xui8>) -> (tensor<64x4xui8>, tensor<64x4xui8>, tensor<64xf32>) {
  %b = stablehlo.bitcast_convert %x : (tensor<64xf32>) -> tensor<64x4xui8>
  %n = stablehlo.not %b : tensor<64x4xui8>
  %m = stablehlo.negate %x : tensor<64xf32>
  %c = stablehlo.bitcast_convert %m : (tensor<64xf32>) -> tensor<64x4xui8>
  %f = stablehlo.bitcast_convert %u : (tensor<64x4xui8>) -> tensor<64xf32>
  return %n, %c, %f : tensor<64x4xui8>, tensor<64x4xui8>, tensor<64xf32>
}

// A sum is not as exact in one loop with a combiner that is not summed in blocks: neither as another
// result of a kernel, nor as its operand.

// CHECK-LABEL: func.func @sums_of_other_forms(
// CHECK-COUNT-4: tenon.fusion loop
// CHECK: return
func.func @sums_of_other_forms(%x: tensor<512x256xf32>, %y: tensor<512x256xf32>) -> (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512x256xf32>, tensor<f32>) -> tensor<256xf32>
  %t = stablehlo.reduce(%x init: %zero) across dimensions = [0] : (tensor<512x256xf32>, tensor<f32>) -> tensor<256xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %m = stablehlo.multiply %b, %b : tensor<f32>
    %d = stablehlo.add %a, %m : tensor<f32>
    stablehlo.return %d : tensor<f32>
  }
  %u = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512x256xf32>, tensor<f32>) -> tensor<256xf32>
  %v = stablehlo.reduce(%y init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<512x256xf32>, tensor<f32>) -> tensor<256xf32>
  %w = stablehlo.subtract %v, %u : tensor<256xf32>
  return %s, %t, %w : tensor<256xf32>, tensor<256xf32>, tensor<256xf32>
}
