// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @contiguous {
  func.func private @inputs() -> (tensor<10xi32>) {
    %x = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]> : tensor<10xi32>
    return %x : tensor<10xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<10xi32>)
    %r = stablehlo.slice %x [2:7:1] : (tensor<10xi32>) -> tensor<5xi32>
    %r_expected = stablehlo.constant dense<[2, 3, 4, 5, 6]> : tensor<5xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<5xi32>, tensor<5xi32>) -> ()
    return
  }
}

// -----

module @strides {
  func.func private @inputs() -> (tensor<10x9xi32>) {
    %x = stablehlo.constant dense<"0x000000000100000002000000030000000400000005000000060000000700000008000000090000000A0000000B0000000C0000000D0000000E0000000F000000100000001100000012000000130000001400000015000000160000001700000018000000190000001A0000001B0000001C0000001D0000001E0000001F000000200000002100000022000000230000002400000025000000260000002700000028000000290000002A0000002B0000002C0000002D0000002E0000002F000000300000003100000032000000330000003400000035000000360000003700000038000000390000003A0000003B0000003C0000003D0000003E0000003F000000400000004100000042000000430000004400000045000000460000004700000048000000490000004A0000004B0000004C0000004D0000004E0000004F00000050000000510000005200000053000000540000005500000056000000570000005800000059000000"> : tensor<10x9xi32>
    return %x : tensor<10x9xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<10x9xi32>)
    %r = stablehlo.slice %x [1:10:3, 0:9:4] : (tensor<10x9xi32>) -> tensor<3x3xi32>
    %r_expected = stablehlo.constant dense<[[9, 13, 17], [36, 40, 44], [63, 67, 71]]> : tensor<3x3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x3xi32>, tensor<3x3xi32>) -> ()
    return
  }
}

// -----

module @nothing {
  func.func private @inputs() -> (tensor<10xi32>) {
    %x = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]> : tensor<10xi32>
    return %x : tensor<10xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<10xi32>)
    %r = stablehlo.slice %x [4:4:1] : (tensor<10xi32>) -> tensor<0xi32>
    %r_expected = stablehlo.constant dense<> : tensor<0xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<0xi32>, tensor<0xi32>) -> ()
    return
  }
}

// -----

module @all {
  func.func private @inputs() -> (tensor<3x4xi32>) {
    %x = stablehlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi32>
    return %x : tensor<3x4xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3x4xi32>)
    %r = stablehlo.slice %x [0:3:1, 0:4:1] : (tensor<3x4xi32>) -> tensor<3x4xi32>
    %r_expected = stablehlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x4xi32>, tensor<3x4xi32>) -> ()
    return
  }
}

// -----

module @of_zero_extent {
  func.func private @inputs() -> (tensor<0x3xi32>) {
    %x = stablehlo.constant dense<> : tensor<0x3xi32>
    return %x : tensor<0x3xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<0x3xi32>)
    %r = stablehlo.slice %x [0:0:1, 1:3:1] : (tensor<0x3xi32>) -> tensor<0x2xi32>
    %r_expected = stablehlo.constant dense<> : tensor<0x2xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<0x2xi32>, tensor<0x2xi32>) -> ()
    return
  }
}

// -----

module @scalar {
  func.func private @inputs() -> (tensor<i32>) {
    %x = stablehlo.constant dense<0> : tensor<i32>
    return %x : tensor<i32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<i32>)
    %r = stablehlo.slice %x [] : (tensor<i32>) -> tensor<i32>
    %r_expected = stablehlo.constant dense<0> : tensor<i32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    return
  }
}

// -----

module @one_column {
  func.func private @inputs() -> (tensor<5x6xi32>) {
    %x = stablehlo.constant dense<[[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11], [12, 13, 14, 15, 16, 17], [18, 19, 20, 21, 22, 23], [24, 25, 26, 27, 28, 29]]> : tensor<5x6xi32>
    return %x : tensor<5x6xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<5x6xi32>)
    %r = stablehlo.slice %x [0:5:1, 5:6:1] : (tensor<5x6xi32>) -> tensor<5x1xi32>
    %r_expected = stablehlo.constant dense<[[5], [11], [17], [23], [29]]> : tensor<5x1xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<5x1xi32>, tensor<5x1xi32>) -> ()
    return
  }
}

// -----

module @rank_6 {
  func.func private @inputs() -> (tensor<2x3x2x3x2x3xi32>) {
    %x = stablehlo.constant dense<"0x000000000100000002000000030000000400000005000000060000000700000008000000090000000A0000000B0000000C0000000D0000000E0000000F000000100000001100000012000000130000001400000015000000160000001700000018000000190000001A0000001B0000001C0000001D0000001E0000001F000000200000002100000022000000230000002400000025000000260000002700000028000000290000002A0000002B0000002C0000002D0000002E0000002F000000300000003100000032000000330000003400000035000000360000003700000038000000390000003A0000003B0000003C0000003D0000003E0000003F000000400000004100000042000000430000004400000045000000460000004700000048000000490000004A0000004B0000004C0000004D0000004E0000004F000000500000005100000052000000530000005400000055000000560000005700000058000000590000005A0000005B0000005C0000005D0000005E0000005F000000600000006100000062000000630000006400000065000000660000006700000068000000690000006A0000006B0000006C0000006D0000006E0000006F000000700000007100000072000000730000007400000075000000760000007700000078000000790000007A0000007B0000007C0000007D0000007E0000007F000000800000008100000082000000830000008400000085000000860000008700000088000000890000008A0000008B0000008C0000008D0000008E0000008F000000900000009100000092000000930000009400000095000000960000009700000098000000990000009A0000009B0000009C0000009D0000009E0000009F000000A0000000A1000000A2000000A3000000A4000000A5000000A6000000A7000000A8000000A9000000AA000000AB000000AC000000AD000000AE000000AF000000B0000000B1000000B2000000B3000000B4000000B5000000B6000000B7000000B8000000B9000000BA000000BB000000BC000000BD000000BE000000BF000000C0000000C1000000C2000000C3000000C4000000C5000000C6000000C7000000C8000000C9000000CA000000CB000000CC000000CD000000CE000000CF000000D0000000D1000000D2000000D3000000D4000000D5000000D6000000D7000000"> : tensor<2x3x2x3x2x3xi32>
    return %x : tensor<2x3x2x3x2x3xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2x3x2x3x2x3xi32>)
    %r = stablehlo.slice %x [0:2:1, 1:3:1, 1:2:1, 0:3:2, 0:2:1, 2:3:1] : (tensor<2x3x2x3x2x3xi32>) -> tensor<2x2x1x2x2x1xi32>
    %r_expected = stablehlo.constant dense<[[[[[[56], [59]], [[68], [71]]]], [[[[92], [95]], [[104], [107]]]]], [[[[[164], [167]], [[176], [179]]]], [[[[200], [203]], [[212], [215]]]]]]> : tensor<2x2x1x2x2x1xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x2x1x2x2x1xi32>, tensor<2x2x1x2x2x1xi32>) -> ()
    return
  }
}

// -----

module @rank_12 {
  func.func private @inputs() -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>) {
    %x = stablehlo.constant dense<[[[[[[[[[[[[0]], [[1]]]]], [[[[[2]], [[3]]]]], [[[[[4]], [[5]]]]]]], [[[[[[[6]], [[7]]]]], [[[[[8]], [[9]]]]], [[[[[10]], [[11]]]]]]]]]], [[[[[[[[[[12]], [[13]]]]], [[[[[14]], [[15]]]]], [[[[[16]], [[17]]]]]]], [[[[[[[18]], [[19]]]]], [[[[[20]], [[21]]]]], [[[[[22]], [[23]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>
    return %x : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>)
    %r = stablehlo.slice %x [0:1:1, 0:2:1, 0:1:1, 0:1:1, 0:2:1, 0:1:1, 0:3:2, 0:1:1, 0:1:1, 0:2:1, 0:1:1, 0:1:1] : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>) -> tensor<1x2x1x1x2x1x2x1x1x2x1x1xi32>
    %r_expected = stablehlo.constant dense<[[[[[[[[[[[[0]], [[1]]]]], [[[[[4]], [[5]]]]]]], [[[[[[[6]], [[7]]]]], [[[[[10]], [[11]]]]]]]]]], [[[[[[[[[[12]], [[13]]]]], [[[[[16]], [[17]]]]]]], [[[[[[[18]], [[19]]]]], [[[[[22]], [[23]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x2x1x1x2x1x1xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<1x2x1x1x2x1x2x1x1x2x1x1xi32>, tensor<1x2x1x1x2x1x2x1x1x2x1x1xi32>) -> ()
    return
  }
}
