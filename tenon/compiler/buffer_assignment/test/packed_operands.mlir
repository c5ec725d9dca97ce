// Products read the packed form of a parameter if later runs can use it. Programs of one layout of a
// parameter name it once.
// RUN: split-file %s %t
// RUN: tenon-compile %t/weights.mlir -s program --arch x86_64 --cpu znver3 | FileCheck %t/weights.mlir
// RUN: tenon-compile %t/rows.mlir -s program --arch x86_64 --cpu znver3 | FileCheck %t/rows.mlir
// RUN: tenon-compile %t/computed.mlir -s program --arch x86_64 --cpu znver3 | FileCheck %t/computed.mlir
// RUN: tenon-compile %t/donated.mlir -s program --arch x86_64 --cpu znver3 | FileCheck %t/donated.mlir
// RUN: tenon-compile %t/weights.mlir -s llvm --arch x86_64 --cpu znver3 | FileCheck %t/weights.mlir --check-prefix=CODE
// RUN: tenon-compile %t/sums.mlir -s program --arch x86_64 --cpu znver3 | FileCheck %t/sums.mlir
// RUN: tenon-compile %t/filter.mlir -s llvm --arch x86_64 --cpu znver3 | FileCheck %t/filter.mlir
// RUN: tenon-compile %t/weights.mlir --emit=object -o %t/weights.o --arch x86_64 --cpu znver3

//--- weights.mlir
// CHECK: %[[FIRST:.*]] = tenon.packed_view 0 : memref<2xi64>
// CHECK: tenon.launch @contract.0(%{{.*}}, %[[FIRST]])
// CHECK: %[[AGAIN:.*]] = tenon.packed_view 0 : memref<2xi64>
// CHECK: tenon.launch @contract.0(%{{.*}}, %[[AGAIN]])
// CHECK: %[[OTHER:.*]] = tenon.packed_view 1 : memref<2xi64>
// CHECK: tenon.launch @contract.1(%{{.*}}, %[[OTHER]])
// CHECK: tenon.contract {{.*}} packed %{{.*}} : memref<2xi64>

// The kernel marks the packed form at its end, if there is memory for it.
// CODE: define hidden void @contract.0(ptr %0, ptr %1, ptr %2, ptr %3, ptr %4, ptr %5)
// CODE: %[[FIELD:.*]] = getelementptr inbounds i8, ptr %5, i64 0
// CODE: %[[DATA:.*]] = load ptr, ptr %[[FIELD]]
// CODE: %[[KEPT:.*]] = icmp ne ptr %[[DATA]], null
// CODE: %[[WORD:.*]] = zext i1 %[[KEPT]] to i64
// CODE: store i64 %[[WORD]], ptr
// CODE-NEXT: ret void
func.func @main(%x: tensor<64x512xf32>, %y: tensor<64x512xf32>, %w: tensor<512x1024xf32>, %v: tensor<1024x512xf32>)
    -> (tensor<64x1024xf32>, tensor<64x1024xf32>, tensor<64x1024xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x512xf32>, tensor<512x1024xf32>) -> tensor<64x1024xf32>
  %1 = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<64x512xf32>, tensor<512x1024xf32>) -> tensor<64x1024xf32>
  %2 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [1] : (tensor<64x512xf32>, tensor<1024x512xf32>) -> tensor<64x1024xf32>
  return %0, %1, %2 : tensor<64x1024xf32>, tensor<64x1024xf32>, tensor<64x1024xf32>
}

// Not where packing takes a small part of the time.
//--- rows.mlir
// CHECK: tenon.program @main
// CHECK-NOT: tenon.packed_view
func.func @main(%x: tensor<2048x512xf32>, %w: tensor<512x1024xf32>) -> tensor<2048x1024xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2048x512xf32>, tensor<512x1024xf32>) -> tensor<2048x1024xf32>
  return %0 : tensor<2048x1024xf32>
}

// Not where the operand has another value in each run.
//--- computed.mlir
// CHECK: tenon.program @main
// CHECK-NOT: tenon.packed_view
func.func @main(%x: tensor<64x512xf32>, %w: tensor<512x1024xf32>) -> tensor<64x1024xf32> {
  %s = stablehlo.sine %w : tensor<512x1024xf32>
  %0 = stablehlo.dot_general %x, %s, contracting_dims = [1] x [0] : (tensor<64x512xf32>, tensor<512x1024xf32>) -> tensor<64x1024xf32>
  return %0 : tensor<64x1024xf32>
}

// Not where the program updates the operand in place.
//--- donated.mlir
// CHECK: tenon.program @main
// CHECK-NOT: tenon.packed_view
func.func @main(%x: tensor<64x512xf32>, %w: tensor<512x1024xf32> {tf.aliasing_output = 1 : i32})
    -> (tensor<64x1024xf32>, tensor<512x1024xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x512xf32>, tensor<512x1024xf32>) -> tensor<64x1024xf32>
  %1 = stablehlo.add %w, %w : tensor<512x1024xf32>
  return %0, %1 : tensor<64x1024xf32>, tensor<512x1024xf32>
}

// A phase that only packs does not run if the filter is packed.
//--- filter.mlir
// CHECK: define hidden void @convolution.0(ptr %0, ptr %1, ptr %2, ptr %3, ptr %4, ptr %5)
// CHECK: %[[PACKED:.*]] = load i64, ptr
// CHECK: %[[MISSING:.*]] = icmp eq i64 %[[PACKED]], 0
// CHECK: br i1 %[[MISSING]], label %then, label %end
// CHECK: then:
// CHECK: call void {{.*}} @convolution.0.phase0.0,
// CHECK: end:
// CHECK: call void {{.*}} @convolution.0.phase0.1,
// CHECK: ret void
func.func @main(%x: tensor<1x28x28x128xf32>, %w: tensor<3x3x128x128xf32>) -> tensor<1x28x28x128xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x28x28x128xf32>, tensor<3x3x128x128xf32>) -> tensor<1x28x28x128xf32>
  return %0 : tensor<1x28x28x128xf32>
}

// Not where several chunks pack the same micro-panels: sums of rows.
//--- sums.mlir
// CHECK: tenon.program @main
// CHECK-NOT: tenon.packed_view
// CHECK: pack_blocks = true
func.func @main(%x: tensor<8192x512xf32>, %w: tensor<8192x256xf32>) -> tensor<512x256xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [0] x [0] : (tensor<8192x512xf32>, tensor<8192x256xf32>) -> tensor<512x256xf32>
  return %0 : tensor<512x256xf32>
}
