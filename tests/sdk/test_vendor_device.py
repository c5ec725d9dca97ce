"""examples/vendor_device, an out-of-tree device, built against only the installed SDK.

docs/adding/device.md walks through it.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import plugin_env  # noqa: E402

BUILD = pathlib.Path(plugin_env.default_plugin()).parents[1]


def command(*args):
    done = subprocess.run(list(map(str, args)), capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, " ".join(map(str, args)) + "\n" + done.stdout + done.stderr


@pytest.fixture(scope="module")
def sdk(tmp_path_factory):
    if not (BUILD / "CMakeCache.txt").exists():
        pytest.skip(f"{BUILD} is no build folder")
    folder = tmp_path_factory.mktemp("sdk")
    command("cmake", "--install", BUILD, "--component", "sdk", "--prefix", folder)
    return folder


@pytest.fixture(scope="module")
def plugin(sdk, tmp_path_factory):
    folder = tmp_path_factory.mktemp("vendor")
    shutil.copytree(ROOT / "examples" / "vendor_device", folder / "source")
    command("cmake", "-S", folder / "source", "-B", folder / "build", "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={sdk}", "-DCMAKE_CXX_COMPILER=clang++-22",
            "-DCMAKE_BUILD_TYPE=Release")
    command("ninja", "-C", folder / "build")
    commands = (folder / "build" / "build.ninja").read_text()
    assert str(ROOT) not in commands, "the example is built with files of the checkout"
    return folder / "build" / "lib" / "pjrt_plugin_acme.so"


def run(plugin, code, **variables):
    env = {**plugin_env.clean(), "PJRT_NAMES_AND_LIBRARY_PATHS": f"acme:{plugin}",
           "JAX_PLATFORMS": "acme", "TENON_KERNEL_CACHE": "off", "PYTHONPATH": "", **variables}
    code = "import ctypes, sys, jax, jax.numpy as jnp, numpy as np\nPLUGIN = sys.argv[1]\n" + code
    done = subprocess.run([sys.executable, "-c", code, str(plugin)], env=env,
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip().split("\n")


DENSE = """
library = ctypes.CDLL(PLUGIN)
library.acme_dense_calls.restype = ctypes.c_int64
rng = np.random.default_rng(0)
def dense(rows, depth, columns, activation=jax.nn.relu, dtype=np.float32):
    x, w, b = (rng.standard_normal(s).astype(dtype)
               for s in ((rows, depth), (depth, columns), (columns,)))
    result = np.asarray(jax.jit(lambda x, w, b: activation(x @ w + b))(x, w, b))
    wanted = np.asarray(activation((x.astype(np.float64) @ w + b)))
    np.testing.assert_allclose(result, wanted, rtol=2e-2 if dtype != np.float32 else 1e-4,
                               atol=1e-4)
    return library.acme_dense_calls()
"""


def test_the_vendors_function_takes_dense_layers(plugin):
    assert run(plugin, DENSE + """
print(jax.devices()[0].platform, jax.devices()[0].device_kind)
print(dense(7, 5, 3), dense(64, 100, 33))
# Tenon compiles layers that the library function does not compute: with another activation or
# without bias, and the last of several layers, which has no activation.
print(dense(7, 5, 3, jnp.tanh), dense(7, 5, 3, lambda y: jnp.maximum(y, 1)))
x = np.full((4, 4), 2, np.float32)
print(float(jax.jit(lambda x: jax.nn.relu(x @ x))(x)[0, 0]), library.acme_dense_calls())
def network(x, layers):
    for w, b in layers[:-1]:
        x = jax.nn.relu(x @ w + b)
    return x @ layers[-1][0]
ones = [(np.ones((4, 4), np.float32), np.ones(4, np.float32))] * 3
print(float(jax.jit(network)(x, ones)[0, 0]), library.acme_dense_calls())
""") == ["acme Acme A1", "1 2", "2 2", "16.0 2", "148.0 4"]


def test_the_vendors_pass_follows_its_phase(plugin, tmp_path):
    assert run(plugin, """
x = np.array([1.5, np.inf, -0.0, np.nan, 3e38], np.float32)
print(np.array_equal(jax.jit(lambda x: x + x)(x), x + x, equal_nan=True))
""", TENON_DUMP_TO=str(tmp_path)) == ["True"]
    phases = {path.name.split(".", 1)[1]: path.read_text() for path in tmp_path.iterdir()}
    assert re.search(r"stablehlo\.add", phases["legalize.mlir"])
    assert not re.search(r"stablehlo\.add", phases["simplify.mlir"])
    assert re.search(r"stablehlo\.multiply", phases["simplify.mlir"])


def test_the_sdk_has_the_headers_of_the_page(sdk):
    page = (ROOT / "docs" / "adding" / "device.md").read_text()
    for header in re.findall(r"`(tenon/[\w/]+\.h)`", page):
        assert (sdk / "include" / header).exists(), header
    assert not os.path.exists(sdk / "bin")
