"""Random forms of operations on windows, indices and products, against the specification's
formulas: any dimension numbers, strides, dilations and padding."""
import numpy as np

from . import forms_contractions, forms_indexing, forms_reductions, formulas
from .samples import plain
from .values import Value


class Dice:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def number(self, low, high):
        return int(self.random.integers(low, high, endpoint=True))

    def numbers(self, count, low, high):
        return [self.number(low, high) for _ in range(count)]

    def one_in(self, count):
        return self.number(1, count) == 1

    def pick(self, *values):
        return values[self.number(0, len(values) - 1)]

    def shuffled(self, values):
        values = list(values)
        return [values[i] for i in self.random.permutation(len(values))]

    def extent(self, high):
        return 0 if self.one_in(20) else self.number(1, high)

    def windows(self, rank):
        """Sizes, strides, base dilations, window dilations, padding."""
        return (*[self.numbers(rank, 1, 3) for _ in range(4)],
                [tuple(self.numbers(2, -2, 3)) for _ in range(rank)])


def is_cut_away(shape, dilations, padding):
    """Negative padding may not take more than there is."""
    return any((n - 1) * d + 1 + low + high < 0 if n else low + high < 0
               for n, d, (low, high) in zip(shape, dilations, padding))


def reduce_window(dice, name, seed):
    shape = [dice.extent(7) for _ in range(dice.number(1, 4))]
    window, strides, base, dilation, padding = dice.windows(len(shape))
    if is_cut_away(shape, base, padding):
        return None
    op, start = dice.pick(("add", 2), ("maximum", 0), ("minimum", 3), ("multiply", 1))
    t = dice.pick("i32", "f32", "ui8", "i64", "f64")
    return forms_reductions.one_window(name, plain(t, shape, seed), window, op, start, strides,
                                       base, dilation, padding)


def convolution(dice, name, seed):
    space = dice.number(1, 3)
    groups = dice.pick(1, 1, 2, 3)
    batch_groups = dice.pick(2, 3) if groups == 1 and dice.one_in(4) else 1
    window, strides, base, dilation, padding = dice.windows(space)
    shape = dice.numbers(space, 1, 7)
    if is_cut_away(shape, base, padding):
        return None
    digits = "012"[:space]
    left, right, out = ("".join(dice.shuffled(letters + digits)) for letters in ("bf", "io", "bf"))
    features = dice.number(1, 4)
    sizes = {"b": batch_groups * dice.number(1, 3), "f": groups * features, "i": features,
             "o": groups * batch_groups * dice.number(1, 4)}
    t = dice.pick("f32", "i32", "f64", "bf16")
    return forms_contractions.one_convolution(
        name, plain(t, [sizes[c] if c in sizes else shape[int(c)] for c in left], seed),
        plain(t, [sizes[c] if c in sizes else window[int(c)] for c in right], seed + 1),
        f"{left}_{right}->{out}", strides, padding, base, dilation,
        [dice.one_in(2) for _ in range(space)], groups, batch_groups)


def dot_general(dice, name, seed):
    shared = [(kind, i, dice.extent(9)) for kind in ("batch", "contracted")
              for i in range(dice.number(0, 2))]
    sides = [dice.shuffled(shared + [(side, i, dice.number(1, 9))
                                     for i in range(dice.number(0, 2))])
             for side in ("left", "right")]

    def places(kind):
        wanted = [d for d in shared if d[0] == kind]
        return tuple(tuple(side.index(d) for d in wanted) for side in sides)

    t = dice.pick("f32", "i32", "f64", "i8", "complex<f32>", "f16")
    operands = [plain(t, [d[2] for d in side], seed + n) for n, side in enumerate(sides)]
    return forms_contractions.one_dot(name, *operands, places("contracted"), places("batch"))


def indexing(dice, name, seed):
    """A gather, or a scatter of the same dimension numbers."""
    shape = dice.numbers(dice.number(1, 4), 1, 5)
    dims = dice.shuffled(range(len(shape)))
    count = dice.pick(0, 1, 2) if len(shape) > 1 else 0
    batching, rest = sorted(dims[:count]), dims[count:]
    collapsed = sorted(rest[:dice.number(0, len(rest))])
    index_map = dice.shuffled(rest)[:dice.number(0, len(rest))]
    is_gather = dice.one_in(2)
    sizes = [1 if d in batching or d in collapsed else dice.number(1, n)
             for d, n in enumerate(shape)]
    batch = dice.shuffled([("more", n) for n in dice.numbers(dice.number(0, 2), 1, 4)] +
                          [("batching", d) for d in batching])
    extents = [shape[n] if kind == "batching" else n for kind, n in batch]
    vector_dim = dice.number(0, len(extents))
    at = extents[:vector_dim] + [len(index_map)] + extents[vector_dim:]
    if len(index_map) == 1 and dice.one_in(3):  # no dimension of its own
        vector_dim, at = len(extents), extents
    place = {d: i + (i >= vector_dim) for i, d in enumerate(batch)}
    starts = Value("i32", dice.random.integers(-2, 6, at))
    starts_batching = [place["batching", d] for d in batching]
    windows = [n for d, n in enumerate(sizes) if d not in batching and d not in collapsed]
    rank = len(extents) + len(windows)
    offsets = sorted(dice.shuffled(range(rank))[:len(windows)])
    x = plain("i32", shape, seed)
    if is_gather:
        return forms_indexing.one_gather(name, x, starts, sizes, offsets, collapsed, batching,
                                         starts_batching, index_map, vector_dim)
    inside, outside = iter(windows), iter(extents)
    updates = [next(inside) if d in offsets else next(outside) for d in range(rank)]
    return forms_indexing.one_scatter(
        name, x, starts, plain("i32", updates, seed + 1),
        dice.pick("add", "in_order", "replace", "minimum"), offsets, collapsed, batching,
        starts_batching, index_map, vector_dim)


def select_and_scatter(dice, name, seed):
    rank = dice.number(1, 3)
    shape, window, strides = (dice.numbers(rank, 1, high) for high in (7, 3, 3))
    padding = [tuple(dice.numbers(2, 0, size - 1)) for size in window]
    result = [formulas.window_count(n + low + high, size, stride)
              for n, (low, high), size, stride in zip(shape, padding, window, strides)]
    if 0 in result:
        return None
    return forms_reductions.one_select(name, plain("f32", shape, seed),
                                       plain("f32", result, seed + 1), window, strides, padding,
                                       dice.pick("GE", "LE", "GT"))


KINDS = (reduce_window, convolution, dot_general, indexing, select_and_scatter)


def cases(kind, seed, count):
    dice, made = Dice(seed), []
    while len(made) < count:
        case = kind(dice, f"{kind.__name__}_{seed}_{len(made)}", len(made))
        if case:
            made.append(case)
    return made
