// Operations of the specification that are refused: a clear error, never a wrong result.
// REQUIRES: plugin
// RUN: split-file %s %t
// RUN: not tenon-run -q -p %plugin %t/infeed.mlir 2>&1 | FileCheck %s --check-prefix=INFEED
// RUN: not tenon-run -q -p %plugin %t/outfeed.mlir 2>&1 | FileCheck %s --check-prefix=OUTFEED
// RUN: not tenon-run -q -p %plugin %t/send.mlir 2>&1 | FileCheck %s --check-prefix=SEND
// RUN: not tenon-run -q -p %plugin %t/recv.mlir 2>&1 | FileCheck %s --check-prefix=RECV
// RUN: not tenon-run -q -p %plugin %t/quantize.mlir 2>&1 | FileCheck %s --check-prefix=QUANTIZE
// RUN: not tenon-run -q -p %plugin %t/dequantize.mlir 2>&1 | FileCheck %s --check-prefix=DEQUANTIZE
// RUN: not tenon-run -q -p %plugin %t/set_size.mlir 2>&1 | FileCheck %s --check-prefix=SET_SIZE
// RUN: not tenon-run -q -p %plugin %t/dynamic.mlir 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: not tenon-run -q -p %plugin %t/algorithm.mlir 2>&1 | FileCheck %s --check-prefix=ALGORITHM

// INFEED: UNIMPLEMENTED: {{.*}}stablehlo.infeed
// OUTFEED: UNIMPLEMENTED: {{.*}}stablehlo.outfeed
// SEND: UNIMPLEMENTED: {{.*}}stablehlo.send
// RECV: UNIMPLEMENTED: {{.*}}stablehlo.recv
// QUANTIZE: UNIMPLEMENTED: {{.*}}quant
// DEQUANTIZE: UNIMPLEMENTED: {{.*}}quant
// SET_SIZE: UNIMPLEMENTED: {{.*}}
// DYNAMIC: UNIMPLEMENTED: {{.*}}
// ALGORITHM: UNIMPLEMENTED: {{.*}}stablehlo.dot_general on (tensor<8x16xf32>, tensor<16x4xf32>): algorithm {{.*}}lhs_component_count = 4{{.*}} is not supported; use {{.*}}(at loc(

//--- infeed.mlir
func.func @main() -> tensor<2xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %r:2 = "stablehlo.infeed"(%t) {infeed_config = "", layout = [[0]]} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %r#0 : tensor<2xf32>
}

//--- outfeed.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %r = "stablehlo.outfeed"(%x, %t) {outfeed_config = ""} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return %x : tensor<2xf32>
}

//--- send.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %r = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return %x : tensor<2xf32>
}

//--- recv.mlir
func.func @main() -> tensor<2xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %r:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %r#0 : tensor<2xf32>
}

//--- quantize.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xi8> {
  %0 = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xi8>
  return %1 : tensor<2xi8>
}

//--- dequantize.mlir
func.func @main(%x: tensor<2xi8>) -> tensor<2xf32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<2xi8>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

//--- set_size.mlir
func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>> {
  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
  return %0 : tensor<?xf32, #stablehlo.bounds<4>>
}

//--- dynamic.mlir
func.func @main(%n: tensor<1xi32>) -> tensor<?xf32> {
  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

//--- algorithm.mlir
func.func @main(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 4, rhs_component_count = 4, num_primitive_operations = 16, allow_imprecise_accumulation = false> : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
