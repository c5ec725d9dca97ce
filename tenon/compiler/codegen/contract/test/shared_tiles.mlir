// Products and convolutions of other sizes, strides and paddings call the same functions. What
// differs is in their arguments. Tiles of other kinds (of integers, or of dilated inputs) have code of
// their own.
// RUN: split-file %s %t
// RUN: tenon-compile %t/rows.mlir -s llvm --threads 1 --arch x86_64 --cpu znver3 | FileCheck %s
// RUN: tenon-compile %t/columns.mlir -s llvm --threads 1 --arch x86_64 --cpu znver3 | FileCheck %s
// RUN: tenon-compile %t/filter.mlir -s llvm --threads 1 --arch x86_64 --cpu znver3 | FileCheck %s
// RUN: tenon-compile %t/padded.mlir -s llvm --threads 1 --arch x86_64 --cpu znver3 | FileCheck %s --check-prefix=PADDED
// RUN: tenon-compile %t/integers.mlir -s llvm --threads 1 --arch x86_64 --cpu znver3 | FileCheck %s --check-prefix=OWN
// RUN: tenon-compile %t/dilated.mlir -s llvm --threads 1 --arch x86_64 --cpu znver3 | FileCheck %s --check-prefix=OWN

// CHECK-NOT: @tile.
// CHECK: call void @shared.micro_kernel.6x2.f32x8(
// CHECK-NOT: @tile.
// The first row of the first tile multiplies the first tap with padding, the last row of the last
// tile, which has one row less, the last tap.
// PADDED-NOT: @tile.
// PADDED-DAG: call void @shared.micro_kernel.6x2.padding.1_0.0_0.f32x8(
// PADDED-DAG: call void @shared.micro_kernel.5x2.padding.0_0.0_1.f32x8(
// PADDED-NOT: @tile.
// OWN-NOT: shared.micro_kernel
// OWN: call void @tile.
// OWN-NOT: shared.micro_kernel

//--- rows.mlir
func.func @main(%a: tensor<66x40xf32>, %b: tensor<40x64xf32>) -> tensor<66x64xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<66x40xf32>, tensor<40x64xf32>) -> tensor<66x64xf32>
  return %0 : tensor<66x64xf32>
}

//--- columns.mlir
func.func @main(%a: tensor<300x600xf32>, %b: tensor<300x320xf32>) -> tensor<600x320xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<300x600xf32>, tensor<300x320xf32>) -> tensor<600x320xf32>
  return %0 : tensor<600x320xf32>
}

//--- filter.mlir
func.func @main(%x: tensor<1x14x14x64xf32>, %w: tensor<3x3x64x32xf32>) -> tensor<1x12x12x32xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x14x14x64xf32>, tensor<3x3x64x32xf32>) -> tensor<1x12x12x32xf32>
  return %0 : tensor<1x12x12x32xf32>
}

//--- padded.mlir
func.func @main(%x: tensor<1x56x56x64xf32>, %w: tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32>
  return %0 : tensor<1x56x56x64xf32>
}

//--- integers.mlir
func.func @main(%a: tensor<66x40xi32>, %b: tensor<40x64xi32>) -> tensor<66x64xi32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<66x40xi32>, tensor<40x64xi32>) -> tensor<66x64xi32>
  return %0 : tensor<66x64xi32>
}

//--- dilated.mlir
func.func @main(%x: tensor<1x14x14x64xf32>, %w: tensor<3x3x64x32xf32>) -> tensor<1x27x27x32xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x14x14x64xf32>, tensor<3x3x64x32xf32>) -> tensor<1x27x27x32xf32>
  return %0 : tensor<1x27x27x32xf32>
}
