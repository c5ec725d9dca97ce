// Bytes with gaps are loaded by vectors of at most 16 and shuffled, those of the last lanes too, if the
// target shuffles bytes in one instruction. Otherwise each is loaded by itself.
// RUN: split-file %s %t
// RUN: tenon-compile %t/channels.mlir -s llvm --arch x86_64 --cpu znver3 | FileCheck %t/channels.mlir
// RUN: tenon-compile %t/channels.mlir -s llvm --arch x86_64 --cpu x86-64 | FileCheck %t/channels.mlir --check-prefix=ALONE
// RUN: tenon-compile %t/interleaved.mlir -s llvm --arch x86_64 --cpu znver3 | FileCheck %t/interleaved.mlir
// RUN: tenon-compile %t/far.mlir -s llvm --arch x86_64 --cpu znver3 | FileCheck %t/far.mlir

//--- channels.mlir
// CHECK-LABEL: define internal void @loop.0.phase0
// CHECK-NOT: insertelement
// CHECK: load <16 x i8>
// CHECK-NOT: insertelement
// CHECK: define hidden i32 @tenon_entry
// ALONE-LABEL: define internal void @loop.0.phase0
// ALONE: insertelement <16 x i8>
func.func @main(%x: tensor<4x9x48x3xui8>) -> tensor<4x3x9x48xui8> {
  %0 = stablehlo.transpose %x, dims = [0, 3, 1, 2] : (tensor<4x9x48x3xui8>) -> tensor<4x3x9x48xui8>
  return %0 : tensor<4x3x9x48xui8>
}

//--- interleaved.mlir
// CHECK-LABEL: define internal void @loop.0.phase0
// CHECK-NOT: insertelement
// CHECK: load <8 x i8>
// CHECK-NOT: insertelement
// CHECK: define hidden i32 @tenon_entry
func.func @main(%x: tensor<4x3x9x64xui8>) -> tensor<4x9x64x3xui8> {
  %0 = stablehlo.transpose %x, dims = [0, 2, 3, 1] : (tensor<4x3x9x64xui8>) -> tensor<4x9x64x3xui8>
  return %0 : tensor<4x9x64x3xui8>
}

// Each vector would have one wanted element.
//--- far.mlir
// CHECK-LABEL: define internal void @loop.0.phase0
// CHECK: insertelement
func.func @main(%x: tensor<2000xui8>) -> tensor<100xui8> {
  %0 = stablehlo.slice %x [3:2000:20] : (tensor<2000xui8>) -> tensor<100xui8>
  return %0 : tensor<100xui8>
}
