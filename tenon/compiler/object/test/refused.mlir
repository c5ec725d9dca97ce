// RUN: split-file %s %t
// RUN: not tenon-compile %t/python.mlir --emit=object -o %t.o 2>&1 | FileCheck %s --check-prefix=PYTHON
// RUN: not tenon-compile %t/used.mlir --emit=object -o %t.o 2>&1 | FileCheck %s --check-prefix=USED
// RUN: not tenon-compile %t/devices.mlir --emit=object -o %t.o 2>&1 | FileCheck %s --check-prefix=DEVICES
// RUN: not tenon-compile %t/large.mlir --emit=object -o %t.o --target wasm32 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not tenon-compile %t/add.mlir --emit=object -o %t.o --target cortex-m0 2>&1 | FileCheck %s --check-prefix=FLOAT
// RUN: not tenon-compile %t/add.mlir --emit=object -o %t.o --name 1st 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not tenon-compile %t/add.mlir --emit=object -o %t.o --max-stack 16 2>&1 | FileCheck %s --check-prefix=STACK
// RUN: not tenon-compile %t/add.mlir --emit=object -o %t.o --target x86_64,aarch64 2>&1 | FileCheck %s --check-prefix=TARGETS
// RUN: not tenon-compile %t/add.mlir --emit=wasm -o %t.o --target x86_64 2>&1 | FileCheck %s --check-prefix=WASM
// RUN: not tenon-compile %t/add.mlir --emit=object -o /nowhere/add.o 2>&1 | FileCheck %s --check-prefix=PATH

//--- python.mlir
// PYTHON: UNIMPLEMENTED: custom call 'tenon_python_callback' in an object file: there is no Python that could be called back
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @tenon_python_callback(%x) {api_version = 4 : i32, has_side_effect = true}
      : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- used.mlir
// USED: UNIMPLEMENTED: custom call 'model_run' in an object file: the object itself has this name; use --name
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @model_run(%x) {api_version = 4 : i32, has_side_effect = true}
      : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- devices.mlir
// DEVICES: UNIMPLEMENTED: an object file cannot contain a program of several devices: all_reduce
module @sum attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 1 : i32} {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

//--- large.mlir
// LARGE: UNIMPLEMENTED: an argument or result of the program takes 6000000000 bytes, and wasm32:generic can address 2147483647
func.func @main(%x: tensor<1500000000xf32>) -> tensor<1500000000xf32> {
  %0 = stablehlo.add %x, %x : tensor<1500000000xf32>
  return %0 : tensor<1500000000xf32>
}

//--- add.mlir
// FLOAT: INVALID_ARGUMENT: code for thumb:cortex-m0 needs the feature 'vfp2sp', which is off
// NAME: INVALID_ARGUMENT: the name '1st' is not a C identifier
// STACK: RESOURCE_EXHAUSTED: a call takes {{[0-9]+}} bytes of stack, and 16 are allowed
// TARGETS: INVALID_ARGUMENT: an object file is for one target; 'x86_64,aarch64' names 2
// WASM: INVALID_ARGUMENT: a WebAssembly module needs --target wasm32
// PATH: INVALID_ARGUMENT: cannot write '/nowhere/add.o': No such file or directory
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
