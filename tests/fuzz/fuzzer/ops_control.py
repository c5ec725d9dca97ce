"""Control flow and calls: operations whose regions are programs themselves."""
import dataclasses

from .ranges import EXACT, Range, Reject, union
from .types import BOOL, I32, I64, I8, U32, tensor

MAX_DEPTH = 3


def contained(r, within):
    if within.bits and not r.bits:
        return False
    if r.special or r.error > within.error or r.low < within.low or r.high > within.high:
        return False
    return within.grid is None or (r.grid is not None and r.grid >= within.grid)


def fits(value, shape, etype, within):
    return value.shape == tuple(shape) and value.type is etype and \
        (contained(value.range, within) if etype.is_inexact else not value.range.special)


def loop_range(value):
    """The range of a carried value over all iterations."""
    r = value.range
    if not value.type.is_inexact:
        return EXACT
    if not r.exact or r.grid is None or value.type.is_narrow:
        return r.without_bits()
    return Range(min(r.low, -8.0), max(r.high, 8.0), 0.0, min(r.grid, -2))


def while_loop(b):
    if b.depth >= MAX_DEPTH:
        raise Reject
    carried = [b.pick(lambda v: not v.range.special) for _ in range(b.integer(1, 4))]
    if b.chance(0.4):   # several of one type, which can be swapped
        carried.append(b.value(carried[0].shape, carried[0].type))
    counter_type = b.choose((I32, I32, I64, I8, U32))
    start = b.constant(0, counter_type, Range(0, 0, 0.0, 0, True))
    limit = b.value((), counter_type, lambda v: v.range.low >= 0 and v.range.high <= 9,
                    low=0, high=7)
    initial = [start, *carried]
    states = [Range(0, 9, 0.0, 0, True)] + [loop_range(v) for v in carried]
    arguments = [(v.shape, v.type, r) for v, r in zip(initial, states)]
    with b.block(arguments) as (condition, args):
        kind = "SIGNED" if counter_type.signed else "UNSIGNED"
        b.finish([b.one("compare", [args[0], limit], (), BOOL, EXACT,
                        "comparison_direction = #stablehlo<comparison_direction LT>, "
                        f"compare_type = #stablehlo<comparison_type {kind}>")])
    with b.block(arguments) as (body, args):
        one = b.constant(1, counter_type, Range(1, 1, 0.0, 0, True))
        before = len(b.pool)
        b.generate(b.integer(1, 6))
        made = b.pool[before:]
        following = [b.one("add", [args[0], one], (), counter_type)]
        for value, state in zip(carried, states[1:]):
            new = [v for v in made if fits(v, value.shape, value.type, state)]
            old = [v for v in args[1:] if fits(v, value.shape, value.type, state)]
            following.append(b.choose(new) if new and b.chance(0.7) else b.choose(old))
        b.finish(following)
    b.emit("while", initial, [(v.shape, v.type, r) for v, r in zip(initial, states)],
           regions=[condition, body])


def branches(b, count):
    """(regions, results) of `count` branches that give values of the same types."""
    specs = [b.pick(lambda v: not v.range.special) for _ in range(b.integer(1, 3))]
    regions, ranges = [], [[] for _ in specs]
    for _ in range(count):
        with b.block([]) as (lines, _):
            before = len(b.pool)
            b.generate(b.integer(0, 4))
            made = b.pool[before:]
            results = []
            for i, spec in enumerate(specs):
                def same(v):
                    return v.shape == spec.shape and v.type is spec.type and not v.range.special
                new = [v for v in made if same(v)]
                value = b.choose(new) if new and b.chance(0.8) else b.pick(same)
                results.append(value)
                ranges[i].append(value.range)
            b.finish(results)
            regions.append(lines)
    return regions, [(s.shape, s.type, union(*r)) for s, r in zip(specs, ranges)]


def if_op(b):
    if b.depth >= MAX_DEPTH:
        raise Reject
    condition = b.value((), BOOL)
    regions, results = branches(b, 2)
    b.emit("if", [condition], results, regions=regions)


def case_op(b):
    if b.depth >= MAX_DEPTH:
        raise Reject
    count = b.integer(1, 4)
    index = b.value((), I32) if b.chance(0.3) else b.new_value((), I32, low=-1, high=count)
    regions, results = branches(b, count)
    b.emit("case", [index], results, regions=regions)


def call(b):
    """A function, called once or twice."""
    if b.depth >= MAX_DEPTH:
        raise Reject
    operands = [b.pick(lambda v: not v.range.special) for _ in range(b.integer(1, 3))]
    arguments = [(v.shape, v.type, v.range if v.type.is_inexact else EXACT) for v in operands]
    with b.block(arguments, captures=False, closed=True) as (lines, args):
        b.generate(b.integer(1, 6))
        values = [b.pick(lambda v: not v.range.special) for _ in range(b.integer(1, 3))]
        b.finish(values, "func.return")
    name = f"f{len(b.functions)}"
    inputs = ", ".join(f"{a.name}: {a.mlir}" for a in args)
    outputs = ", ".join(v.mlir for v in values)
    b.functions.append(f"func.func private @{name}({inputs}) -> ({outputs}) {{\n" +
                       "\n".join(lines) + "\n}")
    results = [(v.shape, v.type, dataclasses.replace(v.range)) for v in values]
    b.emit("func.call", operands, results, f"callee = @{name}")
    if b.chance(0.4):
        again = [b.choose([v for v in b.pool if fits(v, *argument)]) for argument in arguments]
        b.emit("func.call", again, results, f"callee = @{name}")


OPS = {while_loop: 4, if_op: 2, case_op: 2, call: 2}
