// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-fuse))' | FileCheck %s

// The points of a loop over elementwise ops are independent, so the loop is one kernel. Its
// counter's final value becomes a constant.
// CHECK-LABEL: func.func @independent(
// CHECK: tenon.fusion interchanged_loop(%arg0)
// CHECK: stablehlo.while
// CHECK: stablehlo.dynamic_update_slice
// CHECK: tenon.yield
// CHECK: return {{.*}} : tensor<i32>, tensor<9x40xf32>
func.func @independent(%x: tensor<40xf32>) -> (tensor<i32>, tensor<9x40xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.constant dense<9> : tensor<i32>
  %zeros = stablehlo.constant dense<0.0> : tensor<9x40xf32>
  %0:3 = stablehlo.while(%i = %zero, %y = %x, %rows = %zeros) : tensor<i32>, tensor<40xf32>, tensor<9x40xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.sine %y : tensor<40xf32>
    %row = stablehlo.reshape %1 : (tensor<40xf32>) -> tensor<1x40xf32>
    %2 = stablehlo.dynamic_update_slice %rows, %row, %i, %zero : (tensor<9x40xf32>, tensor<1x40xf32>, tensor<i32>, tensor<i32>) -> tensor<9x40xf32>
    %3 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %3, %1, %2 : tensor<i32>, tensor<40xf32>, tensor<9x40xf32>
  }
  return %0#0, %0#2 : tensor<i32>, tensor<9x40xf32>
}

// A reduction over the points makes them depend on each other.
// CHECK-LABEL: func.func @reduced(
// CHECK-NOT: interchanged_loop
// CHECK: return
func.func @reduced(%x: tensor<40xf32>) -> tensor<40xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.constant dense<9> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<40xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%y init: %none) applies stablehlo.add across dimensions = [0] : (tensor<40xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %3 = stablehlo.subtract %y, %2 : tensor<40xf32>
    %4 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %4, %3 : tensor<i32>, tensor<40xf32>
  }
  return %0#1 : tensor<40xf32>
}

// So do elements indexed by the counter. And rows that are not all written keep old values.
// CHECK-LABEL: func.func @positions(
// CHECK-NOT: interchanged_loop
// CHECK: return
func.func @positions(%x: tensor<40xf32>, %r: tensor<10x40xf32>) -> (tensor<40xf32>, tensor<10x40xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.constant dense<9> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<40xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.dynamic_slice %y, %i, sizes = [1] : (tensor<40xf32>, tensor<i32>) -> tensor<1xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<1xf32>) -> tensor<40xf32>
    %3 = stablehlo.subtract %y, %2 : tensor<40xf32>
    %4 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %4, %3 : tensor<i32>, tensor<40xf32>
  }
  %1:2 = stablehlo.while(%i = %zero, %rows = %r) : tensor<i32>, tensor<10x40xf32>
  cond {
    %2 = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %2 = stablehlo.reshape %0#1 : (tensor<40xf32>) -> tensor<1x40xf32>
    %3 = stablehlo.dynamic_update_slice %rows, %2, %i, %zero : (tensor<10x40xf32>, tensor<1x40xf32>, tensor<i32>, tensor<i32>) -> tensor<10x40xf32>
    %4 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %4, %3 : tensor<i32>, tensor<10x40xf32>
  }
  return %0#1, %1#1 : tensor<40xf32>, tensor<10x40xf32>
}

// Interior padding moves elements, even if their number does not change.
// CHECK-LABEL: func.func @interior_padding(
// CHECK-NOT: interchanged_loop
// CHECK: return
func.func @interior_padding(%x: tensor<40xf32>) -> tensor<40xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.constant dense<9> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<40xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %half = stablehlo.constant dense<0.5> : tensor<f32>
    %1 = stablehlo.pad %y, %half, low = [0], high = [-39], interior = [1] : (tensor<40xf32>, tensor<f32>) -> tensor<40xf32>
    %2 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %2, %1 : tensor<i32>, tensor<40xf32>
  }
  return %0#1 : tensor<40xf32>
}

// Rows of many elements a point would need as many stores.
// CHECK-LABEL: func.func @long_rows(
// CHECK-NOT: interchanged_loop
// CHECK: return
func.func @long_rows(%x: tensor<16xf32>, %r: tensor<9x16x1000xf32>) -> (tensor<16xf32>, tensor<9x16x1000xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.constant dense<9> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %y = %x, %rows = %r) : tensor<i32>, tensor<16xf32>, tensor<9x16x1000xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %y, %y : tensor<16xf32>
    %2 = stablehlo.dynamic_slice %r, %i, %zero, %zero, sizes = [1, 16, 1000] : (tensor<9x16x1000xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x1000xf32>
    %3 = stablehlo.reverse %2, dims = [2] : tensor<1x16x1000xf32>
    %4 = stablehlo.dynamic_update_slice %rows, %3, %i, %zero, %zero : (tensor<9x16x1000xf32>, tensor<1x16x1000xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<9x16x1000xf32>
    %5 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %5, %1, %4 : tensor<i32>, tensor<16xf32>, tensor<9x16x1000xf32>
  }
  return %0#1, %0#2 : tensor<16xf32>, tensor<9x16x1000xf32>
}

// The search for affine positions is limited: visiting every path through nested sums would take
// exponential time.
// CHECK-LABEL: func.func @sums_of_sums(
// CHECK: return
func.func @sums_of_sums(%x: tensor<16xf32>, %r: tensor<9x16xf32>) -> tensor<9x16xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.constant dense<9> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %y = %x, %rows = %r) : tensor<i32>, tensor<16xf32>, tensor<9x16xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %s0 = stablehlo.add %i, %one : tensor<i32>
    %s1 = stablehlo.add %s0, %i : tensor<i32>
    %s2 = stablehlo.add %s1, %s0 : tensor<i32>
    %s3 = stablehlo.add %s2, %s1 : tensor<i32>
    %s4 = stablehlo.add %s3, %s2 : tensor<i32>
    %s5 = stablehlo.add %s4, %s3 : tensor<i32>
    %s6 = stablehlo.add %s5, %s4 : tensor<i32>
    %s7 = stablehlo.add %s6, %s5 : tensor<i32>
    %s8 = stablehlo.add %s7, %s6 : tensor<i32>
    %s9 = stablehlo.add %s8, %s7 : tensor<i32>
    %s10 = stablehlo.add %s9, %s8 : tensor<i32>
    %s11 = stablehlo.add %s10, %s9 : tensor<i32>
    %s12 = stablehlo.add %s11, %s10 : tensor<i32>
    %s13 = stablehlo.add %s12, %s11 : tensor<i32>
    %s14 = stablehlo.add %s13, %s12 : tensor<i32>
    %s15 = stablehlo.add %s14, %s13 : tensor<i32>
    %s16 = stablehlo.add %s15, %s14 : tensor<i32>
    %s17 = stablehlo.add %s16, %s15 : tensor<i32>
    %s18 = stablehlo.add %s17, %s16 : tensor<i32>
    %s19 = stablehlo.add %s18, %s17 : tensor<i32>
    %s20 = stablehlo.add %s19, %s18 : tensor<i32>
    %s21 = stablehlo.add %s20, %s19 : tensor<i32>
    %s22 = stablehlo.add %s21, %s20 : tensor<i32>
    %s23 = stablehlo.add %s22, %s21 : tensor<i32>
    %s24 = stablehlo.add %s23, %s22 : tensor<i32>
    %s25 = stablehlo.add %s24, %s23 : tensor<i32>
    %s26 = stablehlo.add %s25, %s24 : tensor<i32>
    %s27 = stablehlo.add %s26, %s25 : tensor<i32>
    %s28 = stablehlo.add %s27, %s26 : tensor<i32>
    %s29 = stablehlo.add %s28, %s27 : tensor<i32>
    %s30 = stablehlo.add %s29, %s28 : tensor<i32>
    %s31 = stablehlo.add %s30, %s29 : tensor<i32>
    %s32 = stablehlo.add %s31, %s30 : tensor<i32>
    %s33 = stablehlo.add %s32, %s31 : tensor<i32>
    %s34 = stablehlo.add %s33, %s32 : tensor<i32>
    %s35 = stablehlo.add %s34, %s33 : tensor<i32>
    %s36 = stablehlo.add %s35, %s34 : tensor<i32>
    %s37 = stablehlo.add %s36, %s35 : tensor<i32>
    %s38 = stablehlo.add %s37, %s36 : tensor<i32>
    %s39 = stablehlo.add %s38, %s37 : tensor<i32>
    %s40 = stablehlo.add %s39, %s38 : tensor<i32>
    %s41 = stablehlo.add %s40, %s39 : tensor<i32>
    %s42 = stablehlo.add %s41, %s40 : tensor<i32>
    %s43 = stablehlo.add %s42, %s41 : tensor<i32>
    %s44 = stablehlo.add %s43, %s42 : tensor<i32>
    %s45 = stablehlo.add %s44, %s43 : tensor<i32>
    %s46 = stablehlo.add %s45, %s44 : tensor<i32>
    %s47 = stablehlo.add %s46, %s45 : tensor<i32>
    %s48 = stablehlo.add %s47, %s46 : tensor<i32>
    %s49 = stablehlo.add %s48, %s47 : tensor<i32>
    %s50 = stablehlo.add %s49, %s48 : tensor<i32>
    %s51 = stablehlo.add %s50, %s49 : tensor<i32>
    %s52 = stablehlo.add %s51, %s50 : tensor<i32>
    %s53 = stablehlo.add %s52, %s51 : tensor<i32>
    %s54 = stablehlo.add %s53, %s52 : tensor<i32>
    %s55 = stablehlo.add %s54, %s53 : tensor<i32>
    %s56 = stablehlo.add %s55, %s54 : tensor<i32>
    %s57 = stablehlo.add %s56, %s55 : tensor<i32>
    %s58 = stablehlo.add %s57, %s56 : tensor<i32>
    %s59 = stablehlo.add %s58, %s57 : tensor<i32>
    %row = stablehlo.reshape %y : (tensor<16xf32>) -> tensor<1x16xf32>
    %1 = stablehlo.dynamic_update_slice %rows, %row, %s59, %zero : (tensor<9x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<9x16xf32>
    %2 = stablehlo.add %y, %y : tensor<16xf32>
    %3 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %3, %2, %1 : tensor<i32>, tensor<16xf32>, tensor<9x16xf32>
  }
  return %0#2 : tensor<9x16xf32>
}

// 64-bit counters are counters if their values are small.
// CHECK-LABEL: func.func @wide_counter(
// CHECK: tenon.fusion interchanged_loop
// CHECK: return
func.func @wide_counter(%x: tensor<40xf32>) -> (tensor<i64>, tensor<40xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %last = stablehlo.constant dense<9> : tensor<i64>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i64>, tensor<40xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.sine %y : tensor<40xf32>
    %2 = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %2, %1 : tensor<i64>, tensor<40xf32>
  }
  return %0#0, %0#1 : tensor<i64>, tensor<40xf32>
}

// CHECK-LABEL: func.func @huge_counter(
// CHECK-NOT: interchanged_loop
// CHECK: return
func.func @huge_counter(%x: tensor<40xf32>) -> tensor<40xf32> {
  %first = stablehlo.constant dense<9223372036854775800> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %last = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %0:2 = stablehlo.while(%i = %first, %y = %x) : tensor<i64>, tensor<40xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.sine %y : tensor<40xf32>
    %2 = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %2, %1 : tensor<i64>, tensor<40xf32>
  }
  return %0#1 : tensor<40xf32>
}

// A long sum that all points share is computed once per iteration, not by each point.
// CHECK-LABEL: func.func @shared_sum(
// CHECK-NOT: interchanged_loop
// CHECK: return
func.func @shared_sum(%x: tensor<1000xf32>, %r: tensor<9x1000xf32>) -> tensor<1000xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.constant dense<9> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<1000xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.dynamic_slice %r, %i, %zero, sizes = [1, 1000] : (tensor<9x1000xf32>, tensor<i32>, tensor<i32>) -> tensor<1x1000xf32>
    %2 = stablehlo.reduce(%1 init: %none) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1000xf32>, tensor<f32>) -> tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<1000xf32>
    %4 = stablehlo.multiply %y, %3 : tensor<1000xf32>
    %5 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %5, %4 : tensor<i32>, tensor<1000xf32>
  }
  return %0#1 : tensor<1000xf32>
}

// A point that reads thousands of elements would need that many loads in its code.
// CHECK-LABEL: func.func @many_loads(
// CHECK-NOT: interchanged_loop
// CHECK: return
func.func @many_loads(%x: tensor<16xf32>, %m: tensor<16x2000xf32>) -> tensor<16xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.constant dense<9> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<16xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.broadcast_in_dim %y, dims = [0] : (tensor<16xf32>) -> tensor<16x2000xf32>
    %2 = stablehlo.multiply %m, %1 : tensor<16x2000xf32>
    %3 = stablehlo.reduce(%2 init: %none) applies stablehlo.add across dimensions = [1] : (tensor<16x2000xf32>, tensor<f32>) -> tensor<16xf32>
    %4 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %4, %3 : tensor<i32>, tensor<16xf32>
  }
  return %0#1 : tensor<16xf32>
}

// A loop over a few numbers is one kernel whatever its elements depend on: there is a single
// point, which holds all carried elements.
// CHECK-LABEL: func.func @few_numbers(
// CHECK: tenon.fusion interchanged_loop
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @few_numbers(%x: tensor<3xf32>, %w: tensor<3x3xf32>) -> (tensor<f32>, tensor<3xf32>, tensor<9x3xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.constant dense<9> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0.0> : tensor<9x3xf32>
  %0:4 = stablehlo.while(%i = %zero, %s = %none, %y = %x, %rows = %zeros) : tensor<i32>, tensor<f32>, tensor<3xf32>, tensor<9x3xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.dot_general %w, %y, contracting_dims = [1] x [0] : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %2 = stablehlo.reverse %1, dims = [0] : tensor<3xf32>
    %3 = stablehlo.reduce(%2 init: %none) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.add %s, %3 : tensor<f32>
    %row = stablehlo.reshape %2 : (tensor<3xf32>) -> tensor<1x3xf32>
    %5 = stablehlo.dynamic_update_slice %rows, %row, %i, %zero : (tensor<9x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<9x3xf32>
    %6 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %6, %4, %2, %5 : tensor<i32>, tensor<f32>, tensor<3xf32>, tensor<9x3xf32>
  }
  return %0#1, %0#2, %0#3 : tensor<f32>, tensor<3xf32>, tensor<9x3xf32>
}

// Not if an index into a carried array comes from data: registers cannot be indexed.
// CHECK-LABEL: func.func @few_numbers_by_index(
// CHECK-NOT: interchanged_loop
// CHECK: return
func.func @few_numbers_by_index(%x: tensor<3xi32>) -> tensor<3xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.constant dense<9> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<3xi32>
  cond {
    %1 = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.dynamic_slice %y, %i, sizes = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<1xi32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<1xi32>) -> tensor<3xi32>
    %3 = stablehlo.add %y, %2 : tensor<3xi32>
    %4 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %4, %3 : tensor<i32>, tensor<3xi32>
  }
  return %0#1 : tensor<3xi32>
}
