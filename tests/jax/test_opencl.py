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


@pytest.mark.parametrize("memory", ["usm", "svm", "buffers"])
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


TRAINING = """
def loss(w, x, y):
    return jnp.mean((jnp.tanh(x @ w["a"] + w["b"]) @ w["c"] - y) ** 2)
@jax.jit
def step(w, x, y):
    return jax.tree.map(lambda p, g: p - 0.1 * g, w, jax.grad(loss)(w, x, y))
keys = jax.random.split(jax.random.key(0), 5)
w = {"a": jax.random.normal(keys[0], (17, 31)), "b": jax.random.normal(keys[1], (31,)),
     "c": jax.random.normal(keys[2], (31, 3))}
x, y = jax.random.normal(keys[3], (23, 17)), jax.random.normal(keys[4], (23, 3))
for _ in range(20):
    w = step(w, x, y)
print(*np.asarray(w["a"]).ravel()[:50], float(loss(w, x, y)))
"""


def test_training_is_close_to_the_cpu():
    expected = run("import jax, jax.numpy as jnp, numpy as np\n" + TRAINING, JAX_PLATFORMS="tenon")
    for memory in ("usm", "svm"):
        found, = on_opencl(TRAINING, TENON_OPENCL_MEMORY=memory)
        assert [float(x) for x in found.split()] == pytest.approx(
            [float(x) for x in expected.split()], rel=1e-4, abs=1e-5)


def test_control_flow_linear_algebra_callbacks_and_donation():
    assert on_opencl("""
print(jax.jit(lambda x: jax.lax.while_loop(lambda c: c[0] < 100, lambda c: (c[0] * 2, c[1] + 1),
                                           (x, 0)))(jnp.float32(3)))
print(jax.jit(lambda x: jax.lax.cond(x.sum() > 0, lambda: x + 1, lambda: -x))(jnp.ones(3)))
a = jnp.eye(5) * 3 + 1
print(float(jnp.abs(jnp.linalg.eigh(a)[0] - np.linalg.eigvalsh(np.asarray(a))).max()) < 1e-5)
print(jax.jit(lambda x: jax.pure_callback(lambda v: v * 2, x, x) + 1)(a)[0, 0])
# A callback that uses the device, while programs wait for its result.
inner = jax.jit(lambda v: v + 1)
outer = jax.jit(lambda x: jax.pure_callback(lambda v: np.asarray(inner(v)), x, x) * 2)
print(float(inner(inner(outer(jnp.ones(4))))[0]))
x = jnp.arange(8.)
y = jax.jit(lambda x: x + 1, donate_argnums=0)(x)
print(x.is_deleted(), y[7])
""") == ["(Array(192., dtype=float32), Array(6, dtype=int32, weak_type=True))", "[2. 2. 2.]",
         "True", "9.0", "6.0", "True 8.0"]


def test_callbacks_update_operands_in_place():
    assert on_opencl("""
from jax.experimental import buffer_callback
def update(context, out, x):
    np.asarray(out)[2] = 7
call = buffer_callback.buffer_callback(update, jax.ShapeDtypeStruct((4,), jnp.float32),
                                       input_output_aliases={0: 0})
x = jnp.arange(4.)
print(jax.jit(lambda x: call(x * 2) + 1)(x), call(x), x)
""") == ["[1. 3. 8. 7.] [0. 1. 7. 3.] [0. 1. 2. 3.]"]


def test_arrays_move_between_devices_and_kinds_of_memory():
    assert on_opencl("""
from jax.sharding import SingleDeviceSharding
first, second = jax.devices()
x = jnp.arange(100000, dtype=jnp.int32).reshape(250, 400)
for device in (first, second):
    for kind in ("device", "pinned_host", "unpinned_host"):
        x = jax.device_put(x, SingleDeviceSharding(device, memory_kind=kind))
        assert x.sharding.memory_kind == kind and x.devices() == {device}
        assert (np.asarray(x) == np.arange(100000).reshape(250, 400)).all()
x = jax.device_put(x, first)
print(int((x.T[7] + x[0, 0]).sum()), jax.jit(lambda v: v * 2)(jax.device_put(x, second)).devices())
""", TENON_DEVICE_COUNT="2", TENON_OPENCL_SUB_DEVICES="2") == [
        "12451750 {TenonOpenclDevice(id=1)}"]


def test_full_memory_is_an_error_that_passes():
    lines = on_opencl("""
kept = [jax.device_put(np.zeros(100000, np.float32)) for _ in range(2)]
try:
    np.asarray(jnp.concatenate([kept[0]] * 3))
except jax.errors.JaxRuntimeError as error:
    print(error)
print(float(kept[1].sum()))
""", TENON_MEMORY_LIMIT=str(1 << 20))
    assert lines[0].startswith("RESOURCE_EXHAUSTED: OpenCL device 0 ('"), lines[0]
    assert "is out of memory: 1.1 MiB asked for; of 1.0 MiB, " in lines[0]
    assert lines[1] == "0.0"


def test_the_second_process_finds_what_the_driver_generated(tmp_path):
    """The driver's code is beside that of the compiler; a damaged file is built again."""
    folder = tmp_path / "kept"
    code = "print(float(jax.jit(lambda x: jnp.tanh(x @ x).sum())(jnp.ones((64, 64)))))"

    def files():
        return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "account"}

    first = on_opencl(code, TENON_KERNEL_CACHE=str(folder))
    kept = files()
    name = max((name for name in kept if b"opencl 1\n" in kept[name]),
               key=lambda name: len(kept[name]))  # that of the program, not of `ones`
    assert on_opencl(code, TENON_KERNEL_CACHE=str(folder)) == first and files() == kept
    damaged = bytearray(kept[name])
    damaged[len(damaged) // 2] ^= 1
    (folder / name).write_bytes(damaged)
    assert on_opencl(code, TENON_KERNEL_CACHE=str(folder)) == first
    assert files() == kept


def test_products_of_many_updates_keep_zeros():
    """The product of all updates overflows: they must not be multiplied before they reach a 0."""
    on_opencl("""
for shape, updates in (((10,), 100_000), ((3, 65), 700)):
    i = np.arange(updates, dtype=np.int32) % shape[0]
    v = np.full((updates,) + shape[1:], 3, np.float32)
    f = jax.jit(lambda x, i, v: x.at[i].multiply(v))
    np.testing.assert_array_equal(f(np.zeros(shape, np.float32), i, v), np.zeros(shape))
    np.testing.assert_array_equal(f(np.ones(shape, np.float32), i, v), np.full(shape, np.inf))
""")


def test_measured_tiles_are_kept(tmp_path):
    """The second process finds what the first one has measured. Results are those of products."""
    folder = tmp_path / "kept"
    code = """
x = np.arange(96 * 160, dtype=np.float32).reshape(96, 160) % 7
image, weights = jnp.asarray(x.reshape(2, 16, 16, 30)), jnp.asarray(x[:90, :40].reshape(3, 3, 10, 40))
product = jax.jit(lambda x: (x.T @ x) % 31)
convolution = jax.jit(lambda x, w: jax.lax.conv_general_dilated(
    x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=3))
cpu = jax.devices("cpu")[0]
weights = weights[..., :39]
for f, args in ((product, (jnp.asarray(x),)), (convolution, (image, weights))):
    np.testing.assert_array_equal(f(*args), f(*jax.device_put(args, cpu)))
"""

    def tiles():
        return {path.name: path.read_bytes() for path in folder.iterdir()
                if b"tile 1\n" in path.read_bytes()}

    on_opencl(code, TENON_KERNEL_CACHE=str(folder), TENON_TUNE_PRODUCTS="1")
    kept = tiles()
    assert kept
    on_opencl(code, TENON_KERNEL_CACHE=str(folder), TENON_TUNE_PRODUCTS="1")
    assert tiles() == kept


def test_jax_gets_the_command_queue_for_other_libraries():
    assert on_opencl("""
device, = jax.devices()
queue = device.get_stream_for_external_ready_events()
print(queue != 0, queue == device.get_stream_for_external_ready_events())
""") == ["True True"]


def test_memory_does_not_grow():
    assert on_opencl("""
import gc
def use(shape):
    y = jax.jit(lambda x: jnp.tanh(x @ x) + np.arange(shape, dtype=np.float32))(jnp.ones((shape, shape)))
    return float(y.sum())
def bytes_in_use():
    jax.clear_caches()
    gc.collect()
    return jax.devices()[0].memory_stats()["bytes_in_use"]
use(3)
before = bytes_in_use()
for shape in range(4, 24):
    use(shape)
print(bytes_in_use() - before)
""") == ["0"]


def test_products_of_odd_sizes():
    """Tiles reach past the end of both operands; infinities and NaN stay in their rows and columns."""
    assert on_opencl("""
rng = np.random.RandomState(0)
for dtype in ("float32", "int32", "int8", "complex64"):
    for m, k, n in ((1, 1, 1), (3, 5, 7), (17, 33, 65), (64, 16, 64), (65, 17, 63), (1, 300, 1), (130, 1, 5),
                    (5, 0, 4)):
        a, b = (rng.randint(-9, 9, shape).astype(dtype) for shape in ((m, k), (k, n)))
        if dtype == "float32" and m > 2 and k > 2:
            a[0, 0], b[-1, -1] = np.inf, np.nan
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(np.asarray(jnp.asarray(a) @ jnp.asarray(b)), a @ b)
print("equal")
""") == ["equal"]


def test_loops_with_scalars_on_both_sides():
    """A counter on the host, a sum on the device, an end that depends on the device."""
    assert on_opencl("""
def f(x, limit):
    def body(i, c):
        s, v = c
        return s + v.sum() * i, v + i
    s, v = jax.lax.fori_loop(0, 5, body, (jnp.float32(0), x))
    n, w = jax.lax.while_loop(lambda c: c[1].sum() > limit, lambda c: (c[0] + 1, c[1] / 2), (0, v))
    return s, v, n, jax.lax.cond(s > 0, lambda: w, lambda: -w)
x = jnp.arange(1000, dtype=jnp.float32)
s, v, n, w = jax.jit(f)(x, jnp.float32(1000))
total, steps, y = 0., 0, np.arange(1000.)
for i in range(5):
    total, y = total + y.sum() * i, y + i
z = y
while z.sum() > 1000:
    z, steps = z / 2, steps + 1
np.testing.assert_allclose([s, n], [total, steps], rtol=1e-6)
np.testing.assert_allclose(v, y)
np.testing.assert_allclose(w, z)
print("equal")
""") == ["equal"]


def test_devices_exchange_data():
    assert on_opencl("""
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
mesh = Mesh(np.array(jax.devices()), ("d",))
x = np.arange(32, dtype=np.float32).reshape(8, 4)
shards = jax.device_put(x, NamedSharding(mesh, P("d")))
np.testing.assert_allclose(jax.jit(lambda a: (a * 2).sum(0))(shards), (x * 2).sum(0))
total = jax.jit(jax.shard_map(lambda a: jax.lax.psum(a, "d"), mesh=mesh, in_specs=P("d"),
                              out_specs=P()))
np.testing.assert_allclose(total(shards), x[:4] + x[4:])
product = jax.jit(lambda a: a @ a.T, out_shardings=NamedSharding(mesh, P(None, "d")))(shards)
np.testing.assert_allclose(product, x @ x.T)
loop = jax.jit(jax.shard_map(lambda a: jax.lax.fori_loop(
    0, 5, lambda i, v: v + jax.lax.ppermute(v, "d", [(0, 1), (1, 0)]), a),
    mesh=mesh, in_specs=P("d"), out_specs=P("d")))
np.testing.assert_allclose(loop(shards)[:4], 16 * (x[:4] + x[4:]))
print(product.sharding.num_devices)
""", TENON_DEVICE_COUNT="2", TENON_OPENCL_SUB_DEVICES="2") == ["2"]


def test_factorizations_by_groups():
    """Against SciPy: pivots are the same, and factors close, for sizes around those of a group. A column
    of zeros has a zero pivot, which divides nothing; a matrix that is not positive gives NaN."""
    assert on_opencl("""
import scipy.linalg as sl
jax.config.update("jax_enable_x64", True)
rng = np.random.default_rng(0)
for dtype, bound in ((np.float32, 2e-4), (np.complex128, 1e-12)):
    for n in (1, 3, 33, 70):
        a = rng.standard_normal((n, n)) + (1j * rng.standard_normal((n, n)) if dtype == np.complex128 else 0)
        a = a.astype(dtype)
        lu, pivots, _ = jax.lax.linalg.lu(a)
        want, want_pivots = sl.lu_factor(a)
        assert (np.asarray(pivots) == want_pivots).all(), (dtype, n)
        assert abs(np.asarray(lu) - want).max() < bound * abs(want).max() * n, (dtype, n)
        positive = a @ a.conj().T + n * np.eye(n, dtype=dtype)
        error = abs(np.asarray(jnp.linalg.cholesky(positive)) - np.linalg.cholesky(positive)).max()
        assert error < bound * n, (dtype, n, error)
lu, pivots, _ = jax.lax.linalg.lu(np.float32([[[1, 0, 2], [4, 0, 1], [2, 0, 5]]]))
print(np.asarray(pivots).tolist(), np.asarray(lu)[0, :, 1].tolist(), np.isfinite(np.asarray(lu)).all())
print(np.isnan(np.asarray(jnp.linalg.cholesky(np.float32([[1, 2], [2, 1]])))).any())
""") == ["[[1, 1, 2]] [0.0, 0.0, 0.0] True", "True"]


def test_long_transforms_of_large_and_small_numbers():
    """A transform by a convolution overflows only where its results nearly do."""
    on_opencl("""
x = np.random.default_rng(0).standard_normal((2, 2053))
x = (x[0] + 1j * x[1]).astype(np.complex64)
for transform in ("fft", "ifft"):
    expected = getattr(np.fft, transform)(x.astype(complex))
    for scale in (2.0 ** 112, 1.0, 2.0 ** -90):
        y = np.asarray(jax.jit(getattr(jnp.fft, transform))(x * np.float32(scale)))
        error = np.linalg.norm(y.astype(complex) / scale - expected)
        assert error <= 2e-6 * np.linalg.norm(expected), (transform, scale, error)
""")
