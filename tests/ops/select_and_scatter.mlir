// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @specification_example {
  func.func private @inputs() -> (tensor<4x2xi32>, tensor<2x2xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[1, 5], [2, 5], [3, 6], [4, 4]]> : tensor<4x2xi32>
    %source = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %source, %start : tensor<4x2xi32>, tensor<2x2xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %source, %start = call @inputs() : () -> (tensor<4x2xi32>, tensor<2x2xi32>, tensor<i32>)
    %r = "stablehlo.select_and_scatter"(%x, %source, %start) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %s : tensor<i1>
    }, {
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {
      window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>,
      padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<4x2xi32>, tensor<2x2xi32>, tensor<i32>) -> tensor<4x2xi32>
    %r_expected = stablehlo.constant dense<[[0, 0], [0, 0], [5, 14], [7, 0]]> : tensor<4x2xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4x2xi32>, tensor<4x2xi32>) -> ()
    return
  }
}

// -----

module @disjoint {
  func.func private @inputs() -> (tensor<6x8xf32>, tensor<3x4xf32>, tensor<f32>) {
    %x = stablehlo.constant dense<"0x00008041000010420000384200003C42000030410000984100000842000034420000904100002C4200000C42000000410000504100001C420000C0410000803F000028420000E040000000420000B841000020410000E8410000A84100001842000000000000D0410000E041000004420000D841000014420000C8410000204200007041000010410000B0410000A0400000F8410000A04100002442000088410000F04100003042000000400000C04000008040000040400000404100006041"> : tensor<6x8xf32>
    %source = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00], [-1.0e+00, -2.0e+00, -2.0e+00, -2.0e+00], [-2.0e+00, 2.0e+00, 1.0e+00, 2.0e+00]]> : tensor<3x4xf32>
    %start = stablehlo.constant dense<0.0e+00> : tensor<f32>
    return %x, %source, %start : tensor<6x8xf32>, tensor<3x4xf32>, tensor<f32>
  }
  func.func @main() {
    %x, %source, %start = call @inputs() : () -> (tensor<6x8xf32>, tensor<3x4xf32>, tensor<f32>)
    %r = "stablehlo.select_and_scatter"(%x, %source, %start) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %s : tensor<i1>
    }, {
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
    }) {
      window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>,
      padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : (tensor<6x8xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<6x8xf32>
    %r_expected = stablehlo.constant dense<"0x0000000000000000000000000000803F000000000000000000000000000080BF0000000000000040000000000000000000000000000000000000000000000000000080BF00000000000000000000000000000000000000000000000000000000000000000000000000000000000000C000000000000000C000000000000000C0000000000000000000000040000000000000803F00000000000000400000000000000000000000C0000000000000000000000000000000000000000000000000"> : tensor<6x8xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<6x8xf32>, tensor<6x8xf32>) -> ()
    return
  }
}

// -----

module @overlapping {
  func.func private @inputs() -> (tensor<6x8xf32>, tensor<5x7xf32>, tensor<f32>) {
    %x = stablehlo.constant dense<"0x00008041000010420000384200003C42000030410000984100000842000034420000904100002C4200000C42000000410000504100001C420000C0410000803F000028420000E040000000420000B841000020410000E8410000A84100001842000000000000D0410000E041000004420000D841000014420000C8410000204200007041000010410000B0410000A0400000F8410000A04100002442000088410000F04100003042000000400000C04000008040000040400000404100006041"> : tensor<6x8xf32>
    %source = stablehlo.constant dense<"0x000000400000803F00000000000080BF000080BF000000C0000000C0000000C0000000C0000000400000803F00000040000000000000803F000000400000803F0000803F000000000000000000000040000080BF000000400000803F000000C0000080BF0000004000000000000000C00000803F0000803F00000040000000C0000000C000000040000000C0"> : tensor<5x7xf32>
    %start = stablehlo.constant dense<0.0e+00> : tensor<f32>
    return %x, %source, %start : tensor<6x8xf32>, tensor<5x7xf32>, tensor<f32>
  }
  func.func @main() {
    %x, %source, %start = call @inputs() : () -> (tensor<6x8xf32>, tensor<5x7xf32>, tensor<f32>)
    %r = "stablehlo.select_and_scatter"(%x, %source, %start) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %s : tensor<i1>
    }, {
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
    }) {
      window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 1>,
      padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : (tensor<6x8xf32>, tensor<5x7xf32>, tensor<f32>) -> tensor<6x8xf32>
    %r_expected = stablehlo.constant dense<"0x00000000000000000000803F000080BF000000000000000000000000000000C000000000000000C0000000400000000000000000000080BF000000000000000000000040000000000000803F0000803F0000000000000000000000000000803F00000000000000400000803F000000C0000000000000804000000000000080BF00000000000000000000004000000000000080C000000000000000C0000000000000000000000040000000000000000000000000000000000000000000000000"> : tensor<6x8xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<6x8xf32>, tensor<6x8xf32>) -> ()
    return
  }
}

// -----

module @padding {
  func.func private @inputs() -> (tensor<6x8xf32>, tensor<4x5xf32>, tensor<f32>) {
    %x = stablehlo.constant dense<"0x00008041000010420000384200003C42000030410000984100000842000034420000904100002C4200000C42000000410000504100001C420000C0410000803F000028420000E040000000420000B841000020410000E8410000A84100001842000000000000D0410000E041000004420000D841000014420000C8410000204200007041000010410000B0410000A0400000F8410000A04100002442000088410000F04100003042000000400000C04000008040000040400000404100006041"> : tensor<6x8xf32>
    %source = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00, -1.0e+00], [-2.0e+00, -2.0e+00, -2.0e+00, -2.0e+00, 2.0e+00], [1.0e+00, 2.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [1.0e+00, 1.0e+00, 0.0e+00, 0.0e+00, 2.0e+00]]> : tensor<4x5xf32>
    %start = stablehlo.constant dense<0.0e+00> : tensor<f32>
    return %x, %source, %start : tensor<6x8xf32>, tensor<4x5xf32>, tensor<f32>
  }
  func.func @main() {
    %x, %source, %start = call @inputs() : () -> (tensor<6x8xf32>, tensor<4x5xf32>, tensor<f32>)
    %r = "stablehlo.select_and_scatter"(%x, %source, %start) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %s : tensor<i1>
    }, {
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
    }) {
      window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>,
      padding = dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>} : (tensor<6x8xf32>, tensor<4x5xf32>, tensor<f32>) -> tensor<6x8xf32>
    %r_expected = stablehlo.constant dense<"0x00000040000000000000803F000000000000000000000000000080BF000080BF00000000000000C0000000000000000000000000000000C00000000000000000000000C00000000000000000000000C00000000000000000000000000000004000000000000000000000004000000000000000000000000000000000000000400000803F00000000000000000000000000000000000000000000803F000000000000803F0000803F000000000000000000000000000000000000000000000040"> : tensor<6x8xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<6x8xf32>, tensor<6x8xf32>) -> ()
    return
  }
}

// -----

module @smallest {
  func.func private @inputs() -> (tensor<6x8xf32>, tensor<3x4xf32>, tensor<f32>) {
    %x = stablehlo.constant dense<"0x00008041000010420000384200003C42000030410000984100000842000034420000904100002C4200000C42000000410000504100001C420000C0410000803F000028420000E040000000420000B841000020410000E8410000A84100001842000000000000D0410000E041000004420000D841000014420000C8410000204200007041000010410000B0410000A0400000F8410000A04100002442000088410000F04100003042000000400000C04000008040000040400000404100006041"> : tensor<6x8xf32>
    %source = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00], [-1.0e+00, -2.0e+00, -2.0e+00, -2.0e+00], [-2.0e+00, 2.0e+00, 1.0e+00, 2.0e+00]]> : tensor<3x4xf32>
    %start = stablehlo.constant dense<0.0e+00> : tensor<f32>
    return %x, %source, %start : tensor<6x8xf32>, tensor<3x4xf32>, tensor<f32>
  }
  func.func @main() {
    %x, %source, %start = call @inputs() : () -> (tensor<6x8xf32>, tensor<3x4xf32>, tensor<f32>)
    %r = "stablehlo.select_and_scatter"(%x, %source, %start) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.compare LE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %s : tensor<i1>
    }, {
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
    }) {
      window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>,
      padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : (tensor<6x8xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<6x8xf32>
    %r_expected = stablehlo.constant dense<"0x00000040000000000000000000000000000000000000000000000000000000000000000000000000000000000000803F000000000000000000000000000080BF000000000000000000000000000000C0000000C000000000000000C000000000000080BF0000000000000000000000000000000000000000000000000000000000000000000000C000000000000000000000000000000000000000000000000000000000000000000000004000000000000000000000803F0000004000000000"> : tensor<6x8xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<6x8xf32>, tensor<6x8xf32>) -> ()
    return
  }
}

// -----

module @first_of_equals {
  func.func private @inputs() -> (tensor<2x4xi32>, tensor<1x2xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<1> : tensor<2x4xi32>
    %source = stablehlo.constant dense<[[3, 4]]> : tensor<1x2xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %source, %start : tensor<2x4xi32>, tensor<1x2xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %source, %start = call @inputs() : () -> (tensor<2x4xi32>, tensor<1x2xi32>, tensor<i32>)
    %r = "stablehlo.select_and_scatter"(%x, %source, %start) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %s : tensor<i1>
    }, {
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {
      window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>,
      padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : (tensor<2x4xi32>, tensor<1x2xi32>, tensor<i32>) -> tensor<2x4xi32>
    %r_expected = stablehlo.constant dense<[[3, 0, 4, 0], [0, 0, 0, 0]]> : tensor<2x4xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x4xi32>, tensor<2x4xi32>) -> ()
    return
  }
}

// -----

module @last_of_equals {
  func.func private @inputs() -> (tensor<2x4xi32>, tensor<1x2xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<1> : tensor<2x4xi32>
    %source = stablehlo.constant dense<[[3, 4]]> : tensor<1x2xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %source, %start : tensor<2x4xi32>, tensor<1x2xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %source, %start = call @inputs() : () -> (tensor<2x4xi32>, tensor<1x2xi32>, tensor<i32>)
    %r = "stablehlo.select_and_scatter"(%x, %source, %start) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %s : tensor<i1>
    }, {
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {
      window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>,
      padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : (tensor<2x4xi32>, tensor<1x2xi32>, tensor<i32>) -> tensor<2x4xi32>
    %r_expected = stablehlo.constant dense<[[0, 0, 0, 0], [0, 3, 0, 4]]> : tensor<2x4xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x4xi32>, tensor<2x4xi32>) -> ()
    return
  }
}

// -----

module @start {
  func.func private @inputs() -> (tensor<2x4xi32>, tensor<1x2xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<1> : tensor<2x4xi32>
    %source = stablehlo.constant dense<[[3, 4]]> : tensor<1x2xi32>
    %start = stablehlo.constant dense<10> : tensor<i32>
    return %x, %source, %start : tensor<2x4xi32>, tensor<1x2xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %source, %start = call @inputs() : () -> (tensor<2x4xi32>, tensor<1x2xi32>, tensor<i32>)
    %r = "stablehlo.select_and_scatter"(%x, %source, %start) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %s : tensor<i1>
    }, {
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {
      window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>,
      padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : (tensor<2x4xi32>, tensor<1x2xi32>, tensor<i32>) -> tensor<2x4xi32>
    %r_expected = stablehlo.constant dense<[[13, 10, 14, 10], [10, 10, 10, 10]]> : tensor<2x4xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x4xi32>, tensor<2x4xi32>) -> ()
    return
  }
}

// -----

module @multiply {
  func.func private @inputs() -> (tensor<2x4xi32>, tensor<1x3xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<1> : tensor<2x4xi32>
    %source = stablehlo.constant dense<[[3, 4, 5]]> : tensor<1x3xi32>
    %start = stablehlo.constant dense<1> : tensor<i32>
    return %x, %source, %start : tensor<2x4xi32>, tensor<1x3xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %source, %start = call @inputs() : () -> (tensor<2x4xi32>, tensor<1x3xi32>, tensor<i32>)
    %r = "stablehlo.select_and_scatter"(%x, %source, %start) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %s : tensor<i1>
    }, {
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.multiply %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {
      window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 1>,
      padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : (tensor<2x4xi32>, tensor<1x3xi32>, tensor<i32>) -> tensor<2x4xi32>
    %r_expected = stablehlo.constant dense<[[3, 4, 5, 1], [1, 1, 1, 1]]> : tensor<2x4xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x4xi32>, tensor<2x4xi32>) -> ()
    return
  }
}

// -----

module @rank_4 {
  func.func private @inputs() -> (tensor<2x4x4x3xf64>, tensor<2x2x2x3xf64>, tensor<f64>) {
    %x = stablehlo.constant dense<"0x00000000008044400000000000000840000000000040504000000000004053400000000000003F400000000000004B4000000000004056400000000000804B400000000000805440000000000000464000000000000047400000000000002040000000000000564000000000008042400000000000002E400000000000C050400000000000001840000000000080464000000000000054400000000000C0564000000000000031400000000000004D40000000000080514000000000008048400000000000C0514000000000008041400000000000C057400000000000003040000000000000224000000000000034400000000000003A400000000000002A400000000000001440000000000000554000000000000053400000000000004A40000000000080474000000000008053400000000000004840000000000080564000000000000038400000000000C052400000000000003C400000000000004240000000000000454000000000000050400000000000001C4000000000008052400000000000004E4000000000000039400000000000005240000000000040554000000000008050400000000000003340000000000000284000000000008049400000000000804A40000000000080454000000000008043400000000000804D400000000000804C400000000000001040000000000000000000000000000051400000000000002440000000000000004000000000004054400000000000003640000000000000434000000000008057400000000000804F4000000000000041400000000000003E4000000000000037400000000000005740000000000000444000000000000026400000000000C053400000000000804E4000000000008040400000000000003B400000000000004C400000000000002C400000000000C055400000000000003D400000000000405240000000000080554000000000000032400000000000C054400000000000004F4000000000004057400000000000405140000000000000F03F000000000000404000000000000049400000000000003540"> : tensor<2x4x4x3xf64>
    %source = stablehlo.constant dense<[[[[2.0e+00, 1.0e+00, 0.0e+00], [-1.0e+00, -1.0e+00, -2.0e+00]], [[-2.0e+00, -2.0e+00, -2.0e+00], [2.0e+00, 1.0e+00, 2.0e+00]]], [[[0.0e+00, 1.0e+00, 2.0e+00], [1.0e+00, 1.0e+00, 0.0e+00]], [[0.0e+00, 2.0e+00, -1.0e+00], [2.0e+00, 1.0e+00, -2.0e+00]]]]> : tensor<2x2x2x3xf64>
    %start = stablehlo.constant dense<0.0e+00> : tensor<f64>
    return %x, %source, %start : tensor<2x4x4x3xf64>, tensor<2x2x2x3xf64>, tensor<f64>
  }
  func.func @main() {
    %x, %source, %start = call @inputs() : () -> (tensor<2x4x4x3xf64>, tensor<2x2x2x3xf64>, tensor<f64>)
    %r = "stablehlo.select_and_scatter"(%x, %source, %start) ({
      ^bb0(%a: tensor<f64>, %b: tensor<f64>):
        %s = stablehlo.compare GE, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>
        stablehlo.return %s : tensor<i1>
    }, {
      ^bb0(%a: tensor<f64>, %b: tensor<f64>):
        %s = stablehlo.add %a, %b : tensor<f64>
        stablehlo.return %s : tensor<f64>
    }) {
      window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>,
      padding = dense<[[0, 0], [0, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>} : (tensor<2x4x4x3xf64>, tensor<2x2x2x3xf64>, tensor<f64>) -> tensor<2x4x4x3xf64>
    %r_expected = stablehlo.constant dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000F0BF000000000000000000000000000000C00000000000000000000000000000000000000000000000000000000000000040000000000000F03F00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000F0BF00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000C00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000040000000000000F03F0000000000000000000000000000000000000000000000C0000000000000000000000000000000C0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000400000000000000000000000000000000000000000000000400000000000000000000000000000F03F0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000F03F000000000000F03F000000000000000000000000000000000000000000000000000000000000F0BF0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000C00000000000000000000000000000000000000000000000000000000000000000000000000000004000000000000000000000000000000040000000000000F03F0000000000000000000000000000000000000000000000000000000000000000"> : tensor<2x4x4x3xf64>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x4x4x3xf64>, tensor<2x4x4x3xf64>) -> ()
    return
  }
}
