"""Custom calls in object files: each target is a C function that the program's user defines."""
import subprocess

import pytest
from object_targets import CLANG, missing
from test_objects import CC, RUNNER, TOOLS, command

pytestmark = pytest.mark.skipif(not RUNNER.exists() or not CC,
                                reason="tenon-compile is not built, or there is no C compiler")

PROGRAM = """
func.func @main(%x: tensor<2x3xf32>, %n: tensor<i32>) -> (tensor<2x3xf32>, tensor<2xi1>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %y = %x) : tensor<i32>, tensor<2x3xf32>
    cond {
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %next = stablehlo.add %i, %c1 : tensor<i32>
      %scaled = stablehlo.custom_call @my.scale(%y, %i) {
        api_version = 4 : i32, backend_config = {
          factor = 2.5 : f32, name = "a\\00b", sizes = array<i64: 7, 8>, inner = {flag = true}},
        output_operand_aliases = [#stablehlo.output_operand_alias<
          output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]
      } : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
      stablehlo.return %next, %scaled : tensor<i32>, tensor<2x3xf32>
    }
  %1 = stablehlo.create_token : !stablehlo.token
  %t = stablehlo.transpose %0#1, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %2:2 = stablehlo.custom_call @any_positive(%1, %t) {
    api_version = 4 : i32, has_side_effect = true,
    operand_layouts = [dense<> : tensor<0xindex>, dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>]
  } : (!stablehlo.token, tensor<3x2xf32>) -> (!stablehlo.token, tensor<2xi1>)
  return %0#1, %2#1 : tensor<2x3xf32>, tensor<2xi1>
}
"""

MAIN = """
#include <stdio.h>
#include <string.h>
#include <fenv.h>
#include <float.h>
#include "model.h"

static int calls, user;

int my_scale(const tenon_env *env, const tenon_ffi_call *call, const void *const *args,
             void *const *results) {
  const float *x = (const float *)args[0];
  float *y = (float *)results[0];
  volatile float tiny = FLT_MIN;
  int i;
  ++calls;
  if (env != NULL && env->user != &user) return 20;
  if (strcmp(call->target, "my.scale") || call->num_args != 2 || call->num_results != 1) return 21;
  if (call->args[0].rank != 2 || call->args[0].dims[1] != 3 || call->args[0].bytes != 24) return 22;
  if (call->args[1].rank != 0 || strcmp(call->args[1].type, "i32")) return 23;
  if (call->num_attributes != 4) return 24;
  if (strcmp(call->attributes[0].name, "factor") || strcmp(call->attributes[0].type, "f32"))
    return 25;
  if (strcmp(call->attributes[1].name, "inner.flag") || *(const char *)call->attributes[1].data != 1)
    return 26;
  if (call->attributes[2].type != NULL || call->attributes[2].count != 3 ||
      memcmp(call->attributes[2].data, "a\\0b", 4))
    return 27;
  if (call->attributes[3].count != 2 || ((const int64_t *)call->attributes[3].data)[1] != 8)
    return 28;
  if (x != y) return 29; /* the program wants it in place */
  if (tiny / 2 == 0 || fegetround() != FE_TONEAREST) return 30; /* as C programs start */
  if (*(const int32_t *)args[1] == 3) return 77;
  for (i = 0; i < 6; ++i) y[i] = x[i] * *(const float *)call->attributes[0].data;
  return 0;
}

int any_positive(const tenon_env *env, const tenon_ffi_call *call, const void *const *args,
                 void *const *results) {
  const float *x = (const float *)args[0]; /* column-major: columns of 3 */
  int column, i;
  (void)env;
  if (call->num_args != 1 || call->args[0].dims[0] != 3 || call->args[0].dims[1] != 2) return 40;
  for (column = 0; column < 2; ++column) {
    unsigned char found = 0;
    for (i = 0; i < 3; ++i) found |= x[3 * column + i] > 0;
    ((unsigned char *)results[0])[column] = found;
  }
  return 0;
}

int main(void) {
  float x[6] = {1, -2, 3, -4, -5, -6}, y[6];
  int32_t n = 2;
  unsigned char positive[2] = {9, 9};
  static unsigned char arena[MODEL_ARENA_BYTES + 64];
  unsigned char *aligned = arena + (64 - (uintptr_t)arena % 64);
  const tenon_env env = {&user, NULL};
  const void *args[2];
  void *results[2];
  int code = model_run(x, &n, y, positive, aligned);
  if (code) return code;
  if (calls != 2 || y[5] != -37.5f || x[5] != -6 || positive[0] != 1 || positive[1] != 0) return 2;
  args[0] = x, args[1] = &n, results[0] = y, results[1] = positive;
  if (model_call(&env, args, results, aligned) || calls != 4) return 3;
  fesetround(FE_UPWARD);
  n = 0;
  if (model_run(x, &n, y, positive, aligned) || fegetround() != FE_UPWARD) return 5;
  fesetround(FE_TONEAREST);
  n = 5;
  return model_run(x, &n, y, positive, aligned) == 77 && calls == 8 ? 0 : 4;
}
"""


@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize("kind, output", [("object", "model.o"), ("shared", "libmodel.so")])
def test_the_users_functions_are_called(tmp_path, language, kind, output):
    (tmp_path / "model.mlir").write_text(PROGRAM)
    main = 'extern "C" {\n#include "model.h"\n}\n' + MAIN if language == "c++" else MAIN
    (tmp_path / "main.c").write_text(main)
    command(TOOLS / "tenon-compile", "model.mlir", f"--emit={kind}", "-o", output, "--header",
            "model.h", "--freestanding", cwd=tmp_path)
    strict = "-std=c99" if language == "c" else "-std=c++11"
    command(CC, "-x", language, strict, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "main.c", "-x",
            "none", output, "-o", "main", "-lm", "-rdynamic", f"-Wl,-rpath,{tmp_path}", cwd=tmp_path)
    done = subprocess.run([tmp_path / "main"], timeout=60)
    assert done.returncode == 0
    if kind == "object":
        assert command("nm", "-u", output, cwd=tmp_path).split() == ["U", "any_positive", "U",
                                                                     "my_scale"]


@pytest.mark.parametrize("triple, emulator, options", [
    ("aarch64-linux-gnu", "qemu-aarch64-static -cpu max", ["--target", "aarch64"]),
    ("riscv64-linux-gnu", "qemu-riscv64-static -cpu rv64,v=true,vlen=256,vext_spec=v1.0",
     ["--target", "riscv64", "--features", "+v"])])
def test_other_processors_call_them(tmp_path, triple, emulator, options):
    needs = [CLANG, "ld.lld-22", emulator.split()[0], f"/usr/lib/gcc-cross/{triple}/*/libgcc.a"]
    if absent := missing(needs):
        pytest.skip("not found: " + ", ".join(absent))
    (tmp_path / "model.mlir").write_text(PROGRAM)
    (tmp_path / "main.c").write_text(MAIN)
    command(TOOLS / "tenon-compile", "model.mlir", "--emit=object", "-o", "model.o", "--header",
            "model.h", *options, cwd=tmp_path)
    command(CLANG, f"--target={triple}", "-fuse-ld=lld", "-static", "main.c", "model.o", "-lm", "-o",
            "main", cwd=tmp_path)
    command(*emulator.split(), "./main", cwd=tmp_path)
