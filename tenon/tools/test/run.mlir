// REQUIRES: plugin
// RUN: tenon-run %s -p %plugin --seed 3 -o %t. | FileCheck %s
// RUN: tenon-run %s -p %plugin -i %t.1.npy -o %t.again. -q
// RUN: tenon-run %s -p %plugin -i %t.again.1.npy -e %t.0.npy -e %t.1.npy | FileCheck %s --check-prefix=EQUAL
// RUN: not tenon-run %s -p %plugin -i %t.0.npy -e %t.0.npy 2>&1 | FileCheck %s --check-prefix=DIFFERENT
// RUN: tenon-run %s -p %plugin -i %t.0.npy -e %t.0.npy --rtol 1e9 --atol 1e9 -q
// RUN: tenon-run %s -p %plugin --repeat 3 -q | FileCheck %s --check-prefix=TIMES
// RUN: tenon-compile %s -o %t.image
// RUN: tenon-run %t.image -p %plugin --seed 3 -e %t.0.npy | FileCheck %s
// RUN: tenon-run - -p %plugin --seed 3 -e %t.0.npy --max-ulps 0 < %s | FileCheck %s
// RUN: tenon-run %s -p %plugin --option threads=1 --seed 3 --print-limit 2 | FileCheck %s --check-prefix=SHORT

// The second result is the argument, which the next run takes as its input.
//
// CHECK: result 0: f32[2,3] {{[{].*[}]}}
// CHECK-NEXT: result 1: f32[2,3] {{[{].*[}]}}
// EQUAL: the results are as expected
// DIFFERENT: tenon-run: FAILED_PRECONDITION: result 0 is not '{{.*}}.0.npy': f32[2,3]: {{[0-9]}} of 6 values differ
// TIMES: compile {{[0-9.]+}} ms
// TIMES-NEXT: run min {{[0-9.]+}} us, median {{[0-9.]+}} us, mean {{[0-9.]+}} us of 3 calls
// SHORT: result 0: f32[2,3] {{[{]}}{{[^,]*}}, {{[^,]*}}, ...}
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = stablehlo.exponential %x : tensor<2x3xf32>
  return %0, %x : tensor<2x3xf32>, tensor<2x3xf32>
}
