"""Complex functions of every pair of special parts, compared with the built-in CPU.

Signs of zeros are not compared. Tests beside the code compare C99's signs of zeros, and the cases
in which the built-in CPU differs: the magnitude of infinity and NaN, the sign of the largest
numbers.
"""
import itertools

import numpy as np
import pytest
from compare import run_on
from jax import lax

pytestmark = pytest.mark.usefixtures("x64")
UNARY = {f.__name__: f for f in (lax.sqrt, lax.exp, lax.expm1, lax.log, lax.log1p, lax.sin,
                                 lax.cos, lax.tan, lax.tanh, lax.logistic)}
TYPES = ("complex64", "complex128")


def numbers(dtype):
    """Every pair of zeros, ones, infinities, NaN and the ends of the range."""
    info = np.finfo(dtype)
    parts = [0, -0.0, 1, -1, 0.5, 3, np.inf, -np.inf, np.nan, info.max, -info.max,
             info.tiny, -info.tiny]
    return np.array([complex(*pair) for pair in itertools.product(parts, parts)], dtype)


def assert_same(ours, theirs, arguments):
    with np.errstate(all="ignore"):
        def agree(x, y):
            near = np.abs(x - y) <= 64 * np.finfo(x.dtype).eps * np.abs(y)
            return (x == y) | (np.isnan(x) & np.isnan(y)) | near
        wrong = ~(agree(ours.real, theirs.real) & agree(ours.imag, theirs.imag))
    assert not wrong.any(), "\n".join(
        f"{[x[i] for x in arguments]}: {ours[i]}, not {theirs[i]}"
        for i in np.flatnonzero(wrong)[:20])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", UNARY)
def test_special_values(name, dtype, device, cpu):
    x = numbers(dtype)
    assert_same(run_on(device, UNARY[name], x), run_on(cpu, UNARY[name], x), [x])


@pytest.mark.parametrize("dtype", TYPES)
def test_quotients(dtype, device, cpu):
    """All but the largest numbers, whose quotients overflow on the built-in CPU."""
    x = numbers(dtype)
    x = x[~np.isin(np.abs(x.real), np.finfo(dtype).max) &
          ~np.isin(np.abs(x.imag), np.finfo(dtype).max)]
    y, z = np.repeat(x, x.size), np.tile(x, x.size)
    assert_same(run_on(device, lax.div, y, z), run_on(cpu, lax.div, y, z), [y, z])


@pytest.mark.parametrize("dtype", TYPES)
def test_quotients_of_the_largest_numbers(dtype, device):
    largest = np.finfo(dtype).max
    x = np.array([complex(largest, largest), complex(largest, 1), complex(1, largest)], dtype)
    ours = run_on(device, lax.div, np.repeat(x, 2), np.tile(np.array([1, 2], dtype), 3))
    np.testing.assert_array_equal(ours, np.stack([x, x / 2], 1).ravel())
