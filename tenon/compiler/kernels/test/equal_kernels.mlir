// RUN: tenon-compile %s -s program | FileCheck %s
// RUN: tenon-compile %s -s llvm | FileCheck %s --check-prefix=LLVM

// Equal layers share one kernel, which is launched three times. The activations use two slots of
// the arena in turn.
//
// CHECK: tenon.program @main
// CHECK-COUNT-3: tenon.launch @contract.0(
// CHECK-NOT: tenon.launch
// CHECK: tenon.kernel @contract.0
// CHECK: tenon.contract
// CHECK: stablehlo.tanh
// CHECK-NOT: tenon.kernel
//
// LLVM-COUNT-1: define {{.*}}@contract.0(
// LLVM-NOT: define {{.*}}@contract.{{[1-9]}}(
func.func @main(%x: tensor<8x32xf32>, %w1: tensor<32x32xf32>, %w2: tensor<32x32xf32>,
                %w3: tensor<32x32xf32>) -> tensor<8x32xf32> {
  %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.tanh %0 : tensor<8x32xf32>
  %2 = stablehlo.dot_general %1, %w2, contracting_dims = [1] x [0] : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
  %3 = stablehlo.tanh %2 : tensor<8x32xf32>
  %4 = stablehlo.dot_general %3, %w3, contracting_dims = [1] x [0] : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
  %5 = stablehlo.tanh %4 : tensor<8x32xf32>
  return %5 : tensor<8x32xf32>
}
