// Results of 8 MiB and more prefetch the cache lines that they are stored to, one prefetch for each
// line. Smaller results do not.
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu sapphirerapids | FileCheck %s

// CHECK-LABEL: loop.0.phase0:
// CHECK: prefetchw
// CHECK-NOT: prefetch
// CHECK-LABEL: loop.1.phase0:
// CHECK-NOT: prefetch
func.func public @main(%x: tensor<10000000xf32>, %y: tensor<1000000xf32>)
    -> (tensor<10000000xf32>, tensor<1000000xf32>) {
  %0 = stablehlo.add %x, %x : tensor<10000000xf32>
  %1 = stablehlo.multiply %y, %y : tensor<1000000xf32>
  return %0, %1 : tensor<10000000xf32>, tensor<1000000xf32>
}
