// Without registers of 512 bits LLVM expands masked accesses of bytes lane by lane, with a branch for each.
// Loads of eight lanes, not 32, branch where all or none of them are active, and else load lane by lane.
// A mask that is the same for all lanes chooses an address instead.
// RUN: split-file %s %t
// RUN: tenon-compile %t/window.mlir -s llvm --arch x86_64 --cpu znver3 | FileCheck %t/window.mlir
// RUN: tenon-compile %t/window.mlir -s llvm --arch x86_64 --cpu znver4 | FileCheck %t/window.mlir --check-prefix=WIDE
// RUN: tenon-compile %t/pad.mlir -s llvm --arch x86_64 --cpu znver3 | FileCheck %t/pad.mlir
// The remainder of a long chain keeps its lanes; those that are left out are stored to a place of their own.
// RUN: tenon-compile %t/chain.mlir -s llvm --arch x86_64 --cpu znver3 | FileCheck %t/chain.mlir

//--- window.mlir
// CHECK-NOT: masked.load
// CHECK: %[[ALL:.*]] = call i1 @llvm.vector.reduce.and.v8i1
// CHECK: br i1 %[[ALL]]
// CHECK: load <8 x i8>
// CHECK: %[[ANY:.*]] = call i1 @llvm.vector.reduce.or.v8i1
// CHECK: br i1 %[[ANY]]
// CHECK-COUNT-8: load i8
// CHECK-NOT: masked.load
// WIDE-NOT: reduce.and
// WIDE: masked.load.v64i8
// WIDE-NOT: reduce.and
func.func @main(%x: tensor<31x1x7x13xui8>) -> tensor<31x1x7x13xui8> {
  %zero = stablehlo.constant dense<0> : tensor<ui8>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{padding = dense<[[0,0],[0,0],[0,5],[0,0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1,1,6,1>, window_strides = array<i64: 1,1,1,1>}> ({
  ^bb0(%a: tensor<ui8>, %b: tensor<ui8>):
    %1 = stablehlo.xor %a, %b : tensor<ui8>
    stablehlo.return %1 : tensor<ui8>
  }) : (tensor<31x1x7x13xui8>, tensor<ui8>) -> tensor<31x1x7x13xui8>
  return %0 : tensor<31x1x7x13xui8>
}

//--- pad.mlir
// CHECK: load <32 x i8>
func.func @main(%x: tensor<8x56x56x64xui8>) -> tensor<8x58x58x64xui8> {
  %zero = stablehlo.constant dense<0> : tensor<ui8>
  %one = stablehlo.constant dense<1> : tensor<8x58x58x64xui8>
  %0 = stablehlo.pad %x, %zero, low = [0,1,1,0], high = [0,1,1,0], interior = [0,0,0,0] : (tensor<8x56x56x64xui8>, tensor<ui8>) -> tensor<8x58x58x64xui8>
  %1 = stablehlo.add %0, %one : tensor<8x58x58x64xui8>
  return %1 : tensor<8x58x58x64xui8>
}

//--- chain.mlir
// CHECK: %[[ELSEWHERE:.*]] = alloca i16
// CHECK-NOT: masked.store
// CHECK: %[[TO:.*]] = select i1 %{{.*}}, ptr %{{.*}}, ptr %[[ELSEWHERE]]
// CHECK-NEXT: store i16 %{{.*}}, ptr %[[TO]], align 2
// CHECK-NOT: masked.store
func.func @main(%x: tensor<400003xbf16>) -> tensor<400003xbf16> {
  %0 = stablehlo.tanh %x : tensor<400003xbf16>
  %1 = stablehlo.exponential %0 : tensor<400003xbf16>
  return %1 : tensor<400003xbf16>
}
