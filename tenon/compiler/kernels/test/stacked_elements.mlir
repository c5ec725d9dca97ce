// The few elements of a stacked dimension are computed one after another for a register of points.
// Each element comes from one operand, without masks. Their common part, the square, is computed
// once.
// RUN: tenon-compile %s --stage=program | FileCheck %s

// CHECK: tenon.kernel
// CHECK: tenon.map
// CHECK: stablehlo.multiply
// CHECK-NOT: {{stablehlo.(multiply|select)}}
// CHECK: tenon.store {{.*}}, %c0]
// CHECK-NOT: {{stablehlo.(multiply|select)}}
// CHECK: tenon.store {{.*}}, %c1]
// CHECK-NOT: {{stablehlo.(multiply|select)}}
// CHECK: tenon.store {{.*}}, %c2]
func.func public @main(%x: tensor<10000xf32>) -> tensor<10000x3xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<10000xf32>
  %1 = stablehlo.negate %0 : tensor<10000xf32>
  %2 = stablehlo.add %0, %x : tensor<10000xf32>
  %a = stablehlo.reshape %0 : (tensor<10000xf32>) -> tensor<10000x1xf32>
  %b = stablehlo.reshape %1 : (tensor<10000xf32>) -> tensor<10000x1xf32>
  %c = stablehlo.reshape %2 : (tensor<10000xf32>) -> tensor<10000x1xf32>
  %3 = stablehlo.concatenate %a, %b, %c, dim = 1
      : (tensor<10000x1xf32>, tensor<10000x1xf32>, tensor<10000x1xf32>)
      -> tensor<10000x3xf32>
  %4 = stablehlo.abs %3 : tensor<10000x3xf32>
  return %4 : tensor<10000x3xf32>
}
