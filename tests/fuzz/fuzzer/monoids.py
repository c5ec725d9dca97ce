"""Associative operations on tuples of scalars, as regions of reductions, windows and scatters.

Each has a two-sided identity and is exact on its data, so that a reduction has one result for every
evaluation tree. Most do not commute, which shows the order of operands.
"""
import dataclasses
import typing

import numpy as np

from . import builder as builders
from .ranges import BITS, EXACT, Reject
from .types import (BF16, BOOL, C64, C128, F16, F32, F64, FLOATS, I8, I16, I32, I64, U8, U16,
                    U32, U64)

INTEGERS = (I8, I16, I32, I32, I32, I64, U8, U16, U32, U64)


@dataclasses.dataclass
class Monoid:
    name: str
    types: tuple                # of the scalars
    identity: tuple
    body: typing.Callable       # (builder, left values, right values) -> values
    data: typing.Callable       # (random, shape) -> an array for each scalar
    max_elements: int = 1 << 30   # maximum elements for an exact result
    commutes: bool = False


# ---- scalars of an open block
def value_range(etype):
    return BITS if etype.is_inexact else EXACT


def op(b, name, *operands, to=None, attributes=""):
    """One operation on values of one shape."""
    etype = to or operands[-1].type
    return b.one(name, list(operands), operands[-1].shape, etype, value_range(etype), attributes)


def compare(b, direction, x, y, kind=None):
    kind = kind or ("FLOAT" if x.type.is_inexact else "SIGNED" if x.type.signed else "UNSIGNED")
    return b.one("compare", [x, y], x.shape, BOOL, EXACT, "comparison_direction = "
                 f"#stablehlo<comparison_direction {direction}>, "
                 f"compare_type = #stablehlo<comparison_type {kind}>")


def choose(b, condition, x, y):
    return b.one("select", [condition, x, y], x.shape, x.type, value_range(x.type))


def number(b, value, etype):
    return b.constant(np.asarray(value), etype, value_range(etype))


def filled(b, value, like):
    """A number in every element of a value's shape."""
    scalar = number(b, value, like.type)
    return scalar if not like.shape else b.one(
        "broadcast_in_dim", [scalar], like.shape, like.type, value_range(like.type),
        "broadcast_dimensions = array<i64>")


def either(b, name, x, y):
    """A commutative operation with its operands in either order."""
    return op(b, name, x, y) if b.chance(0.5) else op(b, name, y, x)


# ---- data
def integers(etype, low=None, high=None):
    lowest, highest = builders.ml_info(etype)
    low = lowest if low is None else max(low, lowest)
    high = highest if high is None else min(high, highest)

    def draw(random, shape):
        if random.random() < 0.3:   # ties
            values = random.choice(np.array([low, min(low + 1, high), high], object), shape)
        else:
            values = random.integers(low, high, shape, np.uint64 if high > 2 ** 63 - 1 else
                                     np.int64, endpoint=True)
        return np.asarray(np.asarray(values).astype(np.uint64 if high > 2 ** 63 - 1 else np.int64)
                          .astype(etype.dtype))
    return draw


def picks(etype, *items):
    def draw(random, shape):
        return np.asarray(random.choice(np.array(items), shape)).astype(etype.dtype)
    return draw


def flags(probability):
    return lambda random, shape: np.asarray(random.random(shape) < probability)


def each(*draws):
    return lambda random, shape: [draw(random, shape) for draw in draws]


def whole(etype, largest=4):
    """Small integers; for integer types all values."""
    return integers(etype) if etype.kind == "int" else picks(etype, *range(-largest, largest + 1))


def exact_terms(etype, largest=4):
    """How many numbers up to `largest` a float type adds without rounding."""
    return (1 << 30) if etype.kind == "int" else int(2 ** etype.precision // (2 * largest))


# ---- one operand
def plain(b):
    """A monoid of one operation: add, and, maximum, ..."""
    etype = b.choose((BOOL, *INTEGERS, *FLOATS, C64))
    if etype is BOOL:
        name, identity = b.choose((("and", True), ("or", False), ("xor", False)))
        return Monoid(name, (etype,), (identity,), lambda b, x, y: [either(b, name, *x, *y)],
                      each(flags(0.5)), commutes=True)
    if etype.kind == "int":
        low, high = builders.ml_info(etype)
        name, identity = b.choose((("add", 0), ("multiply", 1), ("maximum", low),
                                   ("minimum", high), ("and", -1 if etype.signed else high),
                                   ("or", 0), ("xor", 0)))
        return Monoid(name, (etype,), (identity,), lambda b, x, y: [either(b, name, *x, *y)],
                      each(integers(etype)), commutes=True)
    if etype.kind == "complex" or b.chance(0.4):
        # An identity of -0 is one for zeros of both signs.
        return Monoid("add", (etype,), (-0.0 if etype.is_float else 0,),
                      lambda b, x, y: [either(b, "add", *x, *y)],
                      each(picks(etype, *range(-4, 5))), exact_terms(etype), True)
    name, end = b.choose((("maximum", -np.inf), ("minimum", np.inf)))
    return Monoid(name, (etype,), (end,), lambda b, x, y: [either(b, name, *x, *y)],
                  each(picks(etype, np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.5, 2.0)),
                  commutes=True)


def nonzero(b, last=False):
    """The first number that is not zero (of floats: not NaN), or the last one."""
    etype = b.choose((*INTEGERS, *FLOATS))
    empty = np.nan if etype.is_float else 0

    def body(b, x, y):
        preferred, other = (y[0], x[0]) if last else (x[0], y[0])
        if etype.is_float:
            is_nonempty = compare(b, "EQ", preferred, preferred)
        elif b.chance(0.5):
            is_nonempty = compare(b, "NE", preferred, filled(b, 0, preferred))
        else:
            is_zero = compare(b, "EQ", filled(b, 0, preferred), preferred)
            return [choose(b, is_zero, other, preferred)]
        return [choose(b, is_nonempty, preferred, other)]
    values = [np.nan] * 5 + [1.0, -0.0, 0.0, np.inf, 2.0] if etype.is_float else \
        [0] * 6 + [1, 2, 3, builders.ml_info(etype)[1] // 2]
    return Monoid("last" if last else "first", (etype,), (empty,), body,
                  each(picks(etype, *values)))


def last_nonzero(b):
    return nonzero(b, True)


def digits(etype, value):
    """An unsigned number in terms of a type of the same width."""
    return int(np.array(value, np.uint64).astype(np.dtype(f"u{etype.dtype.itemsize}"))
               .view(etype.dtype))


def transformations(b):
    """Functions from four points to four points, two bits each; the right one is applied first."""
    etype = b.choose((I8, U8, U16, I32, U32, I64))

    def body(b, f, g):
        three, result = filled(b, 3, f[0]), None
        for i in range(4):
            shift = filled(b, 2 * i, f[0])
            point = op(b, "and", op(b, "shift_right_logical", g[0], shift), three)
            point_shift = op(b, "add", point, point)
            image = op(b, "and", op(b, "shift_right_logical", f[0], point_shift), three)
            image = op(b, "shift_left", image, shift)
            result = image if result is None else either(b, "or", result, image)
        return [result]

    def data(random, shape):
        # Half are permutations, because compositions of others become constant.
        permutation = random.random() < 0.5
        some = [random.permutation(4) if permutation else random.integers(0, 4, 4)
                for _ in range(8)]
        codes = [digits(etype, sum(int(p) << 2 * k for k, p in enumerate(f))) for f in some]
        return [picks(etype, *codes)(random, shape)]
    return Monoid("transformations", (etype,), (digits(etype, 0xE4),), body, data)


# ---- several operands
def affine(b):
    """x -> a x + c, the left one outermost, over a ring, (or, and) or (max, +)."""
    if b.chance(0.15):
        return Monoid("affine_or", (BOOL, BOOL), (True, False), lambda b, x, y: [
            op(b, "and", x[0], y[0]), op(b, "or", op(b, "and", x[0], y[1]), x[1])],
            each(flags(0.7), flags(0.2)))
    if b.chance(0.2):
        etype = b.choose((F32, F64, F16, BF16))
        return Monoid("affine_max", (etype, etype), (0.0, -np.inf), lambda b, x, y: [
            either(b, "add", x[0], y[0]),
            either(b, "maximum", op(b, "add", x[0], y[1]), x[1])],
            each(picks(etype, *range(-4, 5)), picks(etype, *range(-4, 5), -np.inf)),
            exact_terms(etype))
    etype = b.choose((*INTEGERS, F32, F64, F16, BF16, C64, C128))
    factors = whole(etype) if etype.kind == "int" else \
        picks(etype, 1, -1, 0) if etype.is_float else \
        picks(etype, 1, -1, 1j, -1j)
    return Monoid("affine", (etype, etype), (1, 0), lambda b, x, y: [
        either(b, "multiply", x[0], y[0]),
        either(b, "add", either(b, "multiply", x[0], y[1]), x[1])],
        each(factors, whole(etype)), exact_terms(etype))


def matrices(b):
    """2x2 matrices of integers."""
    etype = b.choose(INTEGERS)

    def body(b, x, y):
        def dot(i, j):
            return op(b, "add", op(b, "multiply", x[2 * i], y[j]),
                      op(b, "multiply", x[2 * i + 1], y[2 + j]))
        return [dot(i, j) for i in range(2) for j in range(2)]
    return Monoid("matrices", (etype,) * 4, (1, 0, 0, 1), body, each(*[integers(etype, -3, 3)] * 4))


def heisenberg(b):
    """Upper triangular 3x3 matrices with a diagonal of ones."""
    etype = b.choose((*INTEGERS, F64))
    return Monoid("heisenberg", (etype,) * 3, (0, 0, 0), lambda b, x, y: [
        either(b, "add", x[0], y[0]), either(b, "add", x[1], y[1]),
        op(b, "add", either(b, "add", x[2], y[2]), op(b, "multiply", x[0], y[1]))],
        each(*[whole(etype, 2)] * 3), 1 << 20)


def dihedral(b):
    """Turns and reflections: (s, r)(t, q) = (s xor t, r + (s ? -q : q))."""
    etype = b.choose(INTEGERS)
    return Monoid("dihedral", (BOOL, etype), (False, 0), lambda b, x, y: [
        either(b, "xor", x[0], y[0]),
        op(b, "add", x[1], choose(b, x[0], op(b, "subtract", filled(b, 0, y[1]), y[1]), y[1]))],
        each(flags(0.3), integers(etype)))


def arg_best(b):
    """Maximum or minimum with its index. Ties: the left operand, or the lower index."""
    etype = b.choose((*INTEGERS, *FLOATS, *FLOATS))
    index = b.choose((I32, I32, I64, U32))
    better, end = b.choose((("GT", 0), ("LT", 1)))
    edge = (-np.inf, np.inf)[end] if etype.is_float else builders.ml_info(etype)[end]
    by_index, nans = b.chance(0.5), etype.is_float and b.chance(0.8)
    largest = builders.ml_info(index)[1]

    def body(b, x, y):
        # The left one wins if it is better or NaN, and if it is equal.
        left = compare(b, better, x[0], y[0])
        if nans:
            left = either(b, "or", left, compare(b, "NE", x[0], x[0]))
        same = compare(b, "EQ", x[0], y[0])
        if by_index:
            same = either(b, "and", same, compare(b, "LT", x[1], y[1]))
        left_index = either(b, "or", left, same)
        return [choose(b, left if b.chance(0.5) and not etype.is_float else left_index, x[0], y[0]),
                choose(b, left_index, x[1], y[1])]
    if etype.is_float:
        values = picks(etype, *([np.nan] * (2 * nans)), 1.0, -1.0, 2.0, 0.0, -edge,
                       edge if by_index else 1.0)
    else:   # not the identity's value, beside which the index may be either one
        values = integers(etype, 1, b.choose((2, 4, 100)))

    def data(random, shape):
        count = int(np.prod(shape, dtype=np.int64))
        return [values(random, shape), np.arange(count).reshape(shape).astype(index.dtype)]
    return Monoid("arg_best", (etype, index), (edge, largest), body, data)


def lexicographic(b):
    """The larger pair with its payload; of equal pairs the left one."""
    etype, second, beside = b.choose(INTEGERS), b.choose(INTEGERS), b.choose((*INTEGERS, F32))
    low = (builders.ml_info(etype)[0], builders.ml_info(second)[0], 0)

    def body(b, x, y):
        larger = either(b, "or", compare(b, "GT", x[0], y[0]),
                        op(b, "and", compare(b, "EQ", x[0], y[0]),
                           compare(b, "GE", x[1], y[1])))
        return [choose(b, larger, p, q) for p, q in zip(x, y)]
    lowest = builders.ml_info(etype)[0] + 1
    return Monoid("lexicographic", (etype, second, beside), low, body,
                  each(integers(etype, lowest, lowest + 2), integers(second, 0, 2),
                       whole(beside, 90)))


def two_largest(b):
    etype = b.choose((*INTEGERS, F32, BF16))
    low = -np.inf if etype.is_float else builders.ml_info(etype)[0]

    def data(random, shape):
        x, y = (whole(etype, 9)(random, shape) for _ in range(2))
        return [np.maximum(x, y), np.minimum(x, y)]
    return Monoid("two_largest", (etype, etype), (low, low), lambda b, x, y: [
        either(b, "maximum", x[0], y[0]),
        op(b, "maximum", op(b, "minimum", x[0], y[0]), either(b, "maximum", x[1], y[1]))],
        data, commutes=True)


def bit_strings(b):
    """(length, bits), concatenated; drops the oldest bits."""
    etype = b.choose((U8, U16, U32, U64))

    def data(random, shape):
        length = random.integers(0, 4, shape)
        bits = random.integers(0, 8, shape) & ((1 << length) - 1)
        return [np.asarray(length).astype(etype.dtype), np.asarray(bits).astype(etype.dtype)]
    top = etype.bits
    return Monoid("bit_strings", (etype, etype), (0, 0), lambda b, x, y: [
        # Lengths stay at the width: longer shifts than that give 0 as well.
        op(b, "minimum", op(b, "add", x[0], y[0]), filled(b, top, x[0])),
        op(b, "or", op(b, "shift_left", x[1], y[0]), y[1])], data)


def overwrite(b):
    """(mask, bits): the right one's bits where its mask is set."""
    etype = b.choose(INTEGERS)

    def data(random, shape):
        mask, bits = (integers(etype)(random, shape) for _ in range(2))
        keep = integers(etype)(random, shape)
        return [mask & keep, bits & mask & keep]
    return Monoid("overwrite", (etype, etype), (0, 0), lambda b, x, y: [
        either(b, "or", x[0], y[0]),
        either(b, "or", op(b, "and", x[1], op(b, "not", y[0])), y[1])], data)


def brackets(b):
    """(closing, opening) ones that have no partner."""
    etype = b.choose((I32, I64, I16, F32))

    def body(b, x, y):
        matched = either(b, "minimum", x[1], y[0])
        return [op(b, "add", x[0], op(b, "subtract", y[0], matched)),
                op(b, "add", op(b, "subtract", x[1], matched), y[1])]
    return Monoid("brackets", (etype, etype), (0, 0), body,
                  each(*[picks(etype, 0, 0, 1, 2)] * 2), 8000)


def largest_run(b):
    """(sum, best start, best end, best anywhere) of the largest sum of neighbours."""
    etype = b.choose((I32, I64, F32, F64))

    def body(b, x, y):
        return [op(b, "add", x[0], y[0]),
                either(b, "maximum", x[1], op(b, "add", x[0], y[1])),
                either(b, "maximum", y[2], op(b, "add", x[2], y[0])),
                op(b, "maximum", either(b, "maximum", x[3], y[3]), op(b, "add", x[2], y[1]))]

    def data(random, shape):
        x = picks(etype, *range(-4, 5))(random, shape)
        return [x] + [np.maximum(x, 0)] * 3
    return Monoid("largest_run", (etype,) * 4, (0,) * 4, body, data, 1 << 20)


def runs(b):
    """(any, first, last, changes) of a sequence: how often neighbours differ."""
    etype, count = b.choose((I8, I32, U16, BOOL)), b.choose((I32, I64))

    def body(b, x, y):
        change = op(b, "and", op(b, "and", x[0], y[0]),
                    op(b, "xor", x[2], y[1]) if etype is BOOL else compare(b, "NE", x[2], y[1]))
        return [either(b, "or", x[0], y[0]), choose(b, x[0], x[1], y[1]),
                choose(b, y[0], y[2], x[2]),
                op(b, "add", op(b, "add", x[3], y[3]),
                   op(b, "convert", change, to=count))]

    def data(random, shape):
        present = random.random(shape) < 0.8
        x = random.integers(0, 2, shape) * present
        x = np.asarray(x).astype(etype.dtype)
        return [np.asarray(present), x, x.copy(), np.zeros(shape, count.dtype)]
    return Monoid("runs", (BOOL, etype, etype, count), (False, 0, 0, 0), body, data)


def saturating(b):
    """Sums of nonnegative numbers, saturating at a limit."""
    etype, limit = b.choose((I32, U16, F32, I8)), b.integer(3, 50)
    return Monoid("saturating", (etype,), (0,), lambda b, x, y: [
        op(b, "minimum", either(b, "add", x[0], y[0]), filled(b, limit, x[0]))],
        each(picks(etype, 0, 0, 0, 1, 2)), commutes=True)


# ---- made of others
def segmented(b):
    """A segmented monoid, which restarts at flags."""
    inner = draw(b, SIMPLE)

    def body(b, x, y):
        joined = inner.body(b, x[1:], y[1:])
        return [either(b, "or", x[0], y[0]),
                *(choose(b, y[0], v, w) for v, w in zip(y[1:], joined))]
    return Monoid(f"segmented {inner.name}", (BOOL, *inner.types), (False, *inner.identity),
                  body, lambda random, shape: [random.random(shape) < 0.1,
                                               *inner.data(random, shape)], inner.max_elements)


def opposite(b):
    inner = draw(b, SIMPLE)
    return dataclasses.replace(inner, name=f"opposite {inner.name}",
                               body=lambda b, x, y: inner.body(b, y, x))


def together(b):
    """The product of two monoids, with their scalars in any order."""
    first, second = draw(b, SIMPLE), draw(b, SIMPLE)
    types, identity = first.types + second.types, first.identity + second.identity
    if len({t for t in types if t.is_inexact}) > 1:
        raise Reject   # the built-in CPU refuses floats of several types
    order = [int(i) for i in b.random.permutation(len(types))]
    back = np.argsort(order)

    def permuted(items):
        return [items[i] for i in order]

    def body(b, x, y):
        x, y = [x[i] for i in back], [y[i] for i in back]
        n = len(first.types)
        return permuted(first.body(b, x[:n], y[:n]) + second.body(b, x[n:], y[n:]))
    return Monoid(f"{first.name} & {second.name}", tuple(permuted(types)),
                  tuple(permuted(identity)), body,
                  lambda random, shape: permuted(first.data(random, shape) +
                                                 second.data(random, shape)),
                  min(first.max_elements, second.max_elements), first.commutes and second.commutes)


SIMPLE = {plain: 3, nonzero: 2, last_nonzero: 2, affine: 3, matrices: 1, heisenberg: 1,
          dihedral: 1, arg_best: 3, lexicographic: 1, two_largest: 1, bit_strings: 1,
          overwrite: 1, brackets: 1, largest_run: 1, runs: 1, saturating: 1, transformations: 1}
ALL = {**SIMPLE, segmented: 2, opposite: 3, together: 4}


def draw(b, among=None, accept=lambda monoid: True):
    among = among or ALL
    weights = np.array(list(among.values()), float)
    for _ in range(30):
        monoid = list(among)[b.random.choice(len(among), p=weights / weights.sum())](b)
        if accept(monoid):
            return monoid
    raise Reject


def region(b, monoid, types=None):
    """The lines of a region that combines (left scalars, right scalars)."""
    count = len(monoid.types)
    arguments = [((), etype, value_range(etype)) for etype in monoid.types * 2]
    with b.block(arguments, captures=False) as (lines, args):
        b.finish(monoid.body(b, args[:count], args[count:]))
    return lines
