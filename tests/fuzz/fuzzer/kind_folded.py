"""Programs of one or a few elementwise operations, compared with themselves: with constants for
arguments they must give the same bits.

Elementary functions may differ between implementations within bounds, but not within one
implementation.
"""
import numpy as np

from . import monoids, scalars
from .builder import ml_info
from .monoids import compare, op
from .ranges import ANY, BITS, EXACT, OF_SPECIAL
from .types import (BF16, BOOL, C64, C128, F16, F32, F64, I32, WEIGHTS, complex_of, part_of)

FLOAT_UNARY = ("abs", "cbrt", "ceil", "cosine", "exponential", "exponential_minus_one", "floor",
               "log", "log_plus_one", "logistic", "negate", "round_nearest_afz",
               "round_nearest_even", "rsqrt", "sign", "sine", "sqrt", "tan", "tanh")
CHLO_UNARY = ("erf", "erfc", "lgamma", "digamma", "asin", "acos", "atan", "sinh", "cosh", "asinh",
              "acosh", "atanh", "erf_inv", "bessel_i1e")
FLOAT_BINARY = ("add", "subtract", "multiply", "divide", "power", "atan2", "remainder", "maximum",
                "minimum")
COMPLEX_UNARY = ("abs", "negate", "sign", "exponential", "exponential_minus_one", "log",
                 "log_plus_one", "sine", "cosine", "tanh", "tan", "sqrt", "rsqrt", "cbrt",
                 "logistic")
COMPLEX_BINARY = ("add", "subtract", "multiply", "divide", "power")


def shape_of(b):
    return b.choose(((), (1,), (3,), (8,), (17,), (5, 13), (130,)))


def values(b, shape, etype):
    """Values, often one number for all elements, which code may treat specially."""
    if shape and b.chance(0.3):
        return np.full(shape, values(b, (), etype), etype.dtype)
    if etype.kind == "complex":
        part = part_of(etype)
        pair = np.stack([values(b, shape, part) for _ in range(2)], -1)
        return np.ascontiguousarray(pair).view(etype.dtype).reshape(shape)
    if etype.kind == "int":
        low, high = ml_info(etype)
        edges = np.array([low, low + 1, 0, 1, 2, 3, 7, etype.bits, high - 1, high], object)
        drawn = np.asarray(b.random.choice(edges, shape))
        return drawn.astype(np.uint64 if high > 2 ** 63 - 1 else np.int64).astype(etype.dtype)
    kind = b.choose(("special", "bits", "unit", "wide", "whole"))
    if kind == "special":
        return scalars.special(b.random, shape, etype)
    if kind == "bits":
        return scalars.any_bits(b.random, shape, etype)
    if kind == "unit":
        return np.asarray(b.random.uniform(-1, 1, shape)).astype(etype.dtype)
    if kind == "wide":
        return np.asarray(np.exp(b.random.uniform(-20, 5, shape)) *
                          b.random.choice([-1, 1], shape)).astype(etype.dtype)
    return np.asarray(b.random.integers(-20, 20, shape) * b.choose((0.5, 1.0))).astype(etype.dtype)


def exact_in(etype, name):
    return name in ("abs", "ceil", "floor", "negate", "round_nearest_afz", "round_nearest_even",
                    "sign", "sqrt", "add", "subtract", "multiply", "divide", "maximum",
                    "minimum")


def value_range(etype, name):
    if not etype.is_inexact:
        return EXACT
    if etype.kind == "complex":
        return ANY
    return BITS if exact_in(etype, name) else ANY if etype.bits == 8 else OF_SPECIAL


def step(b, x):
    """One operation on x. Results of inexact operations have no known error bound."""
    y = operation(b, x)
    if not x.range.exact:
        y.range = ANY
    return y


def operation(b, x):
    etype, shape = x.type, x.shape
    if etype.kind == "complex":
        if b.chance(0.6):
            name = b.choose(COMPLEX_UNARY)
            to = part_of(etype) if name == "abs" else etype
            return b.one(name, [x], shape, to, ANY)
        y = b.given(values(b, shape, etype), etype)
        return b.one(b.choose(COMPLEX_BINARY), [x, y] if b.chance(0.5) else [y, x], shape, etype,
                     ANY)
    if etype.kind == "int":
        if b.chance(0.1):   # the built-in CPU looks at six bits of the exponent
            y = b.given(np.asarray(b.random.integers(0, 16, shape)).astype(etype.dtype), etype)
            return op(b, "power", x, y)
        y = b.given(values(b, shape, etype), etype)
        return op(b, b.choose(("add", "multiply", "divide", "remainder", "maximum",
                               "shift_left", "shift_right_logical", "shift_right_arithmetic")),
                  x, y)
    kind = b.random.choice(["unary", "binary", "convert", "compare", "clamp", "precision",
                            "complex"], p=[.5, .25, .08, .05, .04, .04, .04])
    if kind == "unary":
        name = b.choose(FLOAT_UNARY)
        return b.one(name, [x], shape, etype, value_range(etype, name))
    if kind == "convert":
        to = b.choose([t for t in WEIGHTS if t.bits >= 8 and t.kind in ("int", "float")])
        return b.one("convert", [x], shape, to, monoids.value_range(to))
    if kind == "precision":
        return b.one("reduce_precision", [x], shape, etype, BITS,
                     "exponent_bits = 5 : i32, mantissa_bits = 3 : i32")
    y = b.given(values(b, shape, etype), etype)
    if kind == "compare":
        flag = compare(b, b.choose(("LT", "GE", "EQ", "NE")), x, y,
                       b.choose(("FLOAT", "FLOAT" if x.op else "TOTALORDER")))  # which NaN is free
        return monoids.choose(b, flag, y, x)
    if kind == "clamp":
        return b.one("clamp", [y, x, y], shape, etype, BITS)
    if kind == "complex" and etype in (F32, F64):
        return b.one("complex", [x, y], shape, complex_of(etype), BITS)
    name = b.choose(FLOAT_BINARY)
    return b.one(name, [x, y] if b.chance(0.5) else [y, x], shape, etype, value_range(etype, name))


def one(b):
    etype = b.choose((F32, F32, F32, F64, F16, BF16, C64, C64, C128, I32, *monoids.INTEGERS))
    step(b, b.given(values(b, shape_of(b), etype), etype))


def few(b):
    """Several operations in sequence, whose results are all outputs. No f32 or f64 product is
    followed by an addition, which could be contracted with it."""
    etype = b.choose((F32, F64, F16, BF16, F16, BF16, I32, *monoids.INTEGERS))
    x = b.given(values(b, shape_of(b), etype), etype)
    for _ in range(b.integer(2, 5)):
        if x.type.kind == "complex" or x.type is BOOL:
            break
        y = step(b, x)
        if y.op in ("multiply", "power") and y.type in (F32, F64):
            break
        x = y


def chlo(b):
    etype = b.choose((F32, F32, F64, F16, BF16))
    x = b.given(values(b, shape_of(b), etype), etype)
    name = b.choose(CHLO_UNARY)
    b.one(f"chlo.{name}", [x], x.shape, etype, OF_SPECIAL)


PROGRAMS = {one: 5, few: 2}
