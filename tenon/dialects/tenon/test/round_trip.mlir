// RUN: tenon-opt %s | FileCheck %s
// RUN: tenon-opt %s | tenon-opt | FileCheck %s
// RUN: tenon-opt %s -emit-bytecode | tenon-opt | FileCheck %s

// Every op of the dialect, in its text form and as bytecode.

// CHECK-LABEL: func.func @fused(
func.func @fused(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[F:.*]] = tenon.fusion loop(%{{.*}}) {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<4xf32>):
  // CHECK-NEXT: %[[N:.*]] = stablehlo.negate %[[A]]
  // CHECK-NEXT: tenon.yield %[[N]] : tensor<4xf32>
  // CHECK-NEXT: } {rows = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = tenon.fusion loop(%x) {
  ^bb0(%a: tensor<4xf32>):
    %1 = stablehlo.negate %a : tensor<4xf32>
    tenon.yield %1 : tensor<4xf32>
  } {rows = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK: tenon.constant_data @data at 64, dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
tenon.constant_data @data at 64, dense<[1.0, 2.0]> : tensor<2xf32>

// CHECK-LABEL: tenon.program @main parameters 2 arena 128 aliases [0, -1]
tenon.program @main parameters 2 arena 128 aliases [0, -1] {
^bb0(%x: memref<4x8xf32>, %k: memref<i32>, %y: memref<4x8xf32>, %z: memref<i32>):
  // CHECK: %[[C:.*]] = tenon.constant_view @data : memref<2xf32>
  %c = tenon.constant_view @data : memref<2xf32>
  // CHECK: %[[S:.*]] = tenon.arena_view 64 : memref<32xf32>
  %s = tenon.arena_view 64 : memref<32xf32>
  // CHECK: tenon.cast_view %[[S]] : memref<32xf32> to memref<4x8xf32, strided<[8, 1]>>
  %v = tenon.cast_view %s : memref<32xf32> to memref<4x8xf32, strided<[8, 1]>>
  // CHECK: tenon.copy %{{.*}} to %{{.*}} : memref<4x8xf32>, memref<4x8xf32>
  tenon.copy %x to %y : memref<4x8xf32>, memref<4x8xf32>
  // CHECK: %[[N:.*]] = tenon.read %{{.*}} : memref<i32> -> tensor<i32>
  %n = tenon.read %k : memref<i32> -> tensor<i32>
  // CHECK: tenon.run_id true : tensor<ui32>
  %id = tenon.run_id true : tensor<ui32>
  // CHECK: tenon.while(%[[N]] : tensor<i32>) {
  // CHECK-NEXT: ^bb0(%[[I:.*]]: tensor<i32>):
  // CHECK-NEXT: stablehlo.compare LT
  // CHECK-NEXT: tenon.yield %{{.*}} : tensor<i1>
  // CHECK-NEXT: } do {
  // CHECK: } -> tensor<i32>
  %w = tenon.while(%n : tensor<i32>) {
  ^bb0(%i: tensor<i32>):
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tenon.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>):
    tenon.launch @kernel(%x, %i, %y) : memref<4x8xf32>, tensor<i32>, memref<4x8xf32>
    tenon.yield %i : tensor<i32>
  } -> tensor<i32>
  // CHECK: tenon.while() {
  tenon.while() {
    %p = stablehlo.constant dense<false> : tensor<i1>
    tenon.yield %p : tensor<i1>
  } do {
    tenon.yield
  }
  // CHECK: tenon.case %[[N]] {
  // CHECK: }, {
  // CHECK: } : (tensor<i32>) -> tensor<i32>
  %r = tenon.case %n {
    tenon.yield %n : tensor<i32>
  }, {
    tenon.yield %w : tensor<i32>
  } : (tensor<i32>) -> tensor<i32>
  // CHECK: tenon.write %{{.*}} to %{{.*}} : tensor<i32>, memref<i32>
  tenon.write %r to %z : tensor<i32>, memref<i32>
  // CHECK: tenon.ffi_call 3 ins(%[[C]] : memref<2xf32>) outs(%{{.*}}, %{{.*}} : memref<4x8xf32>, memref<i32>)
  tenon.ffi_call 3 ins(%c : memref<2xf32>) outs(%y, %z : memref<4x8xf32>, memref<i32>)
  // CHECK: tenon.ffi_call 4 ins() outs()
  tenon.ffi_call 4 ins() outs()
}

// CHECK-LABEL: tenon.kernel @kernel
tenon.kernel @kernel {
^bb0(%x: memref<4x8xf32>, %n: tensor<i32>, %y: memref<4x8xf32>):
  // CHECK: tenon.parallel [4] grain 2 {
  tenon.parallel [4] grain 2 {
  ^bb0(%i: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    // CHECK: %[[R:.*]] = tenon.reduce [8] init(%{{.*}} : tensor<f32>) {
    // CHECK: tenon.load %{{.*}}[%{{.*}}, %{{.*}}] : memref<4x8xf32> -> tensor<f32>
    // CHECK: } combine {
    // CHECK: } -> tensor<f32>
    %r = tenon.reduce [8] init(%zero : tensor<f32>) {
    ^bb0(%j: index):
      %v = tenon.load %x[%i, %j] : memref<4x8xf32> -> tensor<f32>
      tenon.yield %v : tensor<f32>
    } combine {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %v = stablehlo.add %a, %b : tensor<f32>
      tenon.yield %v : tensor<f32>
    } -> tensor<f32>
    // CHECK: tenon.map %{{.*}} to %{{.*}} {
    tenon.map %c0 to %c8 {
    ^bb0(%j: index):
      // CHECK: %[[I:.*]] = tenon.to_index %{{.*}} : tensor<i32>
      %k = tenon.to_index %n : tensor<i32>
      // CHECK: tenon.from_index %[[I]] : tensor<f32>
      %f = tenon.from_index %k : tensor<f32>
      %m = arith.cmpi ult, %j, %k : index
      // CHECK: %[[P:.*]] = tenon.from_pred %[[M:.*]] : tensor<i1>
      %p = tenon.from_pred %m : tensor<i1>
      // CHECK: tenon.to_pred %[[P]] : tensor<i1>
      %q = tenon.to_pred %p : tensor<i1>
      // CHECK: %[[V:.*]] = tenon.load %{{.*}}[%{{.*}}, %{{.*}}] if %[[M]] else %{{.*}} : tensor<f32> : memref<4x8xf32> -> tensor<f32>
      %v = tenon.load %x[%i, %j] if %m else %r : tensor<f32> : memref<4x8xf32> -> tensor<f32>
      // CHECK: tenon.for %{{.*}} to %{{.*}} init(%[[V]] : tensor<f32>) {
      // CHECK: } -> tensor<f32>
      %s = tenon.for %c0 to %c8 init(%v : tensor<f32>) {
      ^bb0(%l: index, %a: tensor<f32>):
        %b = stablehlo.add %a, %f : tensor<f32>
        tenon.yield %b : tensor<f32>
      } -> tensor<f32>
      // CHECK: tenon.bitcast %{{.*}} {part = 1 : i64} : (tensor<f32>) -> tensor<i16>
      %h = tenon.bitcast %s {part = 1 : i64} : (tensor<f32>) -> tensor<i16>
      // CHECK: tenon.if %[[M]] {
      // CHECK-NEXT: tenon.store
      tenon.if %m {
        tenon.store %s, %y[%i, %j] : tensor<f32>, memref<4x8xf32>
      }
      // CHECK: tenon.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] if %{{.*}} : tensor<f32>, memref<4x8xf32>
      tenon.store %s, %y[%i, %j] if %q : tensor<f32>, memref<4x8xf32>
    }
  }
}

// CHECK-LABEL: tenon.kernel @transpose
tenon.kernel @transpose {
^bb0(%x: memref<64x128xf32>, %y: memref<128x64xf32>):
  tenon.parallel [2, 1] grain 1 {
  ^bb0(%r: index, %c: index):
    // CHECK: %{{.*}} = tenon.local : memref<4x8xf32, strided<[0, 1]>>
    %l = tenon.local : memref<4x8xf32, strided<[0, 1]>>
    // CHECK: tenon.tile [128, 64] block 64 at(%{{.*}}, %{{.*}}) {
    tenon.tile [128, 64] block 64 at (%r, %c) {
    ^bb0(%i: index, %j: index):
      %v = tenon.load %x[%j, %i] : memref<64x128xf32> -> tensor<f32>
      tenon.store %v, %y[%i, %j] : tensor<f32>, memref<128x64xf32>
    }
  }
}

// CHECK-LABEL: tenon.kernel @product
tenon.kernel @product {
^bb0(%a: memref<1x4x8xf32>, %b: memref<1x8x2xf32, strided<[0, 1, 8]>>, %y: memref<4x2xf32>,
     %s: memref<64xi8>):
  // CHECK: tenon.contract %{{.*}}, %{{.*}} scratch %{{.*}} accumulate f32 {
  // CHECK: } : memref<1x4x8xf32>, memref<1x8x2xf32, strided<[0, 1, 8]>>, memref<64xi8>
  tenon.contract %a, %b scratch %s accumulate f32 {
  ^bb0(%batch: index, %m: index, %n: index, %v: tensor<f32>):
    tenon.store %v, %y[%m, %n] : tensor<f32>, memref<4x2xf32>
  } : memref<1x4x8xf32>, memref<1x8x2xf32, strided<[0, 1, 8]>>, memref<64xi8>
}

// CHECK-LABEL: tenon.kernel @fft
tenon.kernel @fft {
^bb0(%x: memref<4x8xf32>, %y: memref<4x5xcomplex<f32>>, %s: memref<64xi8>):
  // CHECK: tenon.fft %{{.*}} to %{{.*}} scratch %{{.*}} lengths [8] inverse false {tenon.plan = {lanes = 8 : i64, scratch_bytes = 64 : i64}}
  tenon.fft %x to %y scratch %s lengths [8] inverse false {tenon.plan = {lanes = 8 : i64, scratch_bytes = 64 : i64}} : memref<4x8xf32> to memref<4x5xcomplex<f32>>, memref<64xi8>
}

// CHECK-LABEL: tenon.kernel @sort
tenon.kernel @sort {
^bb0(%x: memref<1x4x8xf32>, %i: memref<1x4x8xi32>, %s: memref<64xi8>):
  // CHECK: tenon.sort %{{.*}} from [0, -1] to %{{.*}} from [-1, 0] scratch %{{.*}} {
  tenon.sort %x from [0, -1] to %i from [-1, 0] scratch %s {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    tenon.yield %p : tensor<i1>
  // CHECK: } : (memref<1x4x8xf32>) to(memref<1x4x8xi32>), memref<64xi8>
  } : (memref<1x4x8xf32>) to (memref<1x4x8xi32>), memref<64xi8>
}
