"""Forms of reduce, reduce_window, select_and_scatter and map."""
import numpy as np

from . import formulas
from .case import Case
from .samples import plain
from .values import Value

OPS = {"add": np.add, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum,
       "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


def ints(values):
    return "[" + ", ".join(str(int(v)) for v in values) + "]"


def i64_array(values):
    return f"array<i64{': ' if len(values) else ''}{', '.join(str(int(v)) for v in values)}>"


def computation(op, t):
    return f"""({{
          ^bb0(%a: tensor<{t}>, %b: tensor<{t}>):
            %s = stablehlo.{op} %a, %b : tensor<{t}>
            stablehlo.return %s : tensor<{t}>
        }})"""


def one_reduce(name, x, dims, op="add", start=0):
    result = OPS[op].reduce(x.array.astype(np.int64) if x.type[0] in "iu" else x.array,
                            axis=tuple(dims), initial=start)
    return Case(name, {"x": x, "start": Value(x.type, start)}, f"""
        %r = stablehlo.reduce(%x init: %start) applies stablehlo.{op} across dimensions = {ints(dims)}
          : ($x, $start) -> $r""", {"r": Value(x.type, result)})


def reduce():
    x = plain("i32", (3, 4, 5))
    for dims in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2), ()):
        yield one_reduce("dimensions_" + ("".join(map(str, dims)) or "none"), x, dims)
    for op, start in (("multiply", 1), ("maximum", -100), ("minimum", 100), ("and", -1),
                      ("or", 0), ("xor", 0)):
        yield one_reduce(op, x, (1,), op, start)
    yield one_reduce("start_counts_once", plain("i32", (1000,)), (0,), start=7)
    yield one_reduce("zero_extent", plain("i32", (0, 3)), (0,), start=5)
    yield one_reduce("to_zero_extent", plain("i32", (0, 3)), (1,))
    yield one_reduce("scalar", plain("i32", ()), ())
    yield one_reduce("rank_12", plain("i32", (2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 3)), (0, 3, 6, 11))
    for size in (1, 2, 15, 16, 17, 255, 4097, 9001):
        yield one_reduce(f"length_{size}", Value("i8", np.arange(size) % 101), (0,))
    yield one_reduce("tall", Value("i8", np.arange(1000 * 3).reshape(-1, 3) % 7), (0,))
    yield one_reduce("f32_maximum_nan", Value("f32", [[1, np.nan, 3], [4, 2, 0]]), (1,), "maximum",
                     -np.inf)
    yield argmax()
    yield any_body()
    yield three_operands()


def argmax():
    """Two operands: the largest value and its first position."""
    x = plain("f32", (5, 7))
    at = Value("i32", np.broadcast_to(np.arange(7), (5, 7)))
    return Case("argmax", {"x": x, "at": at, "low": Value("f32", -np.inf), "zero": Value("i32", 0)},
                """
        %r:2 = stablehlo.reduce(%x init: %low), (%at init: %zero) across dimensions = [1]
          : ($x, $at, $low, $zero) -> ($value, $where)
          reducer(%a: $low, %b: $low) (%i: $zero, %j: $zero) {
            %more = stablehlo.compare GT, %a, %b : ($low, $low) -> tensor<i1>
            %same = stablehlo.compare EQ, %a, %b : ($low, $low) -> tensor<i1>
            %first = stablehlo.compare LT, %i, %j : ($zero, $zero) -> tensor<i1>
            %tie = stablehlo.and %same, %first : tensor<i1>
            %left = stablehlo.or %more, %tie : tensor<i1>
            %v = stablehlo.select %left, %a, %b : tensor<i1>, $low
            %w = stablehlo.select %left, %i, %j : tensor<i1>, $zero
            stablehlo.return %v, %w : $low, $zero
          }
        %value = stablehlo.add %r#0, %r#0 : $value
        %where = stablehlo.add %r#1, %r#1 : $where""",
                {"value": Value("f32", 2 * x.array.max(1)),
                 "where": Value("i32", 2 * x.array.argmax(1))})


def any_body():
    """An associative computation of several ops: xor of the low bits, or of the high ones."""
    x = Value("ui8", np.random.default_rng(2).integers(0, 256, (4, 33)))
    result = np.bitwise_xor.reduce(x.array & 0x0F, 1) | np.bitwise_or.reduce(x.array & 0xF0, 1)
    return Case("several_ops", {"x": x, "zero": Value("ui8", 0)}, """
        %low = stablehlo.constant dense<15> : $zero
        %r = stablehlo.reduce(%x init: %zero) across dimensions = [1] : ($x, $zero) -> $r
          reducer(%a: $zero, %b: $zero) {
            %o = stablehlo.or %a, %b : $zero
            %e = stablehlo.xor %a, %b : $zero
            %l = stablehlo.and %e, %low : $zero
            %n = stablehlo.not %low : $zero
            %h = stablehlo.and %o, %n : $zero
            %s = stablehlo.or %l, %h : $zero
            stablehlo.return %s : $zero
          }""", {"r": Value("ui8", result)})


def three_operands():
    x, y = plain("i32", (4, 6)), plain("f64", (4, 6), 1)
    z = plain("i1", (4, 6), 2)
    return Case("three_operands", {"x": x, "y": y, "z": z, "a": Value("i32", 0),
                                   "b": Value("f64", -np.inf), "c": Value("i1", False)}, """
        %r:3 = stablehlo.reduce(%x init: %a), (%y init: %b), (%z init: %c) across dimensions = [0]
          : ($x, $y, $z, $a, $b, $c) -> ($p, $q, $s)
          reducer(%i: $a, %j: $a) (%k: $b, %l: $b) (%m: $c, %n: $c) {
            %u = stablehlo.add %i, %j : $a
            %v = stablehlo.maximum %k, %l : $b
            %w = stablehlo.or %m, %n : $c
            stablehlo.return %u, %v, %w : $a, $b, $c
          }
        %p = stablehlo.negate %r#0 : $p
        %q = stablehlo.negate %r#1 : $q
        %s = stablehlo.not %r#2 : $s""",
                {"p": Value("i32", -x.array.sum(0)), "q": Value("f64", -y.array.max(0)),
                 "s": Value("i1", ~z.array.any(0))})


def one_window(name, x, window, op="add", start=0, strides=None, base=None, dilation=None,
               padding=None):
    rank = x.array.ndim
    result, = formulas.reduce_window([x.array], [x.array.dtype.type(start)],
                                     lambda a, b: [OPS[op](a[0], b[0])], window, strides, base,
                                     dilation, padding)
    attributes = [f"window_dimensions = {i64_array(window)}"]
    for key, values in (("window_strides", strides), ("base_dilations", base),
                        ("window_dilations", dilation)):
        if values:
            attributes.append(f"{key} = {i64_array(values)}")
    if padding:
        rows = ", ".join(ints(p) for p in padding)
        attributes.append(f"padding = dense<[{rows}]> : tensor<{rank}x2xi64>")
    return Case(name, {"x": x, "start": Value(x.type, start)}, f"""
        %r = "stablehlo.reduce_window"(%x, %start) {computation(op, x.type)} {{
          {', '.join(attributes)}}} : ($x, $start) -> $r""", {"r": Value(x.type, result)})


def reduce_window():
    yield one_window("specification_example", Value("i32", [[1, 2], [3, 4], [5, 6]]), (2, 1),
                     strides=(4, 1), base=(2, 1), dilation=(3, 1), padding=((2, 1), (0, 0)))
    x = plain("i32", (7, 9))
    yield one_window("square", x, (3, 3))
    yield one_window("strides", x, (2, 3), strides=(2, 3))
    yield one_window("padding", x, (3, 2), padding=((1, 1), (0, 3)))
    yield one_window("negative_padding", x, (2, 2), padding=((-1, 2), (1, -3)))
    yield one_window("window_dilation", x, (3, 2), dilation=(2, 4))
    yield one_window("base_dilation", x, (2, 3), base=(3, 2), padding=((1, 0), (2, 2)))
    yield one_window("everything", x, (2, 3), "add", 3, (2, 1), (2, 3), (3, 2), ((2, 1), (-1, 4)))
    yield one_window("first_lane_before_the_start", plain("f32", (3, 6)), (3, 1), "add", 2, (2, 3),
                     (2, 3), (3, 2), ((0, 2), (3, -2)))
    yield one_window("whole", x, (7, 9), "maximum", -100)
    yield one_window("larger_than_base", x, (8, 2))
    yield one_window("zero_extent", plain("i32", (0, 4)), (2, 2), padding=((3, 0), (0, 0)))
    yield one_window("cumulative_sum", Value("i32", np.arange(100) % 7), (100,),
                     padding=((99, 0),))
    yield one_window("minimum", x, (2, 2), "minimum", 100, (2, 2))
    yield one_window("multiply", x, (1, 3), "multiply", 1)
    yield one_window("f32_maximum", plain("f32", (1, 8, 8, 3)), (1, 2, 2, 1), "maximum", -np.inf,
                     (1, 2, 2, 1))
    yield one_window("rank_12", plain("i32", (1, 2, 1, 1, 2, 1, 3, 1, 1, 2, 1, 1)),
                     (1, 2, 1, 1, 1, 1, 2, 1, 1, 2, 1, 1))
    yield one_window("rank_5", plain("i32", (2, 3, 2, 4, 2)), (1, 2, 2, 3, 1))
    y = plain("f32", (7, 9), 1)
    sums, largest = formulas.reduce_window(
        [x.array, y.array], [np.int32(0), np.float32(-np.inf)],
        lambda a, b: [a[0] + b[0], np.maximum(a[1], b[1])], (3, 2), (2, 2), None, None,
        ((1, 0), (0, 1)))
    yield Case("two_operands", {"x": x, "y": y, "zero": Value("i32", 0),
                                "low": Value("f32", -np.inf)}, """
        %r:2 = "stablehlo.reduce_window"(%x, %y, %zero, %low) ({
          ^bb0(%a: tensor<i32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<f32>):
            %s = stablehlo.add %a, %c : tensor<i32>
            %t = stablehlo.maximum %b, %d : tensor<f32>
            stablehlo.return %s, %t : tensor<i32>, tensor<f32>
        }) {window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 2>,
            padding = dense<[[1, 0], [0, 1]]> : tensor<2x2xi64>}
          : ($x, $y, $zero, $low) -> ($p, $q)
        %p = stablehlo.negate %r#0 : $p
        %q = stablehlo.negate %r#1 : $q""", {"p": Value("i32", -sums), "q": Value("f32", -largest)})


def one_select(name, x, source, window, strides, padding, select="GE", combine="add", start=0):
    compare = {"GE": np.greater_equal, "LE": np.less_equal, "GT": np.greater}[select]
    result = formulas.select_and_scatter(x.array, source.array, x.array.dtype.type(start), compare,
                                         OPS[combine], window, strides, padding)
    rows = ", ".join(ints(p) for p in padding)
    return Case(name, {"x": x, "source": source, "start": Value(x.type, start)}, f"""
        %r = "stablehlo.select_and_scatter"(%x, %source, %start) ({{
          ^bb0(%a: tensor<{x.type}>, %b: tensor<{x.type}>):
            %s = stablehlo.compare {select}, %a, %b : (tensor<{x.type}>, tensor<{x.type}>) -> tensor<i1>
            stablehlo.return %s : tensor<i1>
        }}, {computation(combine, x.type).strip()[1:]} {{
          window_dimensions = {i64_array(window)}, window_strides = {i64_array(strides)},
          padding = dense<[{rows}]> : tensor<{len(window)}x2xi64>}} : ($x, $source, $start) -> $r""",
                {"r": Value(x.type, result)})


def select_and_scatter():
    yield one_select("specification_example", Value("i32", [[1, 5], [2, 5], [3, 6], [4, 4]]),
                     Value("i32", [[5, 6], [7, 8]]), (3, 1), (2, 1), ((0, 1), (0, 0)))
    random = np.random.default_rng(4)
    x = Value("f32", random.permutation(48).reshape(6, 8))
    yield one_select("disjoint", x, plain("f32", (3, 4)), (2, 2), (2, 2), ((0, 0), (0, 0)))
    yield one_select("overlapping", x, plain("f32", (5, 7)), (2, 2), (1, 1), ((0, 0), (0, 0)))
    yield one_select("padding", x, plain("f32", (4, 5)), (2, 2), (2, 2), ((1, 1), (1, 1)))
    yield one_select("smallest", x, plain("f32", (3, 4)), (2, 2), (2, 2), ((0, 0), (0, 0)), "LE")
    ties = Value("i32", np.array([[1, 1, 1, 1], [1, 1, 1, 1]]))
    yield one_select("first_of_equals", ties, Value("i32", [[3, 4]]), (2, 2), (2, 2),
                     ((0, 0), (0, 0)))
    yield one_select("last_of_equals", ties, Value("i32", [[3, 4]]), (2, 2), (2, 2),
                     ((0, 0), (0, 0)), "GT")
    yield one_select("start", ties, Value("i32", [[3, 4]]), (2, 2), (2, 2), ((0, 0), (0, 0)),
                     start=10)
    yield one_select("multiply", ties, Value("i32", [[3, 4, 5]]), (2, 2), (1, 1),
                     ((0, 0), (0, 0)), "GE", "multiply", 1)
    y = Value("f64", random.permutation(96).reshape(2, 4, 4, 3))
    yield one_select("rank_4", y, plain("f64", (2, 2, 2, 3)), (1, 2, 2, 1), (1, 2, 2, 1),
                     ((0, 0), (0, 0), (0, 0), (0, 0)))


def mapped():
    x, y, z = plain("f32", (3, 4)), plain("f32", (3, 4), 1), plain("i32", (3, 4), 2)
    yield Case("two_operands", {"x": x, "y": y}, """
        %r = "stablehlo.map"(%x, %y) ({
          ^bb0(%a: tensor<f32>, %b: tensor<f32>):
            %p = stablehlo.multiply %a, %b : tensor<f32>
            %s = stablehlo.subtract %p, %b : tensor<f32>
            stablehlo.return %s : tensor<f32>
        }) {dimensions = array<i64: 0, 1>} : ($x, $y) -> $r""",
        {"r": Value("f32", x.array * y.array - y.array)})
    yield Case("another_type", {"x": x, "z": z}, """
        %r = "stablehlo.map"(%x, %z) ({
          ^bb0(%a: tensor<f32>, %b: tensor<i32>):
            %f = stablehlo.convert %b : (tensor<i32>) -> tensor<f32>
            %s = stablehlo.compare LT, %a, %f : (tensor<f32>, tensor<f32>) -> tensor<i1>
            stablehlo.return %s : tensor<i1>
        }) {dimensions = array<i64: 0, 1>} : ($x, $z) -> $r""",
        {"r": Value("i1", x.array < z.array)})
    yield Case("scalar", {"x": plain("f32", ())}, """
        %r = "stablehlo.map"(%x) ({
          ^bb0(%a: tensor<f32>):
            %s = stablehlo.negate %a : tensor<f32>
            stablehlo.return %s : tensor<f32>
        }) {dimensions = array<i64>} : ($x) -> $r""",
        {"r": Value("f32", -plain("f32", ()).array)})
    yield Case("zero_extent", {"x": plain("f32", (0, 2))}, """
        %r = "stablehlo.map"(%x) ({
          ^bb0(%a: tensor<f32>):
            %s = stablehlo.exponential %a : tensor<f32>
            stablehlo.return %s : tensor<f32>
        }) {dimensions = array<i64: 0, 1>} : ($x) -> $r""", {"r": plain("f32", (0, 2))})


def files():
    return {"reduce": reduce(), "reduce_window": reduce_window(),
            "select_and_scatter": select_and_scatter(), "map": mapped()}.items()
