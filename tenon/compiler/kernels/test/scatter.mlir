// RUN: tenon-compile %s -s program | FileCheck %s
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu sapphirerapids | FileCheck %s --check-prefix=ASM

// Rows are added at indices. Each row has one test and no masks. Parts of the target run in
// parallel, and the updates of each part keep their order.
//
// CHECK: tenon.kernel @scatter.0
// CHECK: tenon.parallel [4] grain 1
// CHECK: tenon.for %{{.*}} to %c4096
// CHECK: tenon.if
// CHECK-NEXT: tenon.map
// CHECK-NOT: if %
//
// ASM-LABEL: scatter.0.phase0:
// ASM: vaddps {{.*}}%zmm
// ASM-NOT: {%k
// ASM: retq
func.func @main(%t: tensor<10000x256xf32>, %i: tensor<4096x1xi32>, %u: tensor<4096x256xf32>) -> tensor<10000x256xf32> {
  %0 = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<10000x256xf32>, tensor<4096x1xi32>, tensor<4096x256xf32>) -> tensor<10000x256xf32>
  return %0 : tensor<10000x256xf32>
}
