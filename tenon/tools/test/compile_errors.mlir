// RUN: split-file %s %t
// RUN: not tenon-compile %t/missing.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not tenon-compile %t/syntax.mlir 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not tenon-compile %t/types.mlir 2>&1 | FileCheck %s --check-prefix=TYPES
// RUN: not tenon-compile %t/unsupported.mlir 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not tenon-compile %t/good.mlir --arch z80 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: not tenon-compile %t/good.mlir --cpu sloth 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not tenon-compile %t/good.mlir -s nothing 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: not tenon-compile %t/good.mlir -o %t/no/such/folder/x 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not tenon-compile %t/good.mlir -o /dev/full 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not sh -c "tenon-compile %t/good.mlir > /dev/full" 2>&1 | FileCheck %s --check-prefix=STDOUT
// RUN: not tenon-compile %t/good.mlir --header %t/h.h 2>&1 | FileCheck %s --check-prefix=HEADER
// RUN: not tenon-compile %t/good.mlir --threads=none 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not tenon-compile %t/good.mlir --emit=object --name f --header %t/f -o %t/f 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: not tenon-compile %t/good.mlir --emit=object --name tenon_x -o %t/f 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not tenon-compile 2>&1 | FileCheck %s --check-prefix=USAGE

// FULL: tenon-compile: cannot write '/dev/full'
// STDOUT: tenon-compile: cannot write standard output
// HEADER: tenon-compile: --header needs --emit=object, archive, shared or wasm
// THREADS: tenon-compile: --threads=none needs --emit=object, archive, shared or wasm
// SAME: tenon-compile: --header and --output name the same file
// NAME: the name 'tenon_x' begins with tenon_

// Each error is one line, with the location in the program.
//
// MISSING: tenon-compile: cannot read '{{.*}}missing.mlir'
// SYNTAX: tenon-compile: INVALID_ARGUMENT: {{.*}}expected
// TYPES: tenon-compile: INVALID_ARGUMENT: {{.*}}'stablehlo.add' op
// REFUSED: tenon-compile: UNIMPLEMENTED: stablehlo.custom_call on (tensor<4xf32>): {{.*}}nobody_has_this{{.*}} (at loc(
// ARCH: tenon-compile: INVALID_ARGUMENT: {{.*}}z80
// CPU: tenon-compile: INVALID_ARGUMENT: {{.*}}sloth
// STAGE: --stage: nothing not in {
// OUTPUT: tenon-compile: cannot write
// USAGE: input is required

//--- syntax.mlir
func.func @main(%x: tensor<4xf32> {

//--- types.mlir
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.add"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- unsupported.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @nobody_has_this(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- good.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
