"""Operations that move elements by compile-time positions."""
import numpy as np

from . import types
from .ranges import EXACT, Range, rounded, union, Reject
from .types import BOOL


def array_attr(name, values):
    return f"{name} = array<i64{': ' if len(values) else ''}{', '.join(map(str, values))}>"


def factors(b, count, rank):
    """A random shape of `rank` dimensions with `count` elements."""
    shape = [1] * rank
    remaining, prime = count, 2
    while remaining > 1 and rank:
        while remaining % prime == 0:
            shape[b.integer(0, rank - 1)] *= prime
            remaining //= prime
        prime += 1
        if prime * prime > remaining:
            prime = remaining
    return tuple(shape)


def reshape(b):
    x = b.pick()
    if x.count == 0:
        shape = (*x.shape[::-1],)
    else:
        shape = factors(b, x.count, b.integer(0 if x.count == 1 else 1, 6))
    b.one("reshape", [x], shape, x.type, x.range)


def transpose(b):
    x = b.pick(lambda v: len(v.shape) >= 2)
    order = [int(i) for i in b.random.permutation(len(x.shape))]
    b.one("transpose", [x], [x.shape[i] for i in order], x.type, x.range,
          array_attr("permutation", order))


def broadcast(b):
    x = b.pick(lambda v: len(v.shape) <= 4 and v.count <= b.max_elements // 2)
    rank = b.integer(len(x.shape), min(6, len(x.shape) + 2))
    places = [int(i) for i in b.random.choice(rank, len(x.shape), replace=False)]
    if b.chance(0.8):
        places.sort()
    shape, count = [None] * rank, x.count
    for place, size in zip(places, x.shape):
        shape[place] = size
    for i in range(rank):
        if shape[i] is None or (shape[i] == 1 and b.chance(0.5)):
            shape[i] = b.choose([s for s in (1, 2, 3, 5, 8, 16, 33, 64)
                                 if s * max(count, 1) <= b.max_elements] or [1])
            count *= shape[i]
    b.one("broadcast_in_dim", [x], shape, x.type, x.range,
          array_attr("broadcast_dimensions", places))


def slice_op(b):
    x = b.pick(lambda v: v.shape)
    starts, limits, strides = [], [], []
    for size in x.shape:
        start = b.integer(0, size) if b.chance(0.5) else 0
        limit = b.integer(start, size) if b.chance(0.5) else size
        if start == limit and b.chance(0.9):
            start, limit = 0, size
        starts.append(start)
        limits.append(limit)
        strides.append(b.choose((1, 1, 1, 2, 3)))
    shape = [-(-(hi - lo) // step) for lo, hi, step in zip(starts, limits, strides)]
    b.one("slice", [x], shape, x.type, x.range, ", ".join((
        array_attr("start_indices", starts), array_attr("limit_indices", limits),
        array_attr("strides", strides))))


def pad(b):
    x = b.pick(lambda v: v.shape and v.count <= b.max_elements // 2)
    filler = b.value((), x.type)
    low, high, interior, shape = [], [], [], []
    count = 1
    for size in x.shape:
        lo, hi, inner = (b.choose((0, 0, 1, 2, -1, 3)), b.choose((0, 0, 1, 2, -1, 5)),
                         b.choose((0, 0, 0, 1, 2)))
        if b.chance(0.4):
            lo = hi = inner = 0
        extent = size + max(size - 1, 0) * inner + lo + hi
        if extent < 0 or extent * count > b.max_elements:
            lo = hi = inner = 0
            extent = size
        count *= max(extent, 1)
        low.append(lo)
        high.append(hi)
        interior.append(inner)
        shape.append(extent)
    b.one("pad", [x, filler], shape, x.type, union(x.range, filler.range), ", ".join((
        array_attr("edge_padding_low", low), array_attr("edge_padding_high", high),
        array_attr("interior_padding", interior))))


def concatenate(b):
    # The built-in CPU crashes on types of fewer than 8 bits.
    x = b.pick(lambda v: v.shape and (v.type is BOOL or v.type.bits >= 8) and v.count <= b.max_elements // 2)
    axis = b.integer(0, len(x.shape) - 1)
    parts = [x]
    for _ in range(b.integer(1, 3)):
        same = [v for v in b.pool if v.type is x.type and len(v.shape) == len(x.shape) and
                all(i == axis or p == q for i, (p, q) in enumerate(zip(v.shape, x.shape)))]
        if same and b.chance(0.7):
            parts.append(b.choose(same))
        else:
            shape = list(x.shape)
            shape[axis] = b.integer(0 if b.chance(0.05) else 1, 5)
            parts.append(b.value(shape, x.type))
    b.random.shuffle(parts)
    total = sum(p.shape[axis] for p in parts)
    shape = list(x.shape)
    shape[axis] = total
    if int(np.prod(shape, dtype=np.int64)) > b.max_elements:
        raise Reject
    b.one("concatenate", parts, shape, x.type, union(*(p.range for p in parts)),
          f"dimension = {axis} : i64")


def reverse(b):
    x = b.pick(lambda v: v.shape)
    axes = sorted(int(i) for i in b.random.choice(
        len(x.shape), b.integer(1, len(x.shape)), replace=False))
    b.one("reverse", [x], x.shape, x.type, x.range, array_attr("dimensions", axes))


def iota(b):
    shape = b.pick(lambda v: v.shape).shape
    etype = b.new_type()
    if etype is BOOL:
        raise Reject
    axis = b.integer(0, len(shape) - 1)
    value_range = EXACT
    if etype.is_inexact:
        value_range = rounded(etype, 0.0, float(shape[axis]), 0.0, 0)
        if not value_range.exact:
            raise Reject
    elif shape[axis] > 2 ** (etype.bits - etype.signed):
        raise Reject
    else:
        value_range = Range(0, shape[axis], 0.0, 0, True)
    b.one("iota", [], shape, etype, value_range, f"iota_dimension = {axis} : i64")


def start_indices(b, x, sizes):
    """Scalar start indices; those out of bounds are clamped."""
    etype = b.choose(index_types(x.shape))
    starts = []
    for extent, size in zip(x.shape, sizes):
        largest = extent - size
        if etype.bits < 32:   # the built-in CPU clamps these in their own type
            largest = min(largest, 2 ** (etype.bits - 1) - 1)
            starts.append(b.value((), etype, lambda v: v.range.low >= 0 and v.range.high <= largest,
                                  low=0, high=largest))
        elif b.chance(0.5) and etype.signed:
            starts.append(b.value((), etype))
        else:
            starts.append(b.new_value((), etype, low=-2 if etype.signed else 0, high=extent + 1))
    return starts


def index_types(sizes):
    """Types that hold the sizes too, with which the built-in CPU compares in the same type."""
    return [t for t in (types.I32, types.I32, types.I64, types.U32, types.I8, types.U8, types.I16)
            if max(sizes, default=0) < 2 ** (t.bits - 1)]


def unsliced(value):
    """The built-in CPU adds the starts of a slice of a slice without clamping the first."""
    return value.op not in ("dynamic_slice", "gather")


def dynamic_slice(b):
    x = b.pick(lambda v: v.shape and v.count and unsliced(v))
    sizes = [size if b.chance(0.3) else b.integer(1, size) for size in x.shape]
    b.one("dynamic_slice", [x, *start_indices(b, x, sizes)], sizes, x.type, x.range,
          array_attr("slice_sizes", sizes))


def dynamic_update_slice(b):
    x = b.pick(lambda v: v.shape and v.count)
    fits = [v for v in b.pool if v.type is x.type and len(v.shape) == len(x.shape) and
            v is not x and all(p <= q for p, q in zip(v.shape, x.shape))]
    if fits and b.chance(0.7):
        update = b.choose(fits)
    else:
        update = b.value([size if b.chance(0.3) else b.integer(1, size) for size in x.shape],
                         x.type)
    b.one("dynamic_update_slice", [x, update, *start_indices(b, x, update.shape)], x.shape,
          x.type, union(x.range, update.range))


def barrier(b):
    values = [b.pick() for _ in range(b.integer(1, 3))]
    b.emit("optimization_barrier", values, [(v.shape, v.type, v.range) for v in values])


OPS = {reshape: 6, transpose: 6, broadcast: 6, slice_op: 6, pad: 4, concatenate: 5, reverse: 3,
       iota: 3, dynamic_slice: 4, dynamic_update_slice: 5, barrier: 0.7}
