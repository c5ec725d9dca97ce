// A large factorization for a device is one loop over blocks: small ones, which a group computes in
// local memory, and a product in f32 (not tf32), which also has what is left as its epilogue. Its kernels
// do not depend on the size. The text that clients get, and code for processors, have the op itself.
// RUN: rm -rf %t && mkdir %t && split-file %s %t
// RUN: tenon-compile %t/cholesky.mlir --target nvptx64:sm_90a --dump %t -o %t/image
// RUN: cat %t/*.fuse.mlir | FileCheck %t/cholesky.mlir
// RUN: cat %t/*.optimized.mlir | FileCheck %t/cholesky.mlir --check-prefix=TEXT
// RUN: cat %t/*.device.ptx | FileCheck %t/cholesky.mlir --check-prefix=PTX
// RUN: cat %t/*.device.ll | FileCheck %t/cholesky.mlir --check-prefix=LL
// RUN: tenon-compile %t/cholesky.mlir -s fuse | FileCheck %t/cholesky.mlir --check-prefix=CPU
// RUN: rm %t/*.fuse.mlir && tenon-compile %t/small.mlir --target spirv64 --dump %t -o %t/image
// RUN: cat %t/*.fuse.mlir | FileCheck %t/small.mlir
// RUN: rm %t/*.fuse.mlir && tenon-compile %t/solve.mlir --target spirv64 --dump %t -o %t/image
// RUN: cat %t/*.fuse.mlir | FileCheck %t/solve.mlir
// RUN: rm %t/*.fuse.mlir && tenon-compile %t/lu.mlir --target spirv64 --dump %t -o %t/image
// RUN: cat %t/*.fuse.mlir | FileCheck %t/lu.mlir

//--- cholesky.mlir
// TEXT: stablehlo.cholesky %{{.*}} : tensor<4096x4096xf32>
// TEXT-NOT: stablehlo.while
// CPU-NOT: stablehlo.while
// CPU: tenon.cholesky %{{.*}} tensor<4096x4096xf32>
// CHECK-COUNT-1: stablehlo.while
// CHECK: tenon.cholesky %{{.*}} tensor<64x64xf32>
// CHECK: stablehlo.triangular_solve{{.*}}tensor<4096x64xf32>
// CHECK: tenon.fusion contract
// CHECK: stablehlo.dot_general {{.*}} precision = [HIGHEST, HIGHEST]
// CHECK: stablehlo.subtract
// CHECK-NOT: stablehlo.while
// An item loads four elements before it stores them.
// LL: call float @llvm.sqrt
// LL: call float @llvm.fma.f32(float %{{.*}}, float %{{.*}}, float %{{.*}})
// LL-NOT: store float
// LL: call float @llvm.fma.f32(float %{{.*}}, float %{{.*}}, float %{{.*}})
// LL-NOT: store float
// LL: call float @llvm.fma.f32(float %{{.*}}, float %{{.*}}, float %{{.*}})
// LL-NOT: store float
// LL: call float @llvm.fma.f32(float %{{.*}}, float %{{.*}}, float %{{.*}})
// PTX-NOT: tf32
// PTX: .shared
func.func @main(%a: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = stablehlo.cholesky %a, lower = true : tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

//--- small.mlir
// CHECK-NOT: stablehlo.while
func.func @main(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.cholesky %a, lower = true : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

//--- solve.mlir
// Blocks of complex numbers of 128 bits are smaller.
// CHECK: stablehlo.while
// CHECK: stablehlo.triangular_solve{{.*}}(tensor<3x32x32xcomplex<f64>>, tensor<3x32x7xcomplex<f64>>)
// CHECK: stablehlo.dot_general
func.func @main(%a: tensor<3x96x96xcomplex<f64>>, %b: tensor<3x96x7xcomplex<f64>>) -> tensor<3x96x7xcomplex<f64>> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<3x96x96xcomplex<f64>>, tensor<3x96x7xcomplex<f64>>) -> tensor<3x96x7xcomplex<f64>>
  return %0 : tensor<3x96x7xcomplex<f64>>
}

//--- lu.mlir
// The exchange of rows is a part of the product's kernel.
// CHECK: stablehlo.while
// CHECK: tenon.lu_panel %{{.*}} : tensor<512x64xf32>
// CHECK: tenon.fusion contract
// CHECK: stablehlo.gather
func.func @main(%a: tensor<512x512xf32>) -> (tensor<512x512xf32>, tensor<512xi32>) {
  %lu:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) {api_version = 4 : i32, backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<512x512xf32>) -> (tensor<512x512xf32>, tensor<512xi32>, tensor<i32>)
  return %lu#0, %lu#1 : tensor<512x512xf32>, tensor<512xi32>
}
