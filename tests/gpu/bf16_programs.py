"""Programs of bf16 whose results must have the bits of the exact ones, each rounded once."""
import jax
import jax.numpy as jnp
import jax_programs
import ml_dtypes
import numpy as np
from jax import lax

BF16 = ml_dtypes.bfloat16
NAN = 0x7fff  # for every NaN


def rounded(x, flush):
    """float64 to the bits of bf16, ties to even. `flush`: numbers below the normal ones are zero."""
    size = np.abs(x)
    exponent = np.where(size == 0, -126, np.maximum(np.frexp(size)[1] - 1, -126))
    with np.errstate(all="ignore"):
        units = np.rint(np.ldexp(size, 7 - exponent))
        bits = np.minimum(((exponent + 126).astype(np.int64) << 7) + np.nan_to_num(units, posinf=0).astype(
            np.int64), 0x7f80)
    bits = np.where(np.isinf(size), 0x7f80, bits)
    if flush:
        bits = np.where(size < 2.0**-126, 0, bits)
    bits = np.where(np.isnan(x), NAN, bits | np.where(np.signbit(x), 0x8000, 0))
    return bits.astype(np.uint16)


def wide(bits):
    return bits.view(BF16).astype(np.float64)


def flushed(x):
    return np.where(np.abs(x) < 2.0**-126, np.copysign(0, x), x)


def extremum(function):
    def exact(x, y):
        # float64 has room for an order of zeros.
        tiny = 2.0**-1000
        shifted = [np.where(v == 0, np.copysign(tiny, v), v) for v in (x, y)]
        result = function(*shifted)
        return np.where(np.abs(result) == tiny, np.copysign(0, result), result)
    return exact


def tanh(x):
    # Below, x is nearer than its neighbours, also if it is denormal.
    return np.where(np.abs(x) < 2.0**-6, x, np.tanh(x))


# Name: of JAX, exact function of float64, whether denormal operands and results are zero.
UNARY = {"exp": (jnp.exp, np.exp, True),
         "tanh": (jnp.tanh, tanh, False),
         # JAX has no such operation: see program().
         "logistic": (lax.cbrt, lambda x: 1 / (1 + np.exp(-x)), True),
         "negate": (jnp.negative, np.negative, False),
         "abs": (jnp.abs, np.abs, False),
         "reciprocal": (lambda x: 1 / x, lambda x: 1 / x, True),
         "third": (lambda x: x / 3, lambda x: x / 3, True)}
BINARY = {"add": (jnp.add, np.add, False),
          "subtract": (jnp.subtract, np.subtract, False),
          "multiply": (jnp.multiply, np.multiply, False),
          "maximum": (jnp.maximum, extremum(np.maximum), False),
          "minimum": (jnp.minimum, extremum(np.minimum), False),
          "divide": (jnp.divide, np.divide, True)}
BY_ONE = {"divide_by_one_number": (lambda x, y: x / lax.reshape(y, (1,)), np.divide, True)}


def bits_of(function):
    def result(*operands):
        y = function(*(lax.bitcast_convert_type(x, jnp.bfloat16) for x in operands))
        return jnp.where(y != y, jnp.uint16(NAN), lax.bitcast_convert_type(y, jnp.uint16))
    return result


def program(functions, operands):
    """The text of a test of all functions(*operands); operands are bits."""
    results, expected = [], []
    for function, exact, flush in functions.values():
        with np.errstate(all="ignore"):
            values = [flushed(wide(x)) if flush else wide(x) for x in operands]
            expected.append(rounded(exact(*values), flush))
        results.append(bits_of(function))
    text = jax_programs.exact_program(lambda *x: [f(*x) for f in results], operands, expected)
    return text.replace("stablehlo.cbrt", "stablehlo.logistic")


def unary_program():
    return program(UNARY, [np.arange(1 << 16, dtype=np.uint16)])


def pairs(count):
    random = np.random.default_rng(0)
    special = np.array([0, 1, 2, 0x7f, 0x80, 0x81, 0xff, 0x3f7f, 0x3f80, 0x3f81, 0x4000, 0x3f00, 0x7e80,
                        0x7e81, 0x7f00, 0x7f7f, 0x7f80, 0x7fc0, 0x7f81], np.uint16)
    special = np.concatenate([special, special | 0x8000])
    x, y = (v.ravel() for v in np.meshgrid(special, special))
    any_pair = random.integers(0, 1 << 16, (2, count), dtype=np.uint16)
    # Of similar size, so that sums have all bits of both.
    near = random.integers(0x3c00, 0x4200, (2, count), dtype=np.uint16)
    near[1] ^= random.integers(0, 2, count, dtype=np.uint16) << 15
    return [np.concatenate([x, any_pair[0], near[0]]), np.concatenate([y, any_pair[1], near[1]])]


def binary_program(count=8000):
    return program(BINARY, pairs(count))


def divisor_program(divisor):
    return program(BY_ONE, [np.arange(1 << 16, dtype=np.uint16), np.array([divisor], np.uint16)])
