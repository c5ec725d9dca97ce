// Floats of 16 bits are integers in the code, except at conversion instructions. For half and
// bfloat on processors without such instructions LLVM calls a library, or fails.
// RUN: tenon-compile %s -s llvm --arch x86_64 --cpu x86-64 | FileCheck %s --check-prefix=NONE
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu x86-64 | FileCheck %s --check-prefix=CALLS
// RUN: tenon-compile %s -s llvm --arch x86_64 --cpu x86-64-v3 | FileCheck %s --check-prefix=F16
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu x86-64-v3 | FileCheck %s --check-prefix=CALLS
// RUN: tenon-compile %s -s llvm --arch x86_64 --cpu znver4 | FileCheck %s --check-prefix=BOTH

// NONE-NOT: {{half|bfloat|@llvm.(floor|ceil|trunc|roundeven)}}
// CALLS-NOT: {{__trunc|__extend|roundeven|floor|ceil}}
// F16-NOT: bfloat
// F16: fptrunc {{.*}} to {{.*}}half
// F16-NOT: bfloat
// BOTH-NOT: {{(load|store|phi|select|fcmp|fneg).*bfloat}}
// BOTH: fptrunc {{.*}} to {{.*}}bfloat
// BOTH-NOT: {{(load|store|phi|select|fcmp|fneg).*bfloat}}
func.func public @main(%x: tensor<4x100xbf16>, %y: tensor<4x100xf16>)
    -> (tensor<4x100xbf16>, tensor<4x100xf16>, tensor<4xbf16>, tensor<100x4xbf16>) {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %c = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4x100xbf16>) -> tensor<4x100xbf16>
  %1 = "stablehlo.sort"(%y) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f16>, %b: tensor<f16>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f16>, tensor<f16>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4x100xf16>) -> tensor<4x100xf16>
  %2 = stablehlo.add %1, %1 : tensor<4x100xf16>
  %3 = stablehlo.round_nearest_even %2 : tensor<4x100xf16>
  %low = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %4 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1]
      : (tensor<4x100xbf16>, tensor<bf16>) -> tensor<4xbf16>
  %5 = stablehlo.negate %x : tensor<4x100xbf16>
  %6 = stablehlo.multiply %5, %x : tensor<4x100xbf16>
  %7 = stablehlo.transpose %6, dims = [1, 0] : (tensor<4x100xbf16>) -> tensor<100x4xbf16>
  return %0, %3, %4, %7
      : tensor<4x100xbf16>, tensor<4x100xf16>, tensor<4xbf16>, tensor<100x4xbf16>
}
