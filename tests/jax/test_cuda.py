"""JAX on this machine's NVIDIA GPU; without one, on those that tests/fake_cuda emulates."""
import functools
import os
import tempfile
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
def driver():
    """The variables that choose the driver: that of the GPU if the machine has one. Products are exact
    on both."""
    error = run("import jax\ntry:\n    jax.devices()\nexcept RuntimeError as e: print(e)", **VARIABLES)
    assert not error or "UNAVAILABLE" in error, error
    return plugin_env.emulated_gpu(tempfile.mkdtemp()) if error else {"TENON_TF32": "0"}


def on_cuda(code, **variables):
    return run("import jax, jax.numpy as jnp, numpy as np\n" + textwrap.dedent(code),
               **{**VARIABLES, **driver(), **variables}).split("\n")


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


def test_by_path():
    variables = {**VARIABLES, **driver(), "JAX_PLATFORMS": "tenon_cuda", "PYTHONPATH": "",
                 "PJRT_NAMES_AND_LIBRARY_PATHS": f"tenon_cuda:{PLUGIN}"}
    assert run("import jax; print(jax.devices())", **variables) == "[TenonCudaDevice(id=0)]"


def test_arrays_go_there_and_back():
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


def test_memory_is_limited_and_counted():
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


def test_training_is_close_to_the_cpu():
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


def test_control_flow_linear_algebra_callbacks_and_donation():
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
                 "(Array(6., dtype=float32), Array([0., 0., 2., 9.], dtype=float32))",
                 "True", "9.0", "True 8.0"]


def test_repeated_programs_give_the_same_bits_with_graphs_and_without():
    code = """
        def layers(x, w):
            for i in range(8):
                x = jax.lax.optimization_barrier(jnp.tanh(x @ w[i]))
            return x
        step = jax.jit(lambda x, w: (layers(x, w), jax.tree.map(lambda a: a * 0.5, w)),
                       donate_argnums=1)
        x = jax.random.normal(jax.random.key(0), (5, 9))
        w = [jax.random.normal(jax.random.key(i), (9, 9)) for i in range(8)]
        results = []
        for _ in range(6):
            y, w = step(x, w)
            results.append(y)
            x = y if len(results) % 2 else x + 1
        print(np.stack(results).tobytes().hex())
        """
    assert on_cuda(code) == on_cuda(code, TENON_CUDA_GRAPHS="0")


def test_beside_cuda_of_jax():
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


def several(code, **variables):
    """On two emulated GPUs."""
    emulated = plugin_env.emulated_gpu(tempfile.mkdtemp())
    return on_cuda(code, **emulated, TENON_FAKE_CUDA_DEVICES="2", TENON_DEVICE_COUNT="2", **variables)


def test_random_numbers_sorts_and_products():
    assert on_cuda("""
        cpu = jax.devices("cpu")[0]
        def programs():
            key = jax.random.key(7)
            x = jax.random.normal(key, (37, 21))
            yield jax.random.bits(key, (100,))
            yield jax.random.permutation(key, 100)
            yield x
            yield jnp.sort(x, axis=0), jnp.argsort(x), jax.lax.top_k(x, 3)
            yield x @ x.T, (x * 9).astype(jnp.int8) @ (x.T * 9).astype(jnp.int8)
            yield x.astype(jnp.bfloat16) @ x.T.astype(jnp.bfloat16)
            yield jnp.cumsum(x, 1), x.sum(), x.max(0), jnp.linalg.cholesky(x.T @ x + jnp.eye(21))
            yield x[jnp.arange(5) * 3, ::2], jnp.zeros(9).at[jnp.arange(20) % 9].add(x[0, :20])
            yield jnp.fft.fft(x), jax.nn.softmax(x), jnp.tanh(x).mean(1)
        found = list(programs())
        with jax.default_device(cpu):
            expected = list(programs())
        for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
            assert a.devices() != b.devices()
            assert a.dtype == b.dtype
            np.testing.assert_allclose(np.asarray(a, np.complex64), np.asarray(b, np.complex64),
                                       rtol=1e-2 if a.dtype == jnp.bfloat16 else 1e-4, atol=1e-4)
        print("equal")
        """) == ["equal"]


def test_loops_whose_end_depends_on_the_device():
    assert on_cuda("""
        def f(x, limit):
            def body(i, c):
                s, v = c
                return s + v.sum() * i, v + i
            s, v = jax.lax.fori_loop(0, 5, body, (jnp.float32(0), x))
            n, w = jax.lax.while_loop(lambda c: c[1].sum() > limit, lambda c: (c[0] + 1, c[1] / 2), (0, v))
            return s, v, n, jax.lax.cond(s > 0, lambda: w, lambda: -w)
        x = np.arange(1000.)
        found = jax.jit(f)(jnp.float32(x), jnp.float32(1000))
        with jax.default_device(jax.devices("cpu")[0]):
            expected = jax.jit(f)(jnp.float32(x), jnp.float32(1000))
        for a, b in zip(found, expected):
            np.testing.assert_allclose(a, b, rtol=1e-5)
        print(int(found[2]) > 3)
        """) == ["True"]


def test_callbacks_that_use_the_device():
    assert on_cuda("""
        from jax.experimental import io_callback
        inner = jax.jit(lambda v: v + 1)
        outer = jax.jit(lambda x: jax.pure_callback(lambda v: np.asarray(inner(v)), x, x) * 2)
        print(float(inner(inner(outer(jnp.ones(4))))[0]))
        seen = []
        def count(i, x):
            io_callback(lambda v: seen.append(float(v)), None, x, ordered=True)
            return x * 2
        print(float(jax.jit(lambda x: jax.lax.fori_loop(0, 4, count, x))(jnp.float32(1))))
        jax.effects_barrier()
        print(seen)
        def fail(v):
            raise ValueError("no such value")
        try:
            jax.jit(lambda x: jax.pure_callback(fail, x, x))(jnp.ones(3)).block_until_ready()
        except Exception as error:
            print("no such value" in str(error))
        print(float(outer(jnp.ones(2))[1]))
        """) == ["6.0", "16.0", "[1.0, 2.0, 4.0, 8.0]", "True", "4.0"]


def test_donation_keeps_the_memory():
    assert on_cuda("""
        step = jax.jit(lambda x, y: (x * 2, y.at[3].set(x[0])), donate_argnums=(0, 1))
        x, y = jnp.ones(1000), jnp.zeros(50)
        places = {x.unsafe_buffer_pointer(), y.unsafe_buffer_pointer()}
        for _ in range(10):
            x, y = step(x, y)
        print({x.unsafe_buffer_pointer(), y.unsafe_buffer_pointer()} == places, float(x[7]), float(y[3]))
        """) == ["True 1024.0 512.0"]


def test_full_memory_is_an_error_that_passes():
    lines = on_cuda("""
        kept = [jax.device_put(np.zeros(100000, np.float32)) for _ in range(2)]
        try:
            np.asarray(jnp.concatenate([kept[0]] * 3))
        except jax.errors.JaxRuntimeError as error:
            print(error)
        print(float(kept[1].sum()))
        """, TENON_MEMORY_LIMIT=str(1 << 20))
    assert lines[0].startswith("RESOURCE_EXHAUSTED: GPU 0 ('"), lines[0]
    assert "is out of memory: 1.1 MiB asked for; of 1.0 MiB, " in lines[0]
    assert lines[1] == "0.0"


def test_memory_does_not_grow():
    assert on_cuda("""
        import gc
        def use(shape):
            y = jax.jit(lambda x: jnp.tanh(x @ x) + np.arange(shape, dtype=np.float32))(
                jnp.ones((shape, shape)))
            return float(y.sum())
        def bytes_in_use():
            jax.clear_caches()
            gc.collect()
            return jax.devices()[0].memory_stats()["bytes_in_use"]
        use(3)
        before = bytes_in_use()
        for shape in range(4, 12):
            use(shape)
        print(bytes_in_use() - before)
        """) == ["0"]


def test_many_programs_in_flight():
    """Each command of the emulated GPU starts late, so the host is far ahead of it."""
    assert on_cuda("""
        f = jax.jit(lambda x, y: x * 2 - y)
        x = start = jnp.arange(5.)
        for i in range(200):
            x = f(x, start)
            if i % 50 == 0:
                jax.device_put(np.ones(1000)).delete()
        y = jax.device_put(np.asarray(x), jax.devices()[0])
        print(np.asarray(f(x, y)))
        """, TENON_FAKE_CUDA_DELAY="300") == ["[0. 1. 2. 3. 4.]"]


def test_several_devices():
    assert several("""
        from jax.sharding import Mesh, NamedSharding, PartitionSpec as P, SingleDeviceSharding
        first, second = jax.devices()
        x = jnp.arange(1000, dtype=jnp.int32).reshape(25, 40)
        for device in (first, second):
            for kind in ("device", "pinned_host", "unpinned_host"):
                x = jax.device_put(x, SingleDeviceSharding(device, memory_kind=kind))
                assert x.sharding.memory_kind == kind and x.devices() == {device}
                assert (np.asarray(x) == np.arange(1000).reshape(25, 40)).all()
        mesh = Mesh(np.array(jax.devices()), ("d",))
        x = np.arange(32, dtype=np.float32).reshape(8, 4)
        shards = jax.device_put(x, NamedSharding(mesh, P("d")))
        np.testing.assert_allclose(jax.jit(lambda a: (a * 2).sum(0))(shards), (x * 2).sum(0))
        total = jax.jit(jax.shard_map(lambda a: jax.lax.psum(a, "d"), mesh=mesh, in_specs=P("d"),
                                      out_specs=P()))
        np.testing.assert_allclose(total(shards), x[:4] + x[4:])
        product = jax.jit(lambda a: a @ a.T, out_shardings=NamedSharding(mesh, P(None, "d")))(shards)
        np.testing.assert_allclose(product, x @ x.T)
        print(product.sharding.num_devices)
        """) == ["2"]


def test_traces_have_kernels(tmp_path):
    assert on_cuda(f"""
        f = jax.jit(lambda x: jnp.sort(x @ x.T))
        x = jnp.ones((8, 8))
        f(x).block_until_ready()
        with jax.profiler.trace("{tmp_path}"):
            f(x).block_until_ready()
        import pathlib
        [path] = pathlib.Path("{tmp_path}").rglob("*.xplane.pb")
        data = jax.profiler.ProfileData.from_file(str(path))
        print(any("device" in plane.name and any(len(list(line.events)) for line in plane.lines)
                  for plane in data.planes))
        """) == ["True"]


def test_long_transforms():
    """Rows that fit only the local memory that launches add, and convolutions of such rows."""
    assert on_cuda("""
        rng = np.random.default_rng(0)
        for length in (4096, 3375, 2053, 4093, 30030):
            x = rng.standard_normal((2, length)) + 1j * rng.standard_normal((2, length))
            x = x.astype(np.complex64)
            want = np.fft.fft(x)
            print(np.linalg.norm(jnp.fft.fft(x) - want) < 2e-6 * np.linalg.norm(want))
            want = np.fft.irfft(x, length)
            print(np.linalg.norm(jnp.fft.irfft(x, length) - want) < 2e-6 * np.linalg.norm(want))
        """) == ["True"] * 10
