"""A StableHLO program under construction, written in MLIR's generic form."""
import contextlib
import dataclasses

import numpy as np

from . import types
from .ranges import EXACT, EXACT_BITS, Range, Reject
from .types import tensor

MAX_ARGUMENTS = 9
MAX_GIVEN = 30


@dataclasses.dataclass
class Value:
    name: str
    shape: tuple
    type: types.ElementType
    range: Range
    uses: int = 0
    op: str = ""   # the operation that computes it

    @property
    def mlir(self):
        return tensor(self.shape, self.type)

    @property
    def count(self):
        return int(np.prod(self.shape, dtype=np.int64))


@dataclasses.dataclass
class Argument:
    value: Value
    data: np.ndarray
    attributes: dict = dataclasses.field(default_factory=dict)


class Builder:
    """Values in scope (`pool`), and the text of the blocks that are open."""

    def __init__(self, random, max_elements):
        self.random, self.max_elements = random, max_elements
        self.pool, self.arguments, self.functions = [], [], []
        self.lines, self.entry_lines = [], []
        self.names, self.ops, self.depth = 0, 0, 0
        self.closed = False   # in a separate function, which cannot add arguments of main
        self.op_names = []
        self.theme = ""
        self.products, self.quotients = set(), set()   # names of values, for kind_rounding
        self.expected = {}   # known results, by names of values
        self.faults = []   # faults of the built-in CPU that this program triggers

    # ---- emitting
    def fresh(self):
        self.names += 1
        return f"%{self.names}"

    def emit(self, op, operands, results, attributes="", regions=(), add=True):
        """Adds an operation. `results`: (shape, type, range) each; returns their values."""
        values = [Value(self.fresh(), tuple(s), t, r, op=op) for s, t, r in results]
        for operand in operands:
            operand.uses += 1
        left = ", ".join(v.name for v in values)
        properties = f" <{{{attributes}}}>" if attributes else ""
        blocks = " (" + ", ".join("{\n" + "\n".join(r) + "\n}" for r in regions) + ")" \
            if regions else ""
        dialect = op if "." in op else f"stablehlo.{op}"
        self.lines.append(
            (f"{left} = " if left else "") + f'"{dialect}"('
            f'{", ".join(v.name for v in operands)}){properties}{blocks} : '
            f'({", ".join(v.mlir for v in operands)}) -> '
            f'({", ".join(v.mlir for v in values)})')
        self.ops += 1
        self.op_names.append(op)
        if add:
            self.pool.extend(values)
        return values

    def one(self, op, operands, shape, etype, range=EXACT, attributes="", regions=()):
        return self.emit(op, operands, [(shape, etype, range)], attributes, regions)[0]

    def constant(self, array, etype, range=EXACT):
        array = np.asarray(array).astype(etype.dtype)
        if etype.is_inexact and range is EXACT:   # an integer, or infinite
            size = float(np.max(np.abs(array)))
            range = Range(-size, size, 0.0, 0, True) if np.isfinite(size) else Range(special=True)
        value = Value(self.fresh(), array.shape, etype, range, op="constant")
        self.lines.append(f'{value.name} = "stablehlo.constant"() <{{value = '
                          f'{dense(array, etype)}}}> : () -> {value.mlir}')
        self.pool.append(value)
        return value

    @contextlib.contextmanager
    def attempt(self):
        """Undoes everything if the operation inside is rejected."""
        state = (len(self.pool), len(self.arguments), len(self.functions), self.ops,
                 len(self.op_names))
        lines, depth, closed, pool = self.lines, self.depth, self.closed, self.pool
        length, uses = len(lines), [(v, v.uses) for v in self.pool]
        try:
            yield
        except Reject:
            self.lines, self.depth, self.closed, self.pool = lines, depth, closed, pool
            del self.lines[length:], self.pool[state[0]:], self.arguments[state[1]:]
            del self.functions[state[2]:], self.op_names[state[4]:]
            self.ops = state[3]
            for value, count in uses:
                value.uses = count
            raise

    @contextlib.contextmanager
    def block(self, arguments, captures=True, closed=False):
        """A nested block with its own scope; yields its lines and its argument values."""
        saved = self.lines, self.pool, self.closed
        values = [Value(self.fresh(), tuple(s), t, r) for s, t, r in arguments]
        self.lines = [f"^bb0({', '.join(f'{v.name}: {v.mlir}' for v in values)}):"] \
            if values and not closed else []
        # Uses inside the block count outside, too, because the values themselves count them.
        self.pool = (list(self.pool) if captures else []) + list(values)
        self.closed = self.closed or closed
        self.depth += 1
        try:
            yield self.lines, values
        finally:
            self.lines, self.pool, self.closed = saved
            self.depth -= 1

    def finish(self, values, op="stablehlo.return"):
        for value in values:
            value.uses += 1
        self.lines.append(f'"{op}"({", ".join(v.name for v in values)}) : '
                          f'({", ".join(v.mlir for v in values)}) -> ()')

    def combiner(self, op, etype, operands=2):
        """A region that applies one operation to scalars."""
        names = [self.fresh() for _ in range(operands + 1)]
        t = tensor((), etype)
        return [f"^bb0({', '.join(f'{n}: {t}' for n in names[:2])}):",
                f'{names[2]} = "stablehlo.{op}"({names[0]}, {names[1]}) : ({t}, {t}) -> {t}',
                f'"stablehlo.return"({names[2]}) : ({t}) -> ()']

    # ---- choosing
    def chance(self, probability):
        return self.random.random() < probability

    def choose(self, items):
        items = list(items)
        if not items:
            raise Reject
        return items[int(self.random.integers(len(items)))]

    def integer(self, low, high):
        """low <= result <= high."""
        return int(self.random.integers(low, high + 1))

    def new_type(self, among=None):
        kinds = [t for t in types.WEIGHTS if among is None or t in among]
        weights = np.array([types.WEIGHTS[t] for t in kinds])
        return kinds[self.random.choice(len(kinds), p=weights / weights.sum())]

    def new_shape(self, rank=None, limit=None):
        limit = min(limit or self.max_elements, self.max_elements)
        if rank is None:
            rank = int(self.random.choice(7, p=[.08, .2, .32, .22, .1, .05, .03]))
        sizes = [1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 24, 31, 32, 33, 48, 64, 65, 100, 128, 257,
                 1000]
        shape = []
        for _ in range(rank):
            room = limit // max(1, int(np.prod(shape, dtype=np.int64)))
            shape.append(self.choose([s for s in sizes if s <= max(room, 1)]))
            if self.chance(0.01):
                shape[-1] = 0
        self.random.shuffle(shape)
        return tuple(int(s) for s in shape)

    def pick(self, accept=lambda v: True):
        """A value in scope; prefers recent and unused values."""
        candidates = [v for v in self.pool if accept(v)]
        if not candidates:
            raise Reject
        weights = np.array([(1 + 3 * i / len(candidates)) * (3 if v.uses == 0 else 1)
                            for i, v in enumerate(candidates)])
        return candidates[self.random.choice(len(candidates), p=weights / weights.sum())]

    def value(self, shape, etype, accept=lambda v: True, **data):
        """A value of this shape and type: one in scope, an argument or a constant."""
        shape = tuple(shape)
        if self.chance(0.75):
            with contextlib.suppress(Reject):
                return self.pick(lambda v: v.shape == shape and v.type is etype and
                                 not v.range.special and accept(v))
        for _ in range(3):
            value = self.new_value(shape, etype, **data)
            if accept(value):
                return value
        raise Reject

    def new_value(self, shape, etype, **data):
        """A fresh argument, constant or splat."""
        shape = tuple(shape)
        count = int(np.prod(shape, dtype=np.int64))
        closed = self.closed or len(self.arguments) >= MAX_ARGUMENTS
        if not closed and self.chance(0.75):
            return self.argument(shape, etype, **data)
        if count <= 64 and self.chance(0.7):
            array, value_range = make_data(self.random, shape, etype, **data)
            return self.constant(array, etype, value_range)
        array, value_range = make_data(self.random, (), etype, **data)
        scalar = self.constant(array, etype, value_range)
        if shape == ():
            return scalar
        return self.one("broadcast_in_dim", [scalar], shape, etype, value_range,
                        "broadcast_dimensions = array<i64>")

    def argument(self, shape, etype, **data):
        if self.closed or len(self.arguments) >= MAX_ARGUMENTS:
            raise Reject
        array, value_range = make_data(self.random, shape, etype, **data)
        value = Value(f"%arg{len(self.arguments)}", tuple(shape), etype, value_range)
        self.arguments.append(Argument(value, array))
        self.pool.append(value)
        return value

    def given(self, array, etype):
        """An argument with the value `array`, or a constant if no argument can be added."""
        array = np.asarray(array)
        value_range = EXACT_BITS if etype.is_inexact else EXACT
        if self.closed or len(self.arguments) >= MAX_GIVEN:
            return self.constant(array, etype, value_range)
        value = Value(f"%arg{len(self.arguments)}", array.shape, etype, value_range)
        self.arguments.append(Argument(value, array))
        self.pool.append(value)
        return value


def dense(array, etype):
    """An array as a DenseElementsAttr, in hexadecimal (bools and narrow types as literals)."""
    array = np.asarray(array, order="C")
    kind = tensor(array.shape, etype)
    if array.size == 0:
        return f"dense<> : {kind}"
    if etype.kind == "bool":
        text = str(array.tolist()).lower()
        return f"dense<{text}> : {kind}"
    if etype.kind == "int" and etype.bits < 8:
        return f"dense<{array.astype(np.int64).tolist()}> : {kind}"
    if etype.kind == "float" and etype.bits < 8:
        return f"dense<{array.astype(np.float64).tolist()}> : {kind}"
    return f'dense<"0x{array.tobytes().hex().upper()}"> : {kind}'


def make_data(random, shape, etype, low=None, high=None, flavor=None):
    """Random values and their known range. `low` and `high` are the requested bounds."""
    if etype.kind == "bool":
        return random.integers(0, 2, shape).astype(bool), EXACT
    if etype.kind == "int":
        info = ml_info(etype)
        if low is None and random.random() < 0.12:
            edges = [info[0], info[0] + 1, 0, 1, etype.bits - 1, info[1] - 1, info[1]]
            edges += [-1] * etype.signed
            edges = np.array([x for x in edges if info[0] <= x <= info[1]], object)
            values = random.choice(edges, shape)
            values = np.asarray(values).astype(np.int64 if etype.signed else np.uint64)
            return np.asarray(values.astype(etype.dtype)), EXACT
        if low is None:
            wide = random.random() < 0.3
            low, high = (info[0], info[1]) if wide else (max(info[0], -9), min(info[1], 9))
        low, high = max(int(low), info[0]), min(int(high), info[1])
        values = random.integers(low, high, shape, dtype=np.uint64 if high > 2**63 - 1
                                 else np.int64, endpoint=True)
        return np.asarray(values).astype(etype.dtype), Range(low, high, bits=True, grid=0)
    flavor = flavor or random.choice(["whole", "quarters", "real", "unit"], p=[.4, .2, .25, .15])
    if etype.is_narrow and flavor != "whole":
        flavor = "small"
    scale = {"whole": 1.0, "quarters": 0.25, "small": 0.5}.get(flavor)
    if low is None:
        low, high = (-8, 8) if flavor == "whole" else (0, 1) if flavor == "unit" else (-2, 2)
        if etype.is_narrow:
            low, high = -2, 2
    grid = None if scale is None else round(np.log2(scale))

    def part():
        if scale is not None:
            values = random.integers(int(np.ceil(low / scale)), int(np.floor(high / scale)),
                                     shape, endpoint=True) * scale
        else:
            values = low + (high - low) * random.random(shape)
        return np.asarray(values)

    if etype.kind == "complex":
        bound = 1.5 * max(abs(low), abs(high))
        values = (part() + 1j * part()).astype(etype.dtype)
        return values, Range(-bound, bound, 0.0, grid, True)
    values = part().astype(etype.dtype)
    slack = 0 if scale is not None else max(abs(low), abs(high)) * etype.unit
    return values, Range(low - slack, high + slack, 0.0, grid, True)


def ml_info(etype):
    """Smallest and largest integer."""
    if not etype.signed:
        return (0, 2 ** etype.bits - 1)
    return (-2 ** (etype.bits - 1), 2 ** (etype.bits - 1) - 1)
