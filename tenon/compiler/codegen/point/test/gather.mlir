// Elements at arbitrary positions are loaded one by one. A gather instruction stalls as a whole on
// 4K aliasing: it waits for every store in flight whose address has the same low bits as one of its
// lanes. A reduction over one element, which JAX's bounds checks contain, is not a loop.
// RUN: tenon-compile %s --stage=program | FileCheck %s --check-prefix=PROGRAM
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu sapphirerapids | FileCheck %s

// PROGRAM: tenon.map
// PROGRAM-NOT: tenon.reduce
// PROGRAM: tenon.store

// CHECK-LABEL: loop.0.phase0:
// CHECK-NOT: gather
// CHECK-COUNT-4: vpextrd
// CHECK-NOT: gather
// CHECK: retq
func.func public @main(%x: tensor<4096xf32>, %i: tensor<2048x1xi32>) -> tensor<2048xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{
      dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0],
                                            start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1>}>
      : (tensor<4096xf32>, tensor<2048x1xi32>) -> tensor<2048xf32>
  %c = stablehlo.constant dense<4095> : tensor<2048x1xi32>
  %1 = stablehlo.compare LE, %i, %c : (tensor<2048x1xi32>, tensor<2048x1xi32>) -> tensor<2048x1xi1>
  %true = stablehlo.constant dense<true> : tensor<i1>
  %2 = stablehlo.reduce(%1 init: %true) applies stablehlo.and across dimensions = [1]
      : (tensor<2048x1xi1>, tensor<i1>) -> tensor<2048xi1>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<2048xf32>
  %3 = stablehlo.select %2, %0, %nan : tensor<2048xi1>, tensor<2048xf32>
  return %3 : tensor<2048xf32>
}
