"""Arrays shared with other libraries: DLPack, NumPy's views, PyTorch where it is installed."""
import gc

import jax
import jax.numpy as jnp
import numpy as np
import pytest


@pytest.mark.parametrize("name", ["float32", "int32", "uint8", "bool", "complex64", "float16"])
def test_numpy_from_dlpack_is_the_same_memory(name):
    x = jnp.asarray(np.arange(12).reshape(3, 4) % 2, name)
    y = np.from_dlpack(x)
    assert y.ctypes.data == x.unsafe_buffer_pointer() and y.dtype == name
    expected = np.asarray(x).copy()
    del x
    gc.collect()
    jnp.zeros(12).block_until_ready()  # would reuse the memory if it were free
    np.testing.assert_array_equal(y, expected)


def test_dlpack_keeps_memory_from_donation():
    x = jnp.arange(1000.0)
    y = np.from_dlpack(x)
    z = jax.jit(lambda x: x + 1, donate_argnums=0)(x)
    np.testing.assert_array_equal(y, np.arange(1000))
    np.testing.assert_array_equal(z, np.arange(1000) + 1)


def test_empty_and_scalar():
    assert np.from_dlpack(jnp.zeros((0, 3))).shape == (0, 3)
    assert np.from_dlpack(jnp.float32(3)) == 3


@pytest.mark.parametrize("copy", [None, True])
def test_from_dlpack_of_numpy(copy):
    x = np.arange(100, dtype=np.float32)[3:].reshape(-1, 97)
    np.testing.assert_array_equal(jnp.from_dlpack(x, copy=copy), x)


def test_numpy_views_keep_the_memory():
    x = jnp.arange(1000.0)
    view = np.asarray(x)
    assert view.ctypes.data == x.unsafe_buffer_pointer() and not view.flags.writeable
    del x
    gc.collect()
    jnp.zeros(1000).block_until_ready()
    np.testing.assert_array_equal(view, np.arange(1000))


def test_host_memory_that_changes_later():
    """An array that was put on a device does not change with its source."""
    host = np.arange(1000, dtype=np.float32)
    x = jax.device_put(host)
    y = jnp.asarray(host) + 0
    host[:] = -1
    np.testing.assert_array_equal(y, np.arange(1000))
    z = jnp.array(np.arange(4.0))
    del host, x
    np.testing.assert_array_equal(z, np.arange(4))


def test_pytorch():
    torch = pytest.importorskip("torch", reason="no PyTorch: pip install torch")
    x = jnp.arange(6.0).reshape(2, 3)
    y = torch.from_dlpack(x)
    assert y.data_ptr() == x.unsafe_buffer_pointer()
    np.testing.assert_array_equal(jnp.from_dlpack(y * 2), 2 * np.arange(6).reshape(2, 3))
