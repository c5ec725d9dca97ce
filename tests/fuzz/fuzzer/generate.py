"""From a seed to a program."""
import contextlib
import dataclasses

import numpy as np

from . import (kind_carries, kind_chains, kind_folded, kind_ordered, kind_rounding, ops_control,
               ops_elementwise, ops_index, ops_linear, ops_reduce, ops_shape, types)
from .builder import Builder, dense
from .ranges import SPECIAL, Range, Reject

OPS = {**ops_elementwise.OPS, **ops_shape.OPS, **ops_index.OPS, **ops_reduce.OPS,
       **ops_linear.OPS, **ops_control.OPS}


# Half of the programs are mostly of one kind, so that operations of that kind are combined.
THEMES = {
    "memory": (ops_control.while_loop, ops_control.if_op, ops_control.case_op, ops_control.call,
               ops_shape.dynamic_update_slice, ops_index.scatter, ops_shape.reshape,
               ops_elementwise.binary),
    "movement": tuple(ops_shape.OPS) + (ops_index.gather,),
    "elements": tuple(ops_elementwise.OPS),
    "products": (ops_linear.dot_general, ops_linear.convolution, ops_reduce.reduce,
                 ops_reduce.reduce_window, ops_shape.transpose, ops_shape.broadcast,
                 ops_elementwise.binary, ops_elementwise.convert),
}


@dataclasses.dataclass
class Program:
    text: str
    inputs: list            # NumPy arrays
    outputs: list           # (element type, Range) each
    layouts: list           # an argument's dimensions, major first, or None
    donated: list           # an argument may be overwritten
    ops: list               # names
    kind: str = "mixed"
    faults: tuple = ()      # faults of the built-in CPU that the program triggers
    expected: tuple = ()    # known result or None, for each result
    folded: tuple = ()      # (text, remaining arguments) with constants for arguments


class ProgramBuilder(Builder):
    """A builder with random weights: each program prefers some operations and types."""

    def __init__(self, random, max_elements):
        super().__init__(random, max_elements)
        self.theme = str(random.choice(["", *THEMES], p=[.5, .2, .1, .1, .1]))
        taste = np.exp(random.normal(0, 1.0, len(OPS)))
        likes = [10 if op in THEMES.get(self.theme, ()) else 1 for op in OPS]
        weights = np.array(list(OPS.values())) * taste * likes
        self.op_list, self.op_weights = list(OPS), weights / weights.sum()
        self.liked = [t for t in types.WEIGHTS if random.random() < 0.3] or [types.F32]
        self.budget = 0

    def new_type(self, among=None):
        liked = [t for t in self.liked if among is None or t in among]
        return super().new_type(liked if liked and self.chance(0.7) else among)

    def generate(self, count):
        """Adds about `count` operations to the open block."""
        goal = self.ops + count
        for _ in range(12 * count):
            if self.ops >= goal:
                break
            op = self.op_list[self.random.choice(len(self.op_list), p=self.op_weights)]
            with contextlib.suppress(Reject), self.attempt():
                op(self)


# Most elements of a value, and how often: some programs need several tiles and threads.
LIMITS = {64: .25, 512: .4, 4096: .28, 60_000: .05, 400_000: .02}


# Kinds of programs with one correct result; see the modules.
KINDS = {"ordered": kind_ordered.PROGRAMS, "rounding": kind_rounding.PROGRAMS,
         "chains": kind_chains.PROGRAMS, "carries": kind_carries.PROGRAMS,
         "folded": kind_folded.PROGRAMS}
SHARES = {"ordered": 5, "rounding": 4, "chains": 2, "carries": 2, "folded": 2}


def generate(seed, kind="mixed"):
    """The program of a seed, of one of several kinds ("carries,ordered"; any: all but mixed)."""
    if kind == "mixed":
        return mixed(seed)
    random = np.random.default_rng([seed, 1])
    kinds = list(SHARES) if kind == "any" else kind.split(",")
    shares = np.array([SHARES[k] for k in kinds])
    kind = kinds[random.choice(len(kinds), p=shares / shares.sum())]
    limit = int(random.choice([64, 512, 4096, 40_000], p=[.3, .4, .27, .03]))
    programs = KINDS[kind]
    weights = np.array(list(programs.values()), float)
    while True:
        b = Builder(random, limit)
        with contextlib.suppress(Reject):
            make = list(programs)[random.choice(len(programs), p=weights / weights.sum())]
            make(b)
            if b.ops:
                break
    outputs = [v for v in b.pool if v.uses == 0 and not v.name.startswith("%arg")]
    if not outputs:
        outputs = [b.pool[-1]]
    random.shuffle(outputs)
    outputs = outputs[:8]
    program = assemble(b, outputs)
    return dataclasses.replace(program, kind=f"{kind}.{make.__name__}", faults=tuple(b.faults),
                               expected=tuple(b.expected.get(v.name) for v in outputs),
                               folded=folded(b, program))


def folded(b, program):
    """The program with constants for all or some of its arguments."""
    if any(program.donated) or any(layout for layout in program.layouts) or \
            sum(x.size for x in program.inputs) > 4096 or not program.inputs:
        return ()
    keep = [bool(b.chance(0.3)) for _ in program.inputs]
    if all(keep) or b.chance(0.5):
        keep = [False] * len(keep)
    lines = program.text.split("\n")
    head = next(i for i, line in enumerate(lines) if "@main(" in line)
    before, after = lines[head].split("@main(", 1)
    kept = [f"{a.value.name}: {a.value.mlir}" for a, k in zip(b.arguments, keep) if k]
    constants = [f'{a.value.name} = "stablehlo.constant"() <{{value = '
                 f'{dense(a.data, a.value.type)}}}> : () -> {a.value.mlir}'
                 for a, k in zip(b.arguments, keep) if not k]
    lines[head] = f"{before}@main({', '.join(kept)}) -> {after.split(') -> ', 1)[1]}"
    lines[head + 1:head + 1] = constants
    return "\n".join(lines), tuple(i for i, k in enumerate(keep) if k)


def mixed(seed, limits=tuple(LIMITS), most_ops=40):
    """A program of many operations, compared within the bounds of its own error."""
    random = np.random.default_rng(seed)
    weights = np.array([LIMITS[limit] for limit in limits])
    limit = int(random.choice(limits, p=weights / weights.sum()))
    b = ProgramBuilder(random, limit)
    for _ in range(b.integer(1, 3)):
        etype = b.new_type()
        b.argument(b.new_shape(), etype, **random_data(b, etype))
    if b.chance(0.15):
        special_argument(b)
    size = 3 + int(random.exponential(7 if limit < 10_000 else 4))
    b.generate(min(size, most_ops))
    outputs = [v for v in b.pool if v.uses == 0]
    random.shuffle(outputs)
    outputs = outputs[:6]
    for value in b.pool:
        if value.uses and len(outputs) < 8 and b.chance(0.08):
            outputs.append(value)
    if not outputs:
        outputs = [b.pool[-1]]
    if b.chance(0.03):
        outputs.append(b.choose(outputs))
    return assemble(b, outputs)


def random_data(b, etype):
    return {"flavor": "whole"} if etype.is_inexact and b.chance(0.3) else {}


def special_argument(b):
    """Special values."""
    etype = b.choose((types.F32, types.F64, types.F16, types.BF16))
    value = b.argument(b.new_shape(), etype)
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.5, float(types.F16.limit)])
    data = b.random.choice(special, value.shape).astype(etype.dtype)
    b.arguments[-1].data = np.asarray(data)
    value.range = SPECIAL


def assemble(b, outputs):
    """main, with donated and aliased arguments and layouts other than row-major."""
    arguments, layouts, donated = [], [], []
    result_attributes = [{} for _ in outputs]
    with_aliases = b.chance(0.8 if b.theme == "memory" else 0.25)
    with_layouts = b.chance(0.08)
    taken = set()
    for argument in b.arguments:
        value, attributes, layout = argument.value, {}, None
        if with_layouts and len(value.shape) >= 2 and b.chance(0.6):
            layout = [int(i) for i in b.random.permutation(len(value.shape))]
            attributes["mhlo.layout_mode"] = layout_mode(layout)
        elif with_aliases and b.chance(0.7):
            same = [i for i, v in enumerate(outputs) if v.mlir == value.mlir and i not in taken]
            if same and b.chance(0.8):
                taken.add(i := b.choose(same))
                attributes["tf.aliasing_output"] = f"{i} : i32"
            else:
                attributes["jax.buffer_donor"] = "true"
        layouts.append(layout)
        donated.append("mhlo.layout_mode" not in attributes and bool(attributes))
        arguments.append(f"{value.name}: {value.mlir}" + written(attributes))
    for i, value in enumerate(outputs):
        if with_layouts and len(value.shape) >= 2 and i not in taken and b.chance(0.4):
            order = [int(d) for d in b.random.permutation(len(value.shape))]
            result_attributes[i]["mhlo.layout_mode"] = layout_mode(order)
    b.finish(outputs, "func.return")
    results = ", ".join(v.mlir + written(a) for v, a in zip(outputs, result_attributes))
    main = f"func.func public @main({', '.join(arguments)}) -> ({results}) {{\n" + \
        "\n".join(b.lines) + "\n}"
    text = "module @fuzz {\n" + "\n".join([main, *b.functions]) + "\n}\n"
    return Program(text, [a.data for a in b.arguments], [(v.type, v.range) for v in outputs],
                   layouts, donated, list(b.op_names))


def layout_mode(major_to_minor):
    return '"{' + ",".join(map(str, reversed(major_to_minor))) + '}"'


def written(attributes):
    if not attributes:
        return ""
    return " {" + ", ".join(f"{k} = {v}" for k, v in attributes.items()) + "}"
