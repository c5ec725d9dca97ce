"""Loops that update arrays in place, through conditionals, inner loops and calls.

A read before an update must return the old value, and elements that a branch does not update must
not change. Arrays have any type if they are only moved, else integers.
"""
import numpy as np

from . import monoids, scalars
from .monoids import compare, number, op
from .ops_shape import array_attr
from .ranges import EXACT, Reject
from .types import BF16, BOOL, F32, F64, I8, I32, I64, U16

MAX_DEPTH = 3


class State:
    """The values a block may read and update: a counter and arrays. `old` are earlier versions."""

    def __init__(self, counter, arrays):
        self.counter, self.arrays, self.old = counter, list(arrays), []

    def update(self, i, value):
        self.old.append(self.arrays[i])
        self.arrays[i] = value

    def pick(self, b):
        return b.integer(0, len(self.arrays) - 1)

    def readable(self, b):
        return b.choose(self.old[-3:]) if self.old and b.chance(0.3) else b.choose(self.arrays)


def index(b, state, size):
    """An index computed from the counter or an array element; may be out of bounds."""
    kind = b.integer(0, 4)
    if kind == 0:
        return number(b, b.integer(0, size), I32)
    if kind == 1:
        found = [a for a in state.arrays if a.type.kind == "int"]
        if found:
            value = element(b, state, b.choose(found))
            value = value if value.type is I32 else op(b, "convert", value, to=I32)
            return op(b, "and", value, number(b, b.choose((3, 7)), I32))
    value = state.counter
    if b.chance(0.4):
        value = op(b, "multiply", value, number(b, b.choose((2, 3, -1)), I32))
    if b.chance(0.4):
        value = op(b, "add", value, number(b, b.integer(-2, size), I32))
    return value


def starts(b, state, array):
    return [index(b, state, size) for size in array.shape]


def piece(b, state, array, sizes):
    return b.one("dynamic_slice", [array, *starts(b, state, array)], sizes, array.type,
                 array.range, array_attr("slice_sizes", sizes))


def element(b, state, array):
    value = piece(b, state, array, (1,) * len(array.shape))
    return b.one("reshape", [value], (), array.type, array.range)


def changed(b, value):
    """The value itself, or a function of it."""
    if value.type.kind == "int" and b.chance(0.7):
        one = number(b, b.choose((1, 3, 5)), value.type)
        if value.shape:
            one = b.one("broadcast_in_dim", [one], value.shape, value.type, EXACT,
                        "broadcast_dimensions = array<i64>")
        return op(b, b.choose(("add", "multiply", "xor")), value, one)
    if value.type.is_float and b.chance(0.3):
        return b.one("negate", [value], value.shape, value.type, value.range)
    return value


# ---- statements
def write(b, state, depth):
    """Updates an element or a part with a function of earlier reads."""
    i = state.pick(b)
    array = state.arrays[i]
    sizes = [b.choose((1, 1, size, max(1, size // 2))) for size in array.shape]
    sources = [a for a in (*state.arrays, *state.old[-3:]) if a.type is array.type and
               len(a.shape) == len(array.shape) and all(s <= t for s, t in zip(sizes, a.shape))]
    new = changed(b, piece(b, state, b.choose(sources), sizes))
    state.update(i, b.one("dynamic_update_slice", [array, new, *starts(b, state, array)],
                          array.shape, array.type, array.range))


def scatter(b, state, depth):
    i = state.pick(b)
    array = state.arrays[i]
    if not array.shape:
        raise Reject
    count = b.choose((1, 1, 3))
    at = op(b, "add", index(b, state, array.shape[0]), number(b, 0, I32))
    row = array.shape[1:]
    indices = b.one("broadcast_in_dim", [at], (count, 1), I32, EXACT,
                    "broadcast_dimensions = array<i64>")
    offsets = b.constant(b.random.integers(0, 3, (count, 1)).astype(np.int32), I32)
    indices = op(b, "add", indices, offsets)
    source = next((a for a in state.arrays[::-1] if a.type is array.type and
                   a.shape[1:] == row and a.shape[0] >= count), None)
    if source is None:
        raise Reject
    updates = changed(b, scalars.part(b, source, 0, 0, count))
    kind = "return" if array.type.kind != "int" else b.choose(("return", "add", "subtract"))
    with b.block([((), array.type, array.range)] * 2, captures=False) as (lines, args):
        b.finish([args[1] if kind == "return" else op(b, kind, *args)])
    window = f"update_window_dims = {list(range(1, 1 + len(row)))}, " if row else ""
    state.update(i, b.one(
        "scatter", [array, indices, updates], array.shape, array.type, array.range,
        f"scatter_dimension_numbers = #stablehlo.scatter<{window}inserted_window_dims = [0], "
        "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, "
        "indices_are_sorted = false, unique_indices = false", [lines]))


def predicate(b, state):
    """A predicate on the counter, an array element or an argument."""
    kind = b.integer(0, 3)
    if kind == 0:
        two = number(b, b.choose((2, 3)), I32)
        return compare(b, "EQ", op(b, "remainder", state.counter, two), number(b, 0, I32))
    if kind == 1 and "flag" in b.kept and b.depth == b.kept["depth"]:
        return b.kept["flag"]
    if kind == 2:
        value = element(b, state, state.readable(b))
        if value.type is BOOL:
            return value
        if value.type.kind in ("int", "float"):
            return compare(b, b.choose(("LT", "GE", "EQ")), value, number(b, 1, value.type))
    return compare(b, b.choose(("LT", "EQ", "GT")), state.counter,
                   number(b, b.choose((-1, 0, 2, 5, 100)), I32))


def branch(b, state, depth, results):
    """The lines of a branch that returns arrays `results` of the state."""
    with b.block([]) as (lines, _):
        inner = State(state.counter, state.arrays)
        inner.old = state.old[-2:]
        for _ in range(b.choose((0, 1, 1, 2))):
            statement(b, inner, depth + 1)
        b.finish([inner.arrays[i] for i in results])
    return lines


def conditional(b, state, depth):
    if depth >= MAX_DEPTH:
        raise Reject
    results = [i for i in range(len(state.arrays)) if b.chance(0.7)] or [0]
    if b.chance(0.7):
        name, operands, count = "if", [predicate(b, state)], 2
    else:
        count = b.integer(1, 3)
        name = "case"
        operands = [op(b, "remainder", state.counter, number(b, b.choose((count, count + 1)),
                                                             I32))]
    regions = [branch(b, state, depth, results) for _ in range(count)]
    values = b.emit(name, operands, [(state.arrays[i].shape, state.arrays[i].type,
                                      state.arrays[i].range) for i in results], regions=regions)
    for i, value in zip(results, values):
        state.update(i, value)


def exchange(b, state, depth):
    i = state.pick(b)
    same = [j for j, a in enumerate(state.arrays) if j != i and a.mlir == state.arrays[i].mlir]
    if not same:
        raise Reject
    j = b.choose(same)
    state.arrays[i], state.arrays[j] = state.arrays[j], state.arrays[i]


def everywhere(b, state, depth):
    i = state.pick(b)
    array = state.arrays[i]
    new = changed(b, array)
    if b.chance(0.4) and array.shape:
        new = b.one("reverse", [new], array.shape, array.type, array.range,
                    array_attr("dimensions", [0]))
    if b.chance(0.3):
        flag = predicate(b, state)
        new = b.one("select", [flag, new, array], array.shape, array.type, array.range)
    state.update(i, new)


def inner_loop(b, state, depth):
    if depth >= MAX_DEPTH - 1:
        raise Reject
    limit = number(b, b.integer(0, 4), I32)
    results = repeat(b, state.arrays, limit, depth + 1)
    for i, value in enumerate(results):
        state.update(i, value)


def called(b, state, depth):
    """The statement in a separate function."""
    if depth >= MAX_DEPTH:
        raise Reject
    operands = [state.counter, *state.arrays]
    with b.block([(v.shape, v.type, v.range) for v in operands], captures=False,
                 closed=True) as (lines, args):
        inner = State(args[0], args[1:])
        statement(b, inner, depth + 1)
        b.finish(inner.arrays, "func.return")
    name = f"f{len(b.functions)}"
    inputs = ", ".join(f"{a.name}: {a.mlir}" for a in args)
    outputs = ", ".join(a.mlir for a in state.arrays)
    b.functions.append(f"func.func private @{name}({inputs}) -> ({outputs}) {{\n" +
                       "\n".join(lines) + "\n}")
    values = b.emit("func.call", operands, [(a.shape, a.type, a.range) for a in state.arrays],
                    f"callee = @{name}")
    for i, value in enumerate(values):
        state.update(i, value)


STATEMENTS = {write: 6, scatter: 2, conditional: 6, exchange: 1, everywhere: 1, inner_loop: 1,
              called: 0.7}


def statement(b, state, depth):
    weights = np.array(list(STATEMENTS.values()))
    for _ in range(10):
        kind = list(STATEMENTS)[b.random.choice(len(STATEMENTS), p=weights / weights.sum())]
        saved = list(state.arrays), list(state.old), state.counter
        try:
            with b.attempt():
                return kind(b, state, depth)
        except Reject:
            state.arrays, state.old, state.counter = saved


def repeat(b, arrays, limit, depth):
    """A loop around statements; its condition may read an array as well."""
    initial = [number(b, 0, I32), limit, *arrays]
    arguments = [(v.shape, v.type, v.range) for v in initial]
    with b.block(arguments) as (condition, args):
        go = compare(b, "LT", args[0], args[1])
        if b.chance(0.15):
            state = State(args[0], args[2:])
            value = element(b, state, b.choose(args[2:]))
            if value.type.kind == "int":
                stop = compare(b, "NE", value, number(b, 11, value.type))
                go = op(b, "and", go, stop)
        b.finish([go])
    with b.block(arguments) as (lines, args):
        state = State(args[0], args[2:])
        for _ in range(b.choose((1, 1, 2, 3))):
            statement(b, state, depth)
        following = op(b, "add", args[0], number(b, 1, I32))
        b.finish([following, args[1], *state.arrays])
    return b.emit("while", initial, [(v.shape, v.type, v.range) for v in initial],
                  regions=[condition, lines])[2:]


def loops(b):
    b.kept = {"flag": b.given(np.asarray(b.chance(0.5)), BOOL), "depth": b.depth + 1}
    shapes = [b.new_shape(rank=b.integer(1, 2), limit=2000) for _ in range(2)]
    if any(0 in shape for shape in shapes):
        raise Reject
    few = [b.choose((I32, F32, F64, I8, BOOL, BF16, I64, U16)) for _ in range(2)]
    arrays = []
    for _ in range(b.integer(1, 4)):
        etype, shape = b.choose(few), b.choose(shapes)
        array = scalars.any_bits(b.random, shape, etype) if etype.is_inexact or b.chance(0.3) or \
            etype is BOOL else monoids.integers(etype, 0, 12)(b.random, shape)
        if etype is BF16:   # conversions to f32 and back make NaNs quiet
            array = np.where(np.isnan(array.astype(np.float32)), np.ones((), etype.dtype), array)
        arrays.append(b.given(array, etype))
    for array in arrays:
        array.range = scalars.exact_bits(array.type)
    limit = b.given(np.asarray(b.integer(0, 12), np.int32), I32) if b.chance(0.5) else \
        number(b, b.integer(0, 12), I32)
    results = repeat(b, arrays, limit, 0)
    for value in results:
        if b.chance(0.2):
            everywhere(b, State(limit, [value]), 0)


PROGRAMS = {loops: 1}
