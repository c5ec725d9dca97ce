"""Algorithms of products (lax.DotAlgorithmPreset): the error bound of each, on hard values.

With u the unit roundoff, 2^-8 in bf16 and 2^-24 in f32, K the length of the sums and s = |x| |y|:
the error of one product of bf16 parts is at most (2.01 u_bf16 + K u_f32) s. All other algorithms
compute in f32; their error is at most K u_f32 s. Denormals are zero.
"""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

IN_F32 = ["BF16_BF16_F32_X3", "BF16_BF16_F32_X6", "BF16_BF16_F32_X9", "TF32_TF32_F32",
          "TF32_TF32_F32_X3", "F32_F32_F32"]
ONE_BF16 = "BF16_BF16_F32"


def product(x, y, name):
    dot = jax.jit(lambda x, y: lax.dot(x, y, precision=lax.DotAlgorithmPreset[name]))
    try:
        return np.asarray(dot(x, y))
    except ValueError as error:  # the built-in CPU supports only some
        if "is not supported by dot_general on CPU" not in str(error):
            raise
        pytest.skip(str(error))


def check_bound(x, y, name):
    result = product(x, y, name)
    wide_x, wide_y = x.astype(np.float64), y.astype(np.float64)
    size = np.abs(wide_x) @ np.abs(wide_y)
    u = 2.0 ** -24 * (x.shape[1] + 1)
    if name == ONE_BF16:
        u += 2.01 * 2.0 ** -8
    smallest = 2.0 ** -126  # normal number: smaller operands, products and sums are zero
    flushed = smallest * x.shape[1] * (2 + np.abs(wide_x).max() + np.abs(wide_y).max())
    error = np.abs(result.astype(np.float64) - wide_x @ wide_y)
    assert np.all(error <= u * size + flushed), (error / (u * size + flushed)).max()


def values(kind, shape, seed):
    random = np.random.RandomState(seed)
    x = random.standard_normal(shape)
    if kind == "exponents":
        x = x * 2.0 ** random.randint(-60, 60, shape)
    elif kind == "tiny":
        x = x * 2.0 ** random.randint(-126, -60, shape)
    elif kind == "bits":  # all 24 bits of the significand matter
        x = 1 + random.randint(0, 1 << 23, shape) * 2.0 ** -23
    return x.astype(np.float32)


@pytest.mark.parametrize("name", [ONE_BF16, *IN_F32])
@pytest.mark.parametrize("kind", ["normal", "exponents", "tiny", "bits"])
@pytest.mark.parametrize("m, k, n", [(5, 300, 7), (64, 256, 96), (1, 1000, 40)])
def test_bounds(m, k, n, kind, name):
    check_bound(values(kind, (m, k), 1), values(kind, (k, n), 2), name)


@pytest.mark.parametrize("name", [ONE_BF16, *IN_F32])
def test_cancellation(name):
    """All products but one cancel in pairs."""
    x, y = values("bits", (8, 128), 1), values("bits", (128, 9), 2)
    check_bound(np.concatenate([x, -x, x[:, :1]], 1), np.concatenate([y, y, y[:1]], 0), name)


@pytest.mark.parametrize("name", IN_F32)
def test_largest_numbers(name):
    """bf16 would round the largest floats to infinity. These sums have no infinity."""
    largest = np.finfo(np.float32).max
    x = np.full((4, 16), largest, np.float32)
    y = np.zeros((16, 5), np.float32)
    y[0], y[1] = 1, -0.5
    np.testing.assert_array_equal(product(x, y, name), np.full((4, 5), largest / 2, np.float32))


@pytest.mark.parametrize("name", [ONE_BF16, *IN_F32])
def test_infinities_and_nans(name):
    """Splitting an infinity into parts would compute infinity - infinity."""
    x, y = np.ones((6, 32), np.float32), np.ones((32, 3), np.float32)
    x[1, 3], x[2, 5], x[3, 7] = np.inf, -np.inf, np.nan
    x[4, 0], x[4, 1] = np.inf, -np.inf
    x[5, 2], y[2, 1] = np.inf, 0
    result = product(x, y, name)
    assert np.all(result[1, [0, 2]] == np.inf) and np.all(result[2, [0, 2]] == -np.inf)
    assert np.all(np.isnan(result[3:5])) and np.isnan(result[5, 1])
    assert np.all(result[0] == [32, 31, 32]) and np.all(result[5, [0, 2]] == np.inf)


@pytest.mark.parametrize("name", [ONE_BF16, *IN_F32])
def test_constants_and_arguments_agree(name):
    """Constant folding splits into the parts of the algorithm, too."""
    x, y = np.float32([[1 + 2.0 ** -9, 3], [2.0 ** -12, 1]]), np.eye(2, dtype=np.float32)
    computed = product(x, y, name)
    folded = jax.jit(lambda: lax.dot(x, y, precision=lax.DotAlgorithmPreset[name]))()
    np.testing.assert_array_equal(folded, computed)


@pytest.mark.parametrize("name", ["F16_F16_F16", "F16_F16_F32", "BF16_BF16_BF16"])
def test_narrow_operands(name):
    """JAX rounds the operands. A 16-bit sum is an f32 sum, rounded once."""
    x, y = values("normal", (9, 200), 1), values("normal", (200, 11), 2)
    half = jnp.float16 if name.startswith("F16") else jnp.bfloat16
    rounded = np.asarray(jnp.asarray(x, half)).astype(np.float64) @ np.asarray(
        jnp.asarray(y, half)).astype(np.float64)
    result = product(x, y, name).astype(np.float64)
    step = 2.0 ** -8 if half == jnp.bfloat16 else 2.0 ** -11
    bound = 2.0 ** -24 * 201 * (np.abs(x) @ np.abs(y)) * 1.01
    assert np.all(np.abs(result - rounded) <= bound + step * np.abs(rounded))
