"""Elementwise operations: one result element from one element of each operand."""
import math

from . import types
from .ranges import EXACT, OF_SPECIAL, SPECIAL, Range, Reject, converted, product, rounded, union
from .types import BOOL

# Maximum error of an elementary function in units in the last place.
ULPS = 16


def monotone(function, slope, lowest=-math.inf, highest=math.inf):
    """Range rule of an increasing function; slope(range) bounds its derivative."""
    def rule(etype, r):
        if r.low - r.error < lowest or r.high + r.error > highest:
            raise Reject
        return rounded(etype, function(r.low), function(r.high), r.error * slope(r), None, ULPS)
    return rule


def bounded(slope=lambda r: 1.0):
    return lambda etype, r: rounded(etype, -1.0, 1.0, r.error * slope(r), None, ULPS)


def same(etype, r):
    return Range(-r.size, r.size, r.error, r.grid)


def to_whole(function):
    def rule(etype, r):
        if not r.exact or r.special:
            raise Reject
        return rounded(etype, function(r.low), function(r.high), 0.0, 0)
    return rule


def step(etype, r):
    if not r.exact:
        raise Reject
    return Range(-1.0, 1.0, 0.0, 0)


def absolute(etype, r):
    low = 0.0 if r.low <= 0 <= r.high else min(abs(r.low), abs(r.high))
    return Range(low, r.size, r.error, r.grid)


FLOAT_UNARY = {
    "abs": absolute,
    "negate": lambda etype, r: Range(-r.high, -r.low, r.error, r.grid),
    "sign": step,
    "floor": to_whole(math.floor),
    "ceil": to_whole(math.ceil),
    "round_nearest_afz": to_whole(lambda x: math.floor(x + 0.5) if x > 0 else math.ceil(x - 0.5)),
    "round_nearest_even": to_whole(round),
    "exponential": monotone(math.exp, lambda r: math.exp(r.high + r.error), -30, 12),
    "exponential_minus_one": monotone(math.expm1, lambda r: math.exp(r.high + r.error), -30, 12),
    "log": monotone(lambda x: math.log(max(x, 1e-3)), lambda r: 1 / (r.low - r.error), 1e-3),
    "log_plus_one": monotone(lambda x: math.log1p(x), lambda r: 1 / (1 + r.low - r.error), -0.95),
    "logistic": monotone(lambda x: 1 / (1 + math.exp(-x)), lambda r: 0.25, -30, 30),
    "sqrt": monotone(math.sqrt, lambda r: 0.5 / math.sqrt(r.low - r.error), 1e-3),
    "rsqrt": lambda etype, r: decreasing(etype, r, lambda x: 1 / math.sqrt(x),
                                      lambda low: 0.5 * low ** -1.5, 1e-2),
    "cbrt": monotone(lambda x: math.copysign(abs(x) ** (1 / 3), x),
                     lambda r: (r.low - r.error) ** (-2 / 3) / 3, 1e-3),
    "sine": bounded(), "cosine": bounded(), "tanh": bounded(),
    "tan": monotone(math.tan, lambda r: 4.0, -1.0, 1.0),
}


def decreasing(etype, r, function, slope, lowest):
    low = r.low - r.error
    if low < lowest:
        raise Reject
    return rounded(etype, function(r.high), function(r.low), r.error * slope(low), None, ULPS)


COMPLEX_UNARY = {
    "negate": lambda etype, r: same(etype, r),
    "exponential": lambda etype, r: complex_bound(etype, r, math.exp, 6.0),
    "sine": lambda etype, r: complex_bound(etype, r, math.cosh, 6.0),
    "cosine": lambda etype, r: complex_bound(etype, r, math.cosh, 6.0),
}


def complex_bound(etype, r, function, limit):
    if r.size > limit:
        raise Reject
    bound = function(r.size)
    return rounded(etype, -bound, bound, r.error * bound * 1.5, None, 2 * ULPS)


INTEGER_UNARY = ("abs", "negate", "sign", "not", "popcnt", "count_leading_zeros")
INTEGER_BINARY = ("add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum",
                  "and", "or", "xor", "shift_left", "shift_right_arithmetic",
                  "shift_right_logical")
BOOL_BINARY = ("and", "or", "xor", "maximum", "minimum")


def unary(b):
    x = b.pick(lambda v: not v.range.special)
    if x.type.kind == "float":
        op = b.choose(FLOAT_UNARY)
        result = FLOAT_UNARY[op](x.type, x.range)
    elif x.type.kind == "complex":
        op = b.choose(COMPLEX_UNARY)
        result = COMPLEX_UNARY[op](x.type, x.range)
    else:
        op, result = "not", EXACT
        if x.type is not BOOL:
            # The built-in CPU counts the bits of 8-bit values in types narrower than that, and
            # takes x * x as not negative.
            op = b.choose([o for o in INTEGER_UNARY if
                           (o != "abs" or x.op != "multiply") and
                           (x.type.signed or o not in ("abs", "negate", "sign")) and
                           (x.type.bits >= 8 or o not in ("popcnt", "count_leading_zeros"))])
    b.one(op, [x], x.shape, x.type, result)


def binary(b):
    x = b.pick(lambda v: not v.range.special)
    y = b.value(x.shape, x.type)
    if b.chance(0.5):
        x, y = y, x
    if x.type is BOOL:
        return b.one(b.choose(BOOL_BINARY), [x, y], x.shape, BOOL)
    if x.type.kind == "int":
        op = b.choose(INTEGER_BINARY)
        if op in ("divide", "remainder") and y.op in ("constant", "broadcast_in_dim"):
            raise Reject   # the built-in CPU's compiler divides constants by zero and dies
        return b.one(op, [x, y], x.shape, x.type)
    p, q = x.range, y.range
    op = b.choose(("add", "subtract", "multiply", "divide") if x.type.kind == "complex" else
                  ("add", "subtract", "multiply", "maximum", "minimum", "divide", "atan2",
                   "remainder", "power"))
    grid = None if p.grid is None or q.grid is None else min(p.grid, q.grid)
    if op == "add":
        value_range = rounded(x.type, p.low + q.low, p.high + q.high, p.error + q.error, grid)
    elif op == "subtract":
        value_range = rounded(x.type, p.low - q.high, p.high - q.low, p.error + q.error, grid)
    elif op == "multiply":
        value_range = product(x.type, p, q)
    elif op in ("maximum", "minimum"):
        f = max if op == "maximum" else min
        value_range = Range(f(p.low, q.low), f(p.high, q.high), max(p.error, q.error), grid)
    elif op == "divide":
        value_range = divide(x.type, p, q)
    elif op == "remainder":
        value_range = remainder(b, x, y)
    elif op == "power":
        value_range = power(x.type, p, q)
    elif op == "atan2":
        low = q.low - q.error
        if low < 0.1:
            raise Reject
        value_range = rounded(x.type, -1.5708, 1.5708, (p.error + q.error) / low, None, ULPS)
    b.one(op, [x, y], x.shape, x.type, value_range)


EXACT_UNARY = ("abs", "negate", "sign", "floor", "ceil", "round_nearest_afz",
               "round_nearest_even")
EXACT_BINARY = ("add", "subtract", "multiply", "maximum", "minimum")


def special(b):
    """Operations on NaNs, infinities and zeros of both signs."""
    def is_special(v):
        return v.range == SPECIAL
    x = b.pick(is_special)
    others = [v for v in b.pool if is_special(v) and v.shape == x.shape and v.type is x.type]
    if others and b.chance(0.7):
        y = b.choose(others)
    else:
        y = b.one("reverse", [x], x.shape, x.type, SPECIAL, "dimensions = array<i64: "
                  f"{len(x.shape) - 1}>") if x.shape else x
    kind = b.choose(("unary", "unary", "binary", "binary", "compare", "convert", "clamp"))
    if kind == "unary":
        op = b.choose(FLOAT_UNARY)
        b.one(op, [x], x.shape, x.type, SPECIAL if op in EXACT_UNARY else OF_SPECIAL)
    elif kind == "binary":
        op = b.choose((*EXACT_BINARY, *EXACT_BINARY, "divide", "power", "atan2", "remainder"))
        b.one(op, [x, y], x.shape, x.type, SPECIAL if op in EXACT_BINARY else OF_SPECIAL)
    elif kind == "compare":
        comparison(b, x, y)
    elif kind == "clamp":
        b.one("clamp", [x, y, x], x.shape, x.type, SPECIAL)
    else:
        to = b.new_type([t for t in types.WEIGHTS if t in types.FLOATS or
                         t.kind == "int" and t.bits >= 8])
        b.one("convert", [x], x.shape, to, SPECIAL if to.is_float else EXACT)


def integer_power(b):
    """The built-in CPU looks at six bits of the exponent only."""
    x = b.pick(lambda v: v.type.kind == "int" and v.type.bits >= 4)
    largest = 15 if x.type.bits > 4 else 7
    y = b.value(x.shape, x.type, lambda v: v.range.low >= 0 and v.range.high <= largest, low=0,
                high=largest)
    b.one("power", [x, y], x.shape, x.type)


def divide(etype, p, q):
    if etype.kind == "complex":
        raise Reject   # the modulus has no lower bound here; complex_divide makes one
    nearest = min(abs(q.low), abs(q.high)) - q.error
    if q.low <= 0 <= q.high or nearest < 0.05:
        raise Reject
    bound = p.size / nearest
    return rounded(etype, -bound, bound, p.error / nearest + q.error * bound / nearest, None, 3)


def remainder(b, x, y):
    p, q = x.range, y.range
    if not (p.exact and q.exact) or q.low <= 0 <= q.high or x.type.bits < 32:
        raise Reject
    if p.grid is None or q.grid is None:
        raise Reject   # the remainder jumps where the quotient is rounded
    return rounded(x.type, -q.size, q.size, 0.0, min(p.grid, q.grid))


def power(etype, p, q):
    if p.low - p.error < 0.1 or p.high > 8 or q.size > 4 or etype.is_narrow:
        raise Reject
    bound = max(p.high, 1 / p.low) ** q.size
    slope = bound * (q.size / p.low * p.error + 3.0 * q.error)
    return rounded(etype, 0.0, bound, slope, None, 4 * ULPS)


def guarded_divide(b):
    """x / (|y| + 1), also for complex numbers."""
    x = b.pick(lambda v: v.type.is_inexact and not v.range.special and not v.type.is_narrow)
    y = b.value(x.shape, x.type)
    part = x.type if x.type.is_float else types.part_of(x.type)
    value_range = absolute(part, y.range) if x.type.is_float else \
        rounded(part, 0.0, y.range.size, y.range.error, None, ULPS)
    size = b.one("abs", [y], y.shape, part, value_range)
    one = b.value(y.shape, part, lambda v: v.range.low >= 1, low=1, high=3, flavor="whole")
    low = size.range.low + one.range.low
    bottom = b.one("add", [size, one], y.shape, part, rounded(
        part, low, size.range.high + one.range.high, size.range.error + one.range.error,
        None if size.range.grid is None or one.range.grid is None else
        min(size.range.grid, one.range.grid)))
    if x.type.is_float:
        return b.one("divide", [x, bottom], x.shape, x.type,
                     divide(x.type, x.range, bottom.range))
    bottom = b.one("complex", [bottom, bottom], x.shape, x.type, rounded(
        x.type, -2 * bottom.range.size, 2 * bottom.range.size, 2 * bottom.range.error,
        bottom.range.grid))
    bound = x.range.size / low
    b.one("divide", [x, bottom], x.shape, x.type, rounded(
        x.type, -bound, bound, x.range.error / low + bottom.range.error * bound / low, None, 8))


def guarded_unary(b):
    """log, sqrt and the like of |x| + 1."""
    x = b.pick(lambda v: v.type.is_float and not v.range.special and not v.type.is_narrow)
    size = b.one("abs", [x], x.shape, x.type, absolute(x.type, x.range))
    one = b.value(x.shape, x.type, lambda v: v.range.low >= 1, low=1, high=3, flavor="whole")
    moved = b.one("add", [size, one], x.shape, x.type, rounded(
        x.type, size.range.low + one.range.low, size.range.high + one.range.high,
        size.range.error + one.range.error))
    op = b.choose(("log", "sqrt", "rsqrt", "cbrt", "log_plus_one"))
    b.one(op, [moved], x.shape, x.type, FLOAT_UNARY[op](x.type, moved.range))


def squash(b):
    """Brings a large value back to small ones, exactly (clamp) or not (tanh)."""
    x = b.pick(lambda v: v.type.is_float and not v.range.special and v.range.size > 16)
    if b.chance(0.3) and not x.type.is_narrow:
        return b.one("tanh", [x], x.shape, x.type, FLOAT_UNARY["tanh"](x.type, x.range))
    clamp_value(b, x)


def clamp(b):
    clamp_value(b, b.pick(lambda v: v.type.kind in ("int", "float") and not v.range.special))


def clamp_value(b, x):
    shape = () if b.chance(0.5) else x.shape
    if x.type.kind == "int":
        ends = [b.value(shape, x.type) for _ in range(2)]
        return b.one("clamp", [ends[0], x, ends[1]], x.shape, x.type)
    low = b.value(shape, x.type, lambda v: v.range.exact and v.range.size <= 9,
                  low=-3, high=0, flavor="whole")
    high = b.value(shape, x.type, lambda v: v.range.exact and v.range.size <= 9,
                   low=0, high=4, flavor="whole")
    r = union(low.range, x.range, high.range)
    ends = min(low.range.low, high.range.low), max(low.range.high, high.range.high)
    return b.one("clamp", [low, x, high], x.shape, x.type,
                 Range(ends[0], ends[1], r.error, r.grid))


def compare(b):
    x = b.pick(lambda v: v.range.exact and not v.range.special)
    comparison(b, x, b.value(x.shape, x.type, lambda v: v.range.exact))


def comparison(b, x, y):
    directions = ("EQ", "NE") if x.type.kind == "complex" else \
        ("EQ", "NE", "LT", "LE", "GT", "GE")
    kind = "FLOAT" if x.type.is_inexact else \
        "SIGNED" if x.type.signed else "UNSIGNED"
    b.one("compare", [x, y], x.shape, BOOL, EXACT,
          f"comparison_direction = #stablehlo<comparison_direction {b.choose(directions)}>, "
          f"compare_type = #stablehlo<comparison_type {kind}>")


def select(b):
    x = b.pick()
    y = b.value(x.shape, x.type)
    scalar = b.chance(0.2)
    condition = b.value(() if scalar else x.shape, BOOL)
    b.one("select", [condition, x, y], x.shape, x.type, union(x.range, y.range))


def convert(b):
    x = b.pick(lambda v: not v.range.special)
    to = b.new_type()
    value_range = EXACT
    if x.type.kind == "complex" and to.kind != "complex":
        raise Reject
    source = x.range
    if x.type.kind in ("int", "bool"):
        low, high = (0, 1) if x.type is BOOL else \
            (-2.0 ** (x.type.bits - 1), 2.0 ** (x.type.bits - 1)) if x.type.signed else \
            (0, 2.0 ** x.type.bits)
        if math.isfinite(x.range.size):
            low, high = x.range.low, x.range.high
        source = Range(low, high, 0.0, 0)
    elif not to.is_inexact:
        if not source.exact:
            raise Reject
    if to.is_inexact:
        value_range = converted(x.type, to, source)
    elif to.kind == "int" and x.type.kind == "float":
        # Saturates, because the built-in CPU's conversion to narrow integers differs.
        bound = 2.0 ** (to.bits - to.signed)
        if source.low < (-bound if to.signed else -0.99) or source.high > bound - 1:
            raise Reject
    b.one("convert", [x], x.shape, to, value_range)


def bitcast_convert(b):
    x = b.pick(lambda v: v.range.bits and v.type.bits >= 8 and v.type is not BOOL)
    kinds = [t for t in types.ALL if t.kind in ("int", "float") and t.bits >= 8 and
             not t.is_narrow and t is not x.type]
    to = b.choose(kinds)
    if x.type.kind == "complex" or x.type.is_narrow:
        raise Reject
    if to.bits == x.type.bits:
        shape = x.shape
    elif to.bits < x.type.bits:
        shape = (*x.shape, x.type.bits // to.bits)
    elif x.shape and x.shape[-1] == to.bits // x.type.bits:
        shape = x.shape[:-1]
    else:
        raise Reject
    value_range = EXACT if to.kind == "int" else Range(special=True)
    if to.kind == "int" and x.type.kind == "float" and x.range.special:
        raise Reject   # the bits of NaN results are unspecified
    b.one("bitcast_convert", [x], shape, to, value_range)


def is_finite(b):
    x = b.pick(lambda v: v.type.is_float and (v.range.special or not v.type.is_narrow))
    b.one("is_finite", [x], x.shape, BOOL)


def complex_parts(b):
    if b.chance(0.5):
        x = b.pick(lambda v: v.type.kind == "complex")
        part = types.part_of(x.type)
        if b.chance(0.2):
            return b.one("abs", [x], x.shape, part, rounded(
                part, 0.0, x.range.size, x.range.error, None, ULPS))
        return b.one(b.choose(("real", "imag")), [x], x.shape, part,
                     Range(-x.range.size, x.range.size, x.range.error, x.range.grid,
                           x.range.bits))
    x = b.pick(lambda v: v.type in (types.F32, types.F64) and not v.range.special)
    y = b.value(x.shape, x.type)
    size = x.range.size + y.range.size
    value_range = union(x.range, y.range)
    b.one("complex", [x, y], x.shape, types.complex_of(x.type),
          Range(-size, size, 2 * value_range.error, value_range.grid, value_range.bits))


def reduce_precision(b):
    x = b.pick(lambda v: v.type in types.FLOATS and not v.range.special)
    exponent, mantissa = b.choose(((5, 10), (8, 7), (8, 3), (5, 2), (4, 4), (8, 23)))
    if x.range.size > 2 ** (2 ** (exponent - 1) - 1):
        raise Reject
    unit, smallest = 2.0 ** -(mantissa + 1), 2.0 ** (3 - 2 ** (exponent - 1))
    exact = x.range.exact and x.range.grid is not None and 2.0 ** x.range.grid >= smallest and \
        x.range.size <= 2.0 ** (mantissa + 1 + x.range.grid)
    error = x.range.error + (0 if exact else 2 * x.range.size * unit + smallest)
    b.one("reduce_precision", [x], x.shape, x.type,
          Range(x.range.low * (1 + unit) if x.range.low < 0 else x.range.low * (1 - unit),
                x.range.high * (1 + unit), error, x.range.grid if exact else None),
          f"exponent_bits = {exponent} : i32, mantissa_bits = {mantissa} : i32")


def map_op(b):
    """stablehlo.map with a body of two operations."""
    x = b.pick(lambda v: v.type.kind in ("int", "float") and not v.range.special and v.shape)
    y = b.value(x.shape, x.type)
    value_range = EXACT
    if x.type.is_float:
        total = rounded(x.type, x.range.low + y.range.low, x.range.high + y.range.high,
                        x.range.error + y.range.error,
                        None if None in (x.range.grid, y.range.grid) else
                        min(x.range.grid, y.range.grid))
        value_range = union(total, y.range)
    with b.block([((), x.type, x.range), ((), x.type, y.range)], captures=False) as (lines, args):
        total = b.one("add", args, (), x.type)
        b.finish([b.one("maximum", [total, args[1]], (), x.type)])
    b.one("map", [x, y], x.shape, x.type, value_range.without_bits(),
          f"dimensions = array<i64: {', '.join(map(str, range(len(x.shape))))}>", [lines])


OPS = {unary: 18, binary: 18, guarded_divide: 3, guarded_unary: 5, squash: 4, special: 4,
       integer_power: 1, clamp: 2,
       compare: 5, select: 5, convert: 8, bitcast_convert: 3, is_finite: 0.5, complex_parts: 3,
       reduce_precision: 0.7, map_op: 0.5}
