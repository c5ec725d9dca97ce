"""Programs whose operations each round once, so that one result is correct, bit by bit.

Arithmetic on special values, extremes and ties, mostly of 16-bit types, also carried through
loops. In f32 and f64 no addition uses a product, because the two may be contracted.
"""
import numpy as np

from . import monoids, scalars
from .builder import ml_info
from .monoids import choose, compare, value_range, number, op
from .ops_reduce import window_attributes
from .ops_shape import array_attr
from .ranges import ANY, EXACT, SPECIAL, Reject
from .types import BF16, C64, F16, F32, F64, I8, I32, NARROW, WEIGHTS

UNARY = ("abs", "negate", "sign", "floor", "ceil", "round_nearest_afz", "round_nearest_even",
         "sqrt")
BINARY = ("add", "add", "add", "subtract", "subtract", "subtract", "multiply", "multiply",
          "divide", "maximum", "minimum")
MOVES = ("negate", "abs", "reverse", "select", "broadcast_in_dim", "clamp", "maximum", "minimum")


class Elements:
    """Values of one shape, by type, in one block."""

    def __init__(self, b, shape, values):
        self.b, self.shape, self.values = b, shape, list(values)
        # Names of values that are products or quotients, or moved ones.
        self.products, self.quotients = b.products, b.quotients

    def values_of(self, etype):
        found = [v for v in self.values if v.type is etype]
        return self.b.choose(found[-4:] if self.b.chance(0.6) else found) if found else None

    def add(self, value):
        self.values.append(value)
        return value

    def unfused(self, value):
        """A value other than a product that an addition may be contracted with."""
        if value.name in self.products:
            raise Reject
        return value

    def step(self, types):
        b = self.b
        etype = b.choose(types)
        x, y = self.values_of(etype), self.values_of(etype)
        if x is None:
            raise Reject
        kind = b.random.choice(["binary", "unary", "select", "convert", "clamp", "reverse",
                                "precision", "constant"],
                               p=[.5, .15, .1, .12, .03, .04, .03, .03])
        if kind == "binary":
            name = b.choose(BINARY)
            if name in ("add", "subtract") and etype in (F32, F64):
                self.unfused(x), self.unfused(y)
            if name in ("add", "subtract") and etype is F16 and self.products & {x.name, y.name}:
                b.faults.append("one rounding of f16 products and sums")
            # The built-in CPU multiplies by the reciprocal of a constant, and makes one
            # division of two and of one by a root.
            if name == "divide" and (y.op in ("constant", "broadcast_in_dim") or
                                     self.quotients & {x.name, y.name}):
                raise Reject
            result = op(b, name, x, y)
            if name == "multiply":
                self.products.add(result.name)
            elif name == "divide":
                self.quotients.add(result.name)
        elif kind == "unary":
            result = op(b, b.choose(UNARY), x)
            if result.op == "sqrt" and x.name in self.products:
                b.faults.append("the root of a square")
            if result.op == "sqrt":
                self.quotients.add(result.name)
        elif kind == "select":
            condition = compare(b, b.choose(("LT", "LE", "GT", "GE", "EQ", "NE")),
                                self.values_of(etype), self.values_of(etype))
            result = choose(b, condition, x, y)
        elif kind == "convert":
            to = b.choose(types)
            if to is etype:
                raise Reject
            result = b.one("convert", [x], self.shape, to, value_range(to))
        elif kind == "clamp":
            low, high = sorted((b.choose((-2.0, 0.0, 1.0)), b.choose((0.5, 3.0, 100.0))))
            result = b.one("clamp", [number(b, low, etype), x, number(b, high, etype)], self.shape,
                           etype, value_range(etype))
        elif kind == "reverse":
            if not self.shape:
                raise Reject
            result = b.one("reverse", [x], self.shape, etype, value_range(etype),
                           array_attr("dimensions", [b.integer(0, len(self.shape) - 1)]))
        elif kind == "precision":
            if etype.bits < 16:
                raise Reject
            exponent, mantissa = b.choose(((5, 10), (8, 7), (8, 3), (5, 2)))
            result = b.one("reduce_precision", [x], self.shape, etype, value_range(etype),
                           f"exponent_bits = {exponent} : i32, mantissa_bits = {mantissa} : i32")
        else:
            result = monoids.filled(b, b.choose((0.1, 3.0, 1.0, 256.0, -0.0, 1e-3, 7.0)), x)
        if result.op in MOVES:
            for names in (self.products, self.quotients):
                if names & {x.name, y.name}:
                    names.add(result.name)
        self.add(result)

    def grow(self, types, count):
        for _ in range(6 * count):
            if count <= 0:
                return
            try:
                with self.b.attempt():
                    self.step(types)
                count -= 1
            except Reject:
                pass


def data(b, shape, etype):
    flavor = b.choose(("special", "near", "near", "wide", "bits"))
    if flavor == "special" or etype.is_narrow:
        return scalars.special(b.random, shape, etype) if not etype.is_narrow else \
            scalars.any_bits(b.random, shape, etype)
    if flavor == "bits":
        return normal(scalars.any_bits(b.random, shape, etype), etype)
    if flavor == "near":
        return np.asarray(1 + b.random.random(shape)).astype(etype.dtype)
    return np.asarray(np.exp2(b.random.uniform(-8, 8, shape)) *
                      b.random.choice([-1, 1], shape)).astype(etype.dtype)


def normal(array, etype):
    """Values without denormals, which conversions to wider types may keep or flush."""
    with np.errstate(all="ignore"):
        small = np.abs(array.astype(np.float64)) < etype.smallest
    return np.where(small, np.zeros((), etype.dtype), array)


def kinds(b):
    return b.choose(((BF16,), (F16,), (BF16, F32), (F16, F32), (BF16, F16), (F32,), (F64,),
                     (F32, F64), (BF16, F32, F64), (F16, BF16, F32, F64),
                     (b.choose(NARROW), F32), (b.choose(NARROW), BF16)))


def chain(b):
    types = kinds(b)
    if types[0].is_narrow:
        b.faults.append("zeros of narrow types")
    shape = b.new_shape(rank=b.integer(0, 3))
    elements = Elements(b, shape, [b.given(data(b, shape, etype), etype) for etype in types
                                   for _ in range(b.integer(1, 2))])
    elements.grow(types, b.integer(2, 25))


def loop(b, limit, carried, body):
    """while i < limit: carried = body(i, carried)."""
    zero, top = number(b, 0, I32), b.given(np.array(limit, np.int32), I32) \
        if b.chance(0.5) else number(b, limit, I32)
    initial = [zero, *carried]
    arguments = [(v.shape, v.type, v.range) for v in initial]
    with b.block(arguments) as (condition, args):
        b.finish([compare(b, "LT", args[0], top)])
    with b.block(arguments) as (lines, args):
        following = [op(b, "add", args[0], number(b, 1, I32)), *body(args[0], args[1:])]
        b.finish(following)
    return b.emit("while", initial, [(v.shape, v.type, value_range(v.type)) for v in initial],
                  regions=[condition, lines])[1:]


def carried(b):
    """A chain inside a loop: carried values are rounded like all others."""
    types = kinds(b)
    if types[0].is_narrow:
        b.faults.append("zeros of narrow types")
    shape = b.new_shape(rank=b.integer(0, 2), limit=500)
    values = [b.given(data(b, shape, etype), etype)
              for etype in types for _ in range(b.integer(1, 2))]

    def body(i, args):
        b.products.update(a.name for a in args)   # may be any of them
        b.quotients.update(a.name for a in args)
        elements = Elements(b, shape, args)
        elements.grow(types, b.integer(2, 10))
        return [b.choose([v for v in elements.values if v.type is a.type][-4:]) for a in args]
    loop(b, b.choose((1, 2, 3, 8, 30)), values, body)


def compensated(b):
    """Kahan's sum, or Knuth's two-sum, along an axis."""
    etype = b.choose((BF16, F16, F32, F64))
    count, width = b.choose((3, 40, 300)), b.choose((1, 3, 16, 70))
    x = b.given(np.asarray(b.random.random((count, width))).astype(etype.dtype), etype)
    zeros = b.given(np.zeros(width, etype.dtype), etype)
    knuth = b.chance(0.5)

    def body(i, args):
        total, rest = args
        row = b.one("dynamic_slice", [x, i, number(b, 0, I32)], (1, width), etype,
                    value_range(etype), array_attr("slice_sizes", (1, width)))
        row = b.one("reshape", [row], (width,), etype, value_range(etype))
        if not knuth:
            term = op(b, "subtract", row, rest)
            new = op(b, "add", total, term)
            return [new, op(b, "subtract", op(b, "subtract", new, total), term)]
        new = op(b, "add", total, row)
        part = op(b, "subtract", new, total)
        error = op(b, "add", op(b, "subtract", total, op(b, "subtract", new, part)),
                   op(b, "subtract", row, part))
        return [new, op(b, "add", rest, error)]
    loop(b, count, [zeros, zeros], body)


def converts(b):
    """Conversions between any two types, of any values."""
    kinds = [t for t in WEIGHTS if t.kind in ("int", "float") and t.bits >= 8]
    etype, to = b.choose(kinds), b.choose(kinds)
    shape = b.new_shape(rank=b.integer(1, 2), limit=2000)
    x = scalars.any_bits(b.random, shape, etype)
    if etype.is_float:
        x = normal(x, etype)
    x = b.given(x, etype)
    y = b.one("convert", [x], shape, to, value_range(to))
    if b.chance(0.5):
        back = b.choose(kinds)
        b.one("convert", [y], shape, back, value_range(back))


def integers(b):
    """Integer arithmetic on extremes, division and remainder included."""
    etype = b.choose(monoids.INTEGERS)
    shape = b.new_shape(rank=b.integer(0, 2), limit=1000)
    low, high = ml_info(etype)
    edges = np.array([low, low + 1, -1 if etype.signed else 2, 0, 1, 2, etype.bits - 1, etype.bits,
                      high - 1, high], object)
    values = [b.given(np.asarray(b.random.choice(edges, shape)).astype(
        np.uint64 if high > 2 ** 63 - 1 else np.int64).astype(etype.dtype), etype)
        for _ in range(2)]
    for _ in range(b.integer(1, 10)):
        x, y = b.choose(values), b.choose(values)
        name = b.choose(("divide", "remainder", "multiply", "shift_left", "shift_right_logical",
                         "shift_right_arithmetic", "subtract", "popcnt", "count_leading_zeros",
                         "sign", "abs", "compare"))
        if name in ("sign", "abs") and (not etype.signed or x.op == "multiply"):
            continue
        if name == "compare":
            flag = compare(b, b.choose(("LT", "GE", "EQ")), x, y)
            values.append(choose(b, flag, x, y))
        elif name in ("popcnt", "count_leading_zeros", "sign", "abs"):
            values.append(op(b, name, x))
        else:
            values.append(op(b, name, x, y))


def sums(b):
    """Sums of integers too large for the type: exact in f32, rounded once when stored.

    The sums have all forms of bodies, alone or with other operands, in reductions, windows and
    products.
    """
    etype = b.choose((BF16, F16))
    shape = b.choose(((700,), (3000,), (40, 33), (5, 1000), (1000, 5), (3, 300, 7), (20000,)))
    largest = b.choose((1, 3, 8))
    if etype is F16:
        largest = 1 if np.prod(shape) > 8000 else min(largest, 3)   # of at largest 65504
    x = b.random.integers(0 if b.chance(0.5) else -largest, largest, shape, endpoint=True)
    value = b.given(x.astype(etype.dtype), etype)
    axis = b.integer(0, len(shape) - 1)
    if b.chance(0.2):
        return product_sums(b, etype, x, value)
    form = b.choose(("bare", "turned", "capped", "pair", "pair"))
    operands, count = [value], 1
    if form == "pair":
        operands, count = [value, value], 2
    initial = [number(b, v, etype) for v in ((0, -np.inf) if count == 2 else (0,))]
    with b.block([((), etype, value_range(etype))] * 2 * count, captures=False) as (lines, args):
        total = op(b, "add", args[count], args[0]) if form == "turned" else \
            op(b, "add", args[0], args[count])
        if form == "capped":
            total = op(b, "maximum", total, number(b, -np.inf, etype))
        b.finish([total] + ([op(b, "maximum", args[1], args[3])] if count == 2 else []))
    kind = b.choose(("reduce", "prefix", "suffix", "sliding"))
    size = shape[axis]
    if kind == "reduce":
        results = b.emit("reduce", operands + initial,
                         [(np.delete(shape, axis), etype, ANY)] * count,
                         array_attr("dimensions", [axis]), [lines])
        exact = x.sum(axis)
    else:
        if x.size * size > 3e6:
            raise Reject
        width = size if kind != "sliding" else b.integer(1, min(size, 400))
        plan = [[1] * len(shape) for _ in range(4)] + [[[0, 0] for _ in shape]]
        plan[0][axis] = width
        plan[4][axis] = [0, width - 1] if kind == "suffix" else [width - 1, 0]
        results = b.emit("reduce_window", operands + initial, [(shape, etype, ANY)] * count,
                         window_attributes(plan), [lines])
        moved = np.flip(x, axis) if kind == "suffix" else x
        exact = np.cumsum(moved, axis)
        before = np.take(exact, np.arange(size - width), axis)
        padding = [(0, 0)] * len(shape)
        padding[axis] = (width, 0)
        exact = exact - np.pad(before, padding)
        exact = np.flip(exact, axis) if kind == "suffix" else exact
    b.expected[results[0].name] = exact.astype(np.float32).astype(etype.dtype)


def product_sums(b, etype, x, value):
    rows = x.reshape(-1, x.shape[-1])
    matrix = b.one("reshape", [value], rows.shape, etype, value.range)
    factor = b.random.integers(-1, 1, (rows.shape[1], b.choose((1, 7, 32))), endpoint=True)
    other = b.given(factor.astype(etype.dtype), etype)
    result = b.one("dot_general", [matrix, other], (rows.shape[0], factor.shape[1]), etype, ANY,
                   "dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], "
                   "rhs_contracting_dimensions = [0]>")
    b.expected[result.name] = (rows @ factor).astype(np.float32).astype(etype.dtype)


def special_products(b):
    """Products of matrices with few infinities and NaNs, which show padding of tiles or skipped
    elements."""
    etype = b.choose((F32, F32, BF16, F16, F64, C64, I32, I8))
    sizes = [b.choose((1, 2, 3, 7, 8, 16, 17, 31, 33, 64, 65, 100)) for _ in range(3)]
    batch = [b.choose((1, 2, 5))] if b.chance(0.4) else []
    m, k, n = sizes
    turned_lhs, turned_rhs = b.chance(0.4), b.chance(0.4)
    shapes = [batch + ([k, m] if turned_lhs else [m, k]),
              batch + ([n, k] if turned_rhs else [k, n])]
    values = []
    for shape in shapes:
        x = b.random.integers(-2, 2, shape, endpoint=True).astype(etype.dtype)
        if etype.is_float:
            places = b.random.random(shape) < b.choose((0.0, 0.003, 0.03))
            x = np.where(places, monoids.picks(etype, np.inf, -np.inf, np.nan)(b.random, shape), x)
        values.append(b.given(np.asarray(x).astype(etype.dtype), etype))
    contracting = [len(batch) + int(turned) for turned in (not turned_lhs, turned_rhs)]
    numbers = "lhs_contracting_dimensions = [%d], rhs_contracting_dimensions = [%d]" % (
        contracting[0], contracting[1])
    if batch:
        numbers = "lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], " + numbers
    result = b.one("dot_general", values, batch + [m, n], etype,
                   SPECIAL if etype.is_inexact else EXACT,
                   f"dot_dimension_numbers = #stablehlo.dot<{numbers}>")
    if etype.is_float and b.chance(0.4):   # operations on the accumulators
        b.one("maximum", [result, monoids.filled(b, 0.0, result)], result.shape, etype, SPECIAL)


PROGRAMS = {chain: 8, carried: 3, compensated: 1, converts: 2, integers: 1.5, sums: 1.5,
            special_products: 1.5}
