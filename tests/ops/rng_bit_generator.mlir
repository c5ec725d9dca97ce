// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @three_fry_zero_ui32_16 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<0> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<16xui32>)
    %s_expected = stablehlo.constant dense<[0, 8]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[1797259609, 2579123966, 1351547692, 3235790642, 1688610540, 4229293427, 3098264785, 87550854, 2892874427, 2813178819, 1447157908, 239777021, 2772180201, 2882477498, 645374554, 1993301756]> : tensor<16xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<16xui32>, tensor<16xui32>) -> ()
    return
  }
}

// -----

module @three_fry_zero_ui64_6 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<0> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6xui64>)
    %s_expected = stablehlo.constant dense<[0, 6]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[11077253088097075545, 13897614985444391724, 18164676955841373932, 376028057765135569, 12082511028297777851, 1029834464974463124]> : tensor<6xui64>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<6xui64>, tensor<6xui64>) -> ()
    return
  }
}

// -----

module @three_fry_zero_ui32_3x4 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<0> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
    %s_expected = stablehlo.constant dense<[0, 6]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[[1797259609, 2579123966, 1351547692, 3235790642], [1688610540, 4229293427, 3098264785, 87550854], [2892874427, 2813178819, 1447157908, 239777021]]> : tensor<3x4xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x4xui32>, tensor<3x4xui32>) -> ()
    return
  }
}

// -----

module @three_fry_zero_ui8_4x2 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<0> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x2xui8>)
    %s_expected = stablehlo.constant dense<[0, 4]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[[89, 44], [254, 50], [236, 209], [115, 134]]> : tensor<4x2xui8>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4x2xui8>, tensor<4x2xui8>) -> ()
    return
  }
}

// -----

module @three_fry_zero_ui16_2x2 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<0> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xui16>)
    %s_expected = stablehlo.constant dense<[0, 2]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[[345, 64300], [20222, 16178]]> : tensor<2x2xui16>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x2xui16>, tensor<2x2xui16>) -> ()
    return
  }
}

// -----

module @three_fry_zero_i32_8 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<0> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xi32>)
    %s_expected = stablehlo.constant dense<[0, 4]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[1797259609, -1715843330, 1351547692, -1059176654, 1688610540, -65673869, -1196702511, 87550854]> : tensor<8xi32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<8xi32>, tensor<8xi32>) -> ()
    return
  }
}

// -----

module @three_fry_zero_ui32_7 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<0> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7xui32>)
    %s_expected = stablehlo.constant dense<[0, 4]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[1797259609, 2579123966, 1351547692, 3235790642, 1688610540, 4229293427, 3098264785]> : tensor<7xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<7xui32>, tensor<7xui32>) -> ()
    return
  }
}

// -----

module @three_fry_zero_ui64_2x3 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<0> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui64>)
    %s_expected = stablehlo.constant dense<[0, 6]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[[11077253088097075545, 13897614985444391724, 18164676955841373932], [376028057765135569, 12082511028297777851, 1029834464974463124]]> : tensor<2x3xui64>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x3xui64>, tensor<2x3xui64>) -> ()
    return
  }
}

// -----

module @three_fry_zero_ui32_3x5 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<0> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
    %s_expected = stablehlo.constant dense<[0, 9]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[[1797259609, 2579123966, 1351547692, 3235790642, 1688610540], [3098264785, 87550854, 2892874427, 2813178819, 1447157908], [2772180201, 2882477498, 645374554, 1993301756, 755508351]]> : tensor<3x5xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x5xui32>, tensor<3x5xui32>) -> ()
    return
  }
}

// -----

module @three_fry_zero_ui32_3x2x5 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<0> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x2x5xui32>)
    %s_expected = stablehlo.constant dense<[0, 15]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[[[1797259609, 1351547692, 1688610540, 3098264785, 2892874427], [2579123966, 3235790642, 4229293427, 87550854, 2813178819]], [[1447157908, 2772180201, 645374554, 755508351, 757048634], [239777021, 2882477498, 1993301756, 2169798897, 3756544332]], [[882350354, 1642178052, 441180599, 3103801366, 1075548667], [1971146988, 1389307031, 4278659923, 1729034254, 1778487138]]]> : tensor<3x2x5xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x2x5xui32>, tensor<3x2x5xui32>) -> ()
    return
  }
}

// -----

module @three_fry_numbers_ui32_16 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<[81985529216486895, 18364758544493064720]> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<16xui32>)
    %s_expected = stablehlo.constant dense<[81985529216486895, 18364758544493064728]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[2933171071, 288411921, 3284946178, 2039365678, 2934253134, 2961824378, 1236338088, 2936704409, 3907330576, 3723051394, 4037253752, 3709374182, 3802624568, 1077787540, 2900944550, 3285999743]> : tensor<16xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<16xui32>, tensor<16xui32>) -> ()
    return
  }
}

// -----

module @three_fry_numbers_ui64_6 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<[81985529216486895, 18364758544493064720]> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6xui64>)
    %s_expected = stablehlo.constant dense<[81985529216486895, 18364758544493064726]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[1238719771404706687, 8759008894879812866, 12720938842939795022, 12613049395910346152, 15990383982464541200, 15931640804354005624]> : tensor<6xui64>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<6xui64>, tensor<6xui64>) -> ()
    return
  }
}

// -----

module @three_fry_numbers_ui32_3x4 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<[81985529216486895, 18364758544493064720]> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
    %s_expected = stablehlo.constant dense<[81985529216486895, 18364758544493064726]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[[2933171071, 288411921, 3284946178, 2039365678], [2934253134, 2961824378, 1236338088, 2936704409], [3907330576, 3723051394, 4037253752, 3709374182]]> : tensor<3x4xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x4xui32>, tensor<3x4xui32>) -> ()
    return
  }
}

// -----

module @three_fry_numbers_ui8_4x2 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<[81985529216486895, 18364758544493064720]> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x2xui8>)
    %s_expected = stablehlo.constant dense<[81985529216486895, 18364758544493064724]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[[127, 2], [17, 46], [78, 168], [122, 153]]> : tensor<4x2xui8>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4x2xui8>, tensor<4x2xui8>) -> ()
    return
  }
}

// -----

module @three_fry_numbers_ui16_2x2 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<[81985529216486895, 18364758544493064720]> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xui16>)
    %s_expected = stablehlo.constant dense<[81985529216486895, 18364758544493064722]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[[41855, 19714], [53521, 16430]]> : tensor<2x2xui16>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x2xui16>, tensor<2x2xui16>) -> ()
    return
  }
}

// -----

module @three_fry_numbers_i32_8 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<[81985529216486895, 18364758544493064720]> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xi32>)
    %s_expected = stablehlo.constant dense<[81985529216486895, 18364758544493064724]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[-1361796225, 288411921, -1010021118, 2039365678, -1360714162, -1333142918, 1236338088, -1358262887]> : tensor<8xi32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<8xi32>, tensor<8xi32>) -> ()
    return
  }
}

// -----

module @three_fry_numbers_ui32_7 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<[81985529216486895, 18364758544493064720]> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7xui32>)
    %s_expected = stablehlo.constant dense<[81985529216486895, 18364758544493064724]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[2933171071, 288411921, 3284946178, 2039365678, 2934253134, 2961824378, 1236338088]> : tensor<7xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<7xui32>, tensor<7xui32>) -> ()
    return
  }
}

// -----

module @three_fry_numbers_ui64_2x3 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<[81985529216486895, 18364758544493064720]> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui64>)
    %s_expected = stablehlo.constant dense<[81985529216486895, 18364758544493064726]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[[1238719771404706687, 8759008894879812866, 12720938842939795022], [12613049395910346152, 15990383982464541200, 15931640804354005624]]> : tensor<2x3xui64>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x3xui64>, tensor<2x3xui64>) -> ()
    return
  }
}

// -----

module @three_fry_numbers_ui32_3x5 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<[81985529216486895, 18364758544493064720]> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
    %s_expected = stablehlo.constant dense<[81985529216486895, 18364758544493064729]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[[2933171071, 288411921, 3284946178, 2039365678, 2934253134], [1236338088, 2936704409, 3907330576, 3723051394, 4037253752], [3802624568, 1077787540, 2900944550, 3285999743, 1456438002]]> : tensor<3x5xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x5xui32>, tensor<3x5xui32>) -> ()
    return
  }
}

// -----

module @three_fry_numbers_ui32_3x2x5 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<[81985529216486895, 18364758544493064720]> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x2x5xui32>)
    %s_expected = stablehlo.constant dense<[81985529216486895, 18364758544493064735]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[[[2933171071, 3284946178, 2934253134, 1236338088, 3907330576], [288411921, 2039365678, 2961824378, 2936704409, 3723051394]], [[4037253752, 3802624568, 2900944550, 1456438002, 2932252526], [3709374182, 1077787540, 3285999743, 2254160962, 3737148242]], [[1145661334, 2582000822, 3922751391, 1486211472, 2364268146], [2210776536, 1079047679, 1115219802, 3152817360, 2185630811]]]> : tensor<3x2x5xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x2x5xui32>, tensor<3x2x5xui32>) -> ()
    return
  }
}

// -----

module @three_fry_carry_ui32_16 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<[7, 18446744073709551614]> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<16xui32>)
    %s_expected = stablehlo.constant dense<[7, 6]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[3290684823, 2706353130, 3493762567, 1599218323, 3901892970, 3158004665, 2964889903, 1334547408, 407867057, 314635895, 730828980, 4259198292, 639261804, 993937400, 1271531411, 2450972709]> : tensor<16xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<16xui32>, tensor<16xui32>) -> ()
    return
  }
}

// -----

module @three_fry_carry_ui64_6 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<[7, 18446744073709551614]> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6xui64>)
    %s_expected = stablehlo.constant dense<[7, 4]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[11623698188067921303, 6868590399942727175, 13563526760692328810, 5731837475286458671, 1351350879580556977, 18293117372049887412]> : tensor<6xui64>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<6xui64>, tensor<6xui64>) -> ()
    return
  }
}

// -----

module @three_fry_carry_ui32_3x4 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<[7, 18446744073709551614]> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
    %s_expected = stablehlo.constant dense<[7, 4]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[[3290684823, 2706353130, 3493762567, 1599218323], [3901892970, 3158004665, 2964889903, 1334547408], [407867057, 314635895, 730828980, 4259198292]]> : tensor<3x4xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x4xui32>, tensor<3x4xui32>) -> ()
    return
  }
}

// -----

module @three_fry_carry_ui8_4x2 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<[7, 18446744073709551614]> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x2xui8>)
    %s_expected = stablehlo.constant dense<[7, 2]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[[151, 7], [234, 147], [106, 47], [185, 208]]> : tensor<4x2xui8>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4x2xui8>, tensor<4x2xui8>) -> ()
    return
  }
}

// -----

module @three_fry_carry_ui16_2x2 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<[7, 18446744073709551614]> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xui16>)
    %s_expected = stablehlo.constant dense<[7, 0]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[[56727, 38407], [44010, 8851]]> : tensor<2x2xui16>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x2xui16>, tensor<2x2xui16>) -> ()
    return
  }
}

// -----

module @three_fry_carry_i32_8 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<[7, 18446744073709551614]> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xi32>)
    %s_expected = stablehlo.constant dense<[7, 2]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[-1004282473, -1588614166, -801204729, 1599218323, -393074326, -1136962631, -1330077393, 1334547408]> : tensor<8xi32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<8xi32>, tensor<8xi32>) -> ()
    return
  }
}

// -----

module @three_fry_carry_ui32_7 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<[7, 18446744073709551614]> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7xui32>)
    %s_expected = stablehlo.constant dense<[7, 2]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[3290684823, 2706353130, 3493762567, 1599218323, 3901892970, 3158004665, 2964889903]> : tensor<7xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<7xui32>, tensor<7xui32>) -> ()
    return
  }
}

// -----

module @three_fry_carry_ui64_2x3 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<[7, 18446744073709551614]> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui64>)
    %s_expected = stablehlo.constant dense<[7, 4]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[[11623698188067921303, 6868590399942727175, 13563526760692328810], [5731837475286458671, 1351350879580556977, 18293117372049887412]]> : tensor<2x3xui64>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x3xui64>, tensor<2x3xui64>) -> ()
    return
  }
}

// -----

module @three_fry_carry_ui32_3x5 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<[7, 18446744073709551614]> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
    %s_expected = stablehlo.constant dense<7> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[[3290684823, 2706353130, 3493762567, 1599218323, 3901892970], [2964889903, 1334547408, 407867057, 314635895, 730828980], [639261804, 993937400, 1271531411, 2450972709, 4036977864]]> : tensor<3x5xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x5xui32>, tensor<3x5xui32>) -> ()
    return
  }
}

// -----

module @three_fry_carry_ui32_3x2x5 {
  func.func private @inputs() -> (tensor<2xui64>) {
    %x = stablehlo.constant dense<[7, 18446744073709551614]> : tensor<2xui64>
    return %x : tensor<2xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x2x5xui32>)
    %s_expected = stablehlo.constant dense<[7, 13]> : tensor<2xui64>
    %r_expected = stablehlo.constant dense<[[[3290684823, 3493762567, 3901892970, 2964889903, 407867057], [2706353130, 1599218323, 3158004665, 1334547408, 314635895]], [[730828980, 639261804, 1271531411, 4036977864, 2136903383], [4259198292, 993937400, 2450972709, 125766773, 2095082612]], [[1478943784, 2148922066, 17873132, 2218545827, 1460919419], [3085711981, 1218255668, 884161837, 757886286, 1895465418]]]> : tensor<3x2x5xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x2x5xui32>, tensor<3x2x5xui32>) -> ()
    return
  }
}

// -----

module @philox_zero_ui32_16 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<0> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<16xui32>)
    %s_expected = stablehlo.constant dense<[0, 4, 0]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[1713891541, 3781805453, 3159862348, 2600524760, 4175744164, 1555169499, 2980410603, 159317863, 83534633, 1372009126, 605361069, 1167144420, 3381718825, 1782871206, 2596868943, 1832992260]> : tensor<16xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<16xui32>, tensor<16xui32>) -> ()
    return
  }
}

// -----

module @philox_zero_ui64_6 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<0> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<6xui64>)
    %s_expected = stablehlo.constant dense<[0, 3, 0]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[16242730742183356629, 11169168799798111308, 6679402142117448868, 684265014234019051, 5892734326067077929, 5012847114214249389]> : tensor<6xui64>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<6xui64>, tensor<6xui64>) -> ()
    return
  }
}

// -----

module @philox_zero_ui32_3x4 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<0> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x4xui32>)
    %s_expected = stablehlo.constant dense<[0, 3, 0]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[[1713891541, 3781805453, 3159862348, 2600524760], [4175744164, 1555169499, 2980410603, 159317863], [83534633, 1372009126, 605361069, 1167144420]]> : tensor<3x4xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x4xui32>, tensor<3x4xui32>) -> ()
    return
  }
}

// -----

module @philox_zero_ui8_4x2 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<0> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4x2xui8>)
    %s_expected = stablehlo.constant dense<[0, 2, 0]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[[213, 141], [76, 216], [164, 219], [235, 103]]> : tensor<4x2xui8>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4x2xui8>, tensor<4x2xui8>) -> ()
    return
  }
}

// -----

module @philox_zero_ui16_2x2 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<0> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2x2xui16>)
    %s_expected = stablehlo.constant dense<[0, 1, 0]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[[59605, 50573], [44108, 56280]]> : tensor<2x2xui16>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x2xui16>, tensor<2x2xui16>) -> ()
    return
  }
}

// -----

module @philox_zero_i32_8 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<0> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<8xi32>)
    %s_expected = stablehlo.constant dense<[0, 2, 0]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[1713891541, -513161843, -1135104948, -1694442536, -119223132, 1555169499, -1314556693, 159317863]> : tensor<8xi32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<8xi32>, tensor<8xi32>) -> ()
    return
  }
}

// -----

module @philox_zero_ui32_7 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<0> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<7xui32>)
    %s_expected = stablehlo.constant dense<[0, 2, 0]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[1713891541, 3781805453, 3159862348, 2600524760, 4175744164, 1555169499, 2980410603]> : tensor<7xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<7xui32>, tensor<7xui32>) -> ()
    return
  }
}

// -----

module @philox_zero_ui64_2x3 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<0> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2x3xui64>)
    %s_expected = stablehlo.constant dense<[0, 3, 0]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[[16242730742183356629, 11169168799798111308, 6679402142117448868], [684265014234019051, 5892734326067077929, 5012847114214249389]]> : tensor<2x3xui64>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x3xui64>, tensor<2x3xui64>) -> ()
    return
  }
}

// -----

module @philox_zero_ui32_3x5 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<0> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x5xui32>)
    %s_expected = stablehlo.constant dense<[0, 4, 0]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[[1713891541, 3781805453, 3159862348, 2600524760, 4175744164], [1555169499, 2980410603, 159317863, 83534633, 1372009126], [605361069, 1167144420, 3381718825, 1782871206, 2596868943]]> : tensor<3x5xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x5xui32>, tensor<3x5xui32>) -> ()
    return
  }
}

// -----

module @philox_zero_ui32_3x2x5 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<0> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x2x5xui32>)
    %s_expected = stablehlo.constant dense<[0, 8, 0]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[[[1713891541, 3781805453, 3159862348, 2600524760, 4175744164], [1555169499, 2980410603, 159317863, 83534633, 1372009126]], [[605361069, 1167144420, 3381718825, 1782871206, 2596868943], [1832992260, 4013802324, 2979262830, 4046415548, 3938385242]], [[1934136315, 119182898, 2878821274, 1526716903, 3064941560], [3467676723, 3563248412, 148328352, 2830310705, 182738035]]]> : tensor<3x2x5xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x2x5xui32>, tensor<3x2x5xui32>) -> ()
    return
  }
}

// -----

module @philox_numbers_ui32_16 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<[81985529216486895, 18364758544493064720, 42]> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<16xui32>)
    %s_expected = stablehlo.constant dense<[81985529216486895, 18364758544493064724, 42]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[3220583499, 253405776, 4271465066, 2188380997, 1058899484, 357848800, 3750761746, 2391041246, 1635470295, 967597444, 777462980, 2801897828, 2292232115, 2115242862, 60791252, 928825218]> : tensor<16xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<16xui32>, tensor<16xui32>) -> ()
    return
  }
}

// -----

module @philox_numbers_ui64_6 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<[81985529216486895, 18364758544493064720, 42]> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<6xui64>)
    %s_expected = stablehlo.constant dense<[81985529216486895, 18364758544493064723, 42]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[1088369523758085195, 9399024817574339178, 1536948893971744284, 10269443958707852562, 4155799379308661719, 12034059538770896068]> : tensor<6xui64>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<6xui64>, tensor<6xui64>) -> ()
    return
  }
}

// -----

module @philox_numbers_ui32_3x4 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<[81985529216486895, 18364758544493064720, 42]> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x4xui32>)
    %s_expected = stablehlo.constant dense<[81985529216486895, 18364758544493064723, 42]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[[3220583499, 253405776, 4271465066, 2188380997], [1058899484, 357848800, 3750761746, 2391041246], [1635470295, 967597444, 777462980, 2801897828]]> : tensor<3x4xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x4xui32>, tensor<3x4xui32>) -> ()
    return
  }
}

// -----

module @philox_numbers_ui8_4x2 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<[81985529216486895, 18364758544493064720, 42]> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4x2xui8>)
    %s_expected = stablehlo.constant dense<[81985529216486895, 18364758544493064722, 42]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[[75, 80], [106, 69], [28, 224], [18, 222]]> : tensor<4x2xui8>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4x2xui8>, tensor<4x2xui8>) -> ()
    return
  }
}

// -----

module @philox_numbers_ui16_2x2 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<[81985529216486895, 18364758544493064720, 42]> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2x2xui16>)
    %s_expected = stablehlo.constant dense<[81985529216486895, 18364758544493064721, 42]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[[13387, 43600], [25194, 2885]]> : tensor<2x2xui16>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x2xui16>, tensor<2x2xui16>) -> ()
    return
  }
}

// -----

module @philox_numbers_i32_8 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<[81985529216486895, 18364758544493064720, 42]> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<8xi32>)
    %s_expected = stablehlo.constant dense<[81985529216486895, 18364758544493064722, 42]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[-1074383797, 253405776, -23502230, -2106586299, 1058899484, 357848800, -544205550, -1903926050]> : tensor<8xi32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<8xi32>, tensor<8xi32>) -> ()
    return
  }
}

// -----

module @philox_numbers_ui32_7 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<[81985529216486895, 18364758544493064720, 42]> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<7xui32>)
    %s_expected = stablehlo.constant dense<[81985529216486895, 18364758544493064722, 42]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[3220583499, 253405776, 4271465066, 2188380997, 1058899484, 357848800, 3750761746]> : tensor<7xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<7xui32>, tensor<7xui32>) -> ()
    return
  }
}

// -----

module @philox_numbers_ui64_2x3 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<[81985529216486895, 18364758544493064720, 42]> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2x3xui64>)
    %s_expected = stablehlo.constant dense<[81985529216486895, 18364758544493064723, 42]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[[1088369523758085195, 9399024817574339178, 1536948893971744284], [10269443958707852562, 4155799379308661719, 12034059538770896068]]> : tensor<2x3xui64>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x3xui64>, tensor<2x3xui64>) -> ()
    return
  }
}

// -----

module @philox_numbers_ui32_3x5 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<[81985529216486895, 18364758544493064720, 42]> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x5xui32>)
    %s_expected = stablehlo.constant dense<[81985529216486895, 18364758544493064724, 42]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[[3220583499, 253405776, 4271465066, 2188380997, 1058899484], [357848800, 3750761746, 2391041246, 1635470295, 967597444], [777462980, 2801897828, 2292232115, 2115242862, 60791252]]> : tensor<3x5xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x5xui32>, tensor<3x5xui32>) -> ()
    return
  }
}

// -----

module @philox_numbers_ui32_3x2x5 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<[81985529216486895, 18364758544493064720, 42]> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x2x5xui32>)
    %s_expected = stablehlo.constant dense<[81985529216486895, 18364758544493064728, 42]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[[[3220583499, 253405776, 4271465066, 2188380997, 1058899484], [357848800, 3750761746, 2391041246, 1635470295, 967597444]], [[777462980, 2801897828, 2292232115, 2115242862, 60791252], [928825218, 2454434589, 1437178085, 2476022491, 1447312171]], [[943878000, 3817101148, 3823008426, 3861603605, 1947565697], [4244289401, 3014006458, 4024639377, 3968661428, 1581271828]]]> : tensor<3x2x5xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x2x5xui32>, tensor<3x2x5xui32>) -> ()
    return
  }
}

// -----

module @philox_carry_ui32_16 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<[7, 18446744073709551614, 18446744073709551615]> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<16xui32>)
    %s_expected = stablehlo.constant dense<[7, 2, 0]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[660720218, 515718778, 289299272, 3564936728, 3062376279, 2540987067, 304614663, 2274073934, 4099963437, 3221879260, 490388034, 367897730, 1747881627, 3415718931, 737869675, 4113952422]> : tensor<16xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<16xui32>, tensor<16xui32>) -> ()
    return
  }
}

// -----

module @philox_carry_ui64_6 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<[7, 18446744073709551614, 18446744073709551615]> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<6xui64>)
    %s_expected = stablehlo.constant dense<[7, 1, 0]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[2214995286103804506, 15311286659358546760, 10913456355386337111, 9767073175520677127, 13837866057460644397, 1580108719113026114]> : tensor<6xui64>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<6xui64>, tensor<6xui64>) -> ()
    return
  }
}

// -----

module @philox_carry_ui32_3x4 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<[7, 18446744073709551614, 18446744073709551615]> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x4xui32>)
    %s_expected = stablehlo.constant dense<[7, 1, 0]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[[660720218, 515718778, 289299272, 3564936728], [3062376279, 2540987067, 304614663, 2274073934], [4099963437, 3221879260, 490388034, 367897730]]> : tensor<3x4xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x4xui32>, tensor<3x4xui32>) -> ()
    return
  }
}

// -----

module @philox_carry_ui8_4x2 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<[7, 18446744073709551614, 18446744073709551615]> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4x2xui8>)
    %s_expected = stablehlo.constant dense<[7, 0, 0]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[[90, 122], [72, 24], [87, 187], [7, 78]]> : tensor<4x2xui8>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4x2xui8>, tensor<4x2xui8>) -> ()
    return
  }
}

// -----

module @philox_carry_ui16_2x2 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<[7, 18446744073709551614, 18446744073709551615]> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2x2xui16>)
    %s_expected = stablehlo.constant dense<[7, 18446744073709551615, 18446744073709551615]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[[51802, 15994], [23368, 40472]]> : tensor<2x2xui16>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x2xui16>, tensor<2x2xui16>) -> ()
    return
  }
}

// -----

module @philox_carry_i32_8 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<[7, 18446744073709551614, 18446744073709551615]> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<8xi32>)
    %s_expected = stablehlo.constant dense<[7, 0, 0]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[660720218, 515718778, 289299272, -730030568, -1232591017, -1753980229, 304614663, -2020893362]> : tensor<8xi32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<8xi32>, tensor<8xi32>) -> ()
    return
  }
}

// -----

module @philox_carry_ui32_7 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<[7, 18446744073709551614, 18446744073709551615]> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<7xui32>)
    %s_expected = stablehlo.constant dense<[7, 0, 0]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[660720218, 515718778, 289299272, 3564936728, 3062376279, 2540987067, 304614663]> : tensor<7xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<7xui32>, tensor<7xui32>) -> ()
    return
  }
}

// -----

module @philox_carry_ui64_2x3 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<[7, 18446744073709551614, 18446744073709551615]> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2x3xui64>)
    %s_expected = stablehlo.constant dense<[7, 1, 0]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[[2214995286103804506, 15311286659358546760, 10913456355386337111], [9767073175520677127, 13837866057460644397, 1580108719113026114]]> : tensor<2x3xui64>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x3xui64>, tensor<2x3xui64>) -> ()
    return
  }
}

// -----

module @philox_carry_ui32_3x5 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<[7, 18446744073709551614, 18446744073709551615]> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x5xui32>)
    %s_expected = stablehlo.constant dense<[7, 2, 0]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[[660720218, 515718778, 289299272, 3564936728, 3062376279], [2540987067, 304614663, 2274073934, 4099963437, 3221879260], [490388034, 367897730, 1747881627, 3415718931, 737869675]]> : tensor<3x5xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x5xui32>, tensor<3x5xui32>) -> ()
    return
  }
}

// -----

module @philox_carry_ui32_3x2x5 {
  func.func private @inputs() -> (tensor<3xui64>) {
    %x = stablehlo.constant dense<[7, 18446744073709551614, 18446744073709551615]> : tensor<3xui64>
    return %x : tensor<3xui64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xui64>)
    %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x2x5xui32>)
    %s_expected = stablehlo.constant dense<[7, 6, 0]> : tensor<3xui64>
    %r_expected = stablehlo.constant dense<[[[660720218, 515718778, 289299272, 3564936728, 3062376279], [2540987067, 304614663, 2274073934, 4099963437, 3221879260]], [[490388034, 367897730, 1747881627, 3415718931, 737869675], [4113952422, 26092480, 36305844, 3468852330, 3645055143]], [[1675892246, 1074293615, 634688835, 597108639, 1245233954], [4250271438, 2995184997, 2345151625, 1454331580, 1444137393]]]> : tensor<3x2x5xui32>
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x2x5xui32>, tensor<3x2x5xui32>) -> ()
    return
  }
}
