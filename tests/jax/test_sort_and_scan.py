"""Sorts, first elements of sorts and cumulative operations, compared with NumPy: bit by bit where
the order determines all bits."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

FLOATS = (np.float32, np.float16, jnp.bfloat16)
INTEGERS = (np.int32, np.uint32, np.int16, np.uint8, np.int8)
WIDE = (np.float64, np.int64, np.uint64)
SIZES = (1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 70, 255, 256, 257, 1000)


def is_float(dtype):
    return jnp.issubdtype(dtype, jnp.floating)


def bits(array):
    array = np.asarray(array)
    return array.view(f"u{array.dtype.itemsize}")


def values(dtype, shape, kind="any", seed=0):
    """Numbers with many duplicates, or special values, by kind."""
    rng = np.random.default_rng(seed)
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(bool)
    if not is_float(dtype):
        info = np.iinfo(dtype)
        low, high = (0, 5) if kind == "duplicates" else (info.min, info.max)
        return rng.integers(low, high, shape, dtype=dtype, endpoint=True)
    x = rng.standard_normal(shape) * 10
    if kind == "duplicates":
        x = np.round(x / 5)
    x = x.astype(dtype)
    if kind == "special":
        special = np.array([np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf], dtype)
        which = rng.integers(0, 12, shape)
        x = np.where(which < 6, special[np.minimum(which, 5)], x)
    return x


def total_order(x):
    """Integers in the total order of the bits of floats."""
    if not is_float(x.dtype):
        return x
    b = bits(x).astype(np.int64)
    sign = np.int64(1) << np.int64(8 * x.dtype.itemsize - 1)
    if x.dtype.itemsize == 8:
        b = x.view(np.int64)
        return np.where(b < 0, ~b ^ np.int64(np.iinfo(np.int64).min), b)
    return np.where(b & sign, -(b ^ sign) - 1, b)


def jax_order(x):
    """The keys of jnp.sort: zeros are equal, and all NaNs are equal and last."""
    if not is_float(x.dtype):
        return x
    # Denormals compare as zero.
    magnitude = np.where(np.isnan(x), np.array(1, x.dtype), np.abs(x))
    zero = magnitude < jnp.finfo(x.dtype).tiny if x.dtype != np.float16 else x == 0
    canonical = np.where(zero, np.zeros((), x.dtype), x)
    return total_order(np.where(np.isnan(x), np.array(np.nan, x.dtype), canonical))


def check_sorts(device, x, axis):
    order = np.argsort(jax_order(x), axis=axis, kind="stable")
    payload = np.arange(x.size, dtype=np.int32).reshape(x.shape)[::-1].copy()

    def sorts(x, payload):
        return (jnp.sort(x, axis=axis), jnp.argsort(x, axis=axis),
                lax.sort((x, payload), dimension=axis, num_keys=1))

    alone, positions, (keys, moved) = jax.jit(sorts)(*jax.device_put((x, payload), device))
    expected = np.take_along_axis(x, order, axis)
    np.testing.assert_array_equal(positions, order)
    np.testing.assert_array_equal(bits(alone), bits(expected))
    np.testing.assert_array_equal(bits(keys), bits(expected))
    np.testing.assert_array_equal(moved, np.take_along_axis(payload, order, axis))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", ("any", "duplicates", "special"))
def test_sort_f32_of_any_size(device, size, kind):
    check_sorts(device, values(np.float32, (size,), kind), 0)


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS + (np.bool_,), ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("size", (1, 16, 70, 300))
def test_sort_of_any_type(device, dtype, size):
    for kind in ("duplicates", "special" if is_float(dtype) else "any"):
        check_sorts(device, values(dtype, (size,), kind), 0)


@pytest.mark.parametrize("dtype", WIDE, ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("size", (1, 9, 70, 300, 40000))
def test_sort_of_wide_types(device, x64, dtype, size):
    for kind in ("duplicates", "special" if is_float(dtype) else "any"):
        check_sorts(device, values(dtype, (size,), kind), 0)


@pytest.mark.parametrize("shape,axis", (((5, 40), 0), ((3, 300, 7), 1), ((6, 5, 4), 2),
                                        ((9, 1000), 1), ((20000,), 0), ((100000,), 0),
                                        ((2, 40000), 1), ((33000, 2), 0)), ids=str)
@pytest.mark.parametrize("dtype", (np.float32, jnp.bfloat16, np.int32),
                         ids=lambda t: np.dtype(t).name)
def test_sort_of_rows_and_columns(device, dtype, shape, axis):
    kind = "special" if is_float(dtype) else "any"
    check_sorts(device, values(dtype, shape, kind), axis)


@pytest.mark.parametrize("low,high", ((0, 1), (0, 200), (-3, 3), (7, 7), (10**6, 10**6 + 5000)))
def test_sort_of_a_narrow_range(device, low, high):
    """All elements in few buckets, or in one."""
    x = np.random.default_rng(0).integers(low, high, 70000, dtype=np.int32, endpoint=True)
    check_sorts(device, x, 0)


def test_sort_of_uniform_and_sorted(device):
    x = np.random.default_rng(0).random(100000, np.float32)
    for data in (x, np.sort(x), np.sort(x)[::-1].copy(), x * np.float32(1e-40)):
        check_sorts(device, data, 0)


def test_denormals_keep_their_values(device):
    """With flushed denormals the comparator sees zeros, but the bits are kept."""
    x = np.array([1e-40, 0.0, -1e-41, -0.0, 1.0, -1.0, 3e-42] * 50, np.float32)
    result = np.asarray(jax.jit(jnp.sort)(jax.device_put(x, device)))
    np.testing.assert_array_equal(np.sort(bits(result)), np.sort(bits(x)))
    np.testing.assert_array_equal(bits(result[50:-50]), bits(x[np.abs(x) < 1]))


def test_descending_and_lexicographic(device):
    rng = np.random.default_rng(0)
    for size in (100, 1000, 50000):
        a = rng.integers(0, 5, size).astype(np.int32)
        b = rng.standard_normal(size).astype(np.float32)
        order = np.lexsort((b, a))
        first, second = jax.jit(lambda a, b: lax.sort((a, b), num_keys=2))(
            *jax.device_put((a, b), device))
        np.testing.assert_array_equal(first, a[order])
        np.testing.assert_array_equal(second, b[order])
        # More than 64 bits of keys: the general sort.
        many = jax.jit(lambda a, b: lax.sort((a, b, a + 1, b * 2), num_keys=4))(
            *jax.device_put((a, b), device))
        np.testing.assert_array_equal(many[3], b[order] * 2)
        np.testing.assert_array_equal(jax.jit(lambda b: jnp.sort(b, descending=True))(b),
                                      -np.sort(-b))
        c = (a + 1j * b).astype(np.complex64)
        np.testing.assert_array_equal(jax.jit(jnp.sort)(jax.device_put(c, device)), c[order])


@pytest.mark.parametrize("dtype", (np.float32, jnp.bfloat16, np.int32, np.uint32),
                         ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("shape", ((5,), (70,), (7, 64), (6, 130), (3, 255), (256,), (3, 300), (4, 20, 500), (40000,),
                                   (200000,), (2, 70000)), ids=str)
def test_top_k(device, dtype, shape):
    length = shape[-1]
    for kind in ("special" if is_float(dtype) else "any", "duplicates"):
        x = values(dtype, shape, kind)
        order = np.argsort(-total_order(x).astype(np.int64), axis=-1, kind="stable")
        for k in sorted({1, min(5, length), min(64, length), max(1, length // 9), length}):
            top, positions = jax.jit(lambda x, k=k: lax.top_k(x, k))(jax.device_put(x, device))
            np.testing.assert_array_equal(positions, order[..., :k])
            np.testing.assert_array_equal(
                bits(top), bits(np.take_along_axis(x, order[..., :k], -1)))


@pytest.mark.parametrize("data", ("rising", "falling", "equal", "late", "steps", "saw", "nans"))
# The smallest keys of disjoint sets of elements bound the candidates for up to 128 to 512
# elements of 32 bits, depending on the registers. Rows are looked at in blocks of 4,096, the
# later ones in parts. Candidates fill up in the longer rows.
@pytest.mark.parametrize("length, k", ((64, 1), (64, 8), (100, 12), (200, 25), (600, 1), (600, 8), (600, 16), (600, 17), (600, 33),
                                       (600, 64), (600, 65), (4097, 128), (4103, 129), (5000, 64), (9000, 256), (9000, 257),
                                       (12291, 513), (30000, 100), (30000, 3000), (70001, 10), (100003, 1000)))
def test_top_k_of_the_worst_rows(device, data, length, k):
    x = np.arange(length, dtype=np.float32)
    x = {"rising": x, "falling": x[::-1].copy(), "equal": np.full_like(x, 3),
         "late": np.where(x < length - k, -np.inf, x), "steps": x // 40 % 7, "saw": x % 4999,
         "nans": np.where(x % 5 == 3, np.nan, x)}[data]
    top, positions = jax.jit(lambda x: lax.top_k(x, k))(jax.device_put(x, device))
    order = np.argsort(np.where(np.isnan(x), -np.inf, -x), kind="stable")[:k]
    np.testing.assert_array_equal(positions, order)
    np.testing.assert_array_equal(top, x[order])


def test_first_elements_of_sorts(device):
    x = values(np.float32, (20, 1000))
    on_device = jax.device_put(x, device)
    np.testing.assert_array_equal(jax.jit(lambda x: jnp.sort(x)[:, :7])(on_device),
                                  np.sort(x)[:, :7])
    np.testing.assert_array_equal(jax.jit(lambda x: jnp.argsort(x, 0)[:2])(on_device),
                                  np.argsort(x, 0)[:2])
    np.testing.assert_array_equal(jax.jit(lambda x: jnp.sort(x)[:, :900])(on_device),
                                  np.sort(x)[:, :900])
    for approximate, sign in ((lax.approx_max_k, -1), (lax.approx_min_k, 1)):
        _, positions = jax.jit(lambda x, f=approximate: f(x, 9))(on_device)
        np.testing.assert_array_equal(positions, np.argsort(sign * x, kind="stable")[:, :9])


def test_functions_built_on_sorts(device):
    x = values(np.float32, (3001,))
    on_device = jax.device_put(x, device)
    np.testing.assert_allclose(jax.jit(jnp.median)(on_device), np.median(x), rtol=1e-6)
    np.testing.assert_allclose(
        jax.jit(lambda x: jnp.percentile(x, jnp.array([5.0, 30.0, 99.0])))(on_device),
        np.percentile(x, [5, 30, 99]), rtol=1e-5)
    n = (x * 3).astype(np.int32)
    np.testing.assert_array_equal(
        jax.jit(lambda n: jnp.unique(n, size=200, fill_value=99))(jax.device_put(n, device)),
        np.concatenate([np.unique(n), np.full(200 - len(np.unique(n)), 99)]))
    np.testing.assert_array_equal(
        jax.jit(jnp.searchsorted)(jnp.sort(on_device), on_device),
        np.searchsorted(np.sort(x), x))


CUMULATIVE = {"sum": (lax.cumsum, np.cumsum), "prod": (lax.cumprod, np.cumprod),
              "max": (lax.cummax, np.maximum.accumulate),
              "min": (lax.cummin, np.minimum.accumulate)}


@pytest.mark.parametrize("reverse", (False, True), ids=("forward", "reverse"))
@pytest.mark.parametrize("name", CUMULATIVE)
@pytest.mark.parametrize("shape,axis", (((1,), 0), ((15,), 0), ((16,), 0), ((17,), 0), ((33,), 0),
                                        ((1000,), 0), ((100003,), 0), ((3, 100), 1),
                                        ((50, 7), 1), ((50, 9), 1), ((300, 15), 1), ((9, 50), 0),
                                        ((100, 3), 0), ((20, 30, 40), 1), ((100, 130), 0),
                                        ((2, 40000), 1)), ids=str)
def test_cumulative(device, name, shape, axis, reverse):
    compute, reference = CUMULATIVE[name]
    for dtype in (np.float32, np.int32):
        x = values(dtype, shape)
        if dtype == np.float32:
            x = x / 10 if name != "prod" else 1 + x / np.float32(1000 * len(x))
        expected = x.astype(np.float64) if dtype == np.float32 else x
        expected = np.flip(expected, axis) if reverse else expected
        with np.errstate(over="ignore"):
            expected = reference(expected, axis=axis)
        expected = np.flip(expected, axis) if reverse else expected
        got = jax.jit(lambda x: compute(x, axis=axis, reverse=reverse))(
            jax.device_put(x, device))
        if dtype == np.int32:
            np.testing.assert_array_equal(got, expected.astype(np.int32))
        else:
            np.testing.assert_allclose(got, expected, rtol=2e-4, atol=2e-3)


# Long sums restart in blocks, so their errors do not grow with the length.
@pytest.mark.parametrize("reverse", (False, True), ids=("forward", "reverse"))
@pytest.mark.parametrize("shape,axis", (((100_000, 3), 0), ((1_000_000,), 0), ((1100,), 0),
                                        ((100, 5000), 1), ((5000, 100), 0), ((4, 3000, 7), 1)),
                         ids=str)
def test_long_prefix_sums(device, shape, axis, reverse):
    x = np.full(shape, 0.1, np.float32)
    got = jax.jit(lambda x: lax.cumsum(x, axis, reverse))(jax.device_put(x, device))
    expected = np.cumsum(x.astype(np.float64), axis)  # the same in both directions
    np.testing.assert_allclose(np.flip(got, axis) if reverse else got, expected, rtol=1e-5)


# Without blocks of 16 steps the errors are 2e-6.
@pytest.mark.parametrize("shape", ((128, 3), (1024,)), ids=str)
def test_prefix_sums_of_medium_length(device, shape):
    x = np.full(shape, 1.9740524, np.float32)
    got = jax.jit(lambda x: lax.cumsum(x, 0))(jax.device_put(x, device))
    np.testing.assert_allclose(got, np.cumsum(x.astype(np.float64), 0), rtol=8e-7)


def test_special_values_in_blocks_of_prefix_sums(device):
    run = jax.jit(lambda x: lax.cumsum(x, 0))
    for length, columns in ((5000, 1), (5000, 3)):
        x = np.ones((length, columns), np.float32)
        x[1000, 0] = np.inf
        x[3000, -1] = -np.inf
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(run(jax.device_put(x, device)), np.cumsum(x, 0))
    zeros = np.full((5000, 3), -0.0, np.float32)
    want = jax.jit(lambda x: lax.cumsum(x, 0))(jax.device_put(zeros, jax.devices("cpu")[0]))
    np.testing.assert_array_equal(np.signbit(run(jax.device_put(zeros, device))),
                                  np.signbit(want))


# In blocks this product would be another one: 1e15 three times overflows without the 1e-30.
def test_prefix_products_are_not_in_blocks(device):
    x = np.ones((5000, 3), np.float32)
    x[100], x[4000:4003] = 1e-30, 1e15
    got = jax.jit(lambda x: lax.cumprod(x, 0))(jax.device_put(x, device))
    np.testing.assert_allclose(got, np.cumprod(x.astype(np.float64), 0), rtol=1e-5)


def test_cumulative_fused_with_elementwise(device):
    x = values(np.float32, (50000,)) / 10
    got = jax.jit(lambda x: jnp.cumsum(jnp.abs(x) + 1) * 2 - x)(jax.device_put(x, device))
    np.testing.assert_allclose(got, np.cumsum(np.abs(x.astype(np.float64)) + 1) * 2 - x,
                               rtol=1e-5)
    got = jax.jit(lax.cumlogsumexp)(jax.device_put(x, device))
    np.testing.assert_allclose(got, np.logaddexp.accumulate(x.astype(np.float64)), rtol=1e-4)
    gradient = jax.jit(jax.grad(lambda x: (jnp.cumsum(x) ** 2).sum()))(
        jax.device_put(x[:300], device))
    sums = np.cumsum(x[:300].astype(np.float64))
    np.testing.assert_allclose(gradient, np.cumsum(2 * sums[::-1])[::-1], rtol=1e-3, atol=1e-2)


def test_cumulative_sums_repeat(device):
    """The same bits in every run: blocks do not depend on the thread that computes them."""
    x = jax.device_put(values(np.float32, (300001,)), device)
    run = jax.jit(jnp.cumsum)
    first = bits(run(x))
    for _ in range(5):
        np.testing.assert_array_equal(bits(run(x)), first)
