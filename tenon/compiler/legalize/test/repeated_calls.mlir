// Each of 40 functions calls the next one twice. Two calls on the same operand become one call; two
// nested calls become a program of 2^40 operations, which is rejected.
// RUN: split-file %s %t
// RUN: tenon-compile %t/same.mlir -s legalize | FileCheck %s --check-prefix=SAME
// RUN: not tenon-compile %t/nested.mlir -s legalize 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: tenon-compile %t/random.mlir -s legalize | FileCheck %s --check-prefix=RANDOM

// SAME-COUNT-1: stablehlo.sine
// SAME-NOT: stablehlo.sine
// SAME-COUNT-40: stablehlo.add
// SAME-NOT: stablehlo.add

// NESTED: RESOURCE_EXHAUSTED: {{.*}}operations once its calls are inlined{{.*}} at program:

// A function with side effects is called as often as the program says.
// RANDOM-COUNT-2: stablehlo.custom_call @draw

//--- same.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f39(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @leaf(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.sine %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f0(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @leaf(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @leaf(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f1(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f0(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f0(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f2(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f1(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f1(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f3(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f2(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f2(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f4(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f3(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f3(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f5(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f4(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f4(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f6(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f5(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f5(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f7(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f6(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f6(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f8(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f7(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f7(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f9(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f8(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f8(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f10(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f9(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f9(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f11(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f10(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f10(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f12(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f11(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f11(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f13(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f12(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f12(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f14(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f13(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f13(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f15(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f14(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f14(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f16(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f15(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f15(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f17(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f16(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f16(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f18(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f17(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f17(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f19(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f18(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f18(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f20(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f19(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f19(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f21(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f20(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f20(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f22(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f21(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f21(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f23(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f22(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f22(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f24(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f23(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f23(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f25(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f24(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f24(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f26(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f25(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f25(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f27(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f26(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f26(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f28(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f27(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f27(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f29(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f28(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f28(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f30(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f29(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f29(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f31(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f30(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f30(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f32(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f31(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f31(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f33(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f32(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f32(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f34(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f33(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f33(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f35(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f34(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f34(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f36(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f35(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f35(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f37(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f36(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f36(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f38(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f37(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f37(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f39(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f38(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f38(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

//--- nested.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f39(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @leaf(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.sine %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f0(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @leaf(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @leaf(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f1(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f0(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f0(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f2(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f1(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f1(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f3(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f2(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f2(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f4(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f3(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f3(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f5(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f4(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f4(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f6(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f5(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f5(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f7(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f6(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f6(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f8(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f7(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f7(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f9(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f8(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f8(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f10(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f9(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f9(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f11(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f10(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f10(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f12(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f11(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f11(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f13(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f12(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f12(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f14(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f13(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f13(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f15(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f14(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f14(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f16(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f15(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f15(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f17(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f16(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f16(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f18(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f17(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f17(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f19(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f18(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f18(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f20(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f19(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f19(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f21(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f20(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f20(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f22(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f21(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f21(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f23(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f22(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f22(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f24(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f23(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f23(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f25(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f24(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f24(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f26(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f25(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f25(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f27(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f26(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f26(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f28(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f27(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f27(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f29(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f28(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f28(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f30(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f29(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f29(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f31(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f30(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f30(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f32(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f31(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f31(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f33(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f32(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f32(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f34(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f33(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f33(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f35(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f34(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f34(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f36(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f35(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f35(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f37(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f36(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f36(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f38(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f37(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f37(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f39(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f38(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f38(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

//--- random.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @draw(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @draw(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @draw(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @draw(%x) {has_side_effect = true, api_version = 4 : i32, backend_config = {}} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
