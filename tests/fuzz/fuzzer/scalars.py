"""Shared by the kinds of programs: values of any bits, functions of integers, moves."""
import numpy as np

from . import builder as builders
from . import types
from .monoids import choose, compare, number, op
from .ops_shape import array_attr
from .ranges import EXACT, EXACT_BITS


def exact_bits(etype):
    return EXACT_BITS if etype.is_inexact else EXACT


def any_bits(random, shape, etype):
    """Values of any bits: NaNs with payloads, zeros of both signs, infinities, denormals."""
    if etype is types.BOOL:
        return np.asarray(random.random(shape) < 0.5)
    if etype.kind == "complex":
        part = types.part_of(etype)
        pair = any_bits(random, (*shape, 2), part)
        return np.ascontiguousarray(pair).view(etype.dtype).reshape(shape)
    if etype.bits < 8:
        low, high = (0, 2 ** etype.bits - 1) if etype.kind == "float" else builders.ml_info(etype)
        values = np.asarray(random.integers(low, high, shape, endpoint=True))
        return values.astype(np.uint8).view(etype.dtype) if etype.kind == "float" else \
            values.astype(etype.dtype)
    unsigned = np.dtype(f"u{etype.dtype.itemsize}")
    values = np.asarray(random.integers(0, 2 ** etype.bits - 1, shape, np.uint64, endpoint=True))
    if etype.is_float:
        values = np.where(random.random(shape) < 0.5, special(random, shape, etype)
                          .view(unsigned), values.astype(unsigned))
    return np.asarray(values).astype(unsigned).view(etype.dtype)


def special(random, shape, etype):
    """NaNs, infinities, zeros, denormals, extremes and ties of a float type."""
    import ml_dtypes
    info = ml_dtypes.finfo(etype.dtype)
    with np.errstate(all="ignore"):
        items = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, float(info.tiny),
                          -float(info.tiny), float(info.max), float(info.min), 1.0, -1.0,
                          1 + float(info.eps), 1 - float(info.epsneg), 0.5, -0.5, 1.5, 2.5,
                          float(info.smallest_subnormal)]).astype(etype.dtype)
    return np.asarray(random.choice(items, shape))


def function(b, arguments, etype, count):
    """Any function of integers, of `count` operations and one that joins all arguments."""
    values = list(arguments)
    names = ("add", "subtract", "multiply", "maximum", "minimum", "and", "or", "xor")
    for _ in range(count):
        kind = b.integer(0, 9)
        x, y = b.choose(values), b.choose(values)
        if kind == 0:
            values.append(number(b, b.choose((0, 1, 2, 3, 7)), etype))
        elif kind == 1:
            values.append(choose(b, compare(b, b.choose(("LT", "GE", "EQ", "NE")), x, y),
                                 b.choose(values), b.choose(values)))
        elif kind == 2:
            values.append(op(b, b.choose(("not",) + ("negate",) * etype.signed), x))
        elif kind == 3:
            three = number(b, 3, etype)
            values.append(op(b, b.choose(("shift_left", "shift_right_logical")), x,
                             op(b, "and", y, three)))
        else:
            values.append(op(b, b.choose(names), x, y))
    result = values[-1]
    for argument in arguments:
        if argument.uses == 0 or b.chance(0.5):
            pair = (argument, result) if b.chance(0.5) else (result, argument)
            result = op(b, b.choose(("subtract", "add", "xor")), *pair)
    return result


# ---- moves along one axis
def part(b, x, axis, start, limit, stride=1):
    rank = len(x.shape)
    starts, limits, strides = [0] * rank, list(x.shape), [1] * rank
    starts[axis], limits[axis], strides[axis] = start, limit, stride
    shape = list(x.shape)
    shape[axis] = max(0, -(-(limit - start) // stride))
    return b.one("slice", [x], shape, x.type, x.range, ", ".join(
        array_attr(name, values) for name, values in
        (("start_indices", starts), ("limit_indices", limits), ("strides", strides))))


def joined(b, *parts):
    *parts, axis = parts
    shape = list(parts[0].shape)
    shape[axis] = sum(p.shape[axis] for p in parts)
    return b.one("concatenate", parts, shape, parts[0].type, parts[0].range,
                 f"dimension = {axis} : i64")


def padded(b, x, axis, low, high, value=0, interior=0):
    rank = len(x.shape)
    lows, highs, between = [0] * rank, [0] * rank, [0] * rank
    lows[axis], highs[axis], between[axis] = low, high, interior
    shape = list(x.shape)
    shape[axis] += low + high + interior * max(0, x.shape[axis] - 1)
    return b.one("pad", [x, b.constant(np.asarray(value), x.type)], shape, x.type, x.range,
                 ", ".join(array_attr(name, values) for name, values in
                           (("edge_padding_low", lows), ("edge_padding_high", highs),
                            ("interior_padding", between))))


def rolled(b, x, axis, by):
    """Like jnp.roll: two slices and a concatenation."""
    size = x.shape[axis]
    by %= max(size, 1)
    if by == 0:
        return x
    return joined(b, part(b, x, axis, size - by, size), part(b, x, axis, 0, size - by), axis)
