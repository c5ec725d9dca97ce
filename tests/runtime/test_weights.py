"""Weights of programs: inside the .tenon file, or in a safetensors file beside it."""
import struct
import subprocess
import sys

import pytest
from runtime_tools import (BUILD, check_shared, command, plugin_env, safetensors_header, same, shown,
                           values, write_safetensors)

MODEL = """
import sys, jax, jax.numpy as jnp, numpy as np
rng = np.random.default_rng(0)
params = {f"dense{i}": {"kernel": rng.standard_normal((a, b), np.float32) / 8,
                        "bias": rng.standard_normal(b, np.float32)}
          for i, (a, b) in enumerate([(64, 128), (128, 10)])}
def mlp(params, x):
    x = jnp.maximum(x @ params["dense0"]["kernel"] + params["dense0"]["bias"], 0)
    return x @ params["dense1"]["kernel"] + params["dense1"]["bias"]
x = np.array([(i % 17 - 8) / 8 for i in range(16 * 64)], np.float32).reshape(16, 64)
lowered = jax.jit(mlp).lower(params, x)
open(sys.argv[1] + "/model.mlir", "w").write(lowered.as_text(debug_info=True))
np.savez(sys.argv[1] + "/params.npz", **{f"{a}.{b}": params[a][b] for a in params for b in params[a]})
y = np.asarray(mlp(params, x))
print(y[0, 0], y[0, 1], y.sum(dtype=np.float64))
"""

LARGE = """
func.func @main(%w: tensor<268435456xf32> loc("params['w']"), %x: tensor<16xf32> loc("x"))
    -> tensor<16xf32> {
  %0 = stablehlo.slice %w [1024:1040] : (tensor<268435456xf32>) -> tensor<16xf32>
  %1 = stablehlo.add %0, %x : tensor<16xf32>
  return %1 : tensor<16xf32>
}
"""


@pytest.fixture(scope="module")
def model(folder):
    """(folder with model.mlir and weights.safetensors, what run_program must print)."""
    import numpy as np
    path = folder / "weights"
    path.mkdir()
    env = {**plugin_env.clean(), "JAX_PLATFORMS": "cpu"}
    expected = command(sys.executable, "-c", MODEL, path, env=env).split()
    params = np.load(path / "params.npz")
    write_safetensors(path / "weights.safetensors", params)
    return path, [float(value) for value in expected]


def compile_with(model, output, *options, fails=False):
    """What tenon-compile says."""
    done = subprocess.run([BUILD / "bin" / "tenon-compile", model / "model.mlir", "-o", output,
                           "--weights", model / "weights.safetensors", *map(str, options)],
                          capture_output=True, text=True, timeout=300)
    assert (done.returncode != 0) == fails, done.stderr
    return done.stderr


def refusal(run_program, path):
    done = subprocess.run([run_program, path], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    return done.stdout.strip()


def test_weights_are_inside(run_program, model, tmp_path):
    said = compile_with(model[0], tmp_path / "m.tenon", "--embed-weights")
    assert said == f"tenon-compile: 4 weights, {4 * (64 * 128 + 128 + 1280 + 10)} bytes; inputs: x\n"
    same(values(command(run_program, tmp_path / "m.tenon")), model[1])


def test_weights_are_beside_the_program(run_program, model, tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    said = compile_with(model[0], tmp_path / "a" / "m.tenon", "--write-weights", tmp_path / "a" / "w")
    assert "not aligned" not in said
    same(values(command(run_program, tmp_path / "a" / "m.tenon")), model[1])
    for name in ("m.tenon", "w"):
        (tmp_path / "a" / name).rename(tmp_path / "b" / name)
    same(values(command(run_program, tmp_path / "b" / "m.tenon")), model[1])
    data = (tmp_path / "b" / "w").read_bytes()
    (tmp_path / "b" / "w").write_bytes(data[:-1])
    assert refusal(run_program, tmp_path / "b" / "m.tenon") == (
        f"error 15: cannot use the weights '{tmp_path}/b/w': the file is truncated or damaged: tensor "
        "'dense1.bias' is out of bounds")
    (tmp_path / "b" / "w").unlink()
    assert refusal(run_program, tmp_path / "b" / "m.tenon").startswith(
        f"error 5: no weights for the program: cannot open '{tmp_path}/b/w': No such file or directory; ")


def test_files_of_other_programs_are_used_as_they_are(run_program, model, tmp_path):
    said = compile_with(model[0], model[0] / "m.tenon", "--weight", "params['dense0']['bias']=dense0.bias",
                        "--weight", "1=dense0.kernel")
    assert "of weights are not aligned in 'weights.safetensors' and will be copied" in said
    same(values(command(run_program, model[0] / "m.tenon")), model[1])
    # Weights of another shape.
    (tmp_path / "m.tenon").write_bytes((model[0] / "m.tenon").read_bytes())
    (tmp_path / "weights.safetensors").write_bytes(safetensors_header({"dense0.bias": (3,)}) + bytes(12))
    assert refusal(run_program, tmp_path / "m.tenon") == (
        f"error 9: cannot use the weights '{tmp_path}/weights.safetensors': tensor 'dense0.bias' is "
        "f32[3], but the program needs f32[128]")


def test_weights_are_bound_to_compiled_programs(run_program, model, tmp_path):
    command(BUILD / "bin" / "tenon-compile", model[0] / "model.mlir", "-o", tmp_path / "m.tenon")
    options = ("--weights", model[0] / "weights.safetensors", "--embed-weights")
    command(BUILD / "bin" / "tenon-compile", tmp_path / "m.tenon", "-o", tmp_path / "m.tenon", *options)
    same(values(command(run_program, tmp_path / "m.tenon")), model[1])
    done = subprocess.run([BUILD / "bin" / "tenon-compile", tmp_path / "m.tenon"], capture_output=True, text=True)
    assert done.returncode == 1 and "the input is compiled; it can only get --weights" in done.stderr


def test_the_compiler_says_what_does_not_fit(model, tmp_path):
    said = compile_with(model[0], tmp_path / "m.tenon", "--weight", "x=dense0.kernel", fails=True)
    assert "tensor 'dense0.kernel' of" in said and "is f32[64,128], but parameter 4 (x) is f32[16,64]" in said
    said = compile_with(model[0], "-", fails=True)
    assert "an image on standard output cannot name a file beside it" in said
    said = compile_with(model[0], tmp_path / "m.o", "--emit", "object", fails=True)
    assert "only images have weights" in said


def test_processes_share_weights(run_program, model, tmp_path):
    weights = tmp_path / "w"
    compile_with(model[0], tmp_path / "m.tenon", "--write-weights", weights)
    assert check_shared(run_program, tmp_path / "m.tenon", weights) == {"r--s"}


def test_a_gigabyte_of_weights_is_not_read(run_program, tmp_path):
    (tmp_path / "model.mlir").write_text(LARGE)
    start = safetensors_header({"w": (1 << 28,)})
    start = struct.pack("<Q", 4096 - 8) + start[8:].ljust(4096 - 8)
    with open(tmp_path / "weights.safetensors", "wb") as file:
        file.write(start)
        try:
            file.truncate(len(start) + (1 << 30))
        except OSError as error:
            pytest.skip(f"no sparse file of 1 GB here: {error}")
        file.seek(len(start) + 4 * 1024)
        file.write(struct.pack("<16f", *range(16)))
    compile_with(tmp_path, tmp_path / "m.tenon")
    runs = [shown(command(run_program, tmp_path / "m.tenon")) for _ in range(5)]
    assert min(float(run["opened_ms"]) for run in runs) < 5
    assert max(int(run["opened_kb"]) for run in runs) < 2048
    same([float(value) for value in runs[0]["output"].split()[1:]], [-1, 1 / 8, 119])


def test_the_library_of_the_format_reads_what_is_written(model, tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy")
    import numpy as np
    compile_with(model[0], tmp_path / "m.tenon", "--write-weights", tmp_path / "w")
    read = safetensors.load_file(tmp_path / "w")
    params = np.load(model[0] / "params.npz")
    assert read.keys() == set(params) and all((read[name] == params[name]).all() for name in params)
