// RUN: tenon-compile %s -s import | FileCheck %s --check-prefix=IMPORT
// RUN: tenon-compile %s -s legalize | FileCheck %s --check-prefix=LEGALIZE
// RUN: tenon-compile %s -s simplify | FileCheck %s --check-prefix=SIMPLIFY
// RUN: tenon-compile %s -s fuse | FileCheck %s --check-prefix=FUSE
// RUN: tenon-compile %s -s program | FileCheck %s --check-prefix=PROGRAM
// RUN: tenon-compile %s -s llvm | FileCheck %s --check-prefix=LLVM
// RUN: tenon-compile %s -s asm --arch aarch64 | FileCheck %s --check-prefix=ASM
// RUN: tenon-compile %s -o %t.image
// RUN: head -c 8 %t.image | grep -c Tenon
// RUN: tenon-compile - -s fuse < %s | FileCheck %s --check-prefix=FUSE
// RUN: rm -rf %t.dump && mkdir %t.dump
// RUN: tenon-compile %s --dump %t.dump -o %t.image
// RUN: ls %t.dump | FileCheck %s --check-prefix=DUMP

// IMPORT: call @twice
// LEGALIZE-NOT: call
// SIMPLIFY-COUNT-2: stablehlo.add
// SIMPLIFY-NOT: stablehlo.add
// FUSE: tenon.fusion loop
// PROGRAM: tenon.program @main
// PROGRAM: tenon.kernel @loop.0
// LLVM: define hidden i32 @tenon_entry(
// ASM: tenon_entry:
// DUMP: import.mlir
// DUMP: legalize.mlir
// DUMP: simplify.mlir
// DUMP: fuse.mlir
// DUMP: program.mlir
// DUMP: optimized.mlir
// DUMP: code.ll
// DUMP: code.s
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  %unused = stablehlo.add %0, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
