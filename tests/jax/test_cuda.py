"""JAX on NVIDIA's GPUs; without one, what the package and the plugin say about that."""
import functools
import os
import textwrap

import plugin_env
import pytest
from conftest import only_tenon
from own_process import run

PLUGIN = plugin_env.default_plugin().with_name("pjrt_plugin_tenon_cuda.so")
VARIABLES = plugin_env.variables(PLUGIN, "tenon_cuda")

pytestmark = [only_tenon("about devices of Tenon"),
              pytest.mark.skipif(not PLUGIN.exists(), reason=f"{PLUGIN} has not been built")]


@functools.cache
def missing():
    """Why there is no device; empty if there is one."""
    error = run("import jax\ntry:\n    jax.devices()\nexcept RuntimeError as e: print(e)", **VARIABLES)
    assert not error or "UNAVAILABLE" in error, error
    return error


@pytest.fixture
def device():
    if missing():
        pytest.skip(missing())


def on_cuda(code, **variables):
    return run("import jax, jax.numpy as jnp, numpy as np\n" + textwrap.dedent(code),
               **{**VARIABLES, **variables}).split("\n")


def test_options_exclude_each_other():
    for other in ("TENON_SIMULATE", "TENON_OPENCL", "TENON_REPLACE_CPU"):
        error = run("import jax; jax.devices()", fails=True,
                    **{**VARIABLES, other: "1", "JAX_PLATFORMS": ""})
        assert "not both" in error


def test_a_missing_driver_says_what_to_install():
    error = run("import jax; jax.devices()", fails=True, **VARIABLES, TENON_CUDA_LIBRARY="/no.so")
    assert "UNAVAILABLE" in error and "/no.so" in error and "install NVIDIA's driver" in error


def test_options_reach_the_plugin():
    assert run("from jax_plugins import tenon; print(tenon.options())", **VARIABLES,
               TENON_CUDA_DEVICE="0") == \
        "{'kernel_cache': 'off', 'cuda_device': 0, 'platform_name': 'tenon_cuda'}"


def test_the_wheel_registers_the_platform_beside_tenon(tmp_path):
    package = tmp_path / "jax_plugins"
    package.mkdir()
    os.symlink(plugin_env.PACKAGE / "tenon_cuda" / "jax_plugins" / "tenon_cuda",
               package / "tenon_cuda")
    variables = {name: value for name, value in VARIABLES.items()
                 if name not in ("TENON_CUDA", "TENON_PLUGIN", "JAX_PLATFORMS")}
    variables["PYTHONPATH"] = os.pathsep.join((str(plugin_env.PACKAGE), str(tmp_path)))
    # The package finds the plugins of the build folder.
    if PLUGIN != plugin_env.ROOT / "build" / "release" / "lib" / PLUGIN.name:
        pytest.skip("about build/release")
    # Without a driver JAX works, and the platform says why it does not.
    variables["TENON_CUDA_LIBRARY"] = "/no.so"
    assert run("import jax; print(jax.devices())", **variables) == "[TenonDevice(id=0)]"
    code = "import jax; print(jax.default_backend(), jax.devices('tenon_cuda'))"
    assert "/no.so" in run(code, fails=True, **variables)


def test_by_path(device):
    variables = {**VARIABLES, "JAX_PLATFORMS": "tenon_cuda", "PYTHONPATH": "",
                 "PJRT_NAMES_AND_LIBRARY_PATHS": f"tenon_cuda:{PLUGIN}"}
    assert run("import jax; print(jax.devices())", **variables) == "[TenonCudaDevice(id=0)]"


def test_arrays_go_there_and_back(device):
    assert on_cuda("""
        x = np.arange(12, dtype=np.float32).reshape(3, 4)
        for value in (x, x.T, x[:, ::2], np.arange(3, dtype=np.int8), np.array(3j), x[:0]):
            np.testing.assert_array_equal(np.asarray(jax.device_put(value)), value)
        device, *_ = jax.devices()
        for kind in ("pinned_host", "unpinned_host", "device"):
            there = jax.sharding.SingleDeviceSharding(device, memory_kind=kind)
            y = jax.device_put(jax.device_put(x), there)
            np.testing.assert_array_equal(np.asarray(y), x)
            print(y.sharding.memory_kind)
        """) == ["pinned_host", "unpinned_host", "device"]


def test_memory_is_limited_and_counted(device):
    out = on_cuda("""
        x = jax.device_put(np.ones(1000, np.int8))
        print(jax.devices()[0].memory_stats()["bytes_in_use"])
        try:
            jax.device_put(np.ones(1 << 20, np.int8)).block_until_ready()
        except Exception as error:
            print(error)
        print(int(jax.device_put(np.int32(7))))
        """, TENON_MEMORY_LIMIT="65536")
    assert "is out of memory: 1.0 MiB asked for" in out[1]
    assert (out[0], out[2]) == ("1024", "7")


def test_training_is_close_to_the_cpu(device):
    found, expected = map(float, on_cuda("""
        def loss(w, x, y):
            return jnp.mean((jnp.tanh(x @ w["a"] + w["b"]) @ w["c"] - y) ** 2)
        @jax.jit
        def step(w, x, y):
            return jax.tree.map(lambda p, g: p - 0.1 * g, w, jax.grad(loss)(w, x, y))
        def train():
            keys = jax.random.split(jax.random.key(0), 5)
            w = {"a": jax.random.normal(keys[0], (17, 31)), "b": jax.random.normal(keys[1], (31,)),
                 "c": jax.random.normal(keys[2], (31, 3))}
            x, y = jax.random.normal(keys[3], (23, 17)), jax.random.normal(keys[4], (23, 3))
            for _ in range(20):
                w = step(w, x, y)
            return float(loss(w, x, y))
        print(train())
        with jax.default_device(jax.devices("cpu")[0]):
            print(train())
        """))
    assert found == pytest.approx(expected, rel=1e-3)


def test_control_flow_linear_algebra_callbacks_and_donation(device):
    assert on_cuda("""
        print(jax.jit(lambda x: jax.lax.while_loop(
            lambda c: c[0] < 100, lambda c: (c[0] * 2, c[1] + 1), (x, 0)))(jnp.float32(3)))
        print(jax.jit(lambda x: jax.lax.cond(x.sum() > 0, lambda: x + 1, lambda: -x))(jnp.ones(3)))
        print(jax.jit(lambda x: jax.lax.scan(lambda c, v: (c + v, c * v), 0., x))(jnp.arange(4.)))
        a = jnp.eye(5) * 3 + 1
        print(float(jnp.abs(jnp.linalg.eigh(a)[0] - np.linalg.eigvalsh(np.asarray(a))).max()) < 1e-5)
        print(jax.jit(lambda x: jax.pure_callback(lambda v: v * 2, x, x) + 1)(a)[0, 0])
        x = jnp.arange(8.)
        y = jax.jit(lambda x: x + 1, donate_argnums=0)(x)
        print(x.is_deleted(), y[7])
        """) == ["(Array(192., dtype=float32), Array(6, dtype=int32, weak_type=True))",
                 "[2. 2. 2.]",
                 "(Array(6., dtype=float32, weak_type=True), Array([0., 0., 2., 9.], dtype=float32))",
                 "True", "9.0", "True 8.0"]


def test_beside_cuda_of_jax(device):
    """Both clients in one process, with arrays that go from one to the other."""
    code = """
        try:
            theirs = jax.devices("cuda")[0]
        except RuntimeError:
            print("no cuda")
            raise SystemExit
        x = jnp.arange(12.).reshape(3, 4)
        y = jax.jit(lambda x: x @ x.T + 1)(jax.device_put(x, theirs))
        z = jax.jit(lambda x: x @ x.T + 1)(x)
        print(x.devices(), y.devices(), float(jnp.abs(jax.device_put(y, jax.devices()[0]) - z).max()))
        """
    platforms = "tenon_cuda,cuda,cpu"
    try:
        out = on_cuda(code, JAX_PLATFORMS=platforms, XLA_PYTHON_CLIENT_PREALLOCATE="false")
    except AssertionError as error:
        if "Unable to initialize backend 'cuda'" not in str(error):
            raise
        out = ["no cuda"]
    if out == ["no cuda"]:
        pytest.skip("JAX has no cuda here")
    assert out == ["{TenonCudaDevice(id=0)} {CudaDevice(id=0)} 0.0"]
