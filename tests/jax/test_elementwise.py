"""Every elementwise operation on every type it takes, special values included."""
import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from compare import ALL, COMPLEX, FLOATS, SIGNED, UNSIGNED, check, data, dtype, run_on
from conftest import PLATFORM
from jax import lax

pytestmark = pytest.mark.usefixtures("x64")
INTEGERS = SIGNED + UNSIGNED
NUMBERS = INTEGERS + FLOATS + COMPLEX
REAL = INTEGERS + FLOATS

# name: (function, types, lowest and highest float, ulps)
UNARY = {
    "abs": (jnp.abs, SIGNED + FLOATS + COMPLEX, None, 4),
    "negative": (jnp.negative, NUMBERS, None, 0),
    "sign": (jnp.sign, SIGNED + FLOATS + COMPLEX, None, 4),
    "floor": (jnp.floor, FLOATS, (-9, 9), 0),
    "ceil": (jnp.ceil, FLOATS, (-9, 9), 0),
    "round_away": (lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), FLOATS,
                   (-9, 9), 0),
    "round_even": (lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), FLOATS,
                   (-9, 9), 0),
    "exp": (jnp.exp, FLOATS + COMPLEX, (-9, 9), 4),
    "exp2": (jnp.exp2, FLOATS, (-9, 9), 4),
    "expm1": (jnp.expm1, FLOATS + COMPLEX, (-3, 3), 8),
    "log": (jnp.log, FLOATS + COMPLEX, (1e-3, 50), 8),
    "log1p": (jnp.log1p, FLOATS + COMPLEX, (-0.9, 9), 256),  # built-in CPU in f64: error of 121 ulps
    "sqrt": (jnp.sqrt, FLOATS + COMPLEX, (0, 9), 4),
    "rsqrt": (lax.rsqrt, FLOATS + COMPLEX, (0.01, 9), 4),
    "cbrt": (jnp.cbrt, FLOATS, (-9, 9), 4),
    "sin": (jnp.sin, FLOATS + COMPLEX, (-9, 9), 8),
    "cos": (jnp.cos, FLOATS + COMPLEX, (-9, 9), 8),
    "tan": (jnp.tan, FLOATS + COMPLEX, (-1.4, 1.4), 8),
    "tanh": (jnp.tanh, FLOATS + COMPLEX, (-5, 5), 8),
    "sinh": (jnp.sinh, FLOATS, (-5, 5), 8),
    "cosh": (jnp.cosh, FLOATS, (-5, 5), 8),
    "asin": (jnp.arcsin, FLOATS, (-1, 1), 8),
    "acos": (jnp.arccos, FLOATS, (-0.9, 0.9), 8),
    "atan": (jnp.arctan, FLOATS, (-9, 9), 8),
    "asinh": (jnp.arcsinh, FLOATS, (-9, 9), 8),
    "acosh": (jnp.arccosh, FLOATS, (1.1, 9), 8),
    "atanh": (jnp.arctanh, FLOATS, (-0.9, 0.9), 128),  # built-in CPU in f64: error of 73 ulps
    "logistic": (lax.logistic, FLOATS + COMPLEX, (-9, 9), 8),
    "erf": (lax.erf, FLOATS, (-3, 3), 8),
    "erfc": (lax.erfc, FLOATS, (-2, 2), 16),
    "erf_inv": (lax.erf_inv, FLOATS, (-0.99, 0.99), 16),
    "lgamma": (lax.lgamma, FLOATS, (2.5, 9), 32),
    "digamma": (lax.digamma, FLOATS, (2, 9), 32),
    "reciprocal": (jnp.reciprocal, FLOATS + COMPLEX, (0.1, 9), 4),
    "square": (jnp.square, NUMBERS, None, 4),
    "is_finite": (jnp.isfinite, FLOATS, None, 0),
    "isnan": (jnp.isnan, FLOATS, None, 0),
    "signbit": (jnp.signbit, FLOATS, None, 0),
    "invert": (jnp.invert, ("bool", *INTEGERS), None, 0),
    "popcount": (lax.population_count, INTEGERS, None, 0),
    "clz": (lax.clz, INTEGERS, None, 0),
    "real": (jnp.real, COMPLEX, None, 0),
    "imag": (jnp.imag, COMPLEX, None, 0),
    "conj": (jnp.conj, COMPLEX, None, 0),
    "angle": (jnp.angle, COMPLEX, None, 8),
    "logical_not": (jnp.logical_not, ALL, None, 0),
}

BINARY = {
    "add": (jnp.add, ALL, 4), "subtract": (jnp.subtract, NUMBERS, 4),
    "multiply": (jnp.multiply, ALL, 8), "divide": (lax.div, NUMBERS, 8),
    "remainder": (lax.rem, REAL, 4), "floor_divide": (jnp.floor_divide, REAL, 4),
    "mod": (jnp.mod, REAL, 4), "maximum": (jnp.maximum, ALL, 0),
    "minimum": (jnp.minimum, ALL, 0), "power": (jnp.power, FLOATS, 32),
    "atan2": (jnp.arctan2, FLOATS, 8), "hypot": (jnp.hypot, FLOATS, 8),
    "nextafter": (jnp.nextafter, FLOATS, 0), "logaddexp": (jnp.logaddexp, FLOATS, 16),
    "copysign": (jnp.copysign, FLOATS, 0), "complex": (lax.complex, ("float32", "float64"), 0),
    "equal": (jnp.equal, ALL, 0), "not_equal": (jnp.not_equal, ALL, 0),
    "less": (jnp.less, ALL, 0), "less_equal": (jnp.less_equal, ALL, 0),
    "greater": (jnp.greater, ALL, 0), "greater_equal": (jnp.greater_equal, ALL, 0),
    "bitwise_and": (jnp.bitwise_and, ("bool", *INTEGERS), 0),
    "bitwise_or": (jnp.bitwise_or, ("bool", *INTEGERS), 0),
    "bitwise_xor": (jnp.bitwise_xor, ("bool", *INTEGERS), 0),
    "shift_left": (lax.shift_left, INTEGERS, 0),
    "shift_right_logical": (lax.shift_right_logical, INTEGERS, 0),
    "shift_right_arithmetic": (lax.shift_right_arithmetic, INTEGERS, 0),
}


def cases(table, types=1):
    return [pytest.param(op, t, id=f"{op}-{t}") for op, row in table.items() for t in row[types]]


@pytest.mark.parametrize("op, name", cases(UNARY))
def test_unary(op, name):
    function, _, bounds, ulps = UNARY[op]
    low, high = bounds if bounds and name in FLOATS else (None, None)
    x = data((7, 33), name, low=low, high=high)
    check(function, x, ulps=ulps, scale=1.0 if name in COMPLEX or op in ("lgamma",) else 0.1
          if op in ("digamma", "log", "sin", "cos", "tan") else 0.0)


@pytest.mark.parametrize("op, name", cases(BINARY))
def test_binary(op, name):
    function, _, ulps = BINARY[op]
    x, y = data((7, 33), name, 1), data((7, 33), name, 2)
    if op == "power":
        x = np.abs(x)
    if op in ("remainder", "mod", "floor_divide", "divide") and dtype(name).kind in "iu":
        y = np.where(y == 0, dtype(name).type(3), y)
    if op.startswith("shift"):
        y = np.abs(y) % 8
    check(function, x, y, ulps=ulps,
          scale=1.0 if name in COMPLEX or op == "logaddexp" else 0.0)


EXACT = {"exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log1p": np.log1p,
         "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "cbrt": np.cbrt, "sin": np.sin,
         "cos": np.cos, "tan": np.tan, "tanh": np.tanh, "asin": np.arcsin, "acos": np.arccos,
         "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "asinh": np.arcsinh,
         "acosh": np.arccosh, "atanh": np.arctanh, "logistic": lambda x: 1 / (1 + np.exp(-x)),
         "erf": np.vectorize(math.erf), "erfc": np.vectorize(math.erfc)}


@pytest.mark.parametrize("name", ["float32", "float64"])
@pytest.mark.parametrize("op", EXACT)
def test_accuracy(op, name):
    """Compared with NumPy in a wider type."""
    if PLATFORM == "cpu" and name == "float64" and op in ("log1p", "atanh"):
        pytest.skip("the built-in CPU is 92 and 72 ulps off: run with TENON_TEST_PLATFORM=tenon")
    low, high = UNARY[op][2]
    x = data((4001,), name, low=low, high=high)
    wide = x.astype(np.longdouble if op not in ("erf", "erfc") else np.float64)
    expected = EXACT[op](wide)
    ours = run_on(jax.devices(PLATFORM)[0], UNARY[op][0], x)
    eps = np.finfo(name).eps
    error = np.abs(ours.astype(np.longdouble) - expected)
    unit = np.maximum(np.abs(expected), np.finfo(name).tiny) * eps
    assert float((error / unit).max()) < ACCURACY.get(op, 4)


# Ulps allowed where the formula of JAX or CHLO is inaccurate.
ACCURACY = {"sinh": 16, "cosh": 16, "asinh": 16, "acosh": 16, "atanh": 16, "asin": 16,
            "acos": 16, "tan": 8, "logistic": 8, "erfc": 64}


@pytest.mark.parametrize("place", ["alone", "scaled", "beside its derivative"])
def test_expanded_erfc(place):
    """JAX sends erfc as its expansion, which is recognized, also among other operations."""
    x = np.concatenate([np.linspace(-10, 9, 40_001), [0, -0.0, 1, -1, 2, np.inf, -np.inf, np.nan]])
    x = x.astype(np.float32)
    if place == "alone":
        (ours,) = run_on(jax.devices(PLATFORM)[0], lambda x: (lax.erfc(x),), x)
    elif place == "scaled":
        (ours,) = run_on(jax.devices(PLATFORM)[0], lambda x: (2 * lax.erfc(x * 0.5),), 2 * x)
        ours = ours / 2
    else:
        ours, _ = run_on(jax.devices(PLATFORM)[0],
                         lambda x: jax.jvp(lax.erfc, (x,), (jnp.ones_like(x),)), x)
    expected = EXACT["erfc"](x.astype(np.float64))
    np.testing.assert_array_equal(np.isnan(ours), np.isnan(expected))
    known = ~np.isnan(expected)
    error = np.abs(ours[known].astype(np.float64) - expected[known])
    ulps = (error / np.spacing(expected[known].astype(np.float32))).max()
    assert ulps < (70 if PLATFORM == "cpu" else 5)  # the built-in CPU computes the expansion


@pytest.mark.parametrize("name", FLOATS)
def test_first_power_is_exact(name):
    """Includes the largest numbers, which an inexact power could round to infinity."""
    info = jnp.finfo(dtype(name))
    x = np.array([info.max, info.min, info.tiny, -info.tiny, np.inf, -np.inf, np.nan, 0.0, -0.0,
                  np.nextafter(info.max, dtype(name).type(0)), 3.3, -1e-7], dtype(name))
    y = np.ones_like(x)
    result = run_on(jax.devices(PLATFORM)[0], lax.pow, x, y)
    np.testing.assert_array_equal(result.astype(np.float64), x.astype(np.float64))
    np.testing.assert_array_equal(np.signbit(result), np.signbit(x))


@pytest.mark.parametrize("op", [op for op, row in UNARY.items() if "float32" in row[1]])
def test_unary_special_values(op):
    with np.errstate(over="ignore"):
        x = np.array([0.0, -0.0, 1.0, -1.0, 0.5, np.inf, -np.inf, np.nan, 88.0, -88.0, 1e30,
                      -1e30, 1e-30, -1e-30, 3.4e38], np.float32)
    check(UNARY[op][0], x, ulps=32)


@pytest.mark.parametrize("op", ["add", "subtract", "multiply", "divide", "remainder", "maximum",
                                "minimum", "power", "atan2", "equal", "less", "not_equal"])
def test_binary_special_values(op):
    values = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, np.inf, -np.inf, np.nan, 1e30, -3.0]
    x, y = (np.array(v, np.float32) for v in zip(*itertools.product(values, values)))
    ours = check(BINARY[op][0], x, y, ulps=32)
    if op in ("maximum", "minimum", "add"):  # the sign of zero as well
        expected = check(BINARY[op][0], x, y)
        np.testing.assert_array_equal(np.signbit(ours), np.signbit(expected))


def test_integer_corners():
    for name in SIGNED:
        info = np.iinfo(name)
        x = np.array([info.min, info.max, 5, -5, info.min, 7], name)
        y = np.array([-1, -1, 0, 0, info.min, -2], name)
        check(lambda x, y: (lax.div(x, y), lax.rem(x, y), x + y, x * y, abs(x)), x, y)
    for name in UNSIGNED:
        info = np.iinfo(name)
        x, y = np.array([info.max, 5, 0], name), np.array([info.max, 0, 0], name)
        check(lambda x, y: (lax.div(x, y), lax.rem(x, y), x + y, x * y), x, y)


def test_shifts_past_the_width():
    x, y = np.array([1, -1, 5, -7], np.int32), np.array([32, 40, 31, 33], np.int32)
    check(lambda x, y: (lax.shift_left(x, y), lax.shift_right_logical(x, y),
                        lax.shift_right_arithmetic(x, y)), x, y)


@pytest.mark.parametrize("name, to", [(a, b) for a in ALL for b in ALL
                                      if a not in COMPLEX or b in COMPLEX])
def test_convert(name, to):
    x = data((5, 17), name, high=10) if dtype(name).kind in "iu" else data((5, 17), name)
    if dtype(to).kind == "u" and (dtype(name).kind in "f" or name == "bfloat16"):
        x = np.abs(x * 10)  # negative to unsigned is platform-defined
    check(lambda x: lax.convert_element_type(x, dtype(to)), x, ulps=0)


def test_convert_saturates():
    x = np.array([1e10, -1e10, np.inf, -np.inf, np.nan, 300.0, -300.0, 2.9, -2.9], np.float32)
    check(lambda x: tuple(lax.convert_element_type(x, t) for t in
                          ("int8", "int16", "int32", "int64", "bool")), x)


@pytest.mark.parametrize("name, to", [("float32", "int32"), ("int32", "float32"),
                                      ("float16", "uint16"), ("bfloat16", "int16"),
                                      ("float64", "uint64"), ("uint8", "int8"),
                                      ("int32", "uint8"), ("uint8", "int32"),
                                      ("float32", "bfloat16"), ("float16", "float32")])
def test_bitcast(name, to):
    shape = (6, dtype(to).itemsize // dtype(name).itemsize) \
        if dtype(to).itemsize > dtype(name).itemsize else (6, 4)
    check(lambda x: lax.bitcast_convert_type(x, dtype(to)), data(shape, name), ulps=0)


def test_select_and_clamp():
    x, y = data((9, 11), "float32", 1), data((9, 11), "float32", 2)
    check(lambda p, x, y: jnp.where(p, x, y), x > 0, x, y, ulps=0)
    check(lambda p, x, y: lax.select(p, x, y), np.array(True), x, y, ulps=0)
    check(lambda x: lax.clamp(np.float32(-0.5), x, np.float32(0.25)), x, ulps=0)
    check(lambda i: lax.clamp(np.int32(-2), i, np.int32(3)), data((20,), "int32"), ulps=0)


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16", "float64"])
def test_reduce_precision(name):
    check(lambda x: lax.reduce_precision(x, 5, 4), data((100,), name), ulps=0)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 127, 1000,
                                  100003])
def test_vector_tails(size):
    x = data((size,), "float32")
    check(lambda x: jnp.tanh(x) * 2 + x, x)


def test_long_chain_with_broadcasts():
    def f(x, row, column, scalar):
        for i in range(20):
            x = jnp.tanh(x * row + column) - scalar / (i + 1)
        return x
    check(f, data((17, 29), "float32", 1), data((29,), "float32", 2),
          data((17, 1), "float32", 3), np.float32(0.3), ulps=64, scale=1.0)


def test_tolerances_that_functions_do_not_meet_are_refused():
    x = np.linspace(0.1, 2, 100, dtype=np.float32)

    def run(function, **tolerance):
        accuracy = lax.Tolerance(**{"atol": 0.0, "rtol": 0.0, "ulps": 0, **tolerance})
        return run_on(jax.devices(PLATFORM)[0], lambda x: function(x, accuracy=accuracy), x)

    for function in (lax.exp, lax.log, lax.sin):
        with pytest.raises(jax.errors.JaxRuntimeError, match="result_accuracy.*allow at least"):
            run(function, rtol=2**-30)
    np.testing.assert_array_equal(run(lax.exp, ulps=2), run(lax.exp, rtol=1e-3))
    # Results of at most 1 meet an absolute tolerance; those of exp may be of any size.
    run(lax.sin, atol=1e-6)
    with pytest.raises(jax.errors.JaxRuntimeError, match="exponential.*f32"):
        run(lax.exp, atol=1e-6)
    x = x.astype(np.complex64)
    with pytest.raises(jax.errors.JaxRuntimeError, match="no error bound for complex"):
        run(lax.exp, ulps=100)


@pytest.mark.parametrize("name", ["int8", "int16", "int32", "int64", "uint8", "uint32"])
def test_floor_division_by_constants(device, name):
    limits = np.iinfo(name)
    x = np.unique(np.clip(np.array(
        [limits.min, limits.min + 1, limits.max, *range(-40, 41)], object),
        limits.min, limits.max)).astype(name)
    for by in (1, 2, 3, 4, 6, 16, 64, -1, -2, -5, -8, limits.max, limits.min):
        if by == 0 or not limits.min <= by <= limits.max:
            continue
        c = np.array(by, name)
        for function in (np.remainder, np.floor_divide):
            if function is np.floor_divide and by == -1:
                continue  # overflows
            got = jax.jit(lambda x, f=function, c=c: getattr(jnp, f.__name__)(x, c))(
                jax.device_put(x, device))
            np.testing.assert_array_equal(got, function(x, c), err_msg=f"{function} {by}")


@pytest.mark.parametrize("name", ("float32", "float64", "bfloat16"))
def test_remainders_by_the_smallest_normal_numbers(name):
    """The remainder is normal; the difference of a multiple of the divisor and the dividend is not."""
    tiny = float(jnp.finfo(name).tiny)
    random = np.random.default_rng(0)
    y = (tiny * (1 + random.random(4000))).astype(dtype(name))
    x = np.exp2(random.uniform(math.log2(tiny), 3, 4000)).astype(dtype(name))
    x[0], y[0] = 1, 1.1846779004380866e-38 if name != "float64" else y[0]
    expected = np.fmod(x.astype(np.float64), y.astype(np.float64))
    expected[np.abs(expected) < tiny] = 0
    assert (expected != 0).sum() > 100
    result = np.asarray(jax.jit(lax.rem)(x, y)).astype(np.float64)
    result[np.abs(result) < tiny] = 0
    np.testing.assert_array_equal(result, expected)


BITCASTS = {
    "argument": lambda x: (lax.bitcast_convert_type(x, jnp.uint8), x),
    "twice": lambda x: lax.bitcast_convert_type(lax.bitcast_convert_type(x, jnp.uint16), jnp.uint8),
    "sorted": lambda x: lax.bitcast_convert_type(jnp.sort(x, 0), jnp.int16),
    "updated": lambda x: (lax.bitcast_convert_type(x, jnp.int32).at[3].set(7), x.at[0].set(0)),
    "carried": lambda x: lax.fori_loop(
        0, 5, lambda _, c: (c[0] * 1.5, c[1] ^ lax.bitcast_convert_type(c[0], jnp.uint8)),
        (x, jnp.zeros((*x.shape, 4), jnp.uint8))),
    "scalar": lambda x: (lax.bitcast_convert_type(x[0, 0], jnp.int32),
                         lax.bitcast_convert_type(x[1, 1], jnp.uint8)),
}


@pytest.mark.parametrize("donate", [(), (0,)], ids=["", "donated"])
@pytest.mark.parametrize("program", BITCASTS)
def test_bitcasts_view_memory(program, donate):
    x = np.random.RandomState(0).standard_normal((37, 41)).astype(np.float32)
    function = BITCASTS[program]
    with jax.disable_jit():
        wanted = jax.tree.leaves(function(jnp.asarray(x)))
    for got, value in zip(jax.tree.leaves(jax.jit(function, donate_argnums=donate)(x)), wanted,
                          strict=True):
        np.testing.assert_array_equal(np.asarray(got).reshape(-1).view(np.uint8),
                                      np.asarray(value).reshape(-1).view(np.uint8))
