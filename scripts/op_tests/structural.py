"""Operations that move, select or sum elements, on every type, with small integers."""
import numpy as np

from . import samples
from .case import Case
from .values import ALL, BOOL, COMPLEX, FLOATS, INTEGERS, TYPES, Value, bits_of

plain = samples.plain


def numbers(value):
    """The numbers of a Value, in a type with exact sums."""
    if value.type in COMPLEX:
        return value.array.astype(np.complex128)
    if value.type in FLOATS:
        return value.array.astype(np.float64)
    if value.type in BOOL:
        return value.array
    return value.array.astype(np.int64) if value.type != "ui64" else value.array


def of(type_name, array):
    """Converts back to the type; integers wrap."""
    return Value(type_name, samples.wrap(array, type_name) if type_name in INTEGERS else array)


def scalar(type_name, number):
    return Value(type_name, np.array(number))


def moved(body, function, shape=(3, 4), **more):
    """r = function(x), the same for every type."""
    def make(t):
        x = plain(t, shape)
        return {"x": x, **{k: v(t) if callable(v) else v for k, v in more.items()}}, body, \
            {"r": Value(t, function(x.array))}
    return make


def add_or_or(t):
    return "or" if t in BOOL else "add"


def total(t, array, axis):
    if t in BOOL:
        return np.any(array, axis)
    return np.sum(array, axis)


def reduced(t):
    x, zero = small_terms(t, (4, 3)), start(t)
    sums = total(t, numbers(x), 0)
    if t == "f8E8M0FNU":
        sums = numbers(zero) + sums
    return {"x": x, "zero": zero}, f"""
        %r = stablehlo.reduce(%x init: %zero) applies stablehlo.{add_or_or(t)} across dimensions = [0]
          : ($x, $zero) -> $r""", {"r": of(t, sums)}


def start(t):
    """The initial value of sums: zero, or the smallest value of a type without zero."""
    return scalar(t, 2.0**-120 if t == "f8E8M0FNU" else 0)


def small_terms(t, shape, seed=0):
    """Numbers whose sums and products are exact in the type, in any order."""
    random = np.random.default_rng(seed)
    if t == "f8E8M0FNU":  # sums of different powers of two are no powers of two
        array = np.full(shape, 2.0**-126)
        array.reshape(-1)[::shape[-1] + 1] = 2.0
        return Value(t, array)
    if t in BOOL:
        return Value(t, random.integers(0, 2, shape).astype(bool))
    low = -1 if t in COMPLEX + FLOATS or not t.startswith("ui") else 0
    array = random.integers(low, 1, shape, endpoint=True)
    if t in COMPLEX:
        array = array + 1j * random.integers(-1, 2, shape)
    return Value(t, array)


def windowed(t):
    x, zero = small_terms(t, (7,)), start(t)
    sums = [total(t, numbers(x)[i:i + 2], 0) for i in range(0, 6, 2)]
    if t == "f8E8M0FNU":
        sums = [s + numbers(zero) for s in sums]
    return {"x": x, "zero": zero}, f"""
        %r = "stablehlo.reduce_window"(%x, %zero) ({{
          ^bb0(%a: tensor<{t}>, %b: tensor<{t}>):
            %s = stablehlo.{add_or_or(t)} %a, %b : tensor<{t}>
            stablehlo.return %s : tensor<{t}>
        }}) {{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}}
          : ($x, $zero) -> $r""", {"r": of(t, np.array(sums))}


def scattered(t):
    x, u = small_terms(t, (5,)), small_terms(t, (3,), 1)
    at = np.array([[3], [0], [3]])
    result = numbers(x).copy()
    for i, j in enumerate(at[:, 0]):
        result[j] = result[j] | numbers(u)[i] if t in BOOL else result[j] + numbers(u)[i]
    return {"x": x, "at": Value("i32", at), "u": u}, f"""
        %r = "stablehlo.scatter"(%x, %at, %u) ({{
          ^bb0(%a: tensor<{t}>, %b: tensor<{t}>):
            %s = stablehlo.{add_or_or(t)} %a, %b : tensor<{t}>
            stablehlo.return %s : tensor<{t}>
        }}) {{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
              scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}
          : ($x, $at, $u) -> $r""", {"r": of(t, result)}


def selected_and_scattered(t):
    x, source, zero = plain(t, (6,)), small_terms(t, (3,), 1), start(t)
    result = np.full(6, numbers(zero)[()])
    for i in range(3):
        pair = numbers(x)[2 * i:2 * i + 2]
        key = [(v.real, v.imag) for v in pair] if t in COMPLEX else list(pair)
        at = 2 * i + (0 if key[0] >= key[1] else 1)
        result[at] = result[at] | numbers(source)[i] if t in BOOL \
            else result[at] + numbers(source)[i]
    return {"x": x, "source": source, "zero": zero}, f"""
        %r = "stablehlo.select_and_scatter"(%x, %source, %zero) ({{
          ^bb0(%a: tensor<{t}>, %b: tensor<{t}>):
            %s = stablehlo.compare GE, %a, %b : (tensor<{t}>, tensor<{t}>) -> tensor<i1>
            stablehlo.return %s : tensor<i1>
        }}, {{
          ^bb0(%a: tensor<{t}>, %b: tensor<{t}>):
            %s = stablehlo.{add_or_or(t)} %a, %b : tensor<{t}>
            stablehlo.return %s : tensor<{t}>
        }}) {{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}}
          : ($x, $source, $zero) -> $r""", {"r": of(t, result)}


def sorted_rows(t):
    x = plain(t, (2, 9))
    key = (lambda v: (v.real, v.imag)) if t in COMPLEX else (lambda v: v)
    result = [sorted(row, key=key) for row in numbers(x)]
    return {"x": x}, f"""
        %r = "stablehlo.sort"(%x) ({{
          ^bb0(%a: tensor<{t}>, %b: tensor<{t}>):
            %s = stablehlo.compare LT, %a, %b : (tensor<{t}>, tensor<{t}>) -> tensor<i1>
            stablehlo.return %s : tensor<i1>
        }}) {{dimension = 1 : i64, is_stable = true}} : ($x) -> $r""", {"r": of(t, np.array(result))}


def product(t, a, b):
    if t in BOOL:
        return np.any(a[:, :, None] & b[None, :, :], axis=1)
    return a @ b


def multiplied(t):
    x, y = small_terms(t, (3, 4)), small_terms(t, (4, 5), 1)
    if t == "f8E8M0FNU":  # one term each
        x, y = Value(t, [[0.5], [1], [4]]), Value(t, np.exp2(np.arange(-2, 3))[None])
    return {"x": x, "y": y}, \
        "%r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : ($x, $y) -> $r", \
        {"r": of(t, product(t, numbers(x), numbers(y)))}


def dotted(t):
    inputs, _, expected = multiplied(t)
    return inputs, "%r = stablehlo.dot %x, %y : ($x, $y) -> $r", expected


def einsum(t):
    inputs, _, expected = multiplied(t)
    return inputs, '%r = "stablehlo.einsum"(%x, %y) {einsum_config = "ij,jk->ik"} ' \
        ": ($x, $y) -> $r", expected


def unary_einsum(t):
    x = plain(t, (2, 3))
    return {"x": x}, '%r = "stablehlo.unary_einsum"(%x) {einsum_config = "ij->ji"} : ($x) -> $r', \
        {"r": Value(t, x.array.T)}


def convolved(t):
    x, y = small_terms(t, (1, 6, 2)), small_terms(t, (2, 2, 3), 1)
    if t == "f8E8M0FNU":
        x, y = Value(t, numbers(x)[:, :, :1]), Value(t, np.exp2(np.arange(3))[None, None])
    taps = y.array.shape[0]
    a, b = numbers(x)[0], numbers(y)
    rows = [sum_of([product(t, a[i + k:i + k + 1], b[k]) for k in range(taps)], t)
            for i in range(6 - taps + 1)]
    return {"x": x, "y": y}, """
        %r = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
          window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
          : ($x, $y) -> $r""", {"r": of(t, np.concatenate(rows)[None])}


def dynamic_convolved(t):
    inputs, _, expected = convolved(t)
    return inputs, """
        %pads = stablehlo.constant dense<0> : tensor<1x2xi64>
        %r = "stablehlo.dynamic_conv"(%x, %y, %pads) {
          dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
          batch_group_count = 1 : i64, feature_group_count = 1 : i64}
          : ($x, $y, tensor<1x2xi64>) -> $r""", expected


def sum_of(terms, t):
    result = terms[0]
    for term in terms[1:]:
        result = result | term if t in BOOL else result + term
    return result


def clamped(t):
    low, x, high = plain(t, (20,), 1), plain(t, (20,)), plain(t, (20,), 2)
    if t in COMPLEX:
        def larger(a, b):
            return np.where((a.real > b.real) | ((a.real == b.real) & (a.imag > b.imag)), a, b)

        def smaller(a, b):
            return np.where(larger(a, b) == a, b, a)
        result = smaller(larger(low.array, x.array), high.array)
    else:
        result = np.minimum(np.maximum(numbers(low), numbers(x)), numbers(high))
    return {"low": low, "x": x, "high": high}, \
        "%r = stablehlo.clamp %low, %x, %high : ($low, $x, $high) -> $r", {"r": of(t, result)}


def selected(t):
    p, x, y = plain("i1", (20,)), plain(t, (20,)), plain(t, (20,), 1)
    return {"p": p, "x": x, "y": y}, "%r = stablehlo.select %p, %x, %y : $p, $r", \
        {"r": Value(t, np.where(p.array, x.array, y.array))}


def padded(t):
    x, p = plain(t, (2, 3)), scalar(t, 1)
    result = np.full((4, 7), p.array)
    result[1:3, 1:6:2] = x.array
    return {"x": x, "p": p}, """
        %r = stablehlo.pad %x, %p, low = [1, 1], high = [1, 1], interior = [0, 1]
          : ($x, $p) -> $r""", {"r": Value(t, result)}


def counted(t):
    size = min(samples.integer_range(t)[1] + 1, 6) if t in INTEGERS else 4
    array = np.broadcast_to(np.arange(size), (2, size))
    return {}, "%r = stablehlo.iota dim = 1 : $r", {"r": Value(t, array)}


def constants(t):
    values = samples.every(t) if t in BOOL or (t not in COMPLEX and bits_of(t) <= 8) \
        else samples.unary(t)
    value = Value(t, values)
    return {"x": value}, f"%r = stablehlo.constant {value.constant()}", {"r": value}


def updated(t):
    x, u = plain(t, (4, 5)), plain(t, (2, 3), 1)
    result = x.array.copy()
    result[1:3, 2:5] = u.array
    return {"x": x, "u": u, "i": scalar("i32", 1), "j": scalar("i32", 9)}, """
        %r = stablehlo.dynamic_update_slice %x, %u, %i, %j : ($x, $u, $i, $j) -> $r""", \
        {"r": Value(t, result)}


def mapped(t):
    x, y = small_terms(t, (6,)), small_terms(t, (6,), 1)
    result = numbers(x) & numbers(y) if t in BOOL else numbers(x) * numbers(y)
    return {"x": x, "y": y}, f"""
        %r = "stablehlo.map"(%x, %y) ({{
          ^bb0(%a: tensor<{t}>, %b: tensor<{t}>):
            %s = stablehlo.multiply %a, %b : tensor<{t}>
            stablehlo.return %s : tensor<{t}>
        }}) {{dimensions = array<i64: 0>}} : ($x, $y) -> $r""", {"r": of(t, result)}


def looped(t):
    x, one = small_terms(t, (4,)), scalar("i32", 1)
    result = numbers(x)
    for _ in range(3):
        result = result | result if t in BOOL else result + result
    return {"x": x, "n": scalar("i32", 0), "one": one, "three": scalar("i32", 3)}, f"""
        %count, %r = stablehlo.while(%i = %n, %v = %x) : $n, $x
        cond {{
          %c = stablehlo.compare LT, %i, %three : ($n, $three) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        }} do {{
          %j = stablehlo.add %i, %one : $n
          %w = stablehlo.{add_or_or(t)} %v, %v : $x
          stablehlo.return %j, %w : $n, $x
        }}""", {"r": of(t, result)}


def branched(t):
    x, y = plain(t, (3,)), plain(t, (3,), 1)
    return {"p": scalar("i1", False), "x": x, "y": y}, """
        %r = "stablehlo.if"(%p) ({
          stablehlo.return %x : $x
        }, {
          stablehlo.return %y : $y
        }) : ($p) -> $r""", {"r": y}


def switched(t):
    x, y = plain(t, (3,)), plain(t, (3,), 1)
    return {"i": scalar("i32", 7), "x": x, "y": y}, """
        %r = "stablehlo.case"(%i) ({
          stablehlo.return %x : $x
        }, {
          stablehlo.return %y : $y
        }) : ($i) -> $r""", {"r": y}


def tupled(t):
    x, y = plain(t, (3,)), plain("i32", (2,), 1)
    return {"x": x, "y": y}, """
        %t = stablehlo.tuple %x, %y : tuple<$x, $y>
        %r = stablehlo.get_tuple_element %t[0] : (tuple<$x, $y>) -> $r""", {"r": x}


def barrier(t):
    x, y = plain(t, (3,)), plain(t, (2, 2), 1)
    return {"x": x, "y": y}, "%r, %s = stablehlo.optimization_barrier %x, %y : $x, $y", \
        {"r": x, "s": y}


def gathered(t):
    x, at = plain(t, (5, 3)), np.array([[4], [0], [9], [-2]])
    result = x.array[np.clip(at[:, 0], 0, 4)]
    return {"x": x, "at": Value("i64", at)}, """
        %r = "stablehlo.gather"(%x, %at) {dimension_numbers = #stablehlo.gather<
            offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0],
            index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>} : ($x, $at) -> $r""", \
        {"r": Value(t, result)}


def index_selected(t):
    x = plain(t, (5, 3))
    return {"x": x, "at": Value("i32", [4, 0, 2])}, """
        %r = "stablehlo.torch_index_select"(%x, %at) {dim = 0 : i64, batch_dims = 0 : i64}
          : ($x, $at) -> $r""", {"r": Value(t, x.array[[4, 0, 2]])}


def dynamic(body, function, shape, **more):
    return moved(body, function, shape, **more)


def collective(op, attributes, region=False):
    """A collective on one device returns the device's own value."""
    def make(t):
        x = plain(t, (2, 3))
        text = "" if not region else f""" ({{
          ^bb0(%a: tensor<{t}>, %b: tensor<{t}>):
            %s = stablehlo.{add_or_or(t)} %a, %b : tensor<{t}>
            stablehlo.return %s : tensor<{t}>
        }})"""
        return {"x": x}, f'%r = "stablehlo.{op}"(%x){text} {{{attributes}}} : ($x) -> $r', {"r": x}
    return make


GROUPS = "replica_groups = dense<0> : tensor<1x1xi64>"
ROWS = {
    "all_gather": collective("all_gather", f"all_gather_dim = 1 : i64, {GROUPS}"),
    "all_reduce": collective("all_reduce", GROUPS, region=True),
    "all_to_all": collective("all_to_all", f"concat_dimension = 0 : i64, split_count = 1 : i64, "
                                           f"split_dimension = 1 : i64, {GROUPS}"),
    "broadcast": moved('%r = "stablehlo.broadcast"(%x) {broadcast_sizes = array<i64: 2, 3>} '
                       ": ($x) -> $r", lambda x: np.broadcast_to(x, (2, 3, 4)).copy(), (4,)),
    "broadcast_in_dim": moved("%r = stablehlo.broadcast_in_dim %x, dims = [2, 0] : ($x) -> $r",
                              lambda x: np.broadcast_to(x.T[:, None], (4, 2, 3)).copy(), (3, 4)),
    "case": switched,
    "clamp": clamped,
    "collective_broadcast": collective("collective_broadcast", GROUPS),
    "collective_reduce": collective("collective_reduce", GROUPS, region=True),
    "collective_permute": collective("collective_permute", "source_target_pairs = dense<0> : "
                                     "tensor<1x2xi64>"),
    "concatenate": moved("%r = stablehlo.concatenate %x, %x, dim = 1 : ($x, $x) -> $r",
                         lambda x: np.concatenate([x, x], 1), (2, 3)),
    "constant": constants,
    "convolution": convolved,
    "cross-replica-sum": collective("cross-replica-sum", GROUPS),
    "dot": dotted,
    "dot_general": multiplied,
    "dynamic_broadcast_in_dim": moved("""
        %shape = stablehlo.constant dense<[2, 3, 4]> : tensor<3xi64>
        %r = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [1, 2]
          : ($x, tensor<3xi64>) -> $r""", lambda x: np.broadcast_to(x, (2, 3, 4)).copy()),
    "dynamic_conv": dynamic_convolved,
    "dynamic_gather": lambda t: with_sizes(gathered(t)),
    "dynamic_iota": lambda t: dynamic_iota(t),
    "dynamic_pad": lambda t: dynamic_pad(t),
    "dynamic_reshape": moved("""
        %shape = stablehlo.constant dense<[2, 6]> : tensor<2xi32>
        %r = stablehlo.dynamic_reshape %x, %shape : ($x, tensor<2xi32>) -> $r""",
                             lambda x: x.reshape(2, 6)),
    "dynamic_slice": moved("%r = stablehlo.dynamic_slice %x, %i, %j, sizes = [2, 2] "
                           ": ($x, $i, $j) -> $r", lambda x: x[1:3, 2:4], (3, 4),
                           i=scalar("i32", 7), j=scalar("i32", 2)),
    "dynamic_update_slice": updated,
    "einsum": einsum,
    "gather": gathered,
    "get_dimension_size": lambda t: ({"x": plain(t, (3, 5))}, """
        %r = stablehlo.get_dimension_size %x, dim = 1 : ($x) -> $r""", {"r": scalar("i32", 5)}),
    "get_tuple_element": tupled,
    "if": branched,
    "iota": counted,
    "map": mapped,
    "optimization_barrier": barrier,
    "pad": padded,
    "real_dynamic_slice": moved("""
        %low = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
        %high = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
        %step = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
        %r = stablehlo.real_dynamic_slice %x, %low, %high, %step
          : ($x, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> $r""",
                                lambda x: x[0:3:2, 1:4]),
    "reduce": reduced,
    "reduce_scatter": collective("reduce_scatter", f"scatter_dimension = 1 : i64, {GROUPS}", True),
    "reduce_window": windowed,
    "reshape": moved("%r = stablehlo.reshape %x : ($x) -> $r", lambda x: x.reshape(2, 1, 6)),
    "reverse": moved("%r = stablehlo.reverse %x, dims = [1] : $r", lambda x: x[:, ::-1]),
    "scatter": scattered,
    "select": selected,
    "select_and_scatter": selected_and_scattered,
    "slice": moved("%r = stablehlo.slice %x [0:3:2, 1:4] : ($x) -> $r", lambda x: x[::2, 1:4]),
    "sort": sorted_rows,
    "torch_index_select": index_selected,
    "transpose": moved("%r = stablehlo.transpose %x, dims = [2, 0, 1] : ($x) -> $r",
                       lambda x: x.transpose(2, 0, 1), (2, 3, 4)),
    "tuple": tupled,
    "unary_einsum": unary_einsum,
    "while": looped,
}

def with_sizes(gather):
    inputs, body, expected = gather
    body = body.replace("stablehlo.gather\"(%x, %at)", "stablehlo.dynamic_gather\"(%x, %at, %n)") \
        .replace(",\n            index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}",
                 ",\n            index_vector_dim = 1>}").replace("($x, $at)",
                                                                 "($x, $at, tensor<2xi64>)")
    return inputs, "%n = stablehlo.constant dense<[1, 3]> : tensor<2xi64>\n" + \
        body.strip(), expected


def dynamic_iota(t):
    _, _, expected = counted(t)
    size = expected["r"].array.shape[1]
    return {}, f"""
        %shape = stablehlo.constant dense<[2, {size}]> : tensor<2xi64>
        %r = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi64>) -> $r""", expected


def dynamic_pad(t):
    inputs, _, expected = padded(t)
    return inputs, """
        %low = stablehlo.constant dense<1> : tensor<2xi32>
        %inside = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
        %r = stablehlo.dynamic_pad %x, %p, %low, %low, %inside
          : ($x, $p, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> $r""", expected


ARITHMETIC = BOOL + INTEGERS + FLOATS + COMPLEX
TYPES_OF = {"iota": INTEGERS + FLOATS + COMPLEX, "dynamic_iota": INTEGERS + FLOATS + COMPLEX}
NO_ZERO = {"iota", "dynamic_iota"}


def cases(op):
    for t in TYPES_OF.get(op, ALL):
        if op in NO_ZERO and t == "f8E8M0FNU":
            continue
        inputs, body, expected = ROWS[op](t)
        name = f"{op.replace('-', '_')}_{t.replace('<', '_').replace('>', '')}"
        yield Case(name, inputs, body, expected, about=t)


def rows():
    for op in ROWS:
        yield op, cases(op)
