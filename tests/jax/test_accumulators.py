"""Reductions, windows and scans of 16-bit and 8-bit floats accumulate in f32 and round once,
for every body, shape and implementation."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

NARROW = [jnp.bfloat16, jnp.float16, jnp.float8_e5m2]
TYPES = pytest.mark.parametrize("dtype", NARROW, ids=lambda t: jnp.dtype(t).name)
HALF = pytest.mark.parametrize("dtype", NARROW[:2], ids=lambda t: jnp.dtype(t).name)


def numbers(dtype, shape, seed=0, low=0.05, high=0.2):
    return np.random.default_rng(seed).uniform(low, high, shape).astype(dtype)


def assert_rounded_once(result, exact, f32_error=1e-4):
    """`result` is `exact` with the relative error of an f32 computation, rounded to its type."""
    result, exact = np.asarray(result), np.asarray(exact, np.float64)
    low = np.minimum(exact * (1 - f32_error), exact * (1 + f32_error)).astype(result.dtype)
    high = np.maximum(exact * (1 - f32_error), exact * (1 + f32_error)).astype(result.dtype)
    wide = result.astype(np.float64)
    wrong = (wide < low.astype(np.float64)) | (wide > high.astype(np.float64))
    assert not wrong.any(), (wide[wrong][:5], exact[wrong][:5], wrong.sum())


BODIES = {
    "add": lambda dtype: lax.add,
    "add by f32": lambda dtype: lambda a, b: (
        a.astype("float32") + b.astype("float32")).astype(dtype),
    "add by order": lambda dtype: lambda a, b: lax.select(a > b, a + b, b + a),
    "add and subtract": lambda dtype: lambda a, b: (a + b) - a * np.asarray(0, dtype),
    "add by log": lambda dtype: lambda a, b: a - (-b),
}


@TYPES
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("shape, dims", [
    ((40000,), (0,)), ((33,), (0,)), ((3, 20000), (1,)), ((1000, 2), (0,)), ((1000, 130), (0,)),
    ((2, 500, 3), (1,)), ((300, 200), (0, 1)), ((70000, 16), (0,)), ((1, 64), (0,)),
    ((8, 8), (1,))], ids=str)
def test_sums(dtype, body, shape, dims):
    x = numbers(dtype, shape)
    combine = BODIES[body](dtype)
    result = jax.jit(lambda x: lax.reduce(x, np.asarray(0, dtype), combine, dims))(x)
    assert_rounded_once(result, x.astype(np.float64).sum(dims))


@TYPES
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shape, axis", [
    ((1024, 2), 0), ((2, 1024), 1), ((40000,), 0), ((3, 70000), 1), ((500, 130), 0), ((16,), 0),
    ((2, 300, 3), 1), ((20, 17), 1), ((12, 2048), 1)], ids=str)
def test_prefix_sums(dtype, shape, axis, reverse):
    x = numbers(dtype, shape, 1)
    window, padding = [1] * len(shape), [(0, 0)] * len(shape)
    window[axis] = shape[axis]
    padding[axis] = (0, shape[axis] - 1) if reverse else (shape[axis] - 1, 0)
    wide = x.astype(np.float64)
    exact = np.flip(np.flip(wide, axis).cumsum(axis), axis) if reverse else wide.cumsum(axis)
    for body in ("add", "add by order"):
        combine = BODIES[body](dtype)
        result = jax.jit(lambda x, combine=combine: lax.reduce_window(
            x, np.asarray(0, dtype), combine, tuple(window), (1,) * len(shape), padding))(x)
        assert_rounded_once(result, exact)


@HALF
def test_cumsum_goes_on_growing(dtype):
    x = np.ones((4096, 2), dtype)
    assert jax.jit(lambda x: jnp.cumsum(x, 0))(x[:1024])[-1].tolist() == [1024, 1024]
    assert jax.jit(lambda x: lax.cumsum(x, 0))(x)[-1].tolist() == [4096, 4096]
    assert jax.jit(lambda x: lax.cumsum(x, 1))(x.T.copy())[:, -1].tolist() == [4096, 4096]
    assert jax.jit(lambda x: lax.cumsum(x, 0, reverse=True))(x)[0].tolist() == [4096, 4096]


@HALF
def test_other_scans(dtype):
    x = numbers(dtype, (5000, 3), 2)
    wide = x.astype(np.float64)
    assert_rounded_once(jax.jit(lambda x: lax.cumlogsumexp(x, 0))(x),
                        np.logaddexp.accumulate(wide, 0))
    y = (1 + (wide - 0.125) / 64).astype(dtype)
    assert_rounded_once(jax.jit(lambda y: lax.cumprod(y, 0))(y),
                        y.astype(np.float64).cumprod(0), 5e-3)
    np.testing.assert_array_equal(jax.jit(lambda x: lax.cummax(x, 0))(x),
                                  np.maximum.accumulate(x, 0))


@HALF
def test_logarithms_of_sums(dtype):
    x = numbers(dtype, (4000, 4), 3)
    result = jax.jit(lambda x: lax.reduce(x, np.asarray(-np.inf, dtype), jnp.logaddexp, (0,)))(x)
    assert_rounded_once(result, np.logaddexp.reduce(x.astype(np.float64), 0))


@TYPES
def test_several_operands(dtype):
    """Sums of two types and a count."""
    x, y = numbers(dtype, (3000, 5), 4), numbers(np.float32, (3000, 5), 5)
    n = np.ones((3000, 5), np.int32)

    def combine(a, b):
        one = (1 + b[0] * np.asarray(0, dtype)).astype("float32")
        return a[0] + b[0], a[1] + b[1] * one, a[2] + b[2]
    zeros = (np.asarray(0, dtype), np.float32(0), np.int32(0))
    sums = jax.jit(lambda *x: lax.reduce(x, zeros, combine, (0,)))(x, y, n)
    assert [s.dtype for s in sums] == [dtype, np.float32, np.int32]
    assert_rounded_once(sums[0], x.astype(np.float64).sum(0))
    np.testing.assert_allclose(sums[1], y.astype(np.float64).sum(0), rtol=1e-4)
    assert (np.asarray(sums[2]) == 3000).all()


@TYPES
@pytest.mark.parametrize("size, stride, dilation", [(512, 1, 1), (100, 7, 3), (2, 2, 1), (9, 1, 2)])
def test_windows(dtype, size, stride, dilation):
    x = numbers(dtype, (3, 1500), 6)
    for body in ("add", "add by order"):
        combine = BODIES[body](dtype)
        result = jax.jit(lambda x, combine=combine: lax.reduce_window(
            x, np.asarray(0, dtype), combine, (1, size), (1, stride), "VALID",
            window_dilation=(1, dilation)))(x)
        reach = (size - 1) * dilation + 1
        wide = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64), reach, 1)
        assert_rounded_once(result, wide[:, ::stride, ::dilation].sum(-1))


@HALF
def test_a_conversion_to_another_type_rounds(dtype):
    """Bodies that quantize still quantize each step."""
    other = jnp.float8_e4m3fn
    x = np.ones((100,), dtype)
    result = jax.jit(lambda x: lax.reduce(
        x, np.asarray(0, dtype), lambda a, b: (a + b).astype(other).astype(dtype), (0,)))(x)
    # e4m3 has no 17, 18 rounds ties to even, ...: far from 100 in any order of additions.
    assert float(result) != 100


@HALF
def test_largest_values_of_narrow_types_keep_their_bits(dtype):
    x = numbers(dtype, (33, 700), 7, -3, 3)
    for combine, numpy in ((lax.max, np.max), (lax.min, np.min)):
        init = np.asarray(-np.inf if combine is lax.max else np.inf, dtype)
        for axis in (0, 1):
            np.testing.assert_array_equal(
                jax.jit(lambda x, c=combine, i=init, a=axis: lax.reduce(x, i, c, (a,)))(x),
                numpy(x, axis))


@HALF
def test_scatter_rounds_each_update(dtype):
    """Updates are not a reduction, by the specification and on the built-in CPU."""
    x = np.full((20000,), 0.1, dtype)
    result = jax.jit(lambda x: jnp.zeros(3, dtype).at[jnp.arange(20000) % 3].add(x))(x)
    total = np.zeros((), dtype)
    for _ in range(6667):
        total = total + x[0]
    assert np.asarray(result).tolist() == [total] * 3


@pytest.mark.parametrize("dtype", NARROW[:2], ids=str)
def test_no_worse_than_the_built_in_cpu(cpu, dtype):
    """Long rows and columns: errors against f64 are at most the built-in CPU's."""
    for shape, axis in (((40000,), 0), ((5, 9000), 1), ((9000, 5), 0)):
        x = numbers(dtype, shape, 8)
        exact = x.astype(np.float64).sum(axis)

        def function(x, axis=axis):
            return lax.reduce(x, np.asarray(0, dtype), lax.add, (axis,)), lax.cumsum(x, axis)

        sums = x.astype(np.float64).cumsum(axis)

        def errors(device):
            total, prefix = jax.jit(function)(jax.device_put(x, device))
            return (np.abs(np.asarray(total, np.float64) - exact).max(),
                    np.abs(np.asarray(prefix, np.float64) - sums).max())
        for mine, theirs in zip(errors(jax.devices()[0]), errors(cpu)):
            assert mine <= theirs * (1 + 1e-6), (shape, mine, theirs)
