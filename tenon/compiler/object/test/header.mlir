// RUN: tenon-compile %s --emit=object -o %t.o --header %t.h --name step --target x86-64-v3 --freestanding
// RUN: FileCheck %s --input-file=%t.h
// RUN: llvm-nm --extern-only --defined-only --format=just-symbols %t.o | FileCheck %s --check-prefix=EXPORTS
// RUN: llvm-nm --undefined-only %t.o | count 0
// RUN: llvm-readelf --sections %t.o | FileCheck %s --check-prefix=SECTIONS
// RUN: tenon-compile %s --emit=object -o %t.o --header %t.callback.h --name step --threads callback
// RUN: FileCheck %s --input-file=%t.callback.h --check-prefix=CALLBACK

// The header declares a function with typed arguments. Donated arguments are updated in place, names
// are those of the program where C allows them, and tokens are left out.
//
// CHECK: Code for x86_64:x86-64-v3.
// CHECK: The object needs nothing.
// CHECK: #define STEP_ARENA_BYTES {{[0-9]+}}u
// CHECK: #define STEP_STACK_BYTES {{[1-9][0-9]*}}u
// CHECK: #define STEP_FLOPS {{[0-9.e+]+}}
// CHECK: state: f32[4,25]
// CHECK: int_value: i32[]
// CHECK: result0: f32[4,25], in place of state
// CHECK: int step_run(float state[100],
// CHECK-NEXT: const int32_t int_value[1],
// CHECK-NEXT: const float arg2[20],
// CHECK-NEXT: uint16_t result1[100],
// CHECK-NEXT: void *arena);
// CHECK: int step_call(const tenon_env *env, const void *const *args, void *const *results,
// CHECK: int step_supported(void);
// CHECK: extern const tenon_model_info step_info;
// CALLBACK: void *arena, const tenon_env *env);

// EXPORTS: step_call
// EXPORTS: step_info
// EXPORTS: step_run
// EXPORTS: step_supported
// EXPORTS-NOT: {{.}}

// SECTIONS-NOT: eh_frame
// SECTIONS-NOT: .bss
func.func public @main(%arg0: tensor<4x25xf32> {tf.aliasing_output = 0 : i32} loc("state"),
                       %arg1: tensor<i32> loc("int"), %arg2: tensor<10xcomplex<f32>> loc("2"))
    -> (tensor<4x25xf32>, tensor<4x25xbf16>) {
  %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x25xf32>
  %2 = stablehlo.real %arg2 : (tensor<10xcomplex<f32>>) -> tensor<10xf32>
  %3 = stablehlo.slice %2 [0:4] : (tensor<10xf32>) -> tensor<4xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<4xf32>) -> tensor<4x25xf32>
  %5 = stablehlo.add %arg0, %1 : tensor<4x25xf32>
  %6 = stablehlo.multiply %5, %4 : tensor<4x25xf32>
  %7 = stablehlo.convert %6 : (tensor<4x25xf32>) -> tensor<4x25xbf16>
  return %6, %7 : tensor<4x25xf32>, tensor<4x25xbf16>
}
