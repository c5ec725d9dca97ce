"""Object files for other processors: op programs run under emulation and pass their checks.

TENON_ALL_OBJECTS=1 takes all programs of tests/ops. A test is skipped where its tools are missing.
"""
import platform
import re
import subprocess
import sys

import numpy as np
import plugin_env
import pytest
from object_targets import CLANG, TARGETS, missing
from test_objects import RUNNER, TOOLS, run_programs


def require(needs):
    absent = missing(needs) if RUNNER.exists() else [RUNNER.name]
    if absent:
        pytest.skip("not found: " + ", ".join(absent))


@pytest.mark.parametrize("target", TARGETS)
def test_programs_are_right(tmp_path, target):
    run, needs, options = TARGETS[target]
    require(needs)
    run_programs(tmp_path, run, "--sum-tolerance", 16, *options, every=25)


def test_code_for_a_higher_level_says_so(tmp_path):
    if platform.machine() != "x86_64":
        pytest.skip("needs the C library of x86-64")
    require(["qemu-x86_64-static", CLANG])
    (tmp_path / "main.c").write_text(
        '#include "model.h"\nint main(void) { return model_supported(); }\n')
    (tmp_path / "add.mlir").write_text(ADD)
    for target, cpu, expected in [("x86-64-v3", "Nehalem", 0), ("x86-64-v3", "Haswell", 1),
                                  ("x86-64-v4", "Haswell", 0), ("x86-64-v2", "Nehalem", 1)]:
        subprocess.run([TOOLS / "tenon-compile", "add.mlir", "--emit=object", "-o", "model.o",
                        "--header", "model.h", "--target", target], cwd=tmp_path, check=True,
                       timeout=60)
        subprocess.run([CLANG, "-static", "main.c", "model.o", "-o", "main"], cwd=tmp_path, check=True,
                       timeout=60)
        done = subprocess.run(["qemu-x86_64-static", "-cpu", cpu, "./main"], cwd=tmp_path, timeout=60)
        assert done.returncode == expected, (target, cpu)


def test_the_plugin_has_no_backend_for_objects_only():
    names = subprocess.run(["nm", plugin_env.default_plugin()], capture_output=True, text=True,
                           check=True).stdout
    if "LLVMInitializeX86Target" not in names:
        pytest.skip("the plugin has no symbols")
    assert not any(f"LLVMInitialize{name}Target" in names
                   for name in ("RISCV", "WebAssembly", "ARM"))


SMALL_MODELS = """
import jax, jax.numpy as jnp, numpy as np
rng = np.random.default_rng(0)
def weights(*shape):
    return rng.standard_normal(shape, np.float32) / np.float32(np.sqrt(np.prod(shape[:-1])))
dense = [weights(64, 128), weights(128, 128), weights(128, 10)]
def mlp(x):
    for w in dense[:-1]:
        x = jnp.tanh(x @ w)
    return jax.nn.softmax(x @ dense[-1])
kernels, last = [weights(3, 3, 1, 8), weights(3, 3, 8, 16)], weights(16, 10)
def cnn(x):
    for w in kernels:
        x = jax.lax.conv_general_dilated(x, w, (2, 2), "SAME",
                                         dimension_numbers=("NHWC", "HWIO", "NHWC"))
        x = jax.nn.relu(x)
    return x.mean((1, 2)) @ last
for name, f, x in [("mlp", mlp, weights(1, 64)), ("cnn", cnn, weights(1, 28, 28, 1))]:
    open(name + ".mlir", "w").write(jax.jit(f).lower(x).as_text())
    np.save(name + "_x.npy", x)
    np.save(name + "_y.npy", np.asarray(jax.jit(f)(x)))
"""


@pytest.fixture(scope="module")
def small_models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    (folder / "models.py").write_text(SMALL_MODELS)
    subprocess.run([sys.executable, "models.py"], cwd=folder, check=True, timeout=300,
                   env={**plugin_env.clean(), "JAX_PLATFORMS": "cpu"})
    return folder


@pytest.mark.parametrize("model", ["mlp", "cnn"])
@pytest.mark.parametrize("target", ["cortex-m4", "cortex-m55"])
def test_small_models_on_a_microcontroller(small_models, tmp_path, target, model):
    """Code, weights and arena take less than 256 KB."""
    run, needs, options = TARGETS[target]
    require(needs)
    subprocess.run([TOOLS / "tenon-compile", small_models / f"{model}.mlir", "--emit=object", "-o",
                    "p0.o", "--header", "types.h", "--name", "p0", *options[:2]], cwd=tmp_path,
                   check=True, timeout=60)
    numbers = {name: int(re.search(rf"P0_{name}_BYTES (\d+)u", (tmp_path / "types.h").read_text())[1])
               for name in ("ARENA", "STACK")}
    sizes = subprocess.run(["arm-none-eabi-size", "p0.o"], cwd=tmp_path, check=True,
                           capture_output=True, text=True).stdout.split("\n")[1].split()
    print(target, model, "code and constants", sizes[0], numbers)
    assert int(sizes[0]) + numbers["ARENA"] + numbers["STACK"] < 256 << 10
    assert sizes[1:3] == ["0", "0"]  # neither data nor bss
    (tmp_path / "programs.h").write_text(f"X(p0, {numbers['STACK']})\n")
    (tmp_path / "inputs.bin").write_bytes(np.load(small_models / f"{model}_x.npy").tobytes())
    subprocess.run(run, cwd=tmp_path, shell=True, check=True, timeout=200)
    expected = np.load(small_models / f"{model}_y.npy")
    result = np.fromfile(tmp_path / "results.bin", np.float32).reshape(expected.shape)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


ADD = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""

CALL = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @twice(%x) {api_version = 4 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""

WASM_MAIN = """
import {readFileSync} from 'node:fs';
const word = address => new DataView(e.memory.buffer).getUint32(address, true);
const twice = (env, call, args, results) => {
  const x = new Float32Array(e.memory.buffer, word(args), 4);
  new Float32Array(e.memory.buffer, word(results), 4).set(x.map(value => 2 * value));
  return 0;
};
const {instance: {exports: e}} =
    await WebAssembly.instantiate(readFileSync('add.wasm'), {env: {twice}});
const base = (e.__heap_base.value + 63) & ~63;
const at = i => new Float32Array(e.memory.buffer, base + 64 * i, 4);
at(0).set([1, 2, 3, 4]);
if (e.add_run(base, base + 64, base + 128) !== 0) process.exit(1);
console.log(at(1).join(' '));
"""


@pytest.mark.parametrize("program", [ADD, CALL], ids=["add", "call"])
def test_a_webassembly_module(tmp_path, program):
    require(["wasm-ld-22", "node"])
    (tmp_path / "add.mlir").write_text(program)
    subprocess.run([TOOLS / "tenon-compile", "add.mlir", "--emit=wasm", "-o", "add.wasm", "--name",
                    "add", "--target", "wasm32"], cwd=tmp_path, check=True, timeout=60)
    (tmp_path / "main.mjs").write_text(WASM_MAIN)
    done = subprocess.run(["node", "main.mjs"], cwd=tmp_path, capture_output=True, text=True,
                          timeout=60)
    assert (done.returncode, done.stdout) == (0, "2 4 6 8\n"), done.stderr
