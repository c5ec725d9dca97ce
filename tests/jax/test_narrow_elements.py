"""Elements of 8 and 16 bits that are loaded with gaps or under masks, compared with NumPy bit by
bit. Arrays end at a page that cannot be read."""
import ctypes
import mmap

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import PLATFORM

TYPES = ("uint8", "bool", "int16", "bfloat16", "float8_e4m3fn")


def at_end_of_page(x):
    """A copy of x that ends where readable memory ends."""
    page = mmap.PAGESIZE
    size = -(-x.nbytes // page) * page
    memory = mmap.mmap(-1, size + page)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    assert not libc.mprotect(ctypes.c_void_p(address + size), page, 0), ctypes.get_errno()
    copy = np.frombuffer(memory, np.uint8, x.nbytes, size - x.nbytes).view(x.dtype).reshape(x.shape)
    copy[...] = x
    return copy


def values(shape, dtype, seed=0):
    bits = np.random.default_rng(seed).integers(0, 256, (*shape, jnp.dtype(dtype).itemsize))
    if dtype == "bool":
        return (bits[..., 0] & 1).astype(bool)
    return bits.astype(np.uint8).view(jnp.dtype(dtype))[..., 0]


def check(function, *arguments):
    expected = np.ascontiguousarray(function(np, *arguments))
    arguments = [at_end_of_page(x) for x in arguments]
    placed = [jax.device_put(x, jax.devices(PLATFORM)[0]) for x in arguments]
    if PLATFORM == "tenon":  # arrays of some size are not copied if they are aligned
        assert all(x.unsafe_buffer_pointer() == y.ctypes.data for x, y in zip(placed, arguments)
                   if y.nbytes >= 4096 and y.nbytes % 64 == 0)
    result = np.asarray(jax.jit(lambda *x: function(jnp, *x))(*placed))
    assert result.dtype == expected.dtype and result.shape == expected.shape
    assert result.tobytes() == expected.tobytes()


@pytest.mark.parametrize("channels", [2, 3, 4, 5, 7, 9, 16])
@pytest.mark.parametrize("dtype", TYPES)
def test_channels_move(dtype, channels):
    for height, width in ((8, 8), (3, 31), (1, 112), (1, 225)):
        x = values((64, height, width, channels), dtype)
        check(lambda _, x: x.transpose(0, 3, 1, 2), x)
        x = values((64, channels, height, width), dtype)
        check(lambda _, x: x.transpose(0, 2, 3, 1), x)


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_images_become_floats(channels):
    x = values((2, 16, 32, channels), "uint8")
    check(lambda np, x: x.transpose(0, 3, 1, 2).astype(np.float32) * np.float32(0.25), x)
    check(lambda np, x: x[:, ::-1, ::-2, ::-1].astype(np.float32), x)


@pytest.mark.parametrize("step", [2, 3, 5, 8, 9, 15, 16, 17])
@pytest.mark.parametrize("dtype", TYPES)
def test_steps(dtype, step):
    for count in (320, 4096, 4160):
        x = values((count,), dtype)
        for first in (0, 1, (count - 1) % step):  # the last one takes the last element
            check(lambda _, x: x[first::step], x)
        check(lambda _, x: x[::-step], x)


@pytest.mark.parametrize("columns", [3, 17, 31, 40])
@pytest.mark.parametrize("dtype", TYPES)
def test_pads_and_pieces(dtype, columns):
    x = values((1600, columns), dtype)
    y = values((1600, 5), dtype, 1)
    one = np.ones((), dtype)
    check(lambda np, x: np.pad(x, ((1, 1), (3, 2)), constant_values=one), x)
    check(lambda np, x: np.pad(x, ((0, 0), (0, 7)), constant_values=one)[:, 1:], x)
    check(lambda np, x, y: np.concatenate([y[:, ::-1], x, y], 1), x, y)
    check(lambda np, x: np.where(np.arange(columns) % 3 == 1, x[::-1], np.roll(x, 1, 1)), x)
