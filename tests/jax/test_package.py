"""The package jax-tenon: modes and failures. Each test runs in its own process."""
import pytest
from conftest import only_tenon
from own_process import run

pytestmark = only_tenon("about the package itself")


def test_platform_of_its_own():
    out = run("""
        import jax
        print(jax.default_backend(), len(jax.devices()), jax.devices("cpu")[0].platform)
        print(int(jax.numpy.add(1, 1)))""")
    assert out.split("\n") == ["tenon 1 cpu", "2"]


def test_no_warning_that_it_is_experimental():
    out = run("""
        import logging, jax
        logging.basicConfig(level=logging.WARNING)
        jax.numpy.ones(3).block_until_ready()""", JAX_PLATFORMS="tenon")
    assert out == ""


def test_replacement_of_cpu():
    out = run("""
        import jax, jax.numpy as jnp, numpy as np
        device, = jax.devices()
        print(device.platform, jax.default_backend(), len(jax.devices("cpu")))
        print("tenon" in device.client.platform_version.lower())
        f = jax.jit(lambda x: x @ x + 1, donate_argnums=0)
        x = jnp.ones((4, 4))
        print(float(f(x)[0, 0]), x.is_deleted())
        print(np.from_dlpack(jnp.arange(3.0)).tolist())
        print(float(jax.random.normal(jax.random.key(0))) != 0)
        """, TENON_REPLACE_CPU="1")
    assert out.split("\n") == ["cpu cpu 1", "True", "5.0 True", "[0.0, 1.0, 2.0]", "True"]


def test_dlpack_of_memory_that_is_not_aligned():
    out = run("""
        import jax, jax.numpy as jnp, ml_dtypes, numpy as np
        class Other:
            def __init__(self, array):
                self.__dlpack__ = array.__dlpack__
                self.__dlpack_device__ = array.__dlpack_device__
        for dtype in (bool, np.int8, np.float16, np.float32, np.complex64):
            whole = np.arange(60).astype(dtype)
            for x in (whole[1:], whole[1:49].reshape(6, 8).T, whole[5:6].reshape(()), whole[:0]):
                y = jnp.from_dlpack(x)
                assert y.dtype == x.dtype
                np.testing.assert_array_equal(y, x)
        x = jnp.arange(9, dtype=jnp.bfloat16)
        print(jnp.from_dlpack(Other(x)).tolist() == x.tolist())
        try:
            jnp.from_dlpack(np.arange(20)[1:], copy=False)
        except ValueError as error:
            print("not aligned" in str(error))""", TENON_REPLACE_CPU="1")
    assert out.split("\n") == ["True", "True"]


def test_replacement_of_cpu_trains():
    out = run("""
        import jax, jax.numpy as jnp, optax
        optimizer = optax.adam(0.1)
        w = jnp.zeros(4)
        state = optimizer.init(w)
        @jax.jit
        def step(w, state):
            loss, g = jax.value_and_grad(lambda w: ((w - jnp.arange(4.0)) ** 2).sum())(w)
            updates, state = optimizer.update(g, state)
            return optax.apply_updates(w, updates), state, loss
        for _ in range(200):
            w, state, loss = step(w, state)
        print(float(loss) < 1e-3)""", TENON_REPLACE_CPU="1")
    assert out == "True"


def test_compilation_cache_in_replacement_mode(tmp_path):
    code = """
        import jax, jax.numpy as jnp
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
        hits = []
        jax.monitoring.register_event_listener(
            lambda e, **_: hits.append(e) if e.endswith("cache_hits") else None)
        f = jax.jit(lambda x: jnp.tanh(x @ x).sum())
        print(float(f(jnp.eye(5))), len(hits) > 0)"""
    variables = dict(TENON_REPLACE_CPU="1", JAX_COMPILATION_CACHE_DIR=str(tmp_path))
    first, second = run(code, **variables).split(), run(code, **variables).split()
    assert first[1] == "False" and second == [first[0], "True"]


def test_device_count():
    out = run("""
        import jax, jax.numpy as jnp
        devices = jax.devices()
        print(len(devices))
        f = jax.jit(lambda x: x * 2 + 1)
        results = [f(jax.device_put(jnp.arange(3.0), d)) for d in devices]
        print([r.devices() == {d} and r.tolist() == [1.0, 3.0, 5.0]
               for r, d in zip(results, devices)])
        """, TENON_DEVICE_COUNT="3", JAX_PLATFORMS="tenon")
    assert out.split("\n") == ["3", "[True, True, True]"]


def test_program_over_several_devices():
    out = run("""
        import jax, jax.numpy as jnp
        from jax.sharding import NamedSharding, PartitionSpec
        mesh = jax.make_mesh((2,), ("x",))
        x = jax.device_put(jnp.arange(8.0), NamedSharding(mesh, PartitionSpec("x")))
        total, double = jax.jit(lambda x: (x.sum(), x + x))(x)
        print(total, [shard.data.tolist() for shard in double.addressable_shards])
        """, TENON_DEVICE_COUNT="2", JAX_PLATFORMS="tenon")
    assert out == "28.0 [[0.0, 2.0, 4.0, 6.0], [8.0, 10.0, 12.0, 14.0]]"


def test_num_cpu_devices_in_replacement_mode():
    out = run("""
        import jax
        jax.config.update("jax_num_cpu_devices", 4)
        print(len(jax.devices()))""", TENON_REPLACE_CPU="1")
    assert out == "4"


def test_xla_flag_for_cpu_devices_in_replacement_mode():
    out = run("""
        import os
        os.environ["XLA_FLAGS"] = "--xla_a=1 --xla_force_host_platform_device_count=3"
        import jax
        print(jax.devices())""", TENON_REPLACE_CPU="1")
    assert out == "[CpuDevice(id=0), CpuDevice(id=1), CpuDevice(id=2)]"


@pytest.mark.parametrize("mode", ["0", "1"])
def test_library_that_does_not_exist(mode):
    error = run("import jax; jax.devices()", fails=True, TENON_REPLACE_CPU=mode,
                TENON_PLUGIN="/nowhere/plugin.so")
    assert "RuntimeError" in error and "/nowhere/plugin.so" in error and "no such file" in error


def test_library_that_is_none(tmp_path):
    path = tmp_path / "plugin.so"
    path.write_text("not a library")
    error = run("import jax; jax.devices()", fails=True, TENON_PLUGIN=str(path))
    assert "RuntimeError" in error and str(path) in error


def test_exit_while_work_is_in_flight():
    run("""
        import jax, jax.numpy as jnp
        f = jax.jit(lambda x: jax.lax.fori_loop(0, 1000, lambda i, x: jnp.sin(x @ x), x))
        x = f(jnp.ones((100, 100)))""", JAX_PLATFORMS="tenon")


def test_forked_child_exits_cleanly():
    """A forked child ends like multiprocessing's: exit handlers, then exit of the process.

    (A child that also destroys jaxlib's client hangs or crashes in jaxlib's own threads, with any
    plugin.)
    """
    out = run("""
        import multiprocessing, warnings, jax, jax.numpy as jnp, numpy as np
        warnings.simplefilter("ignore")
        x = jnp.ones((1000, 1000)) @ jnp.ones((1000, 1000))
        seen = np.asarray(x)
        def work():
            assert seen[0, 0] == 1000.0
        child = multiprocessing.get_context("fork").Process(target=work)
        child.start()
        child.join(60)
        print(child.exitcode, float((x + 1)[0, 0]))""", JAX_PLATFORMS="tenon")
    assert out == "0 1001.0"
