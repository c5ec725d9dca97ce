"""The first programs that every user tries."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import PLATFORM


def test_default_device_is_tenon(device):
    assert jax.devices()[0] == device
    assert jax.default_backend() == PLATFORM
    assert jnp.zeros(3).devices() == {device}


def test_add_one_and_one():
    assert int(jnp.add(1, 1)) == 2


def test_jit_doubles():
    assert float(jax.jit(lambda x: x * 2)(1.0)) == 2.0


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_pmap_psum_on_one_device(device):
    f = jax.pmap(lambda x: x + jax.lax.psum(x, "i"), axis_name="i", devices=[device])
    assert f(jnp.arange(1)).tolist() == [0]
    assert f(jnp.array([3])).tolist() == [6]


def test_one_compile_per_signature():
    compiles = []

    def listen(event, *_, **__):
        if event == "/jax/core/compile/backend_compile_duration":
            compiles.append(event)

    f = jax.jit(lambda x, y: (x @ y).sum())
    args = [jnp.ones((n, n), t) for n in (4, 5) for t in ("float32", "int32")]
    jax.block_until_ready(args)
    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        for _ in range(3):
            for x in args:
                f(x, x)
        assert len(compiles) == 4
        f(args[0] + 0, args[0])  # `+ 0` is a program of its own
        assert len(compiles) == 5
    finally:
        jax._src.monitoring.unregister_event_duration_listener(listen)


@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 5), (2, 3, 4), (0,), (4, 0, 2)])
@pytest.mark.parametrize("name", ["bool", "int8", "uint16", "int32", "float16", "float32",
                                  "bfloat16", "complex64"])
def test_transfer_round_trip(device, shape, name):
    x = (np.arange(np.prod(shape, dtype=int)) % 5 - 2).reshape(shape).astype(jnp.dtype(name))
    y = jax.device_put(x, device)
    assert y.dtype == x.dtype and y.shape == x.shape
    np.testing.assert_array_equal(np.asarray(y), x)


def test_transfer_of_strided_arrays(device):
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    for view in (x.T, x[::2], x[:, ::-1], x[1:, 2:], np.broadcast_to(x[0], (3, 6))):
        np.testing.assert_array_equal(np.asarray(jax.device_put(view, device)), view)


def test_copies_between_platforms(device, cpu):
    x = jax.device_put(np.arange(10.0), device)
    y = jax.device_put(x, cpu)
    z = jax.device_put(y * 2, device)
    assert y.devices() == {cpu} and z.devices() == {device}
    np.testing.assert_array_equal(np.asarray(z), 2 * np.arange(10))


def test_many_arguments_and_results():
    arrays = [jnp.full((2,), i, jnp.float32) for i in range(300)]
    results = jax.jit(lambda xs: [x + 1 for x in reversed(xs)])(arrays)
    assert [float(r[0]) for r in results] == [300.0 - i for i in range(300)]


def test_no_arguments_no_results():
    assert float(jax.jit(lambda: jnp.float32(3.5))()) == 3.5
    assert jax.jit(lambda x: None)(jnp.ones(3)) is None


def test_result_that_is_an_argument():
    x = jnp.arange(5)
    y, z = jax.jit(lambda x: (x, x))(x)
    np.testing.assert_array_equal(y, z)


def test_asynchronous_calls_keep_their_order():
    f = jax.jit(lambda x: x * 1.0 + 1.0)
    x = jnp.zeros((1000,))
    for _ in range(200):
        x = f(x)
    assert float(x[0]) == 200.0 and float(x[-1]) == 200.0
