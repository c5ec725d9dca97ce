"""Every operation on bf16, f16 and f8 rounds its result: in a chain inside one kernel, in a loop,
around reductions and products. A jitted function has the same bits as its separate operations."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

HALVES = [jnp.bfloat16, jnp.float16]
EIGHTS = [jnp.float8_e4m3fn, jnp.float8_e5m2, jnp.float8_e4m3b11fnuz]
NARROW = pytest.mark.parametrize("dtype", HALVES + EIGHTS, ids=lambda t: jnp.dtype(t).name)
HALF = pytest.mark.parametrize("dtype", HALVES, ids=lambda t: jnp.dtype(t).name)


def numbers(dtype, seed, low=-2, high=2, shape=(4000,)):
    return np.random.default_rng(seed).uniform(low, high, shape).astype(dtype)


def bits(tree):
    return [np.atleast_1d(np.asarray(leaf)).view(np.uint8) for leaf in jax.tree.leaves(tree)]


def assert_same_bits(got, want):
    for x, y in zip(bits(got), bits(want), strict=True):
        np.testing.assert_array_equal(x, y)


def assert_jit_equals_op_by_op(function, *arguments):
    assert_same_bits(jax.jit(function)(*arguments), op_by_op(function, *arguments))


def op_by_op(function, *arguments):
    with jax.disable_jit():
        return function(*map(jnp.asarray, arguments))


@HALF
def test_compensated_sum(dtype):
    """Kahan summation, which works only if each operation rounds."""
    def kahan(x):
        def step(carry, value):
            total, lost = carry
            y = value - lost
            t = total + y
            return (t, (t - total) - y), None
        zero = jnp.zeros((), dtype)
        return lax.scan(step, (zero, zero), x)[0][0]

    x = np.full(4096, 0.01, dtype)
    exact = 4096 * np.float64(x[0])
    result = np.float64(jax.jit(kahan)(x))
    unit = np.float64(jnp.finfo(dtype).eps) * 2.0 ** np.floor(np.log2(exact))
    assert abs(result - exact) <= unit
    total = lost = np.zeros((), dtype)
    for value in x:  # NumPy rounds each result
        y = value - lost
        t = total + y
        total, lost = t, (t - total) - y
    assert result == np.float64(total)


@HALF
def test_two_sum_is_free_of_errors(dtype):
    def two_sum(a, b):
        s = a + b
        b_part = s - a
        return s, (a - (s - b_part)) + (b - b_part)

    a, b = numbers(dtype, 0, -100, 100, 5000), numbers(dtype, 1, -1, 1, 5000)
    s, e = jax.jit(two_sum)(a, b)
    exact = a.astype(np.float64) + b.astype(np.float64)
    np.testing.assert_array_equal(np.float64(s) + np.float64(e), exact)


@HALF
def test_loops_carry_rounded_values(dtype):
    def loop(x):
        def step(carry):
            i, value, bad = carry
            more = value * jnp.asarray(1.01, dtype) + jnp.asarray(0.3, dtype)
            # Computed from the new value in this iteration and again in the next one.
            return i + 1, more, bad + more * more

        return lax.while_loop(lambda c: c[0] < 50, step, (0, x, jnp.zeros_like(x)))[1:]

    x = numbers(dtype, 2)
    value, total = x, np.zeros_like(x)
    for _ in range(50):
        value = value * np.asarray(1.01, dtype) + np.asarray(0.3, dtype)
        total = total + value * value
    assert_same_bits(jax.jit(loop)(x), (value, total))
    assert_same_bits(jax.jit(lambda x: tuple(v[0] for v in loop(x)))(x[:1]),
                     (value[0], total[0]))


CHAINS = {
    "polynomial": lambda x, y: ((x * y + x) * y - x) * x + y,
    "quotients": lambda x, y: x / (y * y + 1) - y / (x * x + 2),
    "halves": lambda x, y: (x * y * 0.5 + y * 4) * -0.25 + (x + x),
    "signs": lambda x, y: abs(x * y) - (-(x * y + x)) + jnp.sign(x * y - x),
    "choices": lambda x, y: jnp.where(x * y > 0, x * y - x, y * y) * y + jnp.maximum(x * y, x + y),
    "limits": lambda x, y: jnp.clip(x * y, -0.7, y * y) + jnp.minimum(x + y, x * x),
    "whole": lambda x, y: jnp.floor(x * y * 3) + jnp.ceil(x + y) + jnp.round(x * x * 5) * y,
    "roots": lambda x, y: jnp.sqrt(x * x + y) * lax.rsqrt(y * y + 1) + lax.cbrt(x * y),
    "functions": lambda x, y: jnp.exp(x * y) * jnp.tanh(x + y) + jnp.log1p(x * x) - jnp.sin(y * x),
    "gelu": lambda x, y: jax.nn.gelu(x) + jax.nn.silu(y) * jax.nn.softplus(x * y),
    "remainders": lambda x, y: lax.rem(x * y * 7, y + 3) + jnp.power(abs(x * y) + 1, y),
    "precision": lambda x, y: lax.reduce_precision(x * y, 5, 4) * y + x,
    "conversions": lambda x, y: (x * y).astype(np.float32) * 3 + (x + y).astype(np.int32),
    "comparisons": lambda x, y: (x * y == (x * y + x) - x).astype(np.int32) + (x * y < y * y * x),
    "bits": lambda x, y: lax.bitcast_convert_type(
        x * y + y, np.uint16 if x.dtype.itemsize == 2 else np.uint8),
    "several": lambda x, y: (x * y, x * y + x, (x * y + x) * y),
}


@NARROW
@pytest.mark.parametrize("name", CHAINS)
def test_chains(dtype, name):
    """Results of both signs, including ties and special values."""
    x, y = numbers(dtype, 3), numbers(dtype, 4)
    specials = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 3e38, 6e4, 1e-5, 1e-38, 448],
                        np.float32).astype(dtype)
    x[:144], y[:144] = np.repeat(specials, 12), np.tile(specials, 12)
    if name != "bits" and name != "several":
        assert_same_values(jax.jit(CHAINS[name])(x, y), op_by_op(CHAINS[name], x, y))
    assert_jit_equals_op_by_op(CHAINS[name], x[144:], y[144:])
    assert_jit_equals_op_by_op(CHAINS[name], x[144:159], y[144:159])
    assert_jit_equals_op_by_op(CHAINS[name], x[200], y[200])


def assert_same_values(got, want):
    np.testing.assert_array_equal(np.float64(got), np.float64(want))


@HALF
def test_random_chains(dtype):
    """Random programs of up to 30 operations; several operations read each value."""
    ops = [lax.add, lax.sub, lax.mul, lax.max, lax.min, lambda a, b: lax.neg(a),
           lambda a, b: lax.abs(b), lambda a, b: lax.select(a > b, a, b),
           lambda a, b: lax.div(a, lax.add(lax.mul(b, b), jnp.ones_like(b))),
           lambda a, b: lax.mul(a, jnp.full_like(b, -0.5)), lambda a, b: lax.floor(a)]
    for seed in range(12):
        random = np.random.default_rng(seed)
        plan = [(random.integers(len(ops)), random.integers(2 + i), random.integers(2 + i))
                for i in range(random.integers(5, 30))]

        def chain(x, y, plan=plan):
            values = [x, y]
            for op, a, b in plan:
                values.append(ops[op](values[a], values[b]))
            return values[-1], values[len(values) // 2]

        x, y = numbers(dtype, seed), numbers(dtype, seed + 100)
        assert_jit_equals_op_by_op(chain, x, y)


@NARROW
def test_around_reductions(dtype):
    x, y = numbers(dtype, 5, shape=(40, 100)), numbers(dtype, 6, shape=(40, 100))

    def function(x, y):
        product = x * y + x
        largest = lax.reduce_max(product, (1,))
        shifted = product - largest[:, None] * y
        return lax.reduce_max(shifted * shifted + y, (0,)), largest * largest - largest
    assert_jit_equals_op_by_op(function, x, y)


@HALF
def test_around_products(dtype):
    """The epilogue starts from the product rounded to its type; its operands are rounded."""
    a, b = numbers(dtype, 7, shape=(48, 64)), numbers(dtype, 8, shape=(64, 96))
    bias = numbers(dtype, 9, shape=(96,))

    def function(a, b, bias):
        product = (a * a - a) @ b
        return (product + bias) * product - bias
    assert_jit_equals_op_by_op(function, a, b, bias)
    assert_jit_equals_op_by_op(lambda a, b, bias: jnp.tanh(a @ b + bias) * bias, a[:1], b, bias)


@HALF
def test_around_convolutions(dtype):
    x, w = numbers(dtype, 10, shape=(1, 9, 9, 8)), numbers(dtype, 11, shape=(3, 3, 8, 16))

    def function(x, w):
        y = lax.conv_general_dilated(x * x, w, (1, 1), "SAME",
                                     dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return y * y - y
    assert_jit_equals_op_by_op(function, x, w)


@HALF
def test_in_scans(dtype):
    def function(x, y):
        def step(carry, inputs):
            a, b = inputs
            carry = carry * a + b
            return carry, carry * carry - a
        return lax.scan(step, jnp.zeros_like(x[0]), (x, y))

    x, y = numbers(dtype, 12, shape=(30, 50)), numbers(dtype, 13, shape=(30, 50))
    assert_jit_equals_op_by_op(function, x, y)
    assert_jit_equals_op_by_op(jax.vmap(lambda x, y: function(x, y)[0], (1, 1)), x, y)


@HALF
def test_of_attention(dtype):
    """Rows between two products round like any other chain."""
    q, k, v = (numbers(dtype, seed, shape=(2, 128, 32)) for seed in (14, 15, 16))

    def attention(q, k, v):
        s = jnp.einsum("bqd,bkd->bqk", q, k) * jnp.asarray(0.18, dtype)
        s = s - lax.reduce_max(s, (2,))[..., None]
        return jnp.einsum("bqk,bkd->bqd", s * s + s, v), s
    s = jax.jit(attention)(q, k, v)[1]
    assert_same_bits(s, op_by_op(attention, q, k, v)[1])


@HALF
def test_sums_and_products_are_correctly_rounded(dtype):
    """f32 has 2 p + 2 bits: no double rounding. Against f64, every mantissa."""
    p = 128 if dtype == jnp.bfloat16 else 1024
    mantissas = (np.arange(p) / p + 1).astype(dtype)
    a = np.repeat(mantissas, p)[:1 << 20]
    b = np.tile(mantissas, p)[:1 << 20]
    for scale in (1, 0.25, 1 / 64, 2.0 ** -9):
        c = (b.astype(np.float64) * scale).astype(dtype)
        wide_a, wide_c = a.astype(np.float64), c.astype(np.float64)
        got = jax.jit(lambda a, c: (a + c, a - c, a * c, a / c, lax.sqrt(c)))(a, c)
        want = (wide_a + wide_c, wide_a - wide_c, wide_a * wide_c, wide_a / wide_c, np.sqrt(wide_c))
        for result, exact in zip(got, want):
            np.testing.assert_array_equal(np.asarray(result).view(np.uint16),
                                          exact.astype(dtype).view(np.uint16))
