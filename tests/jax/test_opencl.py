"""JAX on OpenCL devices: the driver of scripts/install_opencl.sh, or another one."""
import functools
import os

import plugin_env
import pytest
from conftest import only_tenon
from own_process import run

PLUGIN = plugin_env.default_plugin().with_name("pjrt_plugin_tenon_opencl.so")
VARIABLES = plugin_env.variables(PLUGIN, "tenon_opencl")


@functools.cache
def missing():
    """Why the tests cannot run here; empty if they can."""
    if not PLUGIN.exists():
        return f"{PLUGIN} has not been built"
    error = run("import jax\ntry:\n    jax.devices()\nexcept RuntimeError as e: print(e)", **VARIABLES)
    assert not error or "UNAVAILABLE" in error, error
    return error


@pytest.fixture(autouse=True)
def device():
    if missing():
        pytest.skip(missing())


pytestmark = only_tenon("about devices of Tenon")


def on_opencl(code, **variables):
    return run("import jax, jax.numpy as jnp, numpy as np\n" + code,
               **{**VARIABLES, **variables}).split("\n")


def test_devices():
    assert on_opencl("""
for device in jax.devices():
    print(device.platform, device.device_kind,
          sorted(memory.kind for memory in device.addressable_memories()))
""", TENON_DEVICE_COUNT="2", TENON_OPENCL_SUB_DEVICES="2") == 2 * [
        "tenon_opencl OpenCL ['device', 'pinned_host', 'unpinned_host']"]


@pytest.mark.parametrize("memory", ["usm", "svm"])
def test_arrays_go_there_and_back(memory):
    assert on_opencl("""
x = np.arange(12, dtype=np.float32).reshape(3, 4)
for value in (x, x.T, x[:, ::2], np.arange(3, dtype=np.int8), np.array(3j), x[:0]):
    np.testing.assert_array_equal(np.asarray(jax.device_put(value)), value)
device, = jax.devices()
for kind in ("pinned_host", "unpinned_host", "device"):
    there = jax.sharding.SingleDeviceSharding(device, memory_kind=kind)
    y = jax.device_put(jax.device_put(x), there)
    np.testing.assert_array_equal(np.asarray(y), x)
    print(y.sharding.memory_kind)
""", TENON_OPENCL_MEMORY=memory) == ["pinned_host", "unpinned_host", "device"]


def test_memory_is_limited_and_counted():
    out = on_opencl("""
x = jax.device_put(np.ones(1000, np.int8))
print(jax.devices()[0].memory_stats()["bytes_in_use"], jax.devices()[0].memory_stats()["bytes_limit"])
try:
    jax.device_put(np.ones(1 << 20, np.int8)).block_until_ready()
except Exception as error:
    print(error)
print(int(jax.device_put(np.int32(7))))
""", TENON_MEMORY_LIMIT="65536")
    assert out[0] == "1024 65536"
    assert "is out of memory: 1.0 MiB asked for; of 64.0 KiB, 1.0 KiB are in use" in out[1]
    assert out[2] == "7"


def test_a_missing_driver_says_what_to_install(tmp_path):
    error = run("import jax; jax.devices()", fails=True,
                **{**VARIABLES, "OCL_ICD_VENDORS": str(tmp_path)})
    assert "UNAVAILABLE: no OpenCL device: the loader finds no platform; install" in error
    error = run("import jax; jax.devices()", fails=True,
                **VARIABLES, TENON_OPENCL_LIBRARY="/no.so")
    assert "the OpenCL loader '/no.so' cannot be used" in error


def test_options_exclude_each_other():
    for other in ("TENON_SIMULATE", "TENON_REPLACE_CPU"):
        error = run("import jax; jax.devices()", fails=True,
                    **{**VARIABLES, other: "1", "JAX_PLATFORMS": ""})
        assert "not both" in error


def test_by_path():
    variables = {**VARIABLES, "JAX_PLATFORMS": "tenon_opencl", "PYTHONPATH": "",
                 "PJRT_NAMES_AND_LIBRARY_PATHS": f"tenon_opencl:{PLUGIN}"}
    assert run("import jax; print(jax.devices())", **variables) == "[TenonOpenclDevice(id=0)]"


def test_the_wheel_registers_the_platform_beside_tenon(tmp_path):
    package = tmp_path / "jax_plugins"
    package.mkdir()
    os.symlink(plugin_env.PACKAGE / "tenon_opencl" / "jax_plugins" / "tenon_opencl",
               package / "tenon_opencl")
    variables = {name: value for name, value in VARIABLES.items()
                 if name not in ("TENON_OPENCL", "TENON_PLUGIN", "JAX_PLATFORMS")}
    variables["PYTHONPATH"] = os.pathsep.join((str(plugin_env.PACKAGE), str(tmp_path)))
    code = "import jax; print(jax.default_backend(), jax.devices('tenon_opencl'))"
    assert run(code, **variables) == "tenon [TenonOpenclDevice(id=0)]"
    # Without a driver JAX works, and the platform says why it does not.
    variables["OCL_ICD_VENDORS"] = str(tmp_path)
    assert run("import jax; print(jax.devices())", **variables) == "[TenonDevice(id=0)]"
    assert "the loader finds no platform" in run(code, fails=True, **variables)
