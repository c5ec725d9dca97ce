// On targets with registers of 512 bits, inner loops use whole registers: four sums of a row side
// by side, comparisons, window maxima, multiply-adds. Rows that are looked up are copied, not
// gathered.
// RUN: split-file %s %t
// RUN: tenon-compile %t/row_sum.mlir -s asm --arch x86_64 --cpu znver4 | FileCheck %s --check-prefix=SUM
// RUN: tenon-compile %t/arg_max.mlir -s asm --arch x86_64 --cpu znver4 | FileCheck %s --check-prefix=ARGMAX
// RUN: tenon-compile %t/pooling.mlir -s asm --arch x86_64 --cpu znver4 | FileCheck %s --check-prefix=POOLING
// RUN: tenon-compile %t/depthwise.mlir -s asm --arch x86_64 --cpu znver4 | FileCheck %s --check-prefix=DEPTHWISE
// RUN: tenon-compile %t/look_up.mlir -s asm --arch x86_64 --cpu znver4 | FileCheck %s --check-prefix=LOOKUP
// RUN: tenon-compile %t/narrow.mlir -s asm --arch x86_64 --cpu znver4 | FileCheck %s --check-prefix=NARROW

// The addition itself reads each register from memory, once.
// SUM-LABEL: loop.0.phase0:
// SUM-COUNT-4: vaddps {{.*}}(%r{{.*}}), %zmm
// SUM-NOT: (%r{{.*}}), %zmm
// SUM: retq

// ARGMAX-LABEL: loop.0.phase0:
// ARGMAX: vcmp{{.*}}%zmm{{.*}}, %k
// ARGMAX-NOT: {{call|gather}}
// ARGMAX: retq

// POOLING-LABEL: loop.0.phase0:
// POOLING: v{{max|cmp}}{{.*}}%zmm
// POOLING-NOT: {{call|gather}}
// POOLING: retq

// DEPTHWISE-LABEL: convolution.0.phase
// DEPTHWISE: vfmadd{{.*}}%zmm
// DEPTHWISE-NOT: {{gather|vfmadd...ss}}
// DEPTHWISE: retq

// LOOKUP-LABEL: loop.0.phase0:
// LOOKUP: vmovups {{.*}}(%r{{.*}}), %zmm
// LOOKUP-NOT: gather
// LOOKUP: retq

// Sixteen elements of 16 bits at a time, with conversion instructions in both directions.
// NARROW-LABEL: loop.0.phase0:
// NARROW: vpmovzxwd {{.*}}, %zmm
// NARROW: vmulps {{.*}}%zmm
// NARROW: vcvtneps2bf16 %zmm
// NARROW-NOT: {{call|vmulss}}
// NARROW: retq

//--- row_sum.mlir
func.func public @main(%x: tensor<1024x1024xf32>) -> tensor<1024xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
//--- arg_max.mlir
func.func public @main(%x: tensor<1024x1024xf32>) -> tensor<1024xi32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %first = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 1 : tensor<1024x1024xi32>
  %0:2 = stablehlo.reduce(%x init: %low), (%i init: %first) across dimensions = [1] : (tensor<1024x1024xf32>, tensor<1024x1024xi32>, tensor<f32>, tensor<i32>) -> (tensor<1024xf32>, tensor<1024xi32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>)  {
    %1 = stablehlo.compare GT, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    %4 = stablehlo.compare EQ, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.compare LT, %b, %d, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %7 = stablehlo.or %3, %6 : tensor<i1>
    %8 = stablehlo.select %3, %a, %c : tensor<i1>, tensor<f32>
    %9 = stablehlo.select %7, %b, %d : tensor<i1>, tensor<i32>
    stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
  }
  return %0#1 : tensor<1024xi32>
}
//--- pooling.mlir
func.func public @main(%x: tensor<8x56x56x64xf32>) -> tensor<8x28x28x64xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %low) <{padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8x56x56x64xf32>, tensor<f32>) -> tensor<8x28x28x64xf32>
  return %0 : tensor<8x28x28x64xf32>
}
//--- depthwise.mlir
func.func public @main(%x: tensor<8x28x28x64xf32>, %w: tensor<3x3x1x64xf32>) -> tensor<8x28x28x64xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 64 : i64} : (tensor<8x28x28x64xf32>, tensor<3x3x1x64xf32>) -> tensor<8x28x28x64xf32>
  return %0 : tensor<8x28x28x64xf32>
}
//--- look_up.mlir
func.func public @main(%x: tensor<10000x256xf32>, %i: tensor<1000x1xi32>) -> tensor<1000x256xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 256>}> : (tensor<10000x256xf32>, tensor<1000x1xi32>) -> tensor<1000x256xf32>
  return %0 : tensor<1000x256xf32>
}
//--- narrow.mlir
func.func public @main(%x: tensor<65536xbf16>, %y: tensor<65536xbf16>) -> tensor<65536xbf16> {
  %0 = stablehlo.multiply %x, %y : tensor<65536xbf16>
  return %0 : tensor<65536xbf16>
}
