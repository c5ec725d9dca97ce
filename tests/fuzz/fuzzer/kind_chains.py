"""Long programs of moves and stencils: unrolled loops, rolls, gathers, calls within calls.

Later operations read every element at many points; a compiler that follows all of them takes
exponential time. Arithmetic is on integers, or on floats with exact results.
"""
import numpy as np

from . import monoids, scalars
from .kind_ordered import reduce_once
from .monoids import compare, value_range, number, op
from .ops_shape import array_attr, factors
from .ranges import EXACT, EXACT_BITS, Reject
from .types import BF16, F32, F64, I8, I16, I32, I64, U8, U32

LONGEST = 60


def length(b):
    return int(b.random.choice([4, 8, 16, 32, LONGEST], p=[.3, .3, .2, .12, .08]))


def axis_of(b, x):
    if not x.shape or max(x.shape) < 2:
        raise Reject
    return b.choose([i for i, size in enumerate(x.shape) if size > 1])


def roll(b, x):
    axis = axis_of(b, x)
    return scalars.rolled(b, x, axis, b.choose((1, -1, 1, -1, 2, b.integer(0, x.shape[axis]))))


def shift(b, x):
    """Like roll, but fills with zeros or repeats the edge."""
    axis = axis_of(b, x)
    size = x.shape[axis]
    by = b.integer(1, min(3, size - 1))
    if b.chance(0.5):
        edge = scalars.part(b, x, axis, 0, 1)
        return scalars.joined(b, edge, scalars.part(b, x, axis, 0, size - 1), axis)
    low = scalars.padded(b, x, axis, by, 0)
    return scalars.part(b, low, axis, 0, size)


def negative_pad(b, x):
    axis = axis_of(b, x)
    by = b.integer(1, 2)
    return scalars.padded(b, x, axis, by, -by) if b.chance(0.5) else \
        scalars.padded(b, x, axis, -by, by)


def interleaved(b, x):
    """Separates even and odd elements and joins them in another order."""
    axis = axis_of(b, x)
    size = x.shape[axis]
    if size % 2 or size < 2:
        raise Reject
    even, odd = (scalars.part(b, x, axis, i, size, 2) for i in range(2))
    kind = b.integer(0, 2)
    if kind == 0:
        return scalars.joined(b, odd, even, axis)
    pads = [scalars.padded(b, v, axis, i, 1 - i, interior=1)
            for i, v in enumerate((odd, even) if kind == 1 else (even, odd))]
    if x.type.is_float:
        return monoids.choose(b, lanes(b, x.shape, axis), pads[0], pads[1])
    return op(b, b.choose(("or", "add", "xor")), *pads)


def lanes(b, shape, axis):
    """Whether an index along an axis is even."""
    index = b.one("iota", [], shape, I32, EXACT, f"iota_dimension = {axis} : i64")
    odd = op(b, "and", index, monoids.filled(b, 1, index))
    return compare(b, "EQ", odd, monoids.filled(b, 0, index))


def rotated(b, x):
    axis = axis_of(b, x)
    return b.one("reverse", [x], x.shape, x.type, x.range, array_attr("dimensions", [axis]))


def turned(b, x):
    if len(x.shape) < 2:
        raise Reject
    order = [int(i) for i in b.random.permutation(len(x.shape))]
    y = b.one("transpose", [x], [x.shape[i] for i in order], x.type, x.range,
              array_attr("permutation", order))
    return b.one("reshape", [y], x.shape, x.type, x.range)


def reshaped(b, x):
    shape = factors(b, x.count, b.integer(1, 4))
    y = b.one("reshape", [x], shape, x.type, x.range)
    y = b.choose((roll, rotated, turned))(b, y)
    return b.one("reshape", [y], x.shape, x.type, x.range)


def permuted(b, x):
    """A gather by constant or given indices, with repeats."""
    axis = axis_of(b, x)
    size, rank = x.shape[axis], len(x.shape)
    indices = b.random.permutation(size) if b.chance(0.5) else b.random.integers(0, size, size)
    key = ("gather", size)
    if key not in b.kept or b.chance(0.2):
        array = np.asarray(indices).astype(np.int32)
        b.kept[key] = b.given(array, I32) if b.chance(0.5) and not b.closed else \
            b.constant(array, I32)
    offset = [i for i in range(rank) if i != axis]
    sizes = [1 if i == axis else s for i, s in enumerate(x.shape)]
    attributes = (f"dimension_numbers = #stablehlo.gather<offset_dims = {offset}, "
                  if offset else "dimension_numbers = #stablehlo.gather<") + \
        f"collapsed_slice_dims = [{axis}], start_index_map = [{axis}], index_vector_dim = 1>"
    return b.one("gather", [x, b.kept[key]], x.shape, x.type, x.range,
                 f"{attributes}, {array_attr('slice_sizes', sizes)}, indices_are_sorted = false")


def updated(b, x):
    """A part of it written to another place."""
    axis = axis_of(b, x)
    size = x.shape[axis]
    count = b.integer(1, size - 1)
    start = b.integer(0, size - count)
    piece = scalars.part(b, x, axis, start, start + count)
    places = [number(b, b.integer(0, size - count) if i == axis else 0, I32)
              for i in range(len(x.shape))]
    return b.one("dynamic_update_slice", [x, piece, *places], x.shape, x.type, x.range)


def outer(b, x):
    """The outer sum of two parts, as long as the whole."""
    axis = axis_of(b, x)
    size = x.shape[axis]
    rows = next((r for r in (8, 4, 3, 2) if size % r == 0 and size // r + r <= size), None)
    if rows is None or len(x.shape) > 1:
        raise Reject
    left, right = scalars.part(b, x, 0, 0, rows), scalars.part(b, x, 0, rows, rows + size // rows)
    shape = (rows, size // rows)
    table = op(b, "subtract" if x.type.kind == "int" else "maximum",
               b.one("broadcast_in_dim", [left], shape, x.type, x.range,
                     array_attr("broadcast_dimensions", [0])),
               b.one("broadcast_in_dim", [right], shape, x.type, x.range,
                     array_attr("broadcast_dimensions", [1])))
    return b.one("reshape", [table], x.shape, x.type, x.range)


MOVES = (roll, roll, roll, shift, negative_pad, interleaved, rotated, turned, reshaped, permuted,
         updated)


def join(b, *values):
    """A stencil's arithmetic: exact in every type."""
    if values[0].type.kind == "int":
        names = ("add", "subtract", "xor", "multiply", "maximum")
    else:
        names = ("maximum", "minimum")
    result = values[0]
    for value in values[1:]:
        result = op(b, b.choose(names), result, value)
    return result


def given(b, shape, etype):
    array = monoids.integers(etype)(b.random, shape) if etype.kind == "int" else \
        monoids.picks(etype, *range(-8, 9))(b.random, shape)
    value = b.given(array, etype)
    value.range = value_range(etype)
    return value


def start(b, rank=None, types=(I32, I32, F32, F32, I8, U8, I16, I64, U32, F64, BF16)):
    etype = b.choose(types)
    shape = b.new_shape(rank=rank or b.integer(1, 3), limit=1000)
    if not shape or max(shape) < 2 or 0 in shape:
        raise Reject
    b.kept = {}
    return given(b, shape, etype)


def moves(b):
    """One move after another."""
    x = start(b)
    if x.type.is_inexact and b.chance(0.3):   # only moves: the bits do not change
        x.range = EXACT_BITS
    few = [b.choose(MOVES) for _ in range(b.integer(1, 4))]
    for _ in range(length(b)):
        x = attempted(b, b.choose(few), x)


def attempted(b, move, x):
    try:
        with b.attempt():
            return move(b, x)
    except Reject:
        return x


def stencil(b):
    """Steps of a stencil, each a function of shifted copies of the state; several states too."""
    x = start(b)
    states = [x] + [given(b, x.shape, x.type) for _ in range(b.integer(0, 1))]
    neighbours = [b.choose(MOVES + (outer,)) for _ in range(b.integer(1, 3))]
    steps = length(b)
    for _ in range(steps):
        new = []
        for i, state in enumerate(states):
            terms = [attempted(b, move, b.choose(states)) for move in neighbours]
            new.append(join(b, state, *terms))
        states = new


def self_joined(b):
    """v = v + v[P] and similar steps, which double the number of points."""
    x = start(b)
    move = b.choose((permuted, roll, turned, rotated, interleaved, outer, reshaped))
    for _ in range(length(b)):
        x = join(b, x, attempted(b, move, x))


def concatenations(b):
    """Growing and shrinking by concatenation, slices and pads."""
    x = start(b)
    axis = axis_of(b, x)
    parts, size = [x], x.shape[axis]
    for _ in range(length(b)):
        y = b.choose(parts[-4:])
        kind = b.choose(("join", "part", "pad", "join", "stride"))
        extent = y.shape[axis]
        if kind == "join" and extent * 2 <= 4 * size:
            parts.append(scalars.joined(b, y, b.choose(parts[-3:]), axis))
        elif kind == "part" and extent > 1:
            low = b.integer(0, extent - 1)
            parts.append(scalars.part(b, y, axis, low, b.integer(low + 1, extent)))
        elif kind == "stride" and extent > 3:
            parts.append(scalars.part(b, y, axis, b.integer(0, 1), extent, 2))
        elif kind == "pad" and extent < 4 * size:
            parts.append(scalars.padded(b, y, axis, b.integer(-1, 2) if extent > 2 else 1,
                                        b.integer(-1, 2) if extent > 2 else 1,
                                        interior=b.choose((0, 0, 1)),
                                        value=b.choose((0, 1))))
        if b.chance(0.3) and len(parts) > 1:   # operands of equal sizes
            same = [v for v in parts[:-1] if v.shape == parts[-1].shape]
            if same:
                parts.append(join(b, parts[-1], b.choose(same)))


def calls(b):
    """Functions that call each other twice, level upon level."""
    x = start(b)
    levels = int(b.random.choice([3, 6, 12, 40], p=[.4, .4, .15, .05]))
    etype, shape, name = x.type, x.shape, None
    for level in range(levels):
        with b.block([(shape, etype, value_range(etype))], captures=False,
                     closed=True) as (lines, args):
            kept, b.kept = b.kept, {}
            value = args[0]
            if name is None:
                value = join(b, value, attempted(b, b.choose(MOVES), value))
            else:
                for i in range(2):
                    value = b.one("func.call", [value], shape, etype, value_range(etype),
                                  f"callee = @{name}")
                    if b.chance(0.3):
                        value = attempted(b, b.choose(MOVES), value)
            b.finish([value], "func.return")
            b.kept = kept
        name = f"f{len(b.functions)}"
        b.functions.append(f"func.func private @{name}({args[0].name}: {args[0].mlir}) -> "
                           f"({args[0].mlir}) {{\n" + "\n".join(lines) + "\n}")
    b.one("func.call", [x], shape, etype, value_range(etype), f"callee = @{name}")


def scan(b):
    """Like lax.associative_scan: halves, recursion, interleaving."""
    monoid = monoids.draw(b, monoids.SIMPLE)
    size = b.choose((2, 3, 5, 8, 13, 16, 31, 64, 100))
    if size > monoid.max_elements:
        raise Reject
    wide = b.chance(0.3)
    shape = (size, 3) if wide else (size,)
    values = [b.given(a, etype) for a, etype in zip(monoid.data(b.random, shape), monoid.types)]

    def piece(vs, low, high, stride=1):
        return [scalars.part(b, v, 0, low, high, stride) for v in vs]

    def prefix(vs):
        n = vs[0].shape[0]
        if n < 2:
            return vs
        pairs = monoid.body(b, piece(vs, 0, n - 1, 2), piece(vs, 1, n, 2))
        odd = prefix(pairs)
        m = odd[0].shape[0]
        if n % 2 == 0:
            even = monoid.body(b, piece(odd, 0, m - 1), piece(vs, 2, n, 2)) if m > 1 else None
        else:
            even = monoid.body(b, odd, piece(vs, 2, n, 2))
        first = piece(vs, 0, 1)
        even = first if even is None else [scalars.joined(b, f, e, 0)
                                           for f, e in zip(first, even)]
        return [spread(e, o) for e, o in zip(even, odd)]

    def spread(e, o):
        n, m = e.shape[0], o.shape[0]
        left = scalars.padded(b, e, 0, 0, 1 if n == m else 0, interior=1)
        right = scalars.padded(b, o, 0, 1, 0 if n == m else 1, interior=1)
        return monoids.choose(b, lanes(b, left.shape, 0), left, right)
    prefix(values)


def neighbours(b):
    """Many short rows read at several constant offsets at once, as differences of points are: whole
    rows, single columns, and reductions of both."""
    columns = b.integer(1, 9)
    outer = (b.integer(1, 3),) if b.chance(0.3) else ()
    offset = b.choose((1, 1, 1, 2, 3, 4, 7, 8, 15, 33, 64))
    shape = (*outer, offset + b.choose((5, 17, 64, 65, 130, 257)), columns)
    axis = len(outer)
    if b.chance(0.3):
        monoid = monoids.draw(b, monoids.SIMPLE)
        arrays = [b.given(a, etype)
                  for a, etype in zip(monoid.data(b.random, shape), monoid.types)]
        low, high = (([scalars.part(b, v, axis, start, start + shape[axis] - offset)
                       for v in arrays]) for start in (0, offset))
        reduce_once(b, monoid, monoid.body(b, low, high), 2)
        return
    b.kept = {}
    x = given(b, shape, b.choose((I32, F32, I8, U8, I16, F64, BF16)))
    starts = [0, offset] + ([b.integer(0, offset)] if b.chance(0.4) else [])
    pieces = [scalars.part(b, x, axis, start, start + shape[axis] - offset) for start in starts]
    for _ in range(b.integer(1, 4)):
        kind = b.integer(0, 3)
        if kind == 0 and columns > 1:    # columns of the rows
            pieces = [scalars.part(b, v, axis + 1, i, i + 1) for v in pieces
                      for i in range(min(v.shape[axis + 1], 3))]
            pieces = [join(b, *pieces)]
        elif kind == 1:
            pieces = [attempted(b, b.choose((turned, roll, shift)), v) for v in pieces]
        elif kind == 2 and pieces[0].shape[axis] > 3:
            last = join(b, *pieces)
            pieces = [scalars.part(b, last, axis, i, last.shape[axis] - 2 + i) for i in (0, 1, 2)]
        else:
            pieces = [scalars.joined(b, *pieces, axis + b.integer(0, 1))]
    join(b, *pieces)


PROGRAMS = {moves: 3, neighbours: 3, stencil: 5, self_joined: 3, concatenations: 2, calls: 1, scan: 2}
