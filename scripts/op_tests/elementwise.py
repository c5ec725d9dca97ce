"""Elementwise operations on every type, compared with NumPy and ml_dtypes in a wider type."""
import functools
import math

import numpy as np

from . import samples
from .case import Case
from .values import (ALL, BOOL, COMPLEX, FLOATS, INTEGERS, SIGNED, TYPES, UNSIGNED, WIDE_FLOATS,
                     Value, bits_of)

LONG = np.longdouble


def widened(array, type_name, exact=True):
    """Converts to the type in which expected values are computed."""
    if type_name in COMPLEX:
        return array.astype(np.clongdouble)
    if type_name in FLOATS:
        if type_name == "f64":
            return array.astype(LONG)
        return array.astype(np.float64 if exact or type_name == "f32" else np.float32)
    if type_name in BOOL:
        return array
    return np.array([int(v) for v in array.ravel()], object).reshape(array.shape)


def narrowed(array, type_name):
    if type_name in INTEGERS:
        return samples.wrap(array, type_name)
    with np.errstate(all="ignore"):
        return np.asarray(array).astype(TYPES[type_name])


def fits(array, type_name):
    """The elements whose rounded values the type can represent. Some types have no NaN, infinity,
    zero or negative numbers, and compiled code flushes subnormals of f32 and f64."""
    if type_name not in FLOATS:
        return np.ones(np.shape(array), bool)
    subnormal = 2.0**-1022 if type_name == "f64" else 2.0**-126
    tiny = (np.abs(array) < subnormal) & (array != 0)
    array = np.asarray(array, np.float64)
    largest = float(samples.info(type_name).max)
    good = samples.has_nan(type_name) | ~np.isnan(array)
    if not samples.has_inf(type_name):
        good &= ~(np.abs(array) > largest)
    if type_name == "f8E8M0FNU":
        good &= np.isnan(array) | (array > 0)
    return good & ~tiny


class OfType:
    """A function that depends on the type's width."""

    def __init__(self, pick):
        self.pick = pick

    def __call__(self, type_name):
        return self.pick(type_name)


def cases(op, types, function, arity, result=None, low=-8.0, high=8.0, close=None, almost=None,
          attributes="", tag="", keep=None, shape=None):
    """One case per type. `function` takes arrays in the wider type (OfType: selected by the type).
    Its error bounds are `close(type)` and `almost(type)`. All arguments are in one row, or as many
    as fit in a given shape."""
    for name in types:
        compute = function(name) if isinstance(function, OfType) else function
        arguments = (samples.unary(name, low, high),) if arity == 1 else \
            samples.binary(name, low, high)
        to = result or name
        to = samples.REAL_OF.get(name, name) if to == "real" else to
        with np.errstate(all="ignore"):
            wide = [widened(a, name, exact=close is not None) for a in arguments]
            good = fits(compute(*wide), to)
            for a in wide:
                good &= fits(a, name)
            if keep:
                good &= keep(name, *wide)
            arguments = [a[good] for a in arguments]
            expected = narrowed(compute(*[w[good] for w in wide]), to)
        if shape is not None:
            arguments = [np.resize(a[::-1], shape) for a in arguments]
            expected = np.resize(expected[::-1], shape)
        inputs = {letter: Value(name, a) for letter, a in zip("xyz", arguments)}
        bound = close(name) if close else None
        tolerance = almost(name) if almost and name in COMPLEX else None
        operands = ", ".join(f"%{k}" for k in inputs)
        signature = ", ".join(f"${k}" for k in inputs)
        if result:
            text = f'%r = "stablehlo.{op}"({operands}){attributes} : ({signature}) -> $r'
        else:
            text = f"%r = stablehlo.{op} {operands} : $r"
        plain_name = name.replace("<", "_").replace(">", "")
        yield Case(f"{op}{tag}_{plain_name}", inputs, text, {"r": Value(to, expected)},
                   close=None if name in COMPLEX else bound,
                   almost=tolerance if name in COMPLEX else None)


def ulps(f32=2, f64=2):
    """16 bits and fewer: the f32 result rounded once."""
    return lambda name: {"f32": f32, "f64": f64}.get(name, 1)


def relative(name):
    return {"complex<f32>": 2e-6, "complex<f64>": 1e-14}[name]


def sign(x):
    if np.iscomplexobj(x):
        return np.where(x == 0, x, x / np.where(x == 0, 1, np.abs(x)))
    if x.dtype == object:
        return np.array([(v > 0) - (v < 0) for v in x], object)
    return np.where((x == 0) | np.isnan(x), x, np.sign(x))


def objects(function):
    """Applies a function of Python integers element by element."""
    return lambda *arrays: np.array([function(*row) for row in zip(*arrays)], object)


def divide(x, y):
    if x.dtype != object:
        return x / y
    return objects(lambda a, b: -1 if b == 0 else
                   (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1))(x, y)


def remainder(x, y):
    if x.dtype != object:
        return np.fmod(x, y)
    return objects(lambda a, b: a if b == 0 else
                   (abs(a) % abs(b)) * (-1 if a < 0 else 1))(x, y)


def lexicographic(x, y, pick_first):
    less = (x.real < y.real) | ((x.real == y.real) & (x.imag < y.imag))
    return np.where(less == pick_first, x, y)


def extreme(largest):
    def function(x, y):
        if np.iscomplexobj(x):
            return lexicographic(x, y, not largest)
        if x.dtype == object or x.dtype == bool:
            return np.maximum(x, y) if largest else np.minimum(x, y)
        zeros = (x == 0) & (y == 0)
        result = np.maximum(x, y) if largest else np.minimum(x, y)
        negative = np.signbit(x) & np.signbit(y) if largest else np.signbit(x) | np.signbit(y)
        return np.where(zeros, np.where(negative, -0.0, 0.0), result)
    return function


def integer_power(x, y):
    def one(a, b):
        if b >= 0:
            return a**b if abs(a) < 2 or b < 200 else pow(a, b, 1 << 64)
        return {1: 1, -1: -1 if b % 2 else 1}.get(a, 0)
    return objects(one)(x, y)


def power(x, y):
    return integer_power(x, y) if x.dtype == object else np.power(x, y)


def cbrt(x):
    """The cube root; the principal one of a complex number."""
    return x**(LONG(1) / 3) if np.iscomplexobj(x) else np.cbrt(x)


def round_away(x):
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def of_bits(function, name):
    """Applies a function to the two's complement of the type's width, as an unsigned number."""
    bits = bits_of(name)
    return objects(lambda *row: function(bits, *[int(v) % 2**bits for v in row]))


def shift_right_arithmetic(bits, a, b):
    value = a - 2**bits if a >= 2**(bits - 1) else a
    return value >> min(b, bits - 1)


BITWISE = {
    "count_leading_zeros": (1, lambda bits, a: bits - a.bit_length()),
    "popcnt": (1, lambda bits, a: a.bit_count()),
    "shift_left": (2, lambda bits, a, b: a << b if b < bits else 0),
    "shift_right_logical": (2, lambda bits, a, b: a >> b if b < bits else 0),
    "shift_right_arithmetic": (2, shift_right_arithmetic),
}
COMPARISONS = {"EQ": np.equal, "NE": np.not_equal, "LT": np.less, "LE": np.less_equal,
               "GT": np.greater, "GE": np.greater_equal}  # NumPy's are lexicographic, too
BIT_OPS = {"and": (np.logical_and, lambda bits, a, b: a & b),
           "or": (np.logical_or, lambda bits, a, b: a | b),
           "xor": (np.logical_xor, lambda bits, a, b: a ^ b)}
NUMBERS = INTEGERS + FLOATS + COMPLEX


def nonzero(name, x, y):
    return (y != 0) & (x != 0) if name in COMPLEX else np.ones(x.shape, bool)


def mild(name, x):
    """The elements below 2^20. scripts/measure_accuracy.py measures larger arguments."""
    return np.ones(x.shape, bool) if name in COMPLEX else ~(np.abs(x) > 2.0**20)


def erf_like(function):
    return lambda x: np.vectorize(function, otypes=[np.float64])(x.astype(np.float64))


def logistic(x):
    return 1 / (1 + np.exp(-x))


def comparisons(types):
    for direction, function in COMPARISONS.items():
        yield from cases("compare", types, function, 2, result="i1", tag=f"_{direction.lower()}",
                         attributes=f" {{comparison_direction = #stablehlo<comparison_direction "
                                    f"{direction}>}}")


def table():
    """{operation: `cases` without the operation's name}."""
    f = functools.partial
    number, real = NUMBERS, INTEGERS + FLOATS
    math_ops = {
        "exponential": (np.exp, -8, 8), "exponential_minus_one": (np.expm1, -4, 4),
        "log": (np.log, 0.01, 50), "log_plus_one": (np.log1p, -0.9, 8),
        "sqrt": (np.sqrt, 0, 60), "rsqrt": (lambda x: 1 / np.sqrt(x), 0.01, 60),
        "sine": (np.sin, -50, 50), "cosine": (np.cos, -50, 50), "tan": (np.tan, -50, 50),
        "tanh": (np.tanh, -5, 5), "logistic": (logistic, -30, 30)}
    table = {
        "abs": f(cases, types=SIGNED + FLOATS + COMPLEX, function=np.abs, arity=1,
                 result="real", close=lambda t: 1 if t in COMPLEX else 0, almost=relative),
        "add": f(cases, types=BOOL + number, function=np.add, arity=2),
        "subtract": f(cases, types=number, function=np.subtract, arity=2),
        "multiply": f(cases, types=BOOL + number, function=np.multiply, arity=2,
                      almost=relative),
        "divide": f(cases, types=number, function=divide, arity=2, almost=relative,
                    keep=nonzero),
        "remainder": f(cases, types=real, function=remainder, arity=2),
        "maximum": f(cases, types=ALL, function=extreme(True), arity=2),
        "minimum": f(cases, types=ALL, function=extreme(False), arity=2),
        "power": f(cases, types=number, function=power, arity=2, low=0.1, high=6,
                   close=ulps(4, 4), almost=lambda t: 16 * relative(t)),
        "atan2": f(cases, types=FLOATS + COMPLEX, function=atan2, arity=2, close=ulps(4, 4),
                   almost=lambda t: 4 * relative(t)),
        "negate": f(cases, types=number, function=np.negative, arity=1),
        "sign": f(cases, types=SIGNED + FLOATS + COMPLEX, function=sign, arity=1,
                  almost=relative),
        "ceil": f(cases, types=FLOATS, function=np.ceil, arity=1),
        "floor": f(cases, types=FLOATS, function=np.floor, arity=1),
        "round_nearest_even": f(cases, types=FLOATS, function=np.rint, arity=1),
        "round_nearest_afz": f(cases, types=FLOATS, function=round_away, arity=1),
        "is_finite": f(cases, types=FLOATS, function=np.isfinite, arity=1, result="i1"),
        "real": f(cases, types=WIDE_FLOATS[2:] + COMPLEX, function=np.real, arity=1,
                  result="real"),
        "imag": f(cases, types=WIDE_FLOATS[2:] + COMPLEX, function=np.imag, arity=1,
                  result="real"),
        "cbrt": f(cases, types=FLOATS + COMPLEX, function=cbrt, arity=1, low=-60, high=60,
                  close=ulps(), almost=lambda t: 2 * relative(t)),
    }
    for op, (function, low, high) in math_ops.items():
        table[op] = f(cases, types=FLOATS + COMPLEX, function=function, arity=1, low=low,
                      high=high, close=ulps(), almost=lambda t: 2 * relative(t),
                      keep=mild if op in ("sine", "cosine", "tan") else None)
    for op, (arity, function) in BITWISE.items():
        table[op] = f(cases, types=INTEGERS, arity=arity,
                      function=OfType(lambda t, function=function: of_bits(function, t)))
    for op, (logical, function) in BIT_OPS.items():
        pick = {True: logical, False: function}
        table[op] = f(cases, types=BOOL + INTEGERS, arity=2, function=OfType(
            lambda t, pick=pick: pick[True] if t in BOOL else of_bits(pick[False], t)))
    table["not"] = f(cases, types=BOOL + INTEGERS, arity=1, function=OfType(
        lambda t: np.logical_not if t in BOOL else of_bits(lambda bits, a: ~a, t)))
    return table


def rows():
    for op, make in table().items():
        yield op, make(op)
    yield "compare", comparisons(ALL)


def atan2(y, x):
    if not np.iscomplexobj(x):
        return np.arctan2(y, x)
    return -1j * np.log((x + 1j * y) / np.sqrt(x * x + y * y))
