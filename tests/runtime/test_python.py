"""The package tenon_runtime: a wheel without JAX and without a compiler."""
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from runtime_tools import BUILD, ROOT, command, plugin_env, write_safetensors

COMPILE = """
import sys, jax, jax.numpy as jnp, numpy as np
from jax_plugins.tenon import aot
def model(params, x):
    for layer in params:
        x = jnp.tanh(x @ layer["w"] + layer["b"])
    return {"class": x.argmax(1), "scores": x}
rng = np.random.default_rng(0)
params = [{"w": rng.standard_normal((a, b), np.float32), "b": rng.standard_normal(b, np.float32)}
          for a, b in ((256, 1024), (1024, 10))]
x = rng.standard_normal((64, 256), np.float32)
aot.compile(jax.jit(model), params, x, path=sys.argv[1] + "/model.tenon")
y = jax.jit(model)(params, x)
np.savez(sys.argv[1] + "/data.npz", x=x, scores=y["scores"], classes=y["class"],
         **{f"{name}{i}": layer[name] for i, layer in enumerate(params) for name in layer})
"""

RUN = """
import sys, threading, numpy as np, tenon_runtime
data = np.load(sys.argv[1] + "/data.npz")
params = [{"w": data[f"w{i}"], "b": data[f"b{i}"]} for i in range(2)]
model = tenon_runtime.load(sys.argv[1] + "/model.tenon")
equal = []
def run():
    for _ in range(50):
        y = model(params, data["x"])
        equal.append(y["scores"].tobytes() == data["scores"].tobytes()
                     and (y["class"] == data["classes"]).all())
threads = [threading.Thread(target=run) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(len(equal), all(equal), "jax" in sys.modules, model.name)
for path in sys.argv[1] + "/data.npz", sys.argv[1] + "/none.tenon":
    try:
        tenon_runtime.load(path)
    except tenon_runtime.TenonError as error:
        print(error.code, error)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the package, as pip installs it from the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder),
                           f"--config-setting=build-dir={folder}/build", str(ROOT / "python" / "tenon_runtime")],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    wheel, = folder.glob("tenon_runtime-*.whl")
    assert wheel.stat().st_size < 2_000_000
    zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


def test_runs_without_jax(installed, tmp_path):
    env = {**plugin_env.clean(), "TENON_PLUGIN": str(plugin_env.default_plugin()),
           "PYTHONPATH": str(plugin_env.PACKAGE), "JAX_PLATFORMS": "tenon", "TENON_KERNEL_CACHE": "off"}
    command(sys.executable, "-c", COMPILE, tmp_path, env=env)
    # PJRT clients would keep a packed form of the first weight; the C library runs without.
    assert b"f32 to f32 from 0" in (tmp_path / "model.tenon").read_bytes()
    env = {**plugin_env.clean(), "PYTHONPATH": str(installed)}
    ran, foreign, absent = command(sys.executable, "-c", RUN, tmp_path, env=env).strip().split("\n")
    assert ran == "200 True False jit_model"
    assert foreign.startswith("15 ") or foreign.startswith("9 "), foreign
    assert absent == f"5 cannot open '{tmp_path}/none.tenon': No such file or directory"


WEIGHTS = """
import sys, numpy as np, tenon_runtime
data = np.load(sys.argv[1] + "/data.npz")
model = tenon_runtime.load(sys.argv[1] + "/bound.tenon")
print(len(model.inputs), len(model.weights), "jax" in sys.modules)
print(model(data["x"])["scores"].tobytes() == data["scores"].tobytes())
partly = tenon_runtime.load(sys.argv[1] + "/partly.tenon", weights=sys.argv[1] + "/w.safetensors")
y = partly([None, {"b": data["b1"]}], data["x"])
print(y["scores"].tobytes() == data["scores"].tobytes())
try:
    model([], data["x"])
except TypeError as error:
    print(error)
"""


def test_weights_are_left_out(installed, tmp_path):
    env = {**plugin_env.clean(), "TENON_PLUGIN": str(plugin_env.default_plugin()),
           "PYTHONPATH": str(plugin_env.PACKAGE), "JAX_PLATFORMS": "tenon", "TENON_KERNEL_CACHE": "off"}
    command(sys.executable, "-c", COMPILE, tmp_path, env=env)
    data = np.load(tmp_path / "data.npz")
    tensors = {f"{i}.{name}": data[f"{name}{i}"] for i in range(2) for name in "wb"}
    write_safetensors(tmp_path / "w.safetensors", tensors)
    compiler, options = BUILD / "bin" / "tenon-compile", ("--weights", tmp_path / "w.safetensors")
    command(compiler, tmp_path / "model.tenon", "-o", tmp_path / "bound.tenon", "--embed-weights", *options)
    del tensors["1.b"]
    write_safetensors(tmp_path / "w.safetensors", tensors)
    command(compiler, tmp_path / "model.tenon", "-o", tmp_path / "partly.tenon", *options)
    env = {**plugin_env.clean(), "PYTHONPATH": str(installed)}
    bound, *equal, error = command(sys.executable, "-c", WEIGHTS, tmp_path, env=env).strip().split("\n")
    assert bound == "1 4 False"
    assert equal == ["True", "True"]
    assert error == "jit_model takes 1 arguments by position, not 2"


def test_a_library_that_is_not_there(installed, tmp_path):
    env = {**plugin_env.clean(), "PYTHONPATH": str(installed), "TENON_RUNTIME_LIBRARY": str(tmp_path / "no.so")}
    done = subprocess.run([sys.executable, "-c", "import tenon_runtime; tenon_runtime.load('f')"], env=env,
                          capture_output=True, text=True, timeout=60)
    assert "set TENON_RUNTIME_LIBRARY to the path of libtenon_runtime.so" in done.stderr


def test_the_build_has_the_library():
    assert (BUILD / "lib" / "libtenon_runtime.so").exists()
