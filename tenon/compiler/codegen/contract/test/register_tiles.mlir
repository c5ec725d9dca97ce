// Tiles of 16 registers: rows of a convolution's results are cut into tiles that keep the
// multiply-adds busy, not into the fewest loads. A strided 1 x 1 convolution with an input that fits
// the second-level cache sums all of k at once.
// RUN: split-file %s %t
// RUN: tenon-compile %t/rows14.mlir -s program --arch x86_64 --cpu znver3 | FileCheck %s --check-prefix=ROWS14
// RUN: tenon-compile %t/rows7.mlir -s program --arch x86_64 --cpu znver3 | FileCheck %s --check-prefix=ROWS7
// RUN: tenon-compile %t/strided.mlir -s program --arch x86_64 --cpu znver3 | FileCheck %s --check-prefix=STRIDED
// RUN: tenon-compile %t/in_place.mlir -s program --arch x86_64 --cpu znver3 | FileCheck %s --check-prefix=IN-PLACE

// ROWS14: row_tiles = 3 : i64, rows = 5 : i64, short_rows = 4 : i64
// ROWS14-SAME: vectors = 2 : i64
// ROWS7: row_tiles = 2 : i64, rows = 4 : i64, short_rows = 3 : i64
// ROWS7-SAME: vectors = 3 : i64
// STRIDED: k_block = 1024 : i64
// STRIDED-SAME: vectors = 3 : i64
// Half lines of a right operand that is read in place would be read twice.
// IN-PLACE: row_tiles = 3 : i64, rows = 5 : i64
// IN-PLACE-SAME: vectors = 2 : i64

//--- rows14.mlir
func.func @main(%x: tensor<1x14x14x256xf32>, %w: tensor<3x3x256x256xf32>) -> tensor<1x14x14x256xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x14x14x256xf32>, tensor<3x3x256x256xf32>) -> tensor<1x14x14x256xf32>
  return %0 : tensor<1x14x14x256xf32>
}

//--- rows7.mlir
func.func @main(%x: tensor<1x7x7x512xf32>, %w: tensor<3x3x512x512xf32>) -> tensor<1x7x7x512xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x7x7x512xf32>, tensor<3x3x512x512xf32>) -> tensor<1x7x7x512xf32>
  return %0 : tensor<1x7x7x512xf32>
}

//--- strided.mlir
func.func @main(%x: tensor<1x14x14x1024xf32>, %w: tensor<1x1x1024x2048xf32>) -> tensor<1x7x7x2048xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x14x14x1024xf32>, tensor<1x1x1024x2048xf32>) -> tensor<1x7x7x2048xf32>
  return %0 : tensor<1x7x7x2048xf32>
}

//--- in_place.mlir
func.func @main(%a: tensor<14x768xf32>, %b: tensor<768x768xf32>) -> tensor<14x768xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<14x768xf32>, tensor<768x768xf32>) -> tensor<14x768xf32>
  return %0 : tensor<14x768xf32>
}
