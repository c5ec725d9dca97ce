// RUN: tenon-compile %s -s program | FileCheck %s

// The body of JAX's argmax. A case analysis proves that it selects by a total order, that it
// prefers the first of equal values, and that positions ascend. So lanes may reorder elements.
//
// CHECK-LABEL: tenon.kernel @loop.0
// CHECK: tenon.reduce [100]
// CHECK: {position_operand = 1 : i64}
//
// Descending positions.
//
// CHECK-LABEL: tenon.kernel @loop.1
// CHECK: tenon.reduce [100]
// CHECK-NOT: position_operand
//
// The initial position is greater than those of elements.
//
// CHECK-LABEL: tenon.kernel @loop.2
// CHECK: tenon.reduce [100]
// CHECK-NOT: position_operand
//
// Positions that wrap around.
//
// CHECK-LABEL: tenon.kernel @loop.3
// CHECK: tenon.reduce [200]
// CHECK-NOT: position_operand
//
// A body that drops a NaN on the left and keeps it on the right.
//
// CHECK-LABEL: tenon.kernel @loop.4
// CHECK: tenon.reduce [100]
// CHECK-NOT: position_operand
func.func @main(%x: tensor<8x100xf32>, %y: tensor<8x200xf32>) -> (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi8>, tensor<8xi32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %iota = stablehlo.iota dim = 1 : tensor<8x100xi32>
  %0:2 = stablehlo.reduce(%x init: %low), (%iota init: %zero) across dimensions = [1] : (tensor<8x100xf32>, tensor<8x100xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %gt = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %nan = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %or = stablehlo.or %gt, %nan : tensor<i1>
    %eq = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %lt = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %and = stablehlo.and %eq, %lt : tensor<i1>
    %keep = stablehlo.or %or, %and : tensor<i1>
    %v = stablehlo.select %or, %a, %b : tensor<i1>, tensor<f32>
    %p = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %v, %p : tensor<f32>, tensor<i32>
  }
  %end = stablehlo.constant dense<99> : tensor<8x100xi32>
  %down = stablehlo.subtract %end, %iota : tensor<8x100xi32>
  %1:2 = stablehlo.reduce(%x init: %low), (%down init: %zero) across dimensions = [1] : (tensor<8x100xf32>, tensor<8x100xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %gt = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %nan = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %or = stablehlo.or %gt, %nan : tensor<i1>
    %eq = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %lt = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %and = stablehlo.and %eq, %lt : tensor<i1>
    %keep = stablehlo.or %or, %and : tensor<i1>
    %v = stablehlo.select %keep, %a, %b : tensor<i1>, tensor<f32>
    %p = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %v, %p : tensor<f32>, tensor<i32>
  }
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %2:2 = stablehlo.reduce(%x init: %low), (%iota init: %seven) across dimensions = [1] : (tensor<8x100xf32>, tensor<8x100xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %gt = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %nan = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %or = stablehlo.or %gt, %nan : tensor<i1>
    %eq = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %lt = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %and = stablehlo.and %eq, %lt : tensor<i1>
    %keep = stablehlo.or %or, %and : tensor<i1>
    %v = stablehlo.select %keep, %a, %b : tensor<i1>, tensor<f32>
    %p = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %v, %p : tensor<f32>, tensor<i32>
  }
  %bytes = stablehlo.iota dim = 1 : tensor<8x200xi8>
  %zero8 = stablehlo.constant dense<0> : tensor<i8>
  %3:2 = stablehlo.reduce(%y init: %low), (%bytes init: %zero8) across dimensions = [1] : (tensor<8x200xf32>, tensor<8x200xi8>, tensor<f32>, tensor<i8>) -> (tensor<8xf32>, tensor<8xi8>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i8>, %j: tensor<i8>) {
    %gt = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %nan = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %or = stablehlo.or %gt, %nan : tensor<i1>
    %eq = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %lt = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %and = stablehlo.and %eq, %lt : tensor<i1>
    %keep = stablehlo.or %or, %and : tensor<i1>
    %v = stablehlo.select %keep, %a, %b : tensor<i1>, tensor<f32>
    %p = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i8>
    stablehlo.return %v, %p : tensor<f32>, tensor<i8>
  }
  %4:2 = stablehlo.reduce(%x init: %low), (%iota init: %zero) across dimensions = [1] : (tensor<8x100xf32>, tensor<8x100xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %ge = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %ge, %a, %b : tensor<i1>, tensor<f32>
    %p = stablehlo.select %ge, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %v, %p : tensor<f32>, tensor<i32>
  }
  return %0#1, %1#1, %2#1, %3#1, %4#1 : tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi8>, tensor<8xi32>
}
