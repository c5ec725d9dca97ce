"""The plugin loaded by its path, without the package. Each test runs in its own process."""
import pathlib

import plugin_env
import pytest
from conftest import only_tenon
from own_process import run

pytestmark = only_tenon("about loading the plugin by its path")


def run_by_path(code, name="cpu", **variables):
    """own_process.run without the package: JAX finds only the path, under a name."""
    empty = str(pathlib.Path(__file__).parent / "nowhere")
    return run(code, PYTHONPATH=empty, TENON_PLUGIN="",
               PJRT_NAMES_AND_LIBRARY_PATHS=f"{name}:{plugin_env.default_plugin()}", **variables)


def test_name_of_its_own():
    out = run_by_path("""
        import jax, jax.numpy as jnp
        print(jax.default_backend(), repr(jax.devices()[0]), float(jnp.ones(3).sum()))""",
                      name="tenon", JAX_PLATFORMS="tenon")
    assert out == "tenon TenonDevice(id=0) 3.0"


def test_replaces_the_builtin_cpu():
    out = run_by_path("""
        import jax, jax.numpy as jnp, numpy as np
        device, = jax.devices()
        print(device.platform, "tenon" in device.client.platform_version)
        x = jnp.ones(1000)
        y = jax.jit(lambda x: x + 1, donate_argnums=0)(x)
        print(x.is_deleted(), np.from_dlpack(y)[0])
        a = jnp.array([[2., 1.], [1., 3.]])
        print(np.round(np.float64(jnp.linalg.inv(a)), 3).tolist(), jnp.linalg.cholesky(a)[0, 1])""",
                      TENON_PLATFORM_NAME="cpu")
    assert out.split("\n") == ["cpu True", "True 2.0", "[[0.6, -0.2], [-0.2, 0.4]] 0.0"]


@pytest.mark.parametrize("count", ["1", "3"])
def test_options_come_from_variables(count):
    out = run_by_path("""
        import jax
        print(jax.devices())""", TENON_PLATFORM_NAME="cpu",
                      TENON_DEVICE_COUNT=count)
    assert out == "[" + ", ".join(f"CpuDevice(id={i})" for i in range(int(count))) + "]"


def test_explicit_options_come_before_variables(tmp_path):
    config = tmp_path / "plugin.json"
    config.write_text(f'''{{"library_path": "{plugin_env.default_plugin()}",
                          "create_options": {{"platform_name": "cpu", "device_count": 2}}}}''')
    out = run("import jax; print(jax.devices())", PYTHONPATH="", TENON_PLUGIN="",
              PJRT_NAMES_AND_LIBRARY_PATHS=f"cpu:{config}", TENON_PLATFORM_NAME="other",
              TENON_DEVICE_COUNT="3")
    assert out == "[CpuDevice(id=0), CpuDevice(id=1)]"


def test_a_bad_variable_is_named():
    error = run_by_path("import jax; jax.devices()", fails=True, TENON_THREADS="many")
    assert ("INVALID_ARGUMENT: environment variable TENON_THREADS: create option 'threads' is "
            "'many', which is not an integer") in error
