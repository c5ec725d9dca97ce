"""Reducers, windows and scatters see their operands in index order.

Bodies that associate but do not commute have one correct result for every evaluation tree. NumPy
computes it element by element here, and the tests compare it bit by bit.
"""
import functools

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from conftest import PLATFORM
from jax import lax

pytestmark = pytest.mark.usefixtures("x64")
FLOATS = (ml_dtypes.bfloat16, np.float16, np.float32, np.float64)
INTEGERS = (np.int8, np.uint8, np.int32, np.uint32, np.int64)
SHAPES = (((7,), 0), ((100,), 0), ((5, 3), 1), ((5, 64), 1), ((9, 1000), 1), ((1000, 9), 0),
          ((3000, 40), 0), ((70003,), 0), ((70000, 3), 0), ((6, 33, 40), 1), ((2, 40000), 1))


def name_of(dtype):
    return np.dtype(dtype).name


def run(function, *args):
    device = jax.devices(PLATFORM)[0]
    return jax.tree.map(np.asarray, jax.jit(function)(*jax.device_put(args, device)))


def assert_bits(ours, expected):
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(expected), strict=True):
        b = np.asarray(b, a.dtype)
        assert a.shape == b.shape
        np.testing.assert_array_equal(a.reshape(-1).view(np.uint8),
                                      b.reshape(-1).view(np.uint8))


def integers(shape, dtype, seed=0):
    info = np.iinfo(dtype)
    random = np.random.default_rng(seed)
    return random.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)


# Monoids that do not commute: the body for JAX, and one step of it for NumPy.

def affine(a, b):
    """Composition of x -> a[0] x + a[1], in wrapping integers."""
    return a[0] * b[0], a[1] * b[0] + b[1]


def matrix(a, b):
    """2x2 matrices of bytes packed in 32 bits; the product modulo 256."""
    p, q = ([(v >> (8 * k)) & 0xFF for k in range(4)] for v in (a, b))
    r = (p[0] * q[0] + p[1] * q[2], p[0] * q[1] + p[1] * q[3],
         p[2] * q[0] + p[3] * q[2], p[2] * q[1] + p[3] * q[3])
    return functools.reduce(lambda x, y: x | y, ((v & 0xFF) << (8 * k) for k, v in enumerate(r)))


IDENTITY = np.uint32(1 | 1 << 24)
OTHER = np.uint32(0x02010301)


def first(a, b):
    return jnp.where(a != 0, a, b)


def last(a, b):
    return jnp.where(b != 0, b, a)


def np_pick(body):
    return lambda a, b: np.where(a != 0, a, b) if body is first else np.where(b != 0, b, a)


def folds(step, init, rows):
    """Left folds of all prefixes of `rows`."""
    total, result = np.broadcast_to(init, rows.shape[1:]), []
    for row in rows:
        total = step(total, row)
        result.append(total)
    return np.stack(result)


def suffixes(step, init, rows):
    """Folds of all suffixes; `step` must be associative."""
    total, result = rows[-1], [step(np.broadcast_to(init, rows.shape[1:]), rows[-1])]
    for row in rows[-2::-1]:
        total = step(row, total)
        result.append(step(np.broadcast_to(init, rows.shape[1:]), total))
    return np.stack(result[::-1])


def window(shape, axis, reverse):
    sizes, padding = [1] * len(shape), [(0, 0)] * len(shape)
    sizes[axis] = shape[axis]
    padding[axis] = (0, shape[axis] - 1) if reverse else (shape[axis] - 1, 0)
    return tuple(sizes), (1,) * len(shape), padding


@pytest.mark.parametrize("dtype", INTEGERS, ids=name_of)
@pytest.mark.parametrize("init", ((1, 0), (3, 5)), ids=str)
@pytest.mark.parametrize("shape, axis", SHAPES, ids=str)
def test_affine_maps(shape, axis, init, dtype):
    a, b = integers(shape, dtype), integers(shape, dtype, 1)
    init = tuple(np.array(value, dtype) for value in init)
    with np.errstate(over="ignore"):
        expected = functools.reduce(affine, zip(np.moveaxis(a, axis, 0), np.moveaxis(b, axis, 0)),
                                    tuple(np.broadcast_to(v, np.delete(shape, axis)) for v in init))
    assert_bits(run(lambda a, b: lax.reduce((a, b), init, affine, (axis,)), a, b), expected)


@pytest.mark.parametrize("dims", ((1, 3), (0, 1), (0, 2), (2, 3), (0, 1, 2, 3), (1, 2, 3)), ids=str)
def test_several_dimensions(dims):
    shape = (4, 30, 6, 50)
    a, b = integers(shape, np.uint32), integers(shape, np.uint32, 1)
    kept = [d for d in range(4) if d not in dims]
    rows = [np.moveaxis(x.transpose(*kept, *dims).reshape(*(shape[d] for d in kept), -1), -1, 0)
            for x in (a, b)]
    with np.errstate(over="ignore"):
        expected = functools.reduce(affine, zip(*rows), (np.uint32(1), np.uint32(0)))
    f = lambda a, b: lax.reduce((a, b), (np.uint32(1), np.uint32(0)), affine, dims)
    assert_bits(run(f, a, b), expected)


def test_longest_dimension_inside():
    """Splitting the longest dimension would reorder the rows of the outer dimension."""
    a = integers((2, 3000, 70), np.uint32)
    rows = np.moveaxis(a.reshape(2, -1), 1, 0)
    expected = functools.reduce(affine, zip(rows, rows + 1), (np.uint32(1), np.uint32(0)))
    f = lambda a: lax.reduce((a, a + 1), (np.uint32(1), np.uint32(0)), affine, (1, 2))
    assert_bits(run(f, a), expected)


@pytest.mark.parametrize("init", (IDENTITY, OTHER), ids=hex)
@pytest.mark.parametrize("shape, axis", SHAPES, ids=str)
def test_matrices(shape, axis, init):
    """Reductions, prefixes and suffixes; an initial value that is no identity counts once."""
    x = integers(shape, np.uint32)
    rows = np.moveaxis(x, axis, 0)
    prefixes = folds(matrix, init, rows)
    assert_bits(run(lambda x: lax.reduce(x, init, matrix, (axis,)), x), prefixes[-1])
    if init != IDENTITY and shape[axis] < 16:
        return  # padding of short windows counts as the initial value
    for reverse, expected in ((False, prefixes), (True, suffixes(matrix, init, rows))):
        f = lambda x: lax.reduce_window(x, init, matrix, *window(shape, axis, reverse))
        assert_bits(run(f, x), np.moveaxis(expected, 0, axis))


@pytest.mark.parametrize("dtype", (np.int8, np.int32, np.complex64, *FLOATS), ids=name_of)
@pytest.mark.parametrize("body", (first, last), ids=lambda f: f.__name__)
@pytest.mark.parametrize("size", (7, 16, 40, 1000, 40000))
def test_first_and_last(size, body, dtype):
    zero = np.zeros((), dtype)
    random = np.random.default_rng(size)
    x = np.where(random.random(size) < 0.1, random.integers(1, 100, size), 0).astype(dtype)
    prefixes = folds(np_pick(body), zero, x)
    assert_bits(run(lambda x: lax.reduce(x, zero, body, (0,)), x), prefixes[-1])
    one = lambda x: lax.reduce_window(x, zero, body, (size,), (1,), "VALID")
    assert_bits(run(one, x), prefixes[-1:])
    for reverse, expected in ((False, prefixes), (True, suffixes(np_pick(body), zero, x))):
        f = lambda x: lax.reduce_window(x, zero, body, *window((size,), 0, reverse))
        assert_bits(run(f, x), expected)


@pytest.mark.parametrize("init", (IDENTITY, OTHER), ids=hex)
@pytest.mark.parametrize("size, low, high, stride", ((3, 2, 1, 1), (5, 4, 0, 1), (7, 0, 6, 2),
                                                     (9, 3, 3, 3), (40, 10, 5, 1)))
def test_padded_windows(size, low, high, stride, init):
    """Padding is the initial value, as the specification says."""
    x = integers((50,), np.uint32)
    padded = np.concatenate([np.full(low, init), x, np.full(high, init)])
    expected = [functools.reduce(matrix, padded[start:start + size], init)
                for start in range(0, len(padded) - size + 1, stride)]
    f = lambda x: lax.reduce_window(x, init, matrix, (size,), (stride,), [(low, high)])
    assert_bits(run(f, x), np.array(expected))


@pytest.mark.parametrize("dtype", (np.int32, np.float32, np.complex64), ids=name_of)
@pytest.mark.parametrize("size", (10, 100, 3000, 200000))
def test_initial_values_enter_once(size, dtype):
    x = np.random.default_rng(0).integers(-3, 4, size).astype(dtype)
    five, seven = np.array(5, dtype), np.array(7, dtype)
    total = x.sum()
    assert_bits(run(lambda x: lax.reduce(x, five, lax.add, (0,)), x), total + five)
    both = lambda a, b: (a[0] + b[0], a[1] + b[1])
    assert_bits(run(lambda x: lax.reduce((x, x), (five, seven), both, (0,)), x),
                (total + five, total + seven))
    if 16 <= size <= 3000:
        for reverse in (False, True):
            f = lambda x: lax.reduce_window(x, five, lax.add, *window((size,), 0, reverse))
            sums = np.cumsum(x[::-1])[::-1] if reverse else np.cumsum(x)
            assert_bits(run(f, x), sums + five)


def test_results_swapped():
    """Each result is one op of an accumulator and a value, but of the wrong pair."""
    body = lambda a, b: (a[0] + b[1], a[1] - b[0])
    f = lambda x: lax.reduce((x, 2 * x), (np.int32(1), np.int32(2)), body, (0,))
    # Not associative: short reductions are left folds.
    x = np.arange(1, 31, dtype=np.int32)
    a, b = np.int32(1), np.int32(2)
    for value in x:
        a, b = a + 2 * value, b - value
    assert_bits(run(f, x), (a, b))


@pytest.mark.parametrize("captured", (0, 1, 2))
def test_captured_scalars(captured):
    x = np.random.default_rng(0).integers(0, 3, (5, 100)).astype(np.int32)

    def f(x, s):
        # The last value that differs from s.
        return lax.reduce(x, s, lambda a, b: jnp.where(b == captured, a, b), (1,))

    expected = [[v for v in (captured, *row) if v != captured][-1] for row in x]
    assert_bits(run(lambda x: f(x, np.int32(captured)), x), np.array(expected, np.int32))


@pytest.mark.parametrize("dtype", (ml_dtypes.int4, ml_dtypes.uint4), ids=name_of)
def test_integers_of_4_bits(dtype):
    random = np.random.default_rng(0)
    x = np.where(random.random((5, 100)) < 0.1, random.integers(1, 7, (5, 100)), 0)
    zero = np.zeros((), dtype)
    expected = [row[row != 0][0] for row in x]
    ours = run(lambda x: lax.reduce(x, zero, first, (1,)), x.astype(dtype))
    np.testing.assert_array_equal(ours.astype(np.int32), expected)
    one = np.ones((), dtype)
    ours = run(lambda x: lax.reduce(x, one, lax.add, (1,)), x.astype(dtype))
    np.testing.assert_array_equal(ours, (x.sum(1) + 1).astype(np.int8).astype(dtype))


def test_implication():
    """Over booleans; not associative."""
    x = np.random.default_rng(0).random((6, 9)) < 0.5
    f = lambda x: lax.reduce(x, np.bool_(True), lambda a, b: ~a | b, (1,))
    expected = [functools.reduce(lambda a, b: not a or b, row, True) for row in x]
    assert_bits(run(f, x), np.array(expected))


# argmax and argmin: bodies that the proof by cases accepts, and bodies that it rejects.

def positions(shape, axis):
    return lax.broadcasted_iota(jnp.int32, shape, axis)


@pytest.mark.parametrize("dtype", FLOATS, ids=name_of)
@pytest.mark.parametrize("name", ("argmax", "argmin"))
@pytest.mark.parametrize("shape, axis", (*SHAPES, ((200001,), 0), ((70000, 33), 0)), ids=str)
def test_argmax_of_floats(shape, axis, name, dtype):
    random = np.random.default_rng(0)
    x = random.integers(-3, 4, shape).astype(dtype)
    zeros = np.where(random.random(shape) < 0.5, -x * 0, x * 0).astype(dtype)
    worst = np.full(shape, -np.inf if name == "argmax" else np.inf, dtype)
    several = np.where(random.random(shape) < 0.03, np.array(np.nan, dtype), x)
    for values in (x, zeros, worst, several, np.full(shape, np.nan, dtype)):
        expected = getattr(np, name)(values.astype(np.float64), axis)
        assert_bits(run(lambda x: getattr(jnp, name)(x, axis), values), expected)


@pytest.mark.parametrize("dtype", (*INTEGERS, np.bool_), ids=name_of)
@pytest.mark.parametrize("name", ("argmax", "argmin"))
@pytest.mark.parametrize("shape, axis", (((7, 100), 1), ((100, 7), 0), ((200001,), 0)), ids=str)
def test_argmax_of_integers(shape, axis, name, dtype):
    x = np.random.default_rng(0).integers(0, 2 if dtype == np.bool_ else 100, shape).astype(dtype)
    assert_bits(run(lambda x: getattr(jnp, name)(x, axis), x), getattr(np, name)(x, axis))
    same = np.ones(shape, dtype)
    assert_bits(run(lambda x: getattr(jnp, name)(x, axis), same), getattr(np, name)(same, axis))


def pick_first_nan(a, b):
    keep = (a[0] > b[0]) | (a[0] != a[0])
    first = keep | ((a[0] == b[0]) & (a[1] < b[1]))
    return jnp.where(keep, a[0], b[0]), jnp.where(first, a[1], b[1])


def pick_last(a, b):
    keep = a[0] > b[0]
    return jnp.where(keep, a[0], b[0]), jnp.where(keep, a[1], b[1])


def pick_any_nan(a, b):
    """NaN is dropped on the left and kept on the right: not an order."""
    keep = a[0] >= b[0]
    return jnp.where(keep, a[0], b[0]), jnp.where(keep, a[1], b[1])


def fold_pick(body, values, at, init):
    result = []
    for row, places in zip(values, at):
        total = init
        for pair in zip(row, places):
            total = tuple(np.asarray(v) for v in body(total, pair))
        result.append(total)
    return [np.stack(column) for column in zip(*result)]


@pytest.mark.parametrize("order", ("ascending", "descending", "given"))
@pytest.mark.parametrize("init", ((-np.inf, 0), (-np.inf, 300), (1.0, 0), (1.0, -1)), ids=str)
def test_value_and_position(order, init):
    """Both results of argmax's body are used. Zeros have the sign of a left fold."""
    random = np.random.default_rng(0)
    x = random.integers(-1, 2, (9, 200)).astype(np.float32)
    x = np.where(x == 0, np.where(random.random(x.shape) < 0.5, np.float32(-0.0), x), x)
    x[5:] = np.where(random.random(x[5:].shape) < 0.03, np.float32(np.nan), x[5:])
    at = np.tile(np.arange(200, dtype=np.int32), (9, 1))
    if order == "descending":
        at = 199 - at
    if order == "given":
        at = random.permuted(at, axis=1)
    init = (np.float32(init[0]), np.int32(init[1]))

    def f(x, at):
        if order == "ascending":
            at = positions(x.shape, 1)
        if order == "descending":
            at = 199 - positions(x.shape, 1)
        return lax.reduce((x, at), init, pick_first_nan, (1,))

    expected = fold_pick(select_first_nan, x, at, init)
    both = run(f, x, at)
    # The payload of NaNs is not compared.
    np.testing.assert_array_equal(both[1], expected[1])
    np.testing.assert_array_equal(np.signbit(both[0])[:5], np.signbit(expected[0])[:5])
    np.testing.assert_array_equal(both[0], expected[0])
    assert_bits(run(lambda x, at: f(x, at)[1], x, at), expected[1])


def select_first_nan(a, b):
    """pick_first_nan for NumPy scalars."""
    keep = a[0] > b[0] or a[0] != a[0]
    first = keep or (a[0] == b[0] and a[1] < b[1])
    return (a if keep else b)[0], (a if first else b)[1]


def test_last_of_equal_values():
    x = np.random.default_rng(0).integers(0, 3, (9, 200)).astype(np.int32)
    f = lambda x: lax.reduce((x, positions(x.shape, 1)), (np.int32(-1), np.int32(0)),
                             pick_last, (1,))[1]
    assert_bits(run(f, x), 199 - np.argmax(x[:, ::-1], 1))


def test_flat_argmax_of_a_view():
    """Positions reshaped from one dimension."""
    x = np.random.default_rng(0).integers(0, 9, (40, 50)).astype(np.float32)
    x[3, 7] = x[30, 2] = np.nan
    f = lambda x: lax.reduce((x, jnp.arange(2000, dtype=jnp.int32).reshape(40, 50)),
                             (np.float32(-np.inf), np.int32(0)), pick_first_nan, (0, 1))[1]
    assert_bits(run(f, x), np.int32(157))
    columns = lambda x: lax.reduce((x, jnp.arange(2000, dtype=jnp.int32).reshape(50, 40).T),
                                   (np.float32(-np.inf), np.int32(0)), pick_first_nan, (1,))[1]
    expected = np.argmax(x.astype(np.float64), 1) * 40 + np.arange(40)
    assert_bits(run(columns, x), expected.astype(np.int32))


def test_positions_that_wrap_around():
    """8-bit positions, which wrap around from 127 to -128."""
    x = np.zeros((3, 300), np.float32)
    f = lambda x: lax.reduce((x, positions(x.shape, 1).astype(jnp.int8)),
                             (np.float32(-np.inf), np.int8(0)), pick_first_nan, (1,))[1]
    at = np.tile(np.arange(300).astype(np.int8), (3, 1))
    expected = fold_pick(select_first_nan, x, at, (np.float32(-np.inf), np.int8(0)))[1]
    assert_bits(run(f, x), expected)


# scatter

def test_sums_of_repeated_indices_are_within_the_sequential_bound():
    """Updates of several copies: every order has the error bound of the sequential sum."""
    random = np.random.default_rng(0)
    eps = np.finfo(np.float32).eps / 2
    for updates, segments in ((20000, 50), (100000, 1000), (1000000, 1000)):
        x = random.standard_normal(updates).astype(np.float32)
        at = random.integers(0, segments, updates)
        ours = run(lambda x, at: jax.ops.segment_sum(x, at, segments), x, at)
        exact = np.bincount(at, x.astype(np.float64), segments)
        size = np.bincount(at, np.abs(x).astype(np.float64), segments)
        bound = 1.01 * eps * np.maximum(np.bincount(at, minlength=segments) - 1, 0) * size
        assert (np.abs(ours - exact) <= bound).all()


@pytest.mark.parametrize("updates", (20, 1000, 100000))
def test_last_update_stays(updates):
    at = np.random.default_rng(0).integers(0, 50, updates)
    ours = run(lambda at: jnp.zeros(50, jnp.int32).at[at].set(
        jnp.arange(updates, dtype=jnp.int32), mode="drop"), at)
    expected = np.zeros(50, np.int32)
    expected[at] = np.arange(updates)
    assert_bits(ours, expected)
