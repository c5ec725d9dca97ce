// LAPACK calls for many small matrices are kernels with a matrix in each lane: whole registers, no
// call. Few matrices, large matrices and complex numbers stay calls, and so do calls whose other
// results are used.
// RUN: split-file %s %t
// RUN: tenon-compile %t/eigh.mlir --stage=program | FileCheck %s --check-prefix=EIGH
// RUN: tenon-compile %t/eigh.mlir --stage=llvm --arch=x86_64 --cpu=znver4 | FileCheck %s --check-prefix=LLVM
// RUN: tenon-compile %t/few.mlir --stage=program | FileCheck %s --check-prefix=CALL
// RUN: tenon-compile %t/large.mlir --stage=program | FileCheck %s --check-prefix=CALL
// RUN: tenon-compile %t/overwritten.mlir --stage=program | FileCheck %s --check-prefix=CALL

// EIGH-NOT: tenon.ffi_call
// EIGH: tenon.linalg eigh {{.*}}lower true
// LLVM: call {{.*}}<16 x float> @llvm.sqrt.v16f32
// CALL: tenon.ffi_call 0

//--- eigh.mlir
func.func public @main(%a: tensor<100x8x8xf32>) -> (tensor<100x8x8xf32>, tensor<100x8xf32>, tensor<100xi32>) {
  %0:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%a) {api_version = 4 : i32, backend_config = {mode = 86 : ui8, uplo = 76 : ui8}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<100x8x8xf32>) -> (tensor<100x8x8xf32>, tensor<100x8xf32>, tensor<100xi32>)
  return %0#0, %0#1, %0#2 : tensor<100x8x8xf32>, tensor<100x8xf32>, tensor<100xi32>
}

//--- few.mlir
func.func public @main(%a: tensor<7x8x8xf32>) -> (tensor<7x8x8xf32>, tensor<7x8xf32>, tensor<7xi32>) {
  %0:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%a) {api_version = 4 : i32, backend_config = {mode = 86 : ui8, uplo = 76 : ui8}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<7x8x8xf32>) -> (tensor<7x8x8xf32>, tensor<7x8xf32>, tensor<7xi32>)
  return %0#0, %0#1, %0#2 : tensor<7x8x8xf32>, tensor<7x8xf32>, tensor<7xi32>
}

//--- large.mlir
func.func public @main(%a: tensor<100x40x40xf32>) -> (tensor<100x40x40xf32>, tensor<100x40xf32>) {
  %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) {api_version = 4 : i32, backend_config = {}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>]} : (tensor<100x40x40xf32>) -> (tensor<100x40x40xf32>, tensor<100x40xf32>)
  return %0#0, %0#1 : tensor<100x40x40xf32>, tensor<100x40xf32>
}

//--- overwritten.mlir
func.func public @main(%a: tensor<100x8x8xf32>) -> (tensor<100x8x8xf32>, tensor<100x8xf32>) {
  %0:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%a) {api_version = 4 : i32, backend_config = {mode = 78 : ui8, uplo = 76 : ui8}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<100x8x8xf32>) -> (tensor<100x8x8xf32>, tensor<100x8xf32>, tensor<100xi32>)
  return %0#0, %0#1 : tensor<100x8x8xf32>, tensor<100x8xf32>
}
