"""Operations that move elements by other values: gather, scatter, sort."""
import numpy as np

from .ops_reduce import beside
from .ops_shape import array_attr, index_types, unsliced
from .ranges import EXACT, Range, Reject, product, rounded, union
from .types import BOOL, I32, WEIGHTS


class IndexPlan:
    """The dimension numbers that gather and scatter share.

    `indexed`: operand dimensions that the index vector names, in its order; `collapsed` of them
    (and the batching ones) have no dimension in the window. The slice's size along each operand
    dimension is `sizes`.
    """

    def __init__(self, b, operand):
        shape = operand.shape
        rank = len(shape)
        self.batching, self.collapsed, self.indexed, self.sizes = [], [], [], list(shape)
        for i in b.random.permutation(rank):
            i = int(i)
            role = b.random.random()
            if role < 0.12 and shape[i]:
                self.batching.append(i)
                self.sizes[i] = 1
            elif role < 0.5 and shape[i]:
                self.collapsed.append(i)
                self.sizes[i] = 1
                self.indexed.append(i)
            elif role < 0.7 and shape[i]:
                self.indexed.append(i)
                self.sizes[i] = b.integer(1, shape[i])
        b.random.shuffle(self.indexed)
        self.batching.sort()
        self.collapsed.sort()
        self.window = [i for i in range(rank) if i not in self.batching + self.collapsed]
        # Batch dimensions of the indices: the batching ones among others, in any order.
        batch = [("batching", i) for i in self.batching]
        room = max(1, b.max_elements // max(1, int(np.prod(self.sizes, dtype=np.int64)) *
                                            int(np.prod([shape[i] for i in self.batching]))))
        for _ in range(b.integer(0, 2)):
            size = b.choose([s for s in (1, 2, 3, 4, 5, 8, 16, 40, 130) if s <= room])
            room //= size
            batch.append(("free", size))
        b.random.shuffle(batch)
        self.batch_sizes = [shape[i] if kind == "batching" else i for kind, i in batch]
        self.vector_dim = b.integer(0, len(batch))
        places = [i + (i >= self.vector_dim) for i in range(len(batch))]
        self.indices_batching = [places[batch.index(("batching", i))] for i in self.batching]
        self.indices_shape = list(self.batch_sizes)
        self.indices_shape.insert(self.vector_dim, len(self.indexed))
        if len(self.indexed) == 1 and self.vector_dim == len(batch) and b.chance(0.5):
            self.indices_shape.pop()   # scalars: the index vector is implied
        # The result's dimensions: batch ones in order, window ones in order, interleaved.
        result_rank = len(batch) + len(self.window)
        self.offset_dims = sorted(int(i) for i in b.random.choice(
            result_rank, len(self.window), replace=False)) if result_rank else []
        window, free = iter(self.window), iter(self.batch_sizes)
        self.result_shape = [self.sizes[next(window)] if i in self.offset_dims else next(free)
                             for i in range(result_rank)]
        if int(np.prod(self.result_shape, dtype=np.int64)) > b.max_elements:
            raise Reject

    def indices(self, b, shape):
        """Indices, some out of bounds, many repeated."""
        etype = b.choose(index_types([*self.batch_sizes, *shape]))
        largest = max((shape[i] for i in self.indexed), default=1)
        if b.chance(0.2) and etype.signed:   # unsigned ones over 2**31 are negative to the CPU
            return b.value(self.indices_shape, etype)
        low = -1 if etype.signed and b.chance(0.5) else 0
        high = min((shape[i] for i in self.indexed), default=1) - 1 if b.chance(0.5) else largest
        return b.new_value(self.indices_shape, etype, low=low, high=max(high, 0))


def numbers(name, lists, vector_dim):
    parts = [f"{key} = [{', '.join(map(str, values))}]" for key, values in lists if values]
    return (f"{name} = #stablehlo.{name.removesuffix('_dimension_numbers').split('_')[0]}<"
            + ", ".join([*parts, f"index_vector_dim = {vector_dim}"]) + ">")


def gather(b):
    x = b.pick(lambda v: v.shape and unsliced(v))
    plan = IndexPlan(b, x)
    indices = plan.indices(b, x.shape)
    attributes = numbers("dimension_numbers", (
        ("offset_dims", plan.offset_dims), ("collapsed_slice_dims", plan.collapsed),
        ("operand_batching_dims", plan.batching),
        ("start_indices_batching_dims", plan.indices_batching),
        ("start_index_map", plan.indexed)), plan.vector_dim) \
        .replace("#stablehlo.dimension<", "#stablehlo.gather<")
    b.one("gather", [x, indices], plan.result_shape, x.type, x.range,
          f"{attributes}, {array_attr('slice_sizes', plan.sizes)}, indices_are_sorted = false")


def scatter_rule(op, etype, x, u, count):
    """Range of an operand after up to `count` updates."""
    if not etype.is_inexact:
        return EXACT
    grid = None if x.grid is None or u.grid is None else min(x.grid, u.grid)
    if op in ("add", "subtract"):
        size = count * u.size
        return rounded(etype, x.low - size, x.high + size, x.error + count * u.error, grid, count)
    if op == "multiply":
        result = union(x, product(etype, x, u))
        for _ in range(min(count, 40)):
            result = union(result, product(etype, result, u))
        if count > 40 and u.size > 1:
            raise Reject
        return result
    return union(x, u)


def scatter(b):
    x = b.pick(lambda v: v.shape and not v.range.special and unsliced(v))
    plan = IndexPlan(b, x)
    if not plan.indexed and plan.batch_sizes:
        raise Reject   # the built-in CPU applies one update of several
    indices = plan.indices(b, x.shape)
    count = int(np.prod(plan.batch_sizes, dtype=np.int64))
    several = count == 1 and b.chance(0.3)   # the built-in CPU does not repeat the second
    operands = [x] + ([b.value(x.shape, b.new_type(beside(x.type)))] if several else [])
    updates = [b.value(plan.result_shape, v.type) for v in operands]
    ranges, names, body = [], [], []
    arguments = [((), v.type, EXACT) for v in operands + updates]
    with b.block(arguments, captures=False) as (lines, args):
        results = []
        for i, (v, u) in enumerate(zip(operands, updates)):
            now, new = args[i], args[len(operands) + i]
            choices = ["return", "add", "maximum", "minimum", "multiply"]
            if v.type.kind == "int":
                choices += ["xor", "and", "or"] + ["subtract"] * (not several)
            if v.type is BOOL:
                choices = ["return", "or", "and", "xor"]
            if v.type.kind == "complex":
                choices = ["return", "add", "multiply"]
            if v.type.is_float and not several:
                choices.append("subtract")
            op = b.choose(choices)
            ranges.append(scatter_rule(op, v.type, v.range, u.range, count).without_bits()
                          if op != "return" else union(v.range, u.range))
            results.append(new if op == "return" else b.one(op, [now, new], (), v.type))
        b.finish(results)
        body = lines
    attributes = numbers("scatter_dimension_numbers", (
        ("update_window_dims", plan.offset_dims), ("inserted_window_dims", plan.collapsed),
        ("input_batching_dims", plan.batching),
        ("scatter_indices_batching_dims", plan.indices_batching),
        ("scatter_dims_to_operand_dims", plan.indexed)), plan.vector_dim)
    b.emit("scatter", [*operands, indices, *updates],
           [(v.shape, v.type, r) for v, r in zip(operands, ranges)],
           f"{attributes}, indices_are_sorted = false, unique_indices = false", [body])


def compare_text(b, out, left, right, etype, direction, bits):
    kind = ("TOTALORDER" if bits and b.chance(0.5) else "FLOAT") if etype.is_inexact else \
        "SIGNED" if etype.signed else "UNSIGNED"
    t = f"tensor<{etype}>"
    return (f'{out} = "stablehlo.compare"({left}, {right}) <{{comparison_direction = '
            f'#stablehlo<comparison_direction {direction}>, compare_type = '
            f'#stablehlo<comparison_type {kind}>}}> : ({t}, {t}) -> tensor<i1>')


def sort(b):
    # The built-in CPU does not sort types of fewer than 8 bits right.
    keys = [b.pick(lambda v: v.shape and v.range.exact and not v.range.special and
                   v.type.kind != "complex" and (v.type is BOOL or v.type.bits >= 8))]
    two_keys = b.chance(0.25)
    if two_keys:
        keys.append(b.value(keys[0].shape, b.new_type([t for t in (keys[0].type, I32, BOOL)]),
                            lambda v: v.range.exact))
    payloads = [b.value(keys[0].shape, b.new_type([t for t in WEIGHTS if t is BOOL or t.bits >= 8]))
                for _ in range(b.choose((0, 0, 1, 2)))]
    operands = keys + payloads
    direction = b.choose(("LT", "GT"))
    names = [(b.fresh(), b.fresh()) for _ in operands]
    lines = ["^bb0(" + ", ".join(f"{n}: tensor<{v.type}>" for pair, v in zip(names, operands)
                                 for n in pair) + "):"]
    certain = all(k.range.bits for k in keys)
    first = b.fresh()
    lines.append(compare_text(b, first, *names[0], keys[0].type, direction, certain))
    result = first
    if two_keys:
        equal, second, both, result = (b.fresh() for _ in range(4))
        lines.append(compare_text(b, equal, *names[0], keys[0].type, "EQ", False))
        lines.append(compare_text(b, second, *names[1], keys[1].type, direction, False))
        t = "(tensor<i1>, tensor<i1>) -> tensor<i1>"
        lines.append(f'{both} = "stablehlo.and"({equal}, {second}) : {t}')
        lines.append(f'{result} = "stablehlo.or"({first}, {both}) : {t}')
    lines.append(f'"stablehlo.return"({result}) : (tensor<i1>) -> ()')
    axis = b.integer(0, len(keys[0].shape) - 1)
    # Without stability only operands that are all compared have one order.
    stable = bool(payloads) or two_keys or b.chance(0.5)
    results = [(v.shape, v.type, v.range if stable else v.range.without_bits())
               for v in operands]
    b.emit("sort", operands, results, f"dimension = {axis} : i64, is_stable = "
           f"{str(stable).lower()}", [lines])


OPS = {gather: 7, scatter: 8, sort: 5}
