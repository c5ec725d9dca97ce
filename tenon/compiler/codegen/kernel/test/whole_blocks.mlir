// Blocks of a loop, and the last one too, that consist of whole registers have no remainder: 76,800 is a
// multiple of 32, 400,003 is not. The remainder of bytes is a loop over points: without registers of
// 512 bits, masked lanes would be code for each.
// RUN: split-file %s %t
// RUN: tenon-compile %t/whole.mlir --stage=llvm --cpu=x86-64-v3 | FileCheck %t/whole.mlir
// RUN: tenon-compile %t/rest.mlir --stage=llvm --cpu=x86-64-v3 | FileCheck %t/rest.mlir
// RUN: tenon-compile %t/rest.mlir --stage=llvm --cpu=x86-64-v4 | FileCheck %t/rest.mlir --check-prefix=MASKS

//--- whole.mlir
// CHECK-LABEL: define internal void @loop.0.phase0
// CHECK: load <32 x i8>
// CHECK-NOT: load i8,
// CHECK-NOT: <32 x i1>
// CHECK: define
func.func @main(%a: tensor<76800xui8>, %b: tensor<76800xui8>) -> tensor<76800x2xui8> {
  %0 = stablehlo.reshape %a : (tensor<76800xui8>) -> tensor<76800x1xui8>
  %1 = stablehlo.reshape %b : (tensor<76800xui8>) -> tensor<76800x1xui8>
  %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<76800x1xui8>, tensor<76800x1xui8>) -> tensor<76800x2xui8>
  return %2 : tensor<76800x2xui8>
}

//--- rest.mlir
// CHECK-LABEL: define internal void @loop.0.phase0
// CHECK: load <32 x i8>
// CHECK: load i8,
// CHECK: load i8,
// CHECK-NOT: x i1>
// CHECK: define
// MASKS: masked.load
func.func @main(%a: tensor<400003xui8>, %b: tensor<400003xui8>) -> tensor<400003x2xui8> {
  %0 = stablehlo.reshape %a : (tensor<400003xui8>) -> tensor<400003x1xui8>
  %1 = stablehlo.reshape %b : (tensor<400003xui8>) -> tensor<400003x1xui8>
  %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<400003x1xui8>, tensor<400003x1xui8>) -> tensor<400003x2xui8>
  return %2 : tensor<400003x2xui8>
}
