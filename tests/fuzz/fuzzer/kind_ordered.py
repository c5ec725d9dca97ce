"""Programs whose results depend on the order of operands, and on nothing else.

Reductions, windows and scatters by associative operations that do not commute, sorts by any
comparator, maps by any function, on values among which there are many ties.
"""
import numpy as np

from . import monoids, scalars
from .monoids import compare, either, value_range, number, op
from .ops_index import IndexPlan, numbers
from .ops_reduce import reduce_dims, reduced, window, window_attributes
from .ops_shape import array_attr
from .ranges import EXACT, Reject
from .types import BOOL, F32, FLOATS, I32, WEIGHTS


def arguments(b, arrays, types):
    return [b.given(array, etype) for array, etype in zip(arrays, types)]


def disguised(b, values):
    """The same values, all through the same moves, so that producers can be fused."""
    for _ in range(int(b.random.choice(4, p=[.55, .25, .15, .05]))):
        shape = values[0].shape
        rank = len(shape)
        kind = b.choose(("reverse", "transpose", "halves", "pad", "reshape", "call"))
        if kind == "reverse" and rank:
            attributes = array_attr("dimensions", [b.integer(0, rank - 1)])
            for _ in range(2):
                values = [b.one("reverse", [v], shape, v.type, v.range, attributes)
                          for v in values]
        elif kind == "transpose" and rank > 1:
            order = [int(i) for i in b.random.permutation(rank)]
            back = [int(i) for i in np.argsort(order)]
            there = [b.one("transpose", [v], [shape[i] for i in order], v.type, v.range,
                           array_attr("permutation", order)) for v in values]
            values = [b.one("transpose", [v], shape, v.type, v.range,
                            array_attr("permutation", back)) for v in there]
        elif kind == "halves" and rank:
            axis = b.integer(0, rank - 1)
            cut = b.integer(0, shape[axis])
            values = [scalars.joined(b, scalars.part(b, v, axis, 0, cut),
                                     scalars.part(b, v, axis, cut, shape[axis]), axis)
                      for v in values]
        elif kind == "pad" and rank:
            axis, low, high = b.integer(0, rank - 1), b.integer(0, 3), b.integer(0, 3)
            values = [scalars.part(b, scalars.padded(b, v, axis, low, high), axis, low,
                                   low + shape[axis]) for v in values]
        elif kind == "reshape":
            values = [b.one("reshape", [b.one("reshape", [v], (v.count,), v.type, v.range)],
                            shape, v.type, v.range) for v in values]
    return values


def drawn(b, monoid, shape):
    return disguised(b, arguments(b, monoid.data(b.random, shape), monoid.types))


def identities(b, monoid):
    """Initial values, sometimes as arguments, whose values a compiler does not know."""
    if b.chance(0.2):
        return arguments(b, [np.asarray(i).astype(etype.dtype)
                             for i, etype in zip(monoid.identity, monoid.types)], monoid.types)
    return [number(b, i, etype) for i, etype in zip(monoid.identity, monoid.types)]


def results(shape, monoid):
    return [(shape, etype, value_range(etype)) for etype in monoid.types]


def reduce_once(b, monoid, values, count):
    """(results, elements combined in each)."""
    shape = values[0].shape
    if b.chance(0.4):
        dims = [len(shape) - 1] if b.chance(0.7) else [0]
    else:
        dims = reduce_dims(b, len(shape))
    left, combined = reduced(b, shape, dims)
    if count * combined > monoid.max_elements:
        raise Reject
    return b.emit("reduce", [*values, *identities(b, monoid)], results(left, monoid),
                  array_attr("dimensions", dims), [monoids.region(b, monoid)]), count * combined


def prefixes(b, shape):
    """A window plan (as ops_reduce.window's) that covers one axis from its beginning, or its
    end, or all of it."""
    axis = b.integer(0, len(shape) - 1)
    plan = [[1] * len(shape) for _ in range(4)] + [[[0, 0] for _ in shape]]
    plan[0][axis] = size = shape[axis]
    out = list(shape)
    if b.chance(0.1):
        out[axis] = 1
    else:
        plan[4][axis] = [size - 1, 0] if b.chance(0.5) else [0, size - 1]
    if size == 0 or b.cost * int(np.prod(shape)) * size > 4e6:
        raise Reject
    return (*plan, out)


def sliding(b, shape):
    """Overlapping windows along one axis."""
    axis = b.integer(0, len(shape) - 1)
    size = shape[axis]
    plan = [[1] * len(shape) for _ in range(4)] + [[[0, 0] for _ in shape]]
    plan[0][axis] = w = b.integer(1, max(1, min(size, 70)))
    plan[1][axis] = stride = b.choose((1, 1, 1, 2, 3, 5))
    low = b.choose((0, 0, w - 1, w // 2))
    plan[4][axis] = [low, b.choose((0, 0, w - 1, (w - 1) // 2))]
    extent = size + sum(plan[4][axis])
    out = list(shape)
    out[axis] = (extent - w) // stride + 1 if extent >= w else 0
    if b.cost * int(np.prod(out)) * w > 4e6 or out[axis] < 1:
        raise Reject
    return (*plan, out)


def window_once(b, monoid, values, count):
    shape = values[0].shape
    kind = b.choose((prefixes, prefixes, sliding, sliding, window))
    if not shape or (kind is window and len(shape) > 5):
        raise Reject
    plan = kind(b, shape)
    size = count * int(np.prod(plan[0], dtype=np.int64))
    if size > monoid.max_elements:
        raise Reject
    if max(plan[0]) > 16 and not (monoid.commutes and len(values) == 1):
        b.faults.append("large windows")
    return b.emit("reduce_window", [*values, *identities(b, monoid)], results(plan[5], monoid),
                  window_attributes(plan), [monoids.region(b, monoid)]), size


def combine(b):
    """Reductions and windows of one monoid, in sequence."""
    monoid = monoids.draw(b)
    b.cost = len(monoid.types)   # of the evaluator, for each element in a window
    shape = b.new_shape(rank=int(b.random.choice(5, p=[0, .4, .4, .15, .05])))
    if b.chance(0.04) and len(monoid.types) < 4:   # large enough to be split over threads
        b.max_elements = 200_000
        shape = b.choose(((131072,), (70000,), (2, 65536), (65536, 2), (4, 30000), (256, 512),
                          (17, 2, 4096), (96, 1024), (1000, 3, 40)))
    values, count = drawn(b, monoid, shape), 1
    for _ in range(int(b.random.choice([1, 2, 3], p=[.7, .2, .1]))):
        if not values[0].shape:
            break
        values, count = b.choose((reduce_once, window_once))(b, monoid, values, count)
        if b.chance(0.2):
            values = disguised(b, values)


def arg_functions(b):
    """argmax and argmin as JAX lowers them, over one axis, beside the largest value."""
    monoid = monoids.draw(b, {monoids.arg_best: 1})
    b.cost = 2
    shape = b.new_shape(rank=b.integer(1, 3))
    values = drawn(b, monoid, shape)
    values, _ = reduce_once(b, monoid, values, 1)


class Positions:
    """Few indices for gather and scatter, so that many updates collide."""

    def __init__(self, b, operand):
        self.plan = IndexPlan(b, operand)
        if not self.plan.indexed and self.plan.batch_sizes:
            raise Reject   # the built-in CPU applies one update of several
        largest = max((operand.shape[i] for i in self.plan.indexed), default=1)
        few = b.choose((1, 2, 3, 8, largest))
        low = -1 if b.chance(0.2) else 0
        etype = b.choose([t for t in WEIGHTS if t.kind == "int" and t.bits >= 32 and t.signed])
        values = b.random.integers(low, max(min(few, largest), low + 1), self.plan.indices_shape)
        self.indices = b.given(np.asarray(values).astype(etype.dtype), etype)
        self.repeats = int(np.prod(self.plan.batch_sizes, dtype=np.int64))

    def attributes(self, scatter):
        plan = self.plan
        names = ("update_window_dims", "inserted_window_dims", "input_batching_dims",
                 "scatter_indices_batching_dims", "scatter_dims_to_operand_dims") if scatter else \
            ("offset_dims", "collapsed_slice_dims", "operand_batching_dims",
             "start_indices_batching_dims", "start_index_map")
        lists = (plan.offset_dims, plan.collapsed, plan.batching, plan.indices_batching,
                 plan.indexed)
        text = numbers("scatter_dimension_numbers" if scatter else "dimension_numbers",
                       list(zip(names, lists)), plan.vector_dim)
        return text if scatter else text.replace("#stablehlo.dimension<", "#stablehlo.gather<")


def segments(b, shape):
    """An operand's shape of few rows, as of segment sums."""
    return (b.choose((1, 2, 3, 7, 50)), *shape)


def scatter(b):
    """Colliding updates, by a monoid or by any function of the current and the new value."""
    b.cost = 1
    shape = segments(b, b.new_shape(rank=b.integer(0, 2), limit=600)) if b.chance(0.5) else \
        b.new_shape(rank=b.integer(1, 3), limit=2000)
    if b.chance(0.6):
        monoid = monoids.draw(b, accept=lambda m: len(m.types) == 1 or b.chance(0.15))
        if len(monoid.types) > 1:
            b.faults.append("scatter of several operands")
        types = monoid.types
        operands = arguments(b, monoid.data(b.random, shape), types)
        where = Positions(b, operands[0])
        if where.repeats + 1 > monoid.max_elements:
            raise Reject
        updates = drawn(b, monoid, tuple(where.plan.result_shape))
        body = monoids.region(b, monoid)
    else:
        etype = b.choose(monoids.INTEGERS)
        types = (etype,)
        operands = arguments(b, [monoids.integers(etype)(b.random, shape)], types)
        where = Positions(b, operands[0])
        updates = disguised(b, arguments(
            b, [monoids.integers(etype)(b.random, tuple(where.plan.result_shape))], types))
        with b.block([((), etype, EXACT)] * 2, captures=False) as (body, args):
            b.finish([scalars.function(b, args, etype, b.integer(0, 3))])
    if where.repeats * int(np.prod(where.plan.sizes)) > 40_000:
        raise Reject
    b.emit("scatter", [*operands, where.indices, *updates],
           [(shape, etype, value_range(etype)) for etype in types],
           where.attributes(True) + ", indices_are_sorted = false, unique_indices = false",
           [body])


def gather(b):
    etype = b.new_type()
    shape = b.new_shape(rank=b.integer(1, 3), limit=2000)
    x = b.given(scalars.any_bits(b.random, shape, etype), etype)
    where = Positions(b, x)
    b.one("gather", [x, where.indices], where.plan.result_shape, etype, scalars.exact_bits(etype),
          f"{where.attributes(False)}, {array_attr('slice_sizes', where.plan.sizes)}, "
          "indices_are_sorted = false")


def select_and_scatter(b):
    etype = b.choose(monoids.INTEGERS)
    monoid = monoids.draw(b, {monoids.plain: 1, monoids.nonzero: 1, monoids.last_nonzero: 1,
                              monoids.transformations: 1, monoids.opposite: 2},
                          lambda m: m.types == (etype,))
    shape = b.new_shape(rank=b.integer(1, 3), limit=2000)
    x = b.given(monoids.integers(etype, 0, b.choose((1, 5, 100)))(b.random, shape), etype)
    plan = window(b, shape, dilations=False, padding=False)
    source = b.given(monoid.data(b.random, tuple(plan[5]))[0], etype)
    with b.block([((), etype, EXACT)] * 2, captures=False) as (select, args):
        three = number(b, 3, etype)
        keys = [op(b, "and", a, three) for a in args] if b.chance(0.3) else args
        b.finish([compare(b, b.choose(("GE", "GT", "LE", "LT")), *keys)])
    b.one("select_and_scatter", [x, source, number(b, monoid.identity[0], etype)], shape, etype,
          EXACT, window_attributes(plan, dilations=False), [select, monoids.region(b, monoid)])


def key(b, x, y, etype):
    """A function of both sides' scalars with many ties, or the scalars themselves."""
    if etype.kind != "int" or b.chance(0.5):
        return x, y
    kind = b.choose(("and", "shift", "negate", "abs", "not", "convert"))
    if kind == "and":
        mask = number(b, b.choose((1, 3, 6)), etype)
        return op(b, "and", x, mask), op(b, "and", y, mask)
    if kind == "shift":
        by = number(b, b.choose((1, 3)), etype)
        name = "shift_right_arithmetic" if etype.signed else "shift_right_logical"
        return op(b, name, x, by), op(b, name, y, by)
    if kind == "convert":
        return op(b, "convert", x, to=F32), op(b, "convert", y, to=F32)
    if kind in ("negate", "abs") and not etype.signed:
        kind = "not"
    return op(b, kind, x), op(b, kind, y)


def sort(b):
    """Stable sorts by several keys, each ascending or descending, with what moves beside them."""
    shape = b.new_shape(rank=b.integer(1, 3))
    kinds = [t for t in WEIGHTS if t is BOOL or (t.bits >= 8 and t.kind in ("int", "float") and
                                                 (t.kind == "int" or t in FLOATS))]
    operand_types = [b.choose(kinds) for _ in range(b.integer(1, 5))]
    keys = b.random.permutation(len(operand_types))[:b.integer(1, 3)]
    operands, total = [], []
    for i, etype in enumerate(operand_types):
        total.append(etype.is_float and b.chance(0.5))
        if i not in keys:
            array = scalars.any_bits(b.random, shape, etype)
        elif etype.is_float:   # NaNs need a total order
            array = monoids.picks(etype, 0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, 2.5,
                                  *([np.nan, -np.nan] * total[i]))(b.random, shape)
        else:
            array = scalars.any_bits(b.random, shape, etype) \
                if b.chance(0.5) or etype is BOOL else \
                monoids.integers(etype, 0, b.choose((1, 4)))(b.random, shape)
        operands.append(b.given(array, etype))
    axis = b.integer(0, len(shape) - 1)
    if b.chance(0.3):   # positions
        operand_types.append(I32)
        total.append(False)
        operands.append(b.one("iota", [], shape, I32, EXACT, f"iota_dimension = {axis} : i64"))
    operands = disguised(b, operands)
    with b.block([((), etype, value_range(etype)) for etype in operand_types for _ in range(2)],
                 captures=False) as (lines, args):
        result = None
        for i in reversed(keys):   # the outermost comparison is built last
            etype = operand_types[i]
            x, y = key(b, args[2 * i], args[2 * i + 1], etype)
            name = b.choose(("LT", "GT"))
            kind = "TOTALORDER" if total[i] else None
            if etype is BOOL and b.chance(0.3):
                first = op(b, "and", args[2 * i], op(b, "not", args[2 * i + 1]))
                x, y = args[2 * i:2 * i + 2]
            elif b.chance(0.2):   # the mirrored comparison
                first = compare(b, {"LT": "GT", "GT": "LT"}[name], y, x, kind)
            else:
                first = compare(b, name, x, y, kind)
            if result is None:
                result = first
            else:
                same = compare(b, "EQ", x, y, kind)
                result = either(b, "or", first, either(b, "and", same, result)) \
                    if b.chance(0.5) else monoids.choose(b, same, result, first)
        b.finish([result])
    # Conversions of narrow types, as for comparing them, make NaNs quiet.
    sorted_values = b.emit(
        "sort", operands,
        [(shape, etype, scalars.exact_bits(etype) if etype.bits >= 32 else value_range(etype))
         for etype in operand_types],
        f"dimension = {axis} : i64, is_stable = true", [lines])
    if b.chance(0.3):   # the first elements, of some operands or all
        count = b.integer(1, max(1, min(shape[axis], 20)))
        used = [v for v in sorted_values if b.chance(0.7)] or sorted_values
        for v in sorted_values:
            if v not in used:
                v.uses += 1   # no result
        for v in used:
            scalars.part(b, v, axis, 0, min(count, shape[axis]))


def map_op(b):
    """Any function of up to four operands of one type."""
    etype = b.choose(monoids.INTEGERS)
    shape = b.new_shape(rank=b.integer(1, 3))
    operands = [b.given(monoids.integers(etype)(b.random, shape), etype)
                for _ in range(b.integer(1, 4))]
    with b.block([((), etype, EXACT)] * len(operands), captures=False) as (lines, args):
        b.finish([scalars.function(b, args, etype, b.integer(1, 8))])
    b.one("map", operands, shape, etype, EXACT, array_attr("dimensions", range(len(shape))),
          [lines])


PROGRAMS = {combine: 12, arg_functions: 3, scatter: 6, gather: 1, select_and_scatter: 1, sort: 4,
            map_op: 0.5}
