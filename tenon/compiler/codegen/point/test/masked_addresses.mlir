// A concatenation of short rows loads from each piece under a mask. If all lanes are off, the
// address may lie far outside of the piece, where processors take a hundred times longer for a
// load that reads nothing. So the load is then of the piece's first element.
// RUN: tenon-compile %s --stage=llvm --arch=x86_64 --cpu=znver4 | FileCheck %s

// CHECK: %[[MASK:.*]] = icmp ult <8 x i32>
// CHECK: %[[AT:.*]] = getelementptr
// CHECK: %[[ANY:.*]] = call i1 @llvm.vector.reduce.or.v8i1(<8 x i1> %[[MASK]])
// CHECK: %[[SAFE:.*]] = select i1 %[[ANY]], ptr %[[AT]], ptr %{{.*}}
// CHECK: @llvm.masked.load.v8f64.p0(ptr align 8 %[[SAFE]], <8 x i1> %[[MASK]]
func.func @main(%x: tensor<133333x3xf64>) -> tensor<266666x3xf64> {
  %two = stablehlo.constant dense<2.0> : tensor<266666x3xf64>
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<133333x3xf64>, tensor<133333x3xf64>) -> tensor<266666x3xf64>
  %1 = stablehlo.multiply %0, %two : tensor<266666x3xf64>
  return %1 : tensor<266666x3xf64>
}
