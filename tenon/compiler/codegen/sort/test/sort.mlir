// A sort with JAX's comparator has known keys. It sorts by radix, by rank (short rows), or by a
// network over whole registers, and never calls the comparator.
// RUN: split-file %s %t
// RUN: tenon-compile %t/long.mlir --stage=llvm | FileCheck %s --check-prefix=LONG
// RUN: tenon-compile %t/short.mlir --stage=llvm | FileCheck %s --check-prefix=SHORT
// RUN: tenon-compile %t/rows.mlir --stage=llvm --arch=x86_64 --cpu=sapphirerapids | FileCheck %s --check-prefix=ROWS
// RUN: tenon-compile %t/rows.mlir --stage=asm --arch=x86_64 --cpu=sapphirerapids | FileCheck %s --check-prefix=ASM
// RUN: tenon-compile %t/positions.mlir --stage=program | FileCheck %s --check-prefix=POSITIONS
// RUN: tenon-compile %t/unknown.mlir --stage=llvm | FileCheck %s --check-prefix=UNKNOWN

// Keys are computed a register at a time, together with the bits in which they differ.
// LONG-LABEL: @sort.0.phase0.0(
// LONG: load <[[N:[0-9]+]] x float>
// LONG: fcmp {{(contract )?}}oeq <[[N]] x float>
// LONG: fcmp {{(contract )?}}une <[[N]] x float>
// LONG: store <[[N]] x i32>
// Buckets are counted and filled with integer operations alone.
// LONG-LABEL: @sort.0.phase0.3(
// LONG-NOT: fcmp
// LONG: ret void
// LONG-LABEL: @sort.0.phase0.4(
// LONG-NOT: fcmp
// LONG: ret void

// SHORT-LABEL: @sort.0.phase0.0(
// SHORT: fcmp {{(contract )?}}oeq <[[N:[0-9]+]] x float>
// SHORT: icmp ule <[[N]] x i32>
// SHORT-NOT: fcmp

// Rows of 1000 elements are sorted by exchanges of whole registers, in loops. No counter is used,
// and elements are handled one by one only when keys are converted back.
// ROWS: define {{.*}}@sort.0.phase0.0(
// ROWS: call <16 x i32> @llvm.umin.v16i32
// ROWS: call <16 x i32> @llvm.umax.v16i32
// ROWS-NOT: load i32
// ROWS: shufflevector <16 x i32> {{.*}} <i32 1, i32 3, i32 5,
// A block of rows is sorted in registers.
// ASM-LABEL: sort.0.phase0.0:
// ASM-NOT: (%rsp), %zmm
// ASM-COUNT-20: vpminud %zmm
// ASM-NOT: (%rsp), %zmm
// ASM: retq

// Positions are not read. The sorted keys have no use and are not written. Only the first elements
// are.
// POSITIONS: tenon.launch @sort.0
// POSITIONS-NOT: tenon.launch
// POSITIONS: tenon.sort %{{.*}} from [0, -1] to %{{.*}} from [-1, 0]
// POSITIONS: (memref<1x1x100000xf32, {{.*}}>) to(memref<1x1x10xi32

// UNKNOWN: fcmp {{(contract )?}}ole float
// UNKNOWN-NOT: x i32>

//--- long.mlir
func.func public @main(%x: tensor<100000xf32>) -> tensor<100000xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %1 = stablehlo.compare EQ, %a, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.select %1, %zero, %a : tensor<i1>, tensor<f32>
    %3 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.select %3, %nan, %2 : tensor<i1>, tensor<f32>
    %5 = stablehlo.compare EQ, %b, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %6 = stablehlo.select %5, %zero, %b : tensor<i1>, tensor<f32>
    %7 = stablehlo.compare NE, %b, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %8 = stablehlo.select %7, %nan, %6 : tensor<i1>, tensor<f32>
    %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %9 : tensor<i1>
  }) : (tensor<100000xf32>) -> tensor<100000xf32>
  return %0 : tensor<100000xf32>
}
//--- short.mlir
func.func public @main(%x: tensor<50x60xf32>) -> tensor<50x60xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GT, %b, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<50x60xf32>) -> tensor<50x60xf32>
  return %0 : tensor<50x60xf32>
}
//--- rows.mlir
func.func public @main(%x: tensor<100x1000xi32>) -> tensor<100x1000xi32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<100x1000xi32>) -> tensor<100x1000xi32>
  return %0 : tensor<100x1000xi32>
}
//--- positions.mlir
func.func public @main(%x: tensor<100000xf32>) -> tensor<10xi32> {
  %i = stablehlo.iota dim = 0 : tensor<100000xi32>
  %0:2 = "stablehlo.sort"(%x, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<100000xf32>, tensor<100000xi32>) -> (tensor<100000xf32>, tensor<100000xi32>)
  %2 = stablehlo.slice %0#1 [0:10] : (tensor<100000xi32>) -> tensor<10xi32>
  return %2 : tensor<10xi32>
}
//--- unknown.mlir
func.func public @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<1000xf32>) -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
}
