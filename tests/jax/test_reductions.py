"""Reductions, scans, windows, sorting."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from compare import (ALL, COMPLEX, FLOATS, PLATFORM, SIGNED, UNSIGNED, check, check_sum, data,
                     run_on)
from jax import lax

pytestmark = pytest.mark.usefixtures("x64")
NUMBERS = SIGNED + UNSIGNED + FLOATS + COMPLEX
REAL = SIGNED + UNSIGNED + FLOATS


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2)], ids=str)
def test_sum(name, axis):
    check_sum(lambda x: jnp.sum(x, axis=axis), data((3, 17, 33), name))


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("op", [jnp.max, jnp.min, jnp.prod, jnp.argmax, jnp.argmin])
def test_reduce_real(name, op):
    x = data((5, 37), name)
    if op is jnp.prod:
        x = data((5, 37), name, low=1, high=2) if name in FLOATS else x
    for axis in (0, 1):
        check_sum(lambda x: op(x, axis=axis), x)


@pytest.mark.parametrize("source", ["bool", "int8", "uint8"])
@pytest.mark.parametrize("op", [jnp.sum, jnp.prod, jnp.bitwise_xor.reduce, jnp.max],
                         ids=["sum", "prod", "xor", "max"])
def test_narrowed_sums(op, source):
    """Results that overflow the narrow type, from both signs."""
    x = np.random.default_rng(0).integers(-128, 128, (33, 70)).astype(source)
    check(lambda x: [op(x.astype(wide), axis=axis).astype(narrow) for axis in (0, 1)
                     for wide in ("int32", "uint32", "int64")
                     for narrow in ("uint8", "int8", "int16", "uint16")], x)


@pytest.mark.parametrize("shape", [(3, 40), (5, 7), (64, 512)])
def test_packed_bits(shape):
    """Bits of bytes in reverse: rows of 8 whose order is reversed."""
    x = np.random.default_rng(0).integers(0, 256, shape).astype("uint8")
    orders = (lambda b: b[:, ::-1], lambda b: b[::-1], lambda b: b, lambda b: b[:, 5:-3])
    results = check(lambda x: [jnp.packbits(order(jnp.unpackbits(x, axis=1)), axis=1)
                               for order in orders], x)
    for result, order in zip(results, orders, strict=True):
        np.testing.assert_array_equal(
            result, np.packbits(order(np.unpackbits(x, axis=1)), axis=1))


@pytest.mark.parametrize("op", [jnp.all, jnp.any])
def test_reduce_bool(op):
    x = np.random.default_rng(0).random((40, 21)) > 0.05
    check(lambda x: (op(x), op(x, axis=0), op(x, axis=1)), x)


@pytest.mark.parametrize("shape, axis", [((1000003,), 0), ((1, 4096), 1), ((4096, 1), 0),
                                         ((2, 3, 5, 7), (1, 3)), ((257, 129), 0), ((0, 3), 0),
                                         ((3, 0), 1), ((65, 1025), 1)])
def test_sum_shapes(shape, axis):
    check_sum(lambda x: jnp.sum(x, axis=axis), data(shape, "float32"))


@pytest.mark.parametrize("name", ["int8", "uint32", "int64", "float32", "float64", "bfloat16",
                                  "complex64"])
@pytest.mark.parametrize("shape, axis", [((33, 64, 3, 5), (0, 2, 3)), ((2, 40, 16, 31), (1, 3)),
                                         ((5, 7, 33, 2, 30), (0, 1, 4)), ((17, 50, 64), (0, 2))])
def test_outer_and_short_inner_dimensions(name, shape, axis):
    x = data(shape, name, low=-3, high=4)
    check_sum(lambda x: jnp.sum(x, axis=axis), x)
    if name not in COMPLEX:
        check(lambda x: (jnp.max(x, axis=axis), jnp.min(x - 1, axis=axis)), x)
    # The initial value of a sum counts once. (In the built-in CPU it counts several times.)
    integers = x.real.astype("int32")
    np.testing.assert_array_equal(
        ours(lambda x: lax.reduce(x, jnp.int32(5), lax.add, axis), integers),
        5 + integers.sum(axis))


@pytest.mark.parametrize("name", ["int8", "float32", "float64", "bfloat16", "complex128"])
@pytest.mark.parametrize("shape", [(40, 30, 31, 3), (16, 700, 3), (100, 9, 7, 5), (33, 40000, 1)])
def test_columns_of_short_last_dimensions(name, shape):
    x = data(shape, name, low=-3, high=4)
    check_sum(lambda x: jnp.sum(x, axis=0), x)
    check_sum(lambda x: jnp.sum(x * x[0] + x[0, 0], axis=0), x)
    check_sum(lambda x: jnp.sum(x + x[..., ::-1], axis=0), x)


def test_sum_is_accurate():
    x = np.full((1 << 20,), 0.1, np.float32)
    # Registers of eight lanes add 16,000 numbers one after the other.
    total = float(check(jnp.sum, x, ulps=128))
    assert abs(total - x.astype(np.float64).sum()) < 1e-5 * total


def test_nan_in_max_and_argmax():
    x = data((6, 50), "float32")
    x[1, 7] = x[3, 0] = x[4, 49] = np.nan
    check(lambda x: (jnp.max(x, 1), jnp.min(x, 1), jnp.argmax(x, 1), jnp.argmin(x, 1)), x)


def test_variadic_reduce():
    def f(x, i):
        def pick(a, b):
            keep = (a[0] > b[0]) | ((a[0] == b[0]) & (a[1] < b[1]))
            return jnp.where(keep, a[0], b[0]), jnp.where(keep, a[1], b[1])
        return lax.reduce((x, i), (np.float32(-np.inf), np.int32(0)), pick, (1,))
    check(f, data((9, 100), "float32"), np.tile(np.arange(100, dtype=np.int32), (9, 1)))


def ours(function, *args):
    """On Tenon only: jaxlib 0.10.2's compiler ends the process at loops in reducers."""
    return run_on(jax.devices(PLATFORM)[0], function, *args)


def test_loops_in_reducers():
    x = np.random.default_rng(1).integers(1, 40, (4, 6, 5)).astype(np.int32) * 4
    for axes in ((), (0,), (1,), (2, 0), (0, 1, 2)):
        expected = np.gcd.reduce(x, axis=axes) if axes else x
        np.testing.assert_array_equal(
            ours(lambda x: lax.reduce(x, np.int32(0), jnp.gcd, axes), x), expected)
    for shape in ((3, 0), (0, 3)):
        np.testing.assert_array_equal(
            ours(lambda x: lax.reduce(x, np.int32(7), jnp.gcd, (1,)), np.zeros(shape, np.int32)),
            np.full(shape[0], 7))


def test_loops_in_reducers_of_several_arrays():
    x, y = data((6, 5), "int32", low=0), data((6, 5), "float32")
    def add(a, b):
        return lax.fori_loop(0, b[0], lambda _, s: s + 2, a[0]), a[1] + b[1]
    twice, sums = ours(lambda x, y: lax.reduce((x, y), (np.int32(0), np.float32(0)), add, (1,)),
                       x, y)
    np.testing.assert_array_equal(twice, 2 * x.sum(1))
    np.testing.assert_allclose(sums, y.sum(1), rtol=1e-5)


def test_branches_in_computations():
    x = np.random.default_rng(2).integers(-4, 5, (6, 41)).astype(np.int32)
    def pick(a, b):
        return lax.cond(a > b, lambda: a, lambda: b)
    def switch(a, b):  # the largest, or the smallest where all are below zero
        return lax.switch(jnp.sign(b) + 1, [lambda: jnp.where(a < 0, jnp.minimum(a, b), a),
                                            lambda: jnp.maximum(a, b), lambda: jnp.maximum(a, b)])
    def add(a, b):  # a division by zero where the branch is not taken
        return lax.cond(b == 0, lambda: a, lambda: a + b * (b // b))
    np.testing.assert_array_equal(
        ours(lambda x: lax.reduce(x, np.int32(-9), pick, (1,)), x), x.max(1))
    np.testing.assert_array_equal(
        ours(lambda x: lax.reduce(x, np.int32(-1), switch, (1,)), x), x.max(1))
    np.testing.assert_array_equal(
        ours(lambda x: lax.reduce(x, np.int32(0), add, (1,)), x), x.sum(1))
    np.testing.assert_array_equal(
        ours(lambda x: lax.reduce_window(x, np.int32(-9), pick, (1, 3), (1, 2), "SAME"), x),
        np.lib.stride_tricks.sliding_window_view(
            np.pad(x, ((0, 0), (1, 1)), constant_values=-9), 3, axis=1)[:, ::2].max(2))


@pytest.mark.parametrize("name", ["int32", "float32", "bfloat16"])
@pytest.mark.parametrize("op", [jnp.cumsum, jnp.cumprod, lax.cummax, lax.cummin,
                                lambda x, axis: lax.cumlogsumexp(x, axis=axis),
                                lambda x, axis: lax.cumsum(x, axis=axis, reverse=True)],
                         ids=["sum", "prod", "max", "min", "logsumexp", "sum_reverse"])
def test_cumulative(name, op, request):
    if name != "float32" and "logsumexp" in request.node.callspec.id:
        name = "float32"
    for axis in (0, 1):
        check_sum(lambda x: op(x, axis=axis), data((13, 67), name, low=1, high=2)
                  if name in FLOATS else data((13, 67), name))


def test_associative_scan():
    check_sum(lambda x: lax.associative_scan(jnp.add, x, axis=0), data((100, 3), "float32"))


@pytest.mark.parametrize("padding", ["VALID", "SAME"])
@pytest.mark.parametrize("window, strides", [((2, 2), (2, 2)), ((3, 3), (1, 1)),
                                             ((3, 2), (2, 1))])
@pytest.mark.parametrize("op", [lax.max, lax.add, lax.min])
def test_reduce_window(padding, window, strides, op):
    init = {lax.max: -np.inf, lax.min: np.inf, lax.add: 0.0}[op]
    f = lambda x: lax.reduce_window(x, np.float32(init), op, (1, *window, 1),
                                    (1, *strides, 1), padding)
    check_sum(f, data((2, 11, 13, 3), "float32"))


def test_reduce_window_dilated():
    check_sum(lambda x: lax.reduce_window(x, np.float32(0), lax.add, (2, 3), (1, 2),
                                          ((1, 0), (2, 1)), (2, 1), (1, 2)),
              data((9, 10), "float32"))


def windows(x, op, init, window, strides, padding, dilation):
    """Windows as the specification defines them, one element of the window after another."""
    x = np.pad(x, padding, constant_values=init)
    reach = [(w - 1) * dilation for w in window]
    counts = [(n - r - 1) // s + 1 for n, r, s in zip(x.shape, reach, strides)]
    result = np.full(counts, init, x.dtype)
    for element in np.ndindex(*window):
        part = x[tuple(slice(e * dilation, e * dilation + (n - 1) * s + 1, s)
                       for e, n, s in zip(element, counts, strides))]
        result = op(result, part).astype(x.dtype)
    return result


@pytest.mark.parametrize("name", ["float32", "float64", "int8", "uint16", "int64"])
@pytest.mark.parametrize("shape", [(3, 9, 14), (2, 5, 57), (4, 6, 300)], ids=str)
@pytest.mark.parametrize("window, stride, padding, dilation",
                         [(3, 2, (1, 1), 1), (5, 2, (2, 1), 1), (3, 1, (1, 1), 1), (3, 3, (0, 2), 1),
                          (2, 1, (3, 4), 1), (3, 2, (2, 2), 2), (7, 1, (3, 3), 1)])
def test_windows_along_rows(name, shape, window, stride, padding, dilation):
    """Rows that are split into parts, or have registers at known places."""
    x = np.random.default_rng(0).integers(-9 if name[0] != "u" else 0, 9, shape).astype(name)
    sizes, strides, pads = (1, 3, window), (1, 2, stride), ((0, 0), (1, 1), padding)
    first = lambda a, b: lax.select(a != 0, a, b)  # does not commute
    for op, reference, init in ((lax.max, np.maximum, -3 if name[0] != "u" else 3),
                                (lax.add, np.add, 1),
                                (first, lambda a, b: np.where(a != 0, a, b), 0)):
        result = ours(lambda x: lax.reduce_window(
            x, np.array(init, name), op, sizes, strides, pads, None, (1, dilation, dilation)), x)
        np.testing.assert_array_equal(
            result, windows(x, reference, init, sizes, strides, pads, dilation))


@pytest.mark.parametrize("shape", [(1, 1), (1, 2), (2, 3), (3, 8)], ids=str)
@pytest.mark.parametrize("stride", [1, 2, 9])
@pytest.mark.parametrize("name", ["float32", "int8"])
def test_windows_of_few_elements(name, stride, shape):
    """Lanes reach beyond the whole array."""
    x = np.arange(1, np.prod(shape) + 1).reshape(shape).astype(name)
    for sizes, padding in (((3, 5), ((2, 2), (9, 70))), ((2, 1), ((1, 1), (0, 40))),
                           ((1, 7), ((5, 0), (33, 6)))):
        result = ours(lambda x: lax.reduce_window(x, np.array(-1, name), lax.max, sizes,
                                                  (1, stride), padding), x)
        np.testing.assert_array_equal(
            result, windows(x, np.maximum, -1, sizes, (1, stride), padding, 1))


def test_windows_of_one_element():
    """Negative padding and dilated bases: some indices are known to be outside."""
    x = np.array([1, 0, 1, 1, 0, 0, 1], bool).reshape(1, 7, 1)
    result = ours(lambda x: lax.reduce_window(
        x, np.array(False), lax.bitwise_xor, (1, 1, 1), (1, 2, 9), ((1, 1), (2, -1), (1, 0)),
        (2, 1, 2)), x)
    np.testing.assert_array_equal(result, np.zeros((3, 4, 1), bool))


def test_sums_of_many_concatenations():
    """Each has the one before as its operand, like a list that grows."""
    def grown(x):
        rows = x[:1]
        for i in range(1, 300):
            rows = jnp.concatenate([rows, x[i:i + 1]])
        return rows.sum(0), rows[:50].max(0)
    x = data((300, 5), "int32")
    check(grown, x)


@pytest.mark.parametrize("count", [2, 5, 17, 40])
@pytest.mark.parametrize("name", ["float32", "bfloat16", "int8"])
@pytest.mark.parametrize("op", [jnp.sum, jnp.max, jnp.prod, jnp.var], ids=lambda op: op.__name__)
def test_reduced_stacks(op, name, count):
    x = data((count + 12, 9), name, low=1, high=2) if name in FLOATS else data((count + 12, 9), name)
    for axis in (0, 1, -1):
        check_sum(lambda x: op(jnp.stack([x[i:i + 12] for i in range(count)], axis), axis=axis), x)


@pytest.mark.parametrize("padding", ["VALID", "SAME"])
def test_max_pool_gradient(padding):
    def f(x):
        y = lax.reduce_window(x, -np.float32(np.inf), lax.max, (1, 2, 2, 1), (1, 2, 2, 1),
                              padding)
        return (y * y).sum()
    check_sum(jax.grad(f), data((2, 9, 9, 3), "float32"))


@pytest.mark.parametrize("name", [t for t in ALL if t not in COMPLEX])
def test_sort_types(name):
    check(lambda x: jnp.sort(x, axis=0), data((101, 3), name, high=100)
          if name not in FLOATS + ("bool",) else data((101, 3), name), ulps=0)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 15, 16, 17, 100, 1000, 4097, 100000])
def test_sort_sizes(size):
    x = data((size,), "float32", 3)
    ours = check(jnp.sort, x, ulps=0)
    np.testing.assert_array_equal(ours, np.sort(x))


def test_sort_special_values():
    x = np.array([np.nan, 1, -0.0, 0.0, -np.inf, np.inf, -1, np.nan, 5e-39], np.float32)
    check(lambda x: (jnp.sort(x), jnp.argsort(x)), x, ulps=0)


def test_sort_is_stable():
    keys = np.random.default_rng(0).integers(0, 5, 5000).astype(np.int32)
    ours = check(lambda k: jnp.argsort(k, stable=True), keys)
    np.testing.assert_array_equal(ours, np.argsort(keys, kind="stable"))


def test_sort_several_operands():
    k1, k2 = data((4, 200), "int32", 1), data((4, 200), "float32", 2)
    check(lambda a, b, c: lax.sort((a, b, c), dimension=1, num_keys=2), k1, k2,
          np.arange(800, dtype=np.int32).reshape(4, 200), ulps=0)


def test_sort_descending_and_median():
    x = data((7, 51), "float32")
    check(lambda x: (jnp.sort(x, descending=True), jnp.median(x, axis=1),
                     jnp.percentile(x, 30.0, axis=0)), x)


@pytest.mark.parametrize("name", ["float32", "int32", "bfloat16"])
def test_top_k(name):
    check(lambda x: lax.top_k(x, 5), data((6, 40), name), ulps=0)


def test_unique_searchsorted_histogram():
    x = data((200,), "int32")
    check(lambda x: jnp.unique(x, size=25, fill_value=99), x)
    check(lambda a, v: jnp.searchsorted(a, v), np.sort(data((50,), "float32")),
          data((20,), "float32", 2))
    check(lambda x: jnp.bincount(x, length=20), np.abs(x))


def test_statistics():
    x = data((33, 65), "float32")
    check_sum(lambda x: (x.mean(0), x.var(1), x.std(), jnp.cov(x[:4]),
                         jax.nn.softmax(x, axis=-1), jax.nn.logsumexp(x, axis=0)), x)


@pytest.mark.parametrize("shape", [(64, 3), (10, 20, 3), (100, 2, 2), (33, 5, 4), (70, 1), (500, 5)])
@pytest.mark.parametrize("kind", ["float32", "float64", "bfloat16", "int32", "complex64"])
def test_rows_of_a_few_elements(shape, kind, x64):
    axes = tuple(range(1, len(shape))) if len(shape) == 3 and shape[1] < 3 else -1

    def rows(x):
        total = x.sum(axes, keepdims=True)
        apart = x[:, None] - x[None, :7]
        return x - total, total, (x * x).sum(-1), abs(apart).max(-1), apart[..., 0] + apart.sum(-1)
    check(rows, data(shape, kind), ulps=64, scale=1)


def test_argmax_in_rows_of_a_few_elements():
    x = data((200, 3), "float32")
    x[::3, 1] = np.nan
    x[::5] = 1
    check(lambda x: (jnp.argmax(x, 1), jnp.argmin(x, -1), x - x.max(1, keepdims=True)), x)
    check(lambda x: lax.reduce(x, np.float32(0), lambda a, b: jnp.where(a != 0, a, b), (1,)),
          np.trunc(data((200, 3), "float32")))


@pytest.mark.parametrize("name, count", [("float64", 33), ("complex128", 17)])
def test_columns_of_many_results(name, count):
    # The accumulators of 64 columns are larger than the plan of column reductions allows.
    zeros = (np.zeros((), name),) * count
    check_sum(lambda *xs: lax.reduce(
        xs, zeros, lambda a, b: tuple(x + y for x, y in zip(a, b)), (0,)),
        *(data((500, 100), name) + i for i in range(count)))


SHORT = [(30_000, 1), (3000, 1, 7, 1), (500, 2, 30, 2), (9000, 3), (40, 5, 1, 4, 1, 3), (1, 700, 1),
         (6, 0, 1), (4, 31, 0), (0, 4, 3), (129, 15)]


@pytest.mark.parametrize("shape", SHORT, ids=str)
def test_sums_over_short_last_dimensions_are_exact_enough(shape):
    """One chain of additions over 30,000 numbers is wrong by 4e-6."""
    x = np.abs(data(shape, "float32")) + np.float32(0.1)
    for axes in (None, tuple(range(1, len(shape))), tuple(range(len(shape) - 1, 0, -1))[:2]):
        expected = x.astype("float64").sum(axes)
        result = np.asarray(jax.jit(lambda x: jnp.sum(x, axes))(x))
        np.testing.assert_allclose(result, expected, rtol=5e-7)
        difference = jax.jit(lambda x, y: jnp.mean(jnp.square(x - y)))(x, x[::-1])
        if x.size:
            np.testing.assert_allclose(
                difference, np.mean(np.square(x - x[::-1].astype("float64"))), rtol=1e-6)


@pytest.mark.parametrize("shape", SHORT, ids=str)
def test_order_over_short_last_dimensions(shape):
    """Elements come in index order, whichever dimensions share a loop, and positions are right."""
    x = np.trunc(data(shape, "float32", low=-2, high=2))
    every = tuple(range(len(shape)))
    for axes in (every, every[1:], every[:-1], every[-2:], (0, len(shape) - 1)):
        check(lambda x: lax.reduce(x, np.float32(0), lambda a, b: jnp.where(a != 0, a, b), axes), x)
        check(lambda x: lax.reduce(x, np.float32(0), lambda a, b: jnp.where(b != 0, b, a), axes), x)
        if x.size == 0:
            continue
        weights = sum(lax.broadcasted_iota(jnp.int32, shape, d) * 7**d for d in every)
        check(lambda x: (jnp.sum(x.astype(jnp.int32) * weights, axes), jnp.max(x[..., ::-1], axes)),
              x)
    if x.size:
        check(lambda x: (jnp.argmax(x.reshape(-1, 1)), jnp.argmax(x), jnp.argmin(x, -1)), x)
        check(lambda x, y: jnp.sum((x * y).astype(jnp.int32)), x, x[..., :1])
        check(lambda x, y: jnp.sum((x * y).astype(jnp.int32)), x, x[:1])


@pytest.mark.parametrize("shape, axes", [((30_000,), 0), ((1000, 300), 1), ((1000, 300), None),
                                         ((7, 2049), 1), ((1_000_000,), 0)], ids=str)
def test_long_sums_have_small_errors(shape, axes):
    """Equal numbers round in one direction: one chain for each lane was wrong by 9e-6."""
    for x in (np.full(shape, 0.1, "float32"), np.abs(data(shape, "float32")) + np.float32(1e-3)):
        expected = x.astype("float64").sum(axes)
        np.testing.assert_allclose(jax.jit(lambda x: jnp.sum(x, axes))(x), expected, rtol=1e-6)


@pytest.mark.parametrize("shape, axes", [((30_000, 3), 0), ((30_000, 16), 0), ((100_000, 20), None),
                                         ((30, 3333, 3), (0, 1)), ((3, 20_000, 4, 5), (1, 3)),
                                         ((5000, 5, 12), (0, 2)), ((50_000, 33), 0)], ids=str)
def test_long_sums_over_other_dimensions_have_small_errors(shape, axes):
    """Chains down columns, and over many short rows, were wrong by 1e-5 to 2e-3."""
    x = np.full(shape, 0.1, "float32")
    expected = x.astype("float64").sum(axes)
    np.testing.assert_allclose(jax.jit(lambda x: jnp.sum(x, axes))(x), expected, rtol=4e-6)
    np.testing.assert_allclose(jax.jit(lambda x: jnp.mean(x * x, axes))(x),
                               np.square(x.astype("float64")).mean(axes), rtol=4e-6)


def test_long_dot_products_have_small_errors():
    x = np.full((2, 1_000_000), 0.1, "float32")
    for y in (x, x[0]):
        np.testing.assert_allclose(jax.jit(lambda x, y: x @ y.T)(x, y),
                                   x.astype("float64") @ y.T.astype("float64"), rtol=1e-5)


@pytest.mark.parametrize("dtype", ["complex64", "complex128", "float32", "int32", "bool"])
def test_no_elements(dtype):
    """Vectors of a reducer without identity start from the first elements, which must exist."""
    for shape in ((5, 0), (0, 5), (255, 15, 0, 8), (3, 0, 0, 7), (0,)):
        x = np.zeros(shape, dtype)
        check(lambda x: (jnp.sum(x), jnp.sum(x.T), jnp.prod(x), jnp.sum(x * 2 + 1), jnp.sum(x, 0)), x)
        check(lambda x: lax.reduce(x, np.ones((), dtype), lambda a, b: jnp.where(a == b, a, b),
                                   tuple(range(x.ndim))), x)


def normalized(x, scale, shift, axes):
    mean = x.mean(axes, keepdims=True)
    centered = x - mean
    return jax.nn.relu(centered * lax.rsqrt((centered ** 2).mean(axes, keepdims=True) + 1e-5)
                       * scale + shift)


@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1)], ids=str)
@pytest.mark.parametrize("shape", [(300, 257), (1001, 64), (70, 1000)], ids=str)
def test_reductions_that_share_a_kernel(shape, axes):
    """Gradients of a normalization: reductions of one array, and values of several kernels."""
    random = np.random.RandomState(1)
    x, cotangent = (random.standard_normal(shape) for _ in range(2))
    scale, shift = (random.standard_normal(shape[1]) for _ in range(2))

    def loss(*arguments):
        return (normalized(*arguments, axes) * cotangent.astype(arguments[0].dtype)).sum()
    narrow = [a.astype(np.float32) for a in (x, scale, shift)]
    got = jax.jit(jax.value_and_grad(loss, (0, 1, 2)))(*narrow)
    with jax.enable_x64(True), jax.disable_jit():
        wanted = jax.value_and_grad(loss, (0, 1, 2))(x, scale, shift)
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(a, b, atol=2e-5 * max(1, np.abs(b).max()))


@pytest.mark.parametrize("shape", [(10000, 16), (20000, 129), (1000, 500)], ids=str)
@pytest.mark.parametrize("other", [lambda x: jnp.max(x, 0), lambda x: lax.reduce(
    x, np.float32(0), lambda a, b: a + b * b, (0,))], ids=["maximum", "squares"])
@pytest.mark.parametrize("combine", [lambda a, b: (a, b), lambda a, b: a - b],
                         ids=["results", "difference"])
def test_sums_are_as_exact_beside_other_reductions(shape, other, combine):
    """Columns of sums are summed in blocks, also if other reductions read the same array."""
    x = np.full(shape, 0.1, np.float32)
    alone, beside = jax.jit(lambda x: x.sum(0))(x), jax.jit(other)(x)
    together = jax.jit(lambda x: combine(x.sum(0), other(x)))(x)
    for got, wanted in zip(jax.tree.leaves(together), jax.tree.leaves(combine(alone, beside)),
                           strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_statistics_of_one_array():
    x = np.random.RandomState(0).standard_normal((400, 501)).astype(np.float32)
    x[3, 5], x[7, 400] = np.nan, -np.inf

    def statistics(x):
        return [f(x, axis) for axis in (0, 1, None)
                for f in (jnp.max, jnp.min, jnp.nanmax, jnp.argmax, jnp.argmin,
                          lambda x, axis: (x > 0).sum(axis), lambda x, axis: (x == x).all(axis))]
    got = jax.jit(statistics)(x)
    with jax.disable_jit():
        wanted = statistics(jnp.asarray(x))
    for a, b in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(a, b)
