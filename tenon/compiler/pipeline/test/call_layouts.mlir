// A custom call that needs column-major matrices: the transposes are kernels, which fuse with the
// ops that compute and use the matrices, not copies by the runtime. An array between two calls
// keeps its layout.
// RUN: tenon-compile %s --stage=program | FileCheck %s

// CHECK-LABEL: tenon.program @main
// CHECK: tenon.launch
// CHECK-NOT: tenon.launch
// CHECK: tenon.ffi_call 0 {{.*}}memref<20x200xf32
// CHECK-NOT: tenon.launch
// CHECK: tenon.copy
// CHECK-NOT: tenon.launch
// CHECK: tenon.ffi_call 1 {{.*}}memref<20x200xf32
// CHECK-COUNT-2: tenon.launch
// CHECK-NOT: tenon.launch
func.func public @main(%a: tensor<200x20xf32>) -> (tensor<200x20xf32>, tensor<20x20xf32>) {
  %b = stablehlo.add %a, %a : tensor<200x20xf32>
  %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%b) {api_version = 4 : i32, backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<200x20xf32>) -> (tensor<200x20xf32>, tensor<20xf32>)
  %q = stablehlo.custom_call @lapack_sorgqr_ffi(%0#0, %0#1) {api_version = 4 : i32, backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<200x20xf32>, tensor<20xf32>) -> tensor<200x20xf32>
  %r = stablehlo.slice %0#0 [0:20, 0:20] : (tensor<200x20xf32>) -> tensor<20x20xf32>
  return %q, %r : tensor<200x20xf32>, tensor<20x20xf32>
}
