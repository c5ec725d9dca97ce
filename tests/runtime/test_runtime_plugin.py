"""pjrt_plugin_tenon_runtime.so: JAX runs executables that another process has compiled."""
import os
import platform
import subprocess
import sys

import plugin_env
import pytest
from runtime_tools import BUILD, HERE, command, same

PLUGIN = BUILD / "lib" / "pjrt_plugin_tenon_runtime.so"
pytestmark = pytest.mark.skipif(not PLUGIN.exists(), reason="the plugin is not built")

WRITE = """
import pickle, sys, jax, jax.numpy as jnp, numpy as np
from jax.experimental import serialize_executable
table = np.arange(4096, dtype=np.float32).reshape(64, 64) / 4096
compiled = jax.jit(lambda x, s: (jnp.tanh(x @ table) * s, {"sum": x.sum()})).lower(
    np.ones((8, 64), np.float32), np.float32(2)).compile()
pickle.dump(serialize_executable.serialize(compiled), open(sys.argv[1], "wb"))
y, more = compiled(np.ones((8, 64), np.float32), np.float32(2))
print(float(y.sum()), float(more["sum"]))
"""

RUN = """
import pickle, sys, jax, numpy as np
from jax.experimental import serialize_executable
print(jax.devices()[0].platform, len(jax.devices()))
f = serialize_executable.deserialize_and_load(*pickle.load(open(sys.argv[1], "rb")))
y, more = f(jax.device_put(np.ones((8, 64), np.float32)), jax.device_put(np.float32(2)))
print(float(np.asarray(y).sum()), float(np.asarray(more["sum"])))
try:
    jax.jit(lambda x: x + 1)(np.float32(1))
except Exception as error:
    print(str(error).split("\\n")[0])
"""


def run(code, plugin, path):
    # The same environment for both, without the package: only the plugin differs.
    env = {**plugin_env.clean(), "PJRT_NAMES_AND_LIBRARY_PATHS": f"tenon:{plugin}",
           "JAX_PLATFORMS": "tenon", "TENON_KERNEL_CACHE": "off", "PYTHONPATH": ""}
    return command(sys.executable, "-c", code, path, env=env).strip().split("\n")


def test_jax_runs_what_another_process_compiled(tmp_path):
    wanted = run(WRITE, BUILD / "lib" / "pjrt_plugin_tenon_cpu.so", tmp_path / "executable")
    device, got, error = run(RUN, PLUGIN, tmp_path / "executable")
    assert device == "tenon 1"
    assert got == wanted[-1]
    assert "cannot compile a program: this plugin has no compiler; load a compiled" in error


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the files are for x86-64")
@pytest.mark.parametrize("name", ["cpu", "runtime"])
def test_pypjrt_runs_files(mlp, name):
    pytest.importorskip("pypjrt")
    golden = sorted((HERE / "golden").glob("*.tenon"))
    lines = command(sys.executable, HERE / "run_pypjrt.py", BUILD / "lib" / f"pjrt_plugin_tenon_{name}.so",
                    f"{mlp[1]}:16x64", *(f"{path}:3x8" for path in golden), env=plugin_env.clean()).strip().split("\n")
    wanted = [mlp[2]] + [[float(value) for value in path.with_suffix(".txt").read_text().split()]
                         for path in golden]
    for line, values in zip(lines, wanted):
        same([float(value) for value in line.split()], values)
    if name == "cpu":
        assert lines[-1] == "compiled"
    else:
        assert "cannot compile a program: this plugin has no compiler; load a compiled" in lines[-1]


def test_the_plugin_is_small(tmp_path):
    command("strip", "-o", tmp_path / "plugin.so", PLUGIN)
    assert (tmp_path / "plugin.so").stat().st_size <= 3_000_000
    symbols = subprocess.run(["nm", "-DC", PLUGIN], capture_output=True, text=True).stdout
    assert "llvm::" not in symbols and "mlir::" not in symbols
    names = [line.split()[-1].split("@")[0] for line in
             command("nm", "-D", "--defined-only", PLUGIN).strip().split("\n")]
    assert [name for name in names if name != "TENON"] == ["GetPjrtApi"]


def test_plugins_have_the_name_that_clients_search_for(tmp_path):
    command("cmake", "--install", BUILD, "--component", "plugin", "--prefix", tmp_path)
    for name in ("cpu", "runtime"):
        link = tmp_path / "lib" / "tenon" / name / "pjrt_c_api_cpu_plugin.so"
        assert os.path.realpath(link) == str(tmp_path / "lib/tenon" / f"pjrt_plugin_tenon_{name}.so")
        assert link.exists()
