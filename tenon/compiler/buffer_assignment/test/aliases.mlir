// RUN: split-file %s %t
// RUN: tenon-compile %t/donated.mlir -s program | FileCheck %s --check-prefix=DONATED
// RUN: tenon-compile %t/kept.mlir -s program | FileCheck %s --check-prefix=KEPT
// RUN: tenon-compile %t/chain.mlir -s program | FileCheck %s --check-prefix=CHAIN
// RUN: tenon-compile %t/identity.mlir -s program | FileCheck %s --check-prefix=IDENTITY
// RUN: tenon-compile %t/read_later.mlir -s program | FileCheck %s --check-prefix=LATER
// RUN: tenon-compile %t/taken_over.mlir -s program | FileCheck %s --check-prefix=TAKEN
// RUN: tenon-compile %t/read_by_a_view.mlir -s program | FileCheck %s --check-prefix=VIEW

// A donated argument has the storage of its result: the update writes a row and copies nothing.
// DONATED: tenon.program @main parameters 3 arena 0 aliases [0]
// DONATED: ^bb0(%{{.*}}: memref<64x128xf32>, %[[U:.*]]: memref<1x128xf32>, %{{.*}}: memref<i32>, %[[R:.*]]: memref<64x128xf32>):
// DONATED-NOT: tenon.copy
// DONATED: tenon.launch @update_slice.0(%[[U]], %{{.*}}, %[[R]])
// DONATED-NOT: tenon.launch

// An argument that is not donated is copied first.
// KEPT: tenon.program @main parameters 3 arena 0 aliases [-1]
// KEPT: ^bb0(%[[X:.*]]: memref<64x128xf32>, %{{.*}}: memref<1x128xf32>, %{{.*}}: memref<i32>, %[[R:.*]]: memref<64x128xf32>):
// KEPT: tenon.copy %[[X]] to %[[R]]
// KEPT: tenon.launch @update_slice.0(%{{.*}}, %[[R]])

// Consecutive updates use the same buffer.
// CHAIN: tenon.program @main parameters 3 arena 0 aliases [0]
// CHAIN-NOT: tenon.copy
// CHAIN-COUNT-2: tenon.launch @update_slice.0(
// CHAIN-NOT: tenon.launch

// An argument that is returned unchanged shares its storage with the result, or is copied.
// IDENTITY: tenon.program @main parameters 1 arena 0 aliases [-1]
// IDENTITY: tenon.copy
// IDENTITY-NOT: tenon.launch

// The old value is read after the update, so the update works on a copy.
// LATER: tenon.program @main parameters 3
// LATER: tenon.copy
// LATER: tenon.launch @update_slice.0(

// The donated storage belongs to another result, but an update has taken it over. That result is
// computed elsewhere, and copied once the update's result has been copied out.
// TAKEN: ^bb0(%{{.*}}, %{{.*}}, %[[Y:.*]]: memref<64x128xf32>, %{{.*}}: memref<i32>, %[[R:.*]]: memref<64x128xf32>, %[[S:.*]]: memref<64x128xf32>):
// TAKEN: tenon.launch @update_slice.0(%{{.*}}, %[[R]])
// TAKEN: %[[T:.*]] = tenon.arena_view
// TAKEN: tenon.launch @loop.1(%[[Y]], %[[T]])
// TAKEN: tenon.copy %[[R]] to %[[S]]
// TAKEN: tenon.copy %[[T]] to %[[R]]

// The updated array is also read through a view, whose contents must not change meanwhile.
// VIEW: tenon.program @main parameters 2 arena {{.*}} aliases [0, -1]
// VIEW: tenon.copy
// VIEW: tenon.launch @scatter.

//--- donated.mlir
func.func @main(%x: tensor<64x128xf32> {tf.aliasing_output = 0 : i32},
                %u: tensor<1x128xf32>, %i: tensor<i32>) -> tensor<64x128xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %zero : (tensor<64x128xf32>, tensor<1x128xf32>, tensor<i32>, tensor<i32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

//--- kept.mlir
func.func @main(%x: tensor<64x128xf32>, %u: tensor<1x128xf32>, %i: tensor<i32>)
    -> tensor<64x128xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %zero : (tensor<64x128xf32>, tensor<1x128xf32>, tensor<i32>, tensor<i32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

//--- chain.mlir
func.func @main(%x: tensor<64x128xf32> {tf.aliasing_output = 0 : i32},
                %u: tensor<1x128xf32>, %i: tensor<i32>) -> tensor<64x128xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %zero : (tensor<64x128xf32>, tensor<1x128xf32>, tensor<i32>, tensor<i32>) -> tensor<64x128xf32>
  %j = stablehlo.add %i, %one : tensor<i32>
  %1 = stablehlo.dynamic_update_slice %0, %u, %j, %zero : (tensor<64x128xf32>, tensor<1x128xf32>, tensor<i32>, tensor<i32>) -> tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
}

//--- identity.mlir
func.func @main(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  return %x : tensor<64x128xf32>
}

//--- read_later.mlir
func.func @main(%x: tensor<64x128xf32> {tf.aliasing_output = 0 : i32},
                %u: tensor<1x128xf32>, %i: tensor<i32>)
    -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %zero : (tensor<64x128xf32>, tensor<1x128xf32>, tensor<i32>, tensor<i32>) -> tensor<64x128xf32>
  return %0, %x : tensor<64x128xf32>, tensor<64x128xf32>
}

//--- taken_over.mlir
func.func @main(%x: tensor<64x128xf32> {tf.aliasing_output = 0 : i32},
                %u: tensor<1x128xf32>, %y: tensor<64x128xf32>, %i: tensor<i32>)
    -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %zero : (tensor<64x128xf32>, tensor<1x128xf32>, tensor<i32>, tensor<i32>) -> tensor<64x128xf32>
  %1 = stablehlo.cosine %y : tensor<64x128xf32>
  return %1, %0 : tensor<64x128xf32>, tensor<64x128xf32>
}

//--- read_by_a_view.mlir
func.func @main(%x: tensor<64x128xf32> {tf.aliasing_output = 0 : i32},
                %i: tensor<16x1xi32>) -> (tensor<64x128xf32>, tensor<8192xf32>) {
  %v = stablehlo.reshape %x : (tensor<64x128xf32>) -> tensor<8192xf32>
  %r = stablehlo.reverse %v, dims = [0] : tensor<8192xf32>
  %s = stablehlo.slice %v [1024:3072] : (tensor<8192xf32>) -> tensor<2048xf32>
  %u = stablehlo.reshape %s : (tensor<2048xf32>) -> tensor<16x128xf32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<64x128xf32>, tensor<16x1xi32>, tensor<16x128xf32>) -> tensor<64x128xf32>
  return %0, %r : tensor<64x128xf32>, tensor<8192xf32>
}
