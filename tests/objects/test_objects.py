"""Object files of tenon-compile: op programs linked into C programs compute what the JIT computes.

TENON_ALL_OBJECTS=1 takes all programs of tests/ops instead of a part of them.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import plugin_env
import pytest

HERE = pathlib.Path(__file__).resolve().parent
OPS = sorted((HERE.parent / "ops").glob("*.mlir"))
TOOLS = plugin_env.BUILD / "bin"
RUNNER = TOOLS / "tenon-test-objects"
CC = shutil.which("gcc") or shutil.which("cc")
ALL = os.environ.get("TENON_ALL_OBJECTS") == "1"

pytestmark = pytest.mark.skipif(not RUNNER.exists() or not CC,
                                reason="tenon-test-objects is not built, or there is no C compiler")


def command(*words, cwd=None):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=900,
                          cwd=cwd)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def build(flags="", libraries=""):
    return f"{CC} -O1 {flags} -I. {HERE / 'driver.c'} p*.o -o driver {libraries}"


def run_programs(folder, run, *options, every=6):
    """Totals of the programs of tests/ops, of which every `every`-th runs."""
    output = command(RUNNER, *OPS, "--folder", folder, "--every", 1 if ALL else every, "--run", run,
                     *options)
    print(output)
    right = int(output.splitlines()[-1].split()[0])
    assert right >= (900 if ALL else 900 // every)
    return output


@pytest.mark.parametrize("level", ["host", "x86-64-v2", "x86-64-v3"])
def test_the_bits_are_those_of_the_jit(tmp_path, level):
    if level != "host" and os.uname().machine != "x86_64":
        pytest.skip("a level of x86-64")
    run_programs(tmp_path, build() + " && ./driver", "--target", level, "--plugin",
                 plugin_env.default_plugin(), "--option", f"cpu={level}")


def test_the_bits_are_the_same_on_threads_of_the_caller(tmp_path):
    run_programs(tmp_path, build("-DWITH_THREADS", "-lpthread") + " && ./driver", "--callback",
                 "--plugin", plugin_env.default_plugin())


def test_the_stated_stack_is_never_exceeded_and_nothing_is_undefined(tmp_path):
    run_programs(tmp_path, build("-DWITH_STACK") + " && ./driver", "--freestanding", every=3)
    objects = sorted(tmp_path.glob("batch*/p*.o"))
    assert objects and command("nm", "-u", *objects).strip().replace(":", "").split() == [
        str(path) for path in objects]
    sections = command("readelf", "-SW", *objects)
    # Constants with addresses are in .data.rel.ro, which is read-only once it is loaded.
    assert not re.findall(r"\.(?:data|bss|tdata|tbss)(?!\.rel\.ro)\S* +\w+ +\w+ \w+ 0*[1-9a-f]", sections)


def test_the_stated_stack_covers_bodies_of_loops_that_a_host_runs(tmp_path):
    run_programs(tmp_path, build("-DWITH_STACK") + " && ./driver", "--callback", every=4)


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """An MLP with weights as arguments, and a state that is updated in place."""
    folder = tmp_path_factory.mktemp("network")
    (folder / "model.py").write_text("""
import jax, jax.numpy as jnp
def f(state, x, w1, w2):
    y = jax.nn.softmax(jnp.tanh(x @ w1) @ w2)
    return state + y.sum(), y
z = jnp.zeros
text = jax.jit(f, donate_argnums=0).lower(
    z(()), z((4, 64)), z((64, 256)), z((256, 10))).as_text(debug_info=True)
open("mlp.mlir", "w").write(text)
""")
    subprocess.run([sys.executable, "model.py"], cwd=folder, check=True, timeout=300,
                   env={**plugin_env.clean(), "JAX_PLATFORMS": "cpu"})
    return folder


MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include "mlp.h"
#include "tenon/runtime.h" /* a program may use both */
static unsigned char arena[MLP_ARENA_BYTES + 1];
static float x[256], w1[64 * 256], w2[2560], y[40];
static int allocations;
#ifndef __cplusplus
void *__libc_malloc(size_t);
void *malloc(size_t bytes) { ++allocations; return __libc_malloc(bytes); }
#endif
int main(void) {
  float state[1] = {0};
  int before, i;
  for (i = 0; i < 256; ++i) x[i] = 0.01f * (float)(i % 17);
  for (i = 0; i < 64 * 256; ++i) w1[i] = 0.001f * (float)(i % 23);
  for (i = 0; i < 2560; ++i) w2[i] = 0.01f * (float)(i % 7);
  before = allocations;
  for (i = 0; i < 3; ++i)
    if (mlp_run(state, x, w1, w2, y, arena)) return 1;
  if (allocations != before || mlp_supported() != 1) return 2;
  printf("%s %d %.4f %.4f\\n", mlp_info.name, (int)mlp_info.num_args, (double)state[0],
         (double)(y[0] + y[1]));
  return 0;
}
"""


def compile_network(folder, kind, output, *options):
    command(TOOLS / "tenon-compile", "mlp.mlir", f"--emit={kind}", "-o", output, "--header", "mlp.h",
            "--name", "mlp", *options, cwd=folder)


@pytest.mark.parametrize("kind, output", [("object", "mlp.o"), ("archive", "libmlp.a"),
                                          ("shared", "libmlp.so")])
@pytest.mark.parametrize("language", ["c", "c++"])
def test_a_c_program_calls_the_network(network, kind, output, language):
    compile_network(network, kind, output)
    (network / "main.c").write_text(MAIN)
    strict = ["-std=c99"] if language == "c" else ["-std=c++11"]
    command("gcc", "-x", language, *strict, "-Wall", "-Wextra", "-Wpedantic", "-Werror",
            f"-I{plugin_env.ROOT}", "main.c",
            "-x", "none", output, "-o", "main", f"-Wl,-rpath,{network}", cwd=network)
    name, count, state, _ = command("./main", cwd=network).split()
    # Each call adds the sum of four softmaxes, which is 4.
    assert (name, count, state) == ("mlp", "4", "12.0000")


def test_sizes(network):
    compile_network(network, "object", "mlp.o", "--freestanding", "--target", "x86-64-v3")
    assert (network / "mlp.o").stat().st_size <= 40_000


def test_models_have_not_grown():
    if not shutil.which("llvm-size-22"):
        pytest.skip("not found: llvm-size-22")
    command(sys.executable, HERE.parents[1] / "scripts" / "aot_sizes.py", "--check", "--target",
            "x86-64-v3")
