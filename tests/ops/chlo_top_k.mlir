// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @top_k_row {
  func.func private @inputs() -> (tensor<20xf32>) {
    %x = stablehlo.constant dense<[8.0e+00, -7.0e+00, -1.1e+01, 1.9e+01, -1.3e+01, -8.0e+00, 5.0e+00, 1.1e+01, 5.0e+00, 1.4e+01, -1.9e+01, -5.0e+00, 2.0e+00, -3.0e+00, -5.0e+00, -6.0e+00, -1.9e+01, -1.6e+01, 1.0e+00, -1.0e+00]> : tensor<20xf32>
    return %x : tensor<20xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<20xf32>)
    %v, %i = stablehlo.composite "chlo.top_k" %x {composite_attributes = {k = 3 : i64,
      largest = true}, decomposition = @chlo.top_k.impl} : (tensor<20xf32>) -> (tensor<3xf32>, tensor<3xi32>)
    %v_expected = stablehlo.constant dense<[1.9e+01, 1.4e+01, 1.1e+01]> : tensor<3xf32>
    %i_expected = stablehlo.constant dense<[3, 9, 7]> : tensor<3xi32>
    stablehlo.custom_call @check.expect_eq(%v, %v_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    stablehlo.custom_call @check.expect_eq(%i, %i_expected) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
    return
  }
  func.func private @chlo.top_k.impl(%x: tensor<20xf32>) -> (tensor<3xf32>, tensor<3xi32>) {
    %at = stablehlo.iota dim = 0 : tensor<20xi32>
    %s:2 = "stablehlo.sort"(%x, %at) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
        %m = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %m : tensor<i1>
    }) {dimension = 0 : i64, is_stable = true} : (tensor<20xf32>, tensor<20xi32>) -> (tensor<20xf32>, tensor<20xi32>)
    %v = stablehlo.slice %s#0 [0:3] : (tensor<20xf32>) -> tensor<3xf32>
    %i = stablehlo.slice %s#1 [0:3] : (tensor<20xi32>) -> tensor<3xi32>
    return %v, %i : tensor<3xf32>, tensor<3xi32>
  }
}

// -----

module @top_k_rows {
  func.func private @inputs() -> (tensor<4x33xf32>) {
    %x = stablehlo.constant dense<"0x00009041000030C100005041000020C1000070C1000050C10000A0C0000050C1000070410000404100004041000080C0000098C1000020C1000040C000004040000040C0000080400000A0C00000A040000098C1000080410000803F000060C1000040410000C0C000007041000010C1000070410000A0C1000040C0000050C1000040C00000A0C0000098410000A0C000002041000080400000A0C0000000C0000088C1000080400000A0C0000040C1000060C1000070C1000070410000E0C000006041000088C1000090C10000C0C000009041000000C0000000410000004100008040000060410000E0C0000090C1000070C100009041000080C100000041000040C00000984100008841000080C10000A0C10000A0C0000080C000000000000060C1000010410000803F000000C1000080C1000040C000008041000010C1000000C1000040C000001041000000000000804000000040000000C00000004100007041000030C1000000410000A040000040C1000088C1000000410000804000000000000000C00000A0C0000070C10000A0C0000020C100008041000090C1000098410000C0C0000000C1000080C0000000C0000080BF0000E040000090C10000604100000041000040C1000000C100005041000010C10000E0C0000070410000A0C0000080400000E0400000C040000000400000803F0000A040000040C100006041000060C100006041000050C1"> : tensor<4x33xf32>
    return %x : tensor<4x33xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<4x33xf32>)
    %v, %i = stablehlo.composite "chlo.top_k" %x {composite_attributes = {k = 5 : i64,
      largest = true}, decomposition = @chlo.top_k.impl} : (tensor<4x33xf32>) -> (tensor<4x5xf32>, tensor<4x5xi32>)
    %v_expected = stablehlo.constant dense<[[1.8e+01, 1.6e+01, 1.5e+01, 1.5e+01, 1.5e+01], [1.9e+01, 1.9e+01, 1.8e+01, 1.8e+01, 1.5e+01], [1.7e+01, 1.6e+01, 1.5e+01, 9.0e+00, 9.0e+00], [1.9e+01, 1.6e+01, 1.5e+01, 1.4e+01, 1.4e+01]]> : tensor<4x5xf32>
    %i_expected = stablehlo.constant dense<[[0, 21, 8, 26, 28], [1, 32, 19, 28, 13], [0, 12, 22, 7, 16], [5, 3, 20, 13, 29]]> : tensor<4x5xi32>
    stablehlo.custom_call @check.expect_eq(%v, %v_expected) {has_side_effect = true} : (tensor<4x5xf32>, tensor<4x5xf32>) -> ()
    stablehlo.custom_call @check.expect_eq(%i, %i_expected) {has_side_effect = true} : (tensor<4x5xi32>, tensor<4x5xi32>) -> ()
    return
  }
  func.func private @chlo.top_k.impl(%x: tensor<4x33xf32>) -> (tensor<4x5xf32>, tensor<4x5xi32>) {
    %at = stablehlo.iota dim = 1 : tensor<4x33xi32>
    %s:2 = "stablehlo.sort"(%x, %at) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
        %m = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %m : tensor<i1>
    }) {dimension = 1 : i64, is_stable = true} : (tensor<4x33xf32>, tensor<4x33xi32>) -> (tensor<4x33xf32>, tensor<4x33xi32>)
    %v = stablehlo.slice %s#0 [0:4, 0:5] : (tensor<4x33xf32>) -> tensor<4x5xf32>
    %i = stablehlo.slice %s#1 [0:4, 0:5] : (tensor<4x33xi32>) -> tensor<4x5xi32>
    return %v, %i : tensor<4x5xf32>, tensor<4x5xi32>
  }
}

// -----

module @top_k_all {
  func.func private @inputs() -> (tensor<3x6xf32>) {
    %x = stablehlo.constant dense<[[1.0e+00, -7.0e+00, -1.0e+00, -1.4e+01, -6.0e+00, -1.0e+00], [1.1e+01, 1.8e+01, 1.2e+01, 9.0e+00, 1.6e+01, -8.0e+00], [1.8e+01, -8.0e+00, -1.8e+01, 1.1e+01, -1.1e+01, 1.8e+01]]> : tensor<3x6xf32>
    return %x : tensor<3x6xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3x6xf32>)
    %v, %i = stablehlo.composite "chlo.top_k" %x {composite_attributes = {k = 6 : i64,
      largest = true}, decomposition = @chlo.top_k.impl} : (tensor<3x6xf32>) -> (tensor<3x6xf32>, tensor<3x6xi32>)
    %v_expected = stablehlo.constant dense<[[1.0e+00, -1.0e+00, -1.0e+00, -6.0e+00, -7.0e+00, -1.4e+01], [1.8e+01, 1.6e+01, 1.2e+01, 1.1e+01, 9.0e+00, -8.0e+00], [1.8e+01, 1.8e+01, 1.1e+01, -8.0e+00, -1.1e+01, -1.8e+01]]> : tensor<3x6xf32>
    %i_expected = stablehlo.constant dense<[[0, 2, 5, 4, 1, 3], [1, 4, 2, 0, 3, 5], [0, 5, 3, 1, 4, 2]]> : tensor<3x6xi32>
    stablehlo.custom_call @check.expect_eq(%v, %v_expected) {has_side_effect = true} : (tensor<3x6xf32>, tensor<3x6xf32>) -> ()
    stablehlo.custom_call @check.expect_eq(%i, %i_expected) {has_side_effect = true} : (tensor<3x6xi32>, tensor<3x6xi32>) -> ()
    return
  }
  func.func private @chlo.top_k.impl(%x: tensor<3x6xf32>) -> (tensor<3x6xf32>, tensor<3x6xi32>) {
    %at = stablehlo.iota dim = 1 : tensor<3x6xi32>
    %s:2 = "stablehlo.sort"(%x, %at) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
        %m = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %m : tensor<i1>
    }) {dimension = 1 : i64, is_stable = true} : (tensor<3x6xf32>, tensor<3x6xi32>) -> (tensor<3x6xf32>, tensor<3x6xi32>)
    %v = stablehlo.slice %s#0 [0:3, 0:6] : (tensor<3x6xf32>) -> tensor<3x6xf32>
    %i = stablehlo.slice %s#1 [0:3, 0:6] : (tensor<3x6xi32>) -> tensor<3x6xi32>
    return %v, %i : tensor<3x6xf32>, tensor<3x6xi32>
  }
}

// -----

module @top_k_one {
  func.func private @inputs() -> (tensor<2x100xf32>) {
    %x = stablehlo.constant dense<"0x000030410000804000000040000020C100004041000040C000008041000060C100000040000040C0000088C100007041000098C1000040C1000050C1000040C0000070C10000A040000088C1000088410000E0400000A04000008041000040C0000040410000C040000080BF000010C10000E0C0000088C1000060C10000504100000041000000C0000040C00000884100000041000050C1000020410000A0C100005041000000000000104100000041000020C100009841000050C10000A040000040C1000088C10000A0C1000000400000C0400000A0C00000C040000050C1000080BF000040410000A0C1000000410000E04000004041000010C100008040000010C10000E040000040400000E04000003041000020C100004041000000400000004100006041000050C10000C0C0000080BF000060C1000000400000A0C1000040C0000088C1000080C0000040C00000A0400000A0C1000020C10000E04000009041000000410000000000008841000080410000104100008040000040C00000604100003041000000400000204100008041000090C10000C0C0000098C100002041000050C10000A04000008841000080C00000A0C0000040C000004041000050C10000C0C0000080BF0000A040000000410000C0C000000000000040410000C04000000000000040C1000088410000C0C000004041000020C100009841000040400000E0C000000000000010C1000088410000A0400000803F0000004100005041000040C000000041000060C10000A040000030C10000C04000009841000060C1000000C1000098C10000E0C00000803F0000000000004041000080C10000E040000060C100007041000030410000A0C0000080BF000010C1000040C10000504100008041000050C1000020C1000010C10000E040000098C10000E040000060C1000088C1000060C1000088C1000090C10000204100008041000070C100004041000050C1000040410000604100000041000000400000704100007041000060C100007041000060C10000104100006041000088C1000000000000000000008041000020C1000080BF000060C100003041000040C00000704100004041"> : tensor<2x100xf32>
    return %x : tensor<2x100xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2x100xf32>)
    %v, %i = stablehlo.composite "chlo.top_k" %x {composite_attributes = {k = 1 : i64,
      largest = true}, decomposition = @chlo.top_k.impl} : (tensor<2x100xf32>) -> (tensor<2x1xf32>, tensor<2x1xi32>)
    %v_expected = stablehlo.constant dense<1.9e+01> : tensor<2x1xf32>
    %i_expected = stablehlo.constant dense<[[45], [27]]> : tensor<2x1xi32>
    stablehlo.custom_call @check.expect_eq(%v, %v_expected) {has_side_effect = true} : (tensor<2x1xf32>, tensor<2x1xf32>) -> ()
    stablehlo.custom_call @check.expect_eq(%i, %i_expected) {has_side_effect = true} : (tensor<2x1xi32>, tensor<2x1xi32>) -> ()
    return
  }
  func.func private @chlo.top_k.impl(%x: tensor<2x100xf32>) -> (tensor<2x1xf32>, tensor<2x1xi32>) {
    %at = stablehlo.iota dim = 1 : tensor<2x100xi32>
    %s:2 = "stablehlo.sort"(%x, %at) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
        %m = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %m : tensor<i1>
    }) {dimension = 1 : i64, is_stable = true} : (tensor<2x100xf32>, tensor<2x100xi32>) -> (tensor<2x100xf32>, tensor<2x100xi32>)
    %v = stablehlo.slice %s#0 [0:2, 0:1] : (tensor<2x100xf32>) -> tensor<2x1xf32>
    %i = stablehlo.slice %s#1 [0:2, 0:1] : (tensor<2x100xi32>) -> tensor<2x1xi32>
    return %v, %i : tensor<2x1xf32>, tensor<2x1xi32>
  }
}
