"""Reductions: reduce, reduce_window, select_and_scatter."""
import math

import numpy as np

from . import builder as builders
from . import types
from .ops_shape import array_attr
from .ranges import EXACT, Range, Reject, product, sum_of, union
from .types import BOOL, I32, COMPLEX, tensor


def reducer(b, x, count):
    """(operation, identity, range of the result) for reducing `count` values of x."""
    etype, r = x.type, x.range
    if etype is BOOL:
        op = b.choose(("and", "or", "xor"))
        return op, op == "and", EXACT
    if etype.kind == "int":
        low, high = builders.ml_info(etype)
        op, identity = b.choose((("add", 0), ("add", 0), ("multiply", 1), ("maximum", low),
                                 ("minimum", high), ("and", -1 if etype.signed else high),
                                 ("or", 0), ("xor", 0)))
        return op, identity, EXACT
    op = b.choose(("add", "add", "multiply") if etype.kind == "complex" else
                  ("add", "add", "add", "multiply", "maximum", "minimum"))
    if op == "add":
        return op, 0, sum_of(etype, r, count)
    if op == "multiply":
        result = Range(1.0, 1.0, 0.0, 0)
        if count > 12 or etype.is_narrow:
            raise Reject
        for _ in range(count):
            result = union(result, product(etype, result, r))
        return op, 1, result
    big = 2.0 if etype.bits == 4 else math.inf if np.isinf(np.array(np.inf).astype(etype.dtype)) \
        else 16.0
    if count == 0 or big < r.size:
        raise Reject
    return op, -big if op == "maximum" else big, r.without_bits()


def reduced(b, shape, dims):
    return [s for i, s in enumerate(shape) if i not in dims], \
        int(np.prod([shape[i] for i in dims], dtype=np.int64))


def reduce_dims(b, rank):
    return sorted(int(i) for i in b.random.choice(rank, b.integer(1, rank), replace=False))


def reduce(b):
    x = b.pick(lambda v: v.shape and not v.range.special)
    dims = reduce_dims(b, len(x.shape))
    shape, count = reduced(b, x.shape, dims)
    attributes = array_attr("dimensions", dims)
    if b.chance(0.2):
        return variadic(b, x, dims, shape, count, attributes)
    op, identity, value_range = reducer(b, x, count)
    initial = b.constant(np.array(identity), x.type)
    # Other initial values may count several times, as on the built-in CPU.
    if b.chance(0.15) and op in ("maximum", "minimum", "or", "and") and count > 1:
        initial = b.value((), x.type, lambda v: v.range.exact)
        if x.type.is_inexact:
            value_range = union(value_range, initial.range)
    b.one("reduce", [x, initial], shape, x.type, value_range, attributes,
          [b.combiner(op, x.type)])


def beside(etype):
    """Types that may be combined with one; the built-in CPU rejects several float types."""
    return [t for t in types.WEIGHTS if not t.is_inexact or t is etype]


def variadic(b, x, dims, shape, count, attributes):
    """Index of the largest, or several reductions at once."""
    if b.chance(0.6) and x.type.kind in ("int", "float") and x.range.exact and count:
        return arg_max(b, x, dims, shape, attributes)
    operands = [x] + [b.value(x.shape, b.new_type(beside(x.type)))
                      for _ in range(b.integer(1, 2))]
    rules = [reducer(b, v, count) for v in operands]
    initials = [b.constant(np.array(rule[1]), v.type) for rule, v in zip(rules, operands)]
    arguments = [((), v.type, EXACT) for v in operands]
    with b.block(arguments * 2, captures=False) as (lines, args):
        b.finish([b.one(rule[0], [args[i], args[len(operands) + i]], (), v.type)
                  for i, (rule, v) in enumerate(zip(rules, operands))])
    b.emit("reduce", operands + initials,
           [(shape, v.type, rule[2]) for v, rule in zip(operands, rules)], attributes, [lines])


def arg_max(b, x, dims, shape, attributes):
    """The largest (or smallest) value and its first position, as jnp.argmax lowers to."""
    places = b.one("iota", [], x.shape, I32, EXACT,
                   f"iota_dimension = {b.choose(dims)} : i64")
    direction = b.choose(("GT", "LT"))
    low, high = (-8, 8)
    if x.type.kind == "int":
        low, high = builders.ml_info(x.type)
    elif np.isinf(np.array(np.inf).astype(x.type.dtype)):
        low, high = -np.inf, np.inf
    elif x.range.size > 6:
        raise Reject
    elif x.type.bits == 4:
        low, high = -6, 6
    initials = [b.constant(np.array(low if direction == "GT" else high), x.type),
                b.constant(np.array(2 ** 30), I32)]
    t, i1 = tensor((), x.type), "tensor<i1>"
    a, i, c, j, better, equal, first, tie, take, value, place = (b.fresh() for _ in range(11))
    kind = "FLOAT" if x.type.is_inexact else "SIGNED" if x.type.signed else "UNSIGNED"

    def compare(out, left, right, how, etype, kind):
        return (f'{out} = "stablehlo.compare"({left}, {right}) <{{comparison_direction = '
                f'#stablehlo<comparison_direction {how}>, compare_type = '
                f'#stablehlo<comparison_type {kind}>}}> : ({etype}, {etype}) -> {i1}')
    lines = [
        f"^bb0({a}: {t}, {i}: tensor<i32>, {c}: {t}, {j}: tensor<i32>):",
        compare(better, a, c, direction, t, kind), compare(equal, a, c, "EQ", t, kind),
        compare(first, i, j, "LT", "tensor<i32>", "SIGNED"),
        f'{tie} = "stablehlo.and"({equal}, {first}) : ({i1}, {i1}) -> {i1}',
        f'{take} = "stablehlo.or"({better}, {tie}) : ({i1}, {i1}) -> {i1}',
        f'{value} = "stablehlo.select"({take}, {a}, {c}) : ({i1}, {t}, {t}) -> {t}',
        f'{place} = "stablehlo.select"({take}, {i}, {j}) : ({i1}, tensor<i32>, tensor<i32>) '
        "-> tensor<i32>",
        f'"stablehlo.return"({value}, {place}) : ({t}, tensor<i32>) -> ()']
    b.emit("reduce", [x, places, *initials],
           [(shape, x.type, x.range.without_bits()), (shape, I32, EXACT)], attributes, [lines])


def window(b, shape, dilations=True, padding=True):
    """(window sizes, strides, base dilations, window dilations, padding, result's shape)."""
    rank = len(shape)
    plan = [[], [], [], [], []]
    result = []
    for size in shape:
        for _ in range(10):
            w = b.choose((1, 1, 2, 3, 4)) if b.chance(0.9) else max(size, 1)
            stride = b.choose((1, 1, 2, 3))
            base = b.choose((1, 1, 1, 2)) if dilations else 1
            dilation = b.choose((1, 1, 1, 2)) if dilations else 1
            low, high = (b.integer(0, w - 1), b.integer(0, w - 1)) \
                if padding and b.chance(0.5) else (0, 0)
            if padding and b.chance(0.05) and w == size:
                low = w - 1   # a cumulative sum
                high, stride, base, dilation = 0, 1, 1, 1
            extent = low + high + ((size - 1) * base + 1 if size else 0)
            reach = (w - 1) * dilation + 1
            out = (extent - reach) // stride + 1 if extent >= reach else 0
            if out > 0 or size == 0:
                break
        else:
            raise Reject
        for entry, value in zip(plan, (w, stride, base, dilation, [low, high])):
            entry.append(value)
        result.append(out)
    if int(np.prod(result, dtype=np.int64)) * int(np.prod(plan[0], dtype=np.int64)) > \
            20 * b.max_elements:
        raise Reject
    return (*plan, result)


def window_attributes(plan, dilations=True):
    parts = [array_attr("window_dimensions", plan[0]), array_attr("window_strides", plan[1])]
    if dilations:
        parts += [array_attr("base_dilations", plan[2]), array_attr("window_dilations", plan[3])]
    pairs = plan[4]
    text = f"dense<{pairs}> : tensor<{len(pairs)}x2xi64>"
    return ", ".join([*parts, f"padding = {text}"])


def reduce_window(b):
    x = b.pick(lambda v: 1 <= len(v.shape) <= 5 and not v.range.special and v.count)
    plan = window(b, x.shape)
    count = int(np.prod(plan[0], dtype=np.int64))
    op, identity, value_range = reducer(b, x, count)
    initial = b.constant(np.array(identity), x.type)
    if op in ("maximum", "minimum") and x.type.is_float:
        if not math.isfinite(identity):
            # A window of only padding would give an infinity, which no operation can use.
            initial = b.value((), x.type, lambda v: v.range.exact)
            value_range = union(value_range, initial.range).without_bits()
        else:
            value_range = union(value_range, Range(identity, identity, 0.0, 0))
    b.one("reduce_window", [x, initial], plan[5], x.type, value_range, window_attributes(plan),
          [b.combiner(op, x.type)])


def select_and_scatter(b):
    x = b.pick(lambda v: 1 <= len(v.shape) <= 4 and v.range.exact and not v.range.special and
               v.count and v.type.kind in ("int", "float"))
    # The built-in CPU lets padding be selected.
    plan = window(b, x.shape, dilations=False, padding=False)
    source = b.value(plan[5], x.type)
    initial = b.constant(np.array(0), x.type)
    overlap = int(np.prod([-(-w // s) for w, s in zip(plan[0], plan[1])]))
    value_range = EXACT if not x.type.is_inexact else sum_of(x.type, source.range, overlap)
    t = tensor((), x.type)
    left, right, out = (b.fresh() for _ in range(3))
    kind = "FLOAT" if x.type.is_inexact else "SIGNED" if x.type.signed else "UNSIGNED"
    choose = [f"^bb0({left}: {t}, {right}: {t}):",
              f'{out} = "stablehlo.compare"({left}, {right}) <{{comparison_direction = '
              f'#stablehlo<comparison_direction {b.choose(("GE", "LE"))}>, compare_type = '
              f'#stablehlo<comparison_type {kind}>}}> : ({t}, {t}) -> tensor<i1>',
              f'"stablehlo.return"({out}) : (tensor<i1>) -> ()']
    b.one("select_and_scatter", [x, source, initial], x.shape, x.type, value_range,
          window_attributes(plan, dilations=False), [choose, b.combiner("add", x.type)])


OPS = {reduce: 12, reduce_window: 5, select_and_scatter: 2}
