// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @mulhi_i8 {
  func.func private @inputs() -> (tensor<23xi8>, tensor<23xi8>) {
    %x = stablehlo.constant dense<[-128, 127, 3, 78, -107, -83, -68, -82, 76, 93, 20, -118, -104, -44, -18, 30, -6, -61, -88, 48, 59, -120, -100]> : tensor<23xi8>
    %y = stablehlo.constant dense<[-54, 93, 49, 37, 37, -47, -56, 72, 115, 64, 60, -84, 21, 41, -19, -21, 3, 98, -29, -13, 3, 127, -128]> : tensor<23xi8>
    return %x, %y : tensor<23xi8>, tensor<23xi8>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<23xi8>, tensor<23xi8>)
    %r = stablehlo.composite "chlo.mulhi" %x, %y {decomposition = @chlo.mulhi.impl}
      : (tensor<23xi8>, tensor<23xi8>) -> tensor<23xi8>
    %r_expected = stablehlo.constant dense<[27, 46, 0, 11, -16, 15, 14, -24, 34, 23, 4, 38, -9, -8, 1, -3, -1, -24, 9, -3, 0, -60, 50]> : tensor<23xi8>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<23xi8>, tensor<23xi8>) -> ()
    return
  }
  func.func private @chlo.mulhi.impl(%x: tensor<23xi8>, %y: tensor<23xi8>) -> tensor<23xi8> {
    %a = stablehlo.convert %x : (tensor<23xi8>) -> tensor<23xi16>
    %b = stablehlo.convert %y : (tensor<23xi8>) -> tensor<23xi16>
    %p = stablehlo.multiply %a, %b : tensor<23xi16>
    %n = stablehlo.constant dense<8> : tensor<23xi16>
    %h = stablehlo.shift_right_logical %p, %n : tensor<23xi16>
    %r = stablehlo.convert %h : (tensor<23xi16>) -> tensor<23xi8>
    return %r : tensor<23xi8>
  }
}

// -----

module @mulhi_i16 {
  func.func private @inputs() -> (tensor<23xi16>, tensor<23xi16>) {
    %x = stablehlo.constant dense<[-32768, 32767, 3, 20413, -27155, -21009, -17249, -20883, 19743, 24197, 5383, -30186, -26600, -10998, -4384, 7944, -1374, -15416, -22300, 12544, 15372, -30626, -25319]> : tensor<23xi16>
    %y = stablehlo.constant dense<[-13585, 24198, 12858, 9853, 9734, -11798, -14143, 18755, 29900, 16825, 15586, -21442, 5687, 10900, -4547, -5236, 1096, 25415, -7129, -3138, 3, 32767, -32768]> : tensor<23xi16>
    return %x, %y : tensor<23xi16>, tensor<23xi16>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<23xi16>, tensor<23xi16>)
    %r = stablehlo.composite "chlo.mulhi" %x, %y {decomposition = @chlo.mulhi.impl}
      : (tensor<23xi16>, tensor<23xi16>) -> tensor<23xi16>
    %r_expected = stablehlo.constant dense<[6792, 12098, 0, 3068, -4034, 3782, 3722, -5977, 9007, 6212, 1280, 9876, -2309, -1830, 304, -635, -23, -5979, 2425, -601, 0, -15313, 12659]> : tensor<23xi16>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<23xi16>, tensor<23xi16>) -> ()
    return
  }
  func.func private @chlo.mulhi.impl(%x: tensor<23xi16>, %y: tensor<23xi16>) -> tensor<23xi16> {
    %a = stablehlo.convert %x : (tensor<23xi16>) -> tensor<23xi32>
    %b = stablehlo.convert %y : (tensor<23xi16>) -> tensor<23xi32>
    %p = stablehlo.multiply %a, %b : tensor<23xi32>
    %n = stablehlo.constant dense<16> : tensor<23xi32>
    %h = stablehlo.shift_right_logical %p, %n : tensor<23xi32>
    %r = stablehlo.convert %h : (tensor<23xi32>) -> tensor<23xi16>
    return %r : tensor<23xi16>
  }
}

// -----

module @mulhi_i32 {
  func.func private @inputs() -> (tensor<23xi32>, tensor<23xi32>) {
    %x = stablehlo.constant dense<[-2147483648, 2147483647, 3, 1337901815, -1779623278, -1376791564, -1130390268, -1368527819, 1293963974, 1585841955, 352883256, -1978265843, -1743204209, -720688890, -287217606, 520669665, -89973991, -1010226912, -1461410235, 822129457, 1007501192, -2007088898, -1659266041]> : tensor<23xi32>
    %y = stablehlo.constant dense<[-890257606, 1585944844, 842741287, 645802132, 638005395, -773143209, -926848946, 1229221535, 1959652936, 1102695693, 1021505517, -1405173431, 372797024, 714401070, -297950385, -343107313, 71898535, 1665695724, -467171366, -205614436, 3, 2147483647, -2147483648]> : tensor<23xi32>
    return %x, %y : tensor<23xi32>, tensor<23xi32>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<23xi32>, tensor<23xi32>)
    %r = stablehlo.composite "chlo.mulhi" %x, %y {decomposition = @chlo.mulhi.impl}
      : (tensor<23xi32>, tensor<23xi32>) -> tensor<23xi32>
    %r_expected = stablehlo.constant dense<[445128803, 792972421, 0, 201170296, -264358068, 247838219, 243936904, -391673266, 590393389, 407151201, 83928972, 647224160, -151307635, -119875399, 19924853, -41594163, -1506182, -391791260, 158960236, -39358085, 0, -1003544449, 829633020]> : tensor<23xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<23xi32>, tensor<23xi32>) -> ()
    return
  }
  func.func private @chlo.mulhi.impl(%x: tensor<23xi32>, %y: tensor<23xi32>) -> tensor<23xi32> {
    %a = stablehlo.convert %x : (tensor<23xi32>) -> tensor<23xi64>
    %b = stablehlo.convert %y : (tensor<23xi32>) -> tensor<23xi64>
    %p = stablehlo.multiply %a, %b : tensor<23xi64>
    %n = stablehlo.constant dense<32> : tensor<23xi64>
    %h = stablehlo.shift_right_logical %p, %n : tensor<23xi64>
    %r = stablehlo.convert %h : (tensor<23xi64>) -> tensor<23xi32>
    return %r : tensor<23xi32>
  }
}

// -----

module @mulhi_ui8 {
  func.func private @inputs() -> (tensor<23xui8>, tensor<23xui8>) {
    %x = stablehlo.constant dense<[0, 255, 3, 206, 21, 45, 60, 46, 204, 221, 148, 10, 24, 84, 110, 158, 122, 67, 40, 176, 187, 8, 28]> : tensor<23xui8>
    %y = stablehlo.constant dense<[74, 221, 177, 165, 165, 81, 72, 200, 243, 192, 188, 44, 149, 169, 109, 107, 131, 226, 99, 115, 3, 255, 0]> : tensor<23xui8>
    return %x, %y : tensor<23xui8>, tensor<23xui8>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<23xui8>, tensor<23xui8>)
    %r = stablehlo.composite "chlo.mulhi" %x, %y {decomposition = @chlo.mulhi.impl}
      : (tensor<23xui8>, tensor<23xui8>) -> tensor<23xui8>
    %r_expected = stablehlo.constant dense<[0, 220, 2, 132, 13, 14, 16, 35, 193, 165, 108, 1, 13, 55, 46, 66, 62, 59, 15, 79, 2, 7, 0]> : tensor<23xui8>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<23xui8>, tensor<23xui8>) -> ()
    return
  }
  func.func private @chlo.mulhi.impl(%x: tensor<23xui8>, %y: tensor<23xui8>) -> tensor<23xui8> {
    %a = stablehlo.convert %x : (tensor<23xui8>) -> tensor<23xui16>
    %b = stablehlo.convert %y : (tensor<23xui8>) -> tensor<23xui16>
    %p = stablehlo.multiply %a, %b : tensor<23xui16>
    %n = stablehlo.constant dense<8> : tensor<23xui16>
    %h = stablehlo.shift_right_logical %p, %n : tensor<23xui16>
    %r = stablehlo.convert %h : (tensor<23xui16>) -> tensor<23xui8>
    return %r : tensor<23xui8>
  }
}

// -----

module @mulhi_ui16 {
  func.func private @inputs() -> (tensor<23xui16>, tensor<23xui16>) {
    %x = stablehlo.constant dense<[0, 65535, 3, 53181, 5613, 11759, 15519, 11885, 52511, 56965, 38151, 2582, 6168, 21770, 28384, 40712, 31394, 17352, 10468, 45312, 48140, 2142, 7449]> : tensor<23xui16>
    %y = stablehlo.constant dense<[19183, 56966, 45626, 42621, 42502, 20970, 18625, 51523, 62668, 49593, 48354, 11326, 38455, 43668, 28221, 27532, 33864, 58183, 25639, 29630, 3, 65535, 0]> : tensor<23xui16>
    return %x, %y : tensor<23xui16>, tensor<23xui16>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<23xui16>, tensor<23xui16>)
    %r = stablehlo.composite "chlo.mulhi" %x, %y {decomposition = @chlo.mulhi.impl}
      : (tensor<23xui16>, tensor<23xui16>) -> tensor<23xui16>
    %r_expected = stablehlo.constant dense<[0, 56965, 2, 34585, 3640, 3762, 4410, 9343, 50213, 43107, 28148, 446, 3619, 14505, 12222, 17103, 16222, 15405, 4095, 20486, 2, 2141, 0]> : tensor<23xui16>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<23xui16>, tensor<23xui16>) -> ()
    return
  }
  func.func private @chlo.mulhi.impl(%x: tensor<23xui16>, %y: tensor<23xui16>) -> tensor<23xui16> {
    %a = stablehlo.convert %x : (tensor<23xui16>) -> tensor<23xui32>
    %b = stablehlo.convert %y : (tensor<23xui16>) -> tensor<23xui32>
    %p = stablehlo.multiply %a, %b : tensor<23xui32>
    %n = stablehlo.constant dense<16> : tensor<23xui32>
    %h = stablehlo.shift_right_logical %p, %n : tensor<23xui32>
    %r = stablehlo.convert %h : (tensor<23xui32>) -> tensor<23xui16>
    return %r : tensor<23xui16>
  }
}

// -----

module @mulhi_ui32 {
  func.func private @inputs() -> (tensor<23xui32>, tensor<23xui32>) {
    %x = stablehlo.constant dense<[0, 4294967295, 3, 3485385463, 367860370, 770692084, 1017093380, 778955829, 3441447622, 3733325603, 2500366904, 169217805, 404279439, 1426794758, 1860266042, 2668153313, 2057509657, 1137256736, 686073413, 2969613105, 3154984840, 140394750, 488217607]> : tensor<23xui32>
    %y = stablehlo.constant dense<[1257226042, 3733428492, 2990224935, 2793285780, 2785489043, 1374340439, 1220634702, 3376705183, 4107136584, 3250179341, 3168989165, 742310217, 2520280672, 2861884718, 1849533263, 1804376335, 2219382183, 3813179372, 1680312282, 1941869212, 3, 4294967295, 0]> : tensor<23xui32>
    return %x, %y : tensor<23xui32>, tensor<23xui32>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<23xui32>, tensor<23xui32>)
    %r = stablehlo.composite "chlo.mulhi" %x, %y {decomposition = @chlo.mulhi.impl}
      : (tensor<23xui32>, tensor<23xui32>) -> tensor<23xui32>
    %r_expected = stablehlo.constant dense<[0, 3733428491, 2, 2266764094, 238574815, 246612657, 289059121, 612415416, 3290943668, 2825161849, 1844865183, 29246347, 237230597, 950722515, 801082682, 1120928837, 1063197914, 1009684970, 268411259, 1342641250, 2, 140394749, 0]> : tensor<23xui32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<23xui32>, tensor<23xui32>) -> ()
    return
  }
  func.func private @chlo.mulhi.impl(%x: tensor<23xui32>, %y: tensor<23xui32>) -> tensor<23xui32> {
    %a = stablehlo.convert %x : (tensor<23xui32>) -> tensor<23xui64>
    %b = stablehlo.convert %y : (tensor<23xui32>) -> tensor<23xui64>
    %p = stablehlo.multiply %a, %b : tensor<23xui64>
    %n = stablehlo.constant dense<32> : tensor<23xui64>
    %h = stablehlo.shift_right_logical %p, %n : tensor<23xui64>
    %r = stablehlo.convert %h : (tensor<23xui64>) -> tensor<23xui32>
    return %r : tensor<23xui32>
  }
}
