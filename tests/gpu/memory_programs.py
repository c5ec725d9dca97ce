"""Test programs whose time is that of memory: maps, reductions and moves of arrays that fill several
groups of a device, with sizes beside those of vectors and groups.

Values are small integers, so that sums are exact in every type and order.
"""
from matrix_programs import integers, tensor

ADD = "applies stablehlo.add across dimensions"
MAXIMUM = "applies stablehlo.maximum across dimensions"


def program(name, inputs, result, body):
    """A program that compares %r of `body` with what the reference evaluator computes.

    `inputs` are pairs of a shape and an element type: %x0, %x1 and so on.
    """
    define, names, types = [], [], []
    for number, (shape, element) in enumerate(inputs):
        define += integers(f"x{number}", shape, element, (7, 5, 3, 2)[-len(shape):], 11 + 2 * number)
        names.append(f"%x{number}")
        types.append(tensor(shape, element))
    r = tensor(*result)
    define = "\n".join(define)
    names, types = ", ".join(names), ", ".join(types)
    return f"""module @{name} {{
func.func private @inputs() -> ({types}) {{
{define}
return {names} : {types}
}}
func.func private @expected() -> {r} {{
{define}
{body}
return %r : {r}
}}
func.func @main() {{
{names} = call @inputs() : () -> ({types})
%e = call @expected() : () -> {r}
{body}
stablehlo.custom_call @check.expect_eq(%r, %e) {{has_side_effect = true}} : ({r}, {r}) -> ()
return
}}
}}
"""


def reduction(name, shape, dims, element="f32", kind=ADD, start="0.0"):
    kept = [n for d, n in enumerate(shape) if d not in dims]
    x, r, s = tensor(shape, element), tensor(kept, element), tensor([], element)
    zero = {"f": start, "b": start}.get(element[0], start.split(".")[0])
    return program(name, [(shape, element)], (kept, element), f"""
%z = stablehlo.constant dense<{zero}> : {s}
%one = stablehlo.constant dense<{'1.0' if element[0] in 'fb' else '1'}> : {x}
%y = stablehlo.add %x0, %one : {x}
%r = stablehlo.reduce(%y init: %z) {kind} = {dims} : ({x}, {s}) -> {r}""")


def reductions():
    yield reduction("sum_all", [100000], [0])
    yield reduction("sum_all_odd", [100003], [0])
    yield reduction("sum_matrix", [333, 301], [0, 1])
    yield reduction("sum_columns", [1000, 300], [0])
    yield reduction("sum_columns_few", [20000, 3], [0])
    yield reduction("sum_columns_odd", [1021, 37], [0])
    yield reduction("sum_middle", [5, 700, 33], [1])
    yield reduction("sum_outer_and_inner", [64, 7, 96], [0, 2])
    yield reduction("maximum_columns", [515, 130], [0], kind=MAXIMUM, start="-1000.0")
    yield reduction("sum_columns_bf16", [200, 64], [0], element="bf16", kind=MAXIMUM)
    yield reduction("sum_columns_s64", [1000, 50], [0], element="i64")
    yield reduction("sum_rows", [7, 9999], [1])
    yield reduction("sum_rows_even", [6, 8192], [1])
    yield reduction("sum_short_rows", [3000, 24], [1])
    # Rows of fewer elements than a group, and than a subgroup; many and few of them.
    for rows, columns in ((3, 96), (5, 100), (40, 1000), (3, 2500), (2100, 64), (2500, 260), (2050, 34)):
        yield reduction(f"sum_rows_{rows}_{columns}", [rows, columns], [1])
        yield reduction(f"maximum_rows_{rows}_{columns}", [rows, columns], [1], element="bf16", kind=MAXIMUM,
                        start="-1000.0")
    yield reduction("sum_planes", [50, 24, 36], [1, 2])
    yield reduction("sum_planes_odd", [50, 7, 9, 35], [1, 2, 3])
    yield reduction("sum_rows_f64", [7, 3000], [1], element="f64")
    yield reduction("sum_rows_i64", [7, 3000], [1], element="i64")
    yield from positions()
    yield from norms()
    yield from scans()
    yield reduction("sum_rows_s8", [5, 5000], [1], element="i32")


def positions():
    """The position of the largest element, the first one if there are several."""
    for rows, columns in ((40, 1000), (3, 2500), (2100, 77)):
        x, p = tensor([rows, columns], "f32"), tensor([rows, columns], "i32")
        yield program(f"position_{rows}_{columns}", [([rows, columns], "f32")], ([rows], "i32"), f"""
%low = stablehlo.constant dense<0xFF800000> : tensor<f32>
%zero = stablehlo.constant dense<0> : tensor<i32>
%p = stablehlo.iota dim = 1 : {p}
%m:2 = stablehlo.reduce(%x0 init: %low), (%p init: %zero) across dimensions = [1]
  : ({x}, {p}, tensor<f32>, tensor<i32>) -> (tensor<{rows}xf32>, tensor<{rows}xi32>)
 reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {{
  %g = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %n = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %k = stablehlo.or %g, %n : tensor<i1>
  %o = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %l = stablehlo.compare LT, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %f = stablehlo.and %o, %l : tensor<i1>
  %h = stablehlo.or %k, %f : tensor<i1>
  %v = stablehlo.select %k, %a, %b : tensor<i1>, tensor<f32>
  %q = stablehlo.select %h, %i, %j : tensor<i1>, tensor<i32>
  stablehlo.return %v, %q : tensor<f32>, tensor<i32>
}}
%r = stablehlo.add %m#1, %m#1 : tensor<{rows}xi32>""")


def scans():
    """Cumulative sums along rows and columns, also from the end."""
    for rows, columns, dim in ((3, 1024, 1), (2, 701, 1), (9, 130, 1), (2100, 36, 1), (2100, 40, 1),
                               (300, 45, 0)):
        for element in ("f32", "i32"):
            for reverse in (False, True):
                length = (rows, columns)[dim]
                window = "1, " * dim + str(length) + ", 1" * (1 - dim)
                low, high = (0, length - 1) if reverse else (length - 1, 0)
                edges = [[0, 0], [0, 0]]
                edges[dim] = [low, high]
                x, zero = tensor([rows, columns], element), "0.0" if element == "f32" else "0"
                yield program(f"scan_{rows}_{columns}_{element}_{reverse}", [([rows, columns], element)],
                              ([rows, columns], element), f"""
%z = stablehlo.constant dense<{zero}> : tensor<{element}>
%r = "stablehlo.reduce_window"(%x0, %z) ({{
^bb0(%a: tensor<{element}>, %b: tensor<{element}>):
  %s = stablehlo.add %a, %b : tensor<{element}>
  stablehlo.return %s : tensor<{element}>
}}) {{window_dimensions = array<i64: {window}>, padding = dense<{edges}> : tensor<2x2xi64>}}
 : ({x}, tensor<{element}>) -> {x}""")


def transposes():
    for element in ("f32", "bf16", "i8", "f64"):
        for shape in ((128, 192), (100, 333), (64, 40)):
            turned = shape[::-1]
            yield program(f"transpose_{element}_{shape[0]}", [(shape, element)], (turned, element), f"""
%t = stablehlo.transpose %x0, dims = [1, 0] : ({tensor(shape, element)}) -> {tensor(turned, element)}
%r = stablehlo.add %t, %t : {tensor(turned, element)}""")
    yield program("channels", [((3, 9, 33, 70), "f32")], ((3, 70, 9, 33), "f32"), f"""
%r = stablehlo.transpose %x0, dims = [0, 3, 1, 2] : ({tensor((3, 9, 33, 70), "f32")}) -> {tensor((3, 70, 9, 33), "f32")}""")


def norms():
    """A row, less its maximum, times its sum, which is read from local memory or twice."""
    for rows, columns in ((3, 1024), (5, 1001), (40, 130), (2100, 64), (2100, 1024), (2100, 35), (2, 20000)):
        x, v = tensor([rows, columns], "f32"), tensor([rows], "f32")
        yield program(f"norm_{rows}_{columns}", [([rows, columns], "f32")], ([rows, columns], "f32"), f"""
%low = stablehlo.constant dense<0xFF800000> : tensor<f32>
%zero = stablehlo.constant dense<0.0> : tensor<f32>
%m = stablehlo.reduce(%x0 init: %low) {MAXIMUM} = [1] : ({x}, tensor<f32>) -> {v}
%mb = stablehlo.broadcast_in_dim %m, dims = [0] : ({v}) -> {x}
%d = stablehlo.subtract %x0, %mb : {x}
%s = stablehlo.reduce(%d init: %zero) {ADD} = [1] : ({x}, tensor<f32>) -> {v}
%sb = stablehlo.broadcast_in_dim %s, dims = [0] : ({v}) -> {x}
%r = stablehlo.multiply %d, %sb : {x}""")


def map_program(name, shape, elements, body, result=None):
    """`body` has {t} for the type of the arrays of the first element type."""
    t = tensor(shape, elements[0])
    return program(name, [(shape, element) for element in elements],
                   result or (shape, elements[0]), body.replace("{t}", t))


def maps():
    add = "%s = stablehlo.multiply %x0, %x0 : {t}\n%r = stablehlo.add %s, %x1 : {t}"
    for element in ("f32", "bf16", "f16", "f64", "i8", "i64", "ui16"):
        for size in (4096, 70000, 70001, 5):
            yield map_program(f"add_{element}_{size}", [size], [element] * 2, add)
    yield map_program("add_rows", [701, 99], ["f32"] * 2, add)
    yield map_program("add_planes", [33, 20, 111], ["bf16"] * 2, add)
    # Types of different widths.
    yield map_program("mixed", [9000], ["f32", "bf16", "i8"], """
%a = stablehlo.convert %x1 : (tensor<9000xbf16>) -> {t}
%b = stablehlo.convert %x2 : (tensor<9000xi8>) -> {t}
%c = stablehlo.add %a, %b : {t}
%r = stablehlo.add %c, %x0 : {t}""")
    yield map_program("compare", [10007], ["f32"] * 2,
                      "%r = stablehlo.compare LT, %x0, %x1 : ({t}, {t}) -> tensor<10007xi1>",
                      ([10007], "i1"))
    # Rows that are a multiple of a vector, and others; a bias for columns and one for rows.
    for rows, columns in ((300, 256), (300, 255), (20, 4096), (3, 9001), (4000, 12)):
        t, b, c = tensor([rows, columns], "f32"), tensor([columns], "f32"), tensor([rows], "f32")
        yield program(f"bias_{rows}_{columns}",
                      [([rows, columns], "f32"), ([columns], "f32"), ([rows], "f32")],
                      ([rows, columns], "f32"), f"""
%b = stablehlo.broadcast_in_dim %x1, dims = [1] : ({b}) -> {t}
%c = stablehlo.broadcast_in_dim %x2, dims = [0] : ({c}) -> {t}
%s = stablehlo.multiply %x0, %c : {t}
%r = stablehlo.add %s, %b : {t}""")
    # Slices that start between vectors, and end there.
    for begin, end in ((0, 256), (1, 257), (4, 252), (3, 300)):
        x, r = tensor([200, 300], "f32"), tensor([199, end - begin], "f32")
        yield program(f"slice_{begin}_{end}", [([200, 300], "f32")], ([199, end - begin], "f32"), f"""
%s = stablehlo.slice %x0 [1:200, {begin}:{end}] : ({x}) -> {r}
%r = stablehlo.add %s, %s : {r}""")
    x, r = tensor([100, 300], "f32"), tensor([100, 700], "f32")
    yield program("pad", [([100, 300], "f32")], ([100, 700], "f32"), f"""
%z = stablehlo.constant dense<3.0> : tensor<f32>
%p = stablehlo.pad %x0, %z, low = [0, 155], high = [0, 245], interior = [0, 0] : ({x}, tensor<f32>) -> {r}
%r = stablehlo.add %p, %p : {r}""")
    yield program("reverse", [([100, 300], "f32")], ([100, 300], "f32"), f"""
%p = stablehlo.reverse %x0, dims = [1] : {x}
%r = stablehlo.add %p, %x0 : {x}""")
    yield program("concatenate", [([100, 300], "f32"), ([100, 128], "f32")], ([100, 428], "f32"),
                  f"%r = stablehlo.concatenate %x0, %x1, dim = 1 : ({x}, {tensor([100, 128], 'f32')}) -> "
                  + tensor([100, 428], "f32"))
    # The rows that are read are known at run time alone.
    yield program("gather", [([50, 260], "f32"), ([300], "i32")], ([300, 260], "f32"), f"""
%r = "stablehlo.gather"(%x0, %x1) {{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
  start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 260>}}
  : ({tensor([50, 260], 'f32')}, tensor<300xi32>) -> {tensor([300, 260], 'f32')}""")
    yield program("update", [([50, 260], "f32"), ([30, 200], "f32")], ([50, 260], "f32"), f"""
%i = stablehlo.constant dense<7> : tensor<i32>
%j = stablehlo.constant dense<5> : tensor<i32>
%y = stablehlo.add %x0, %x0 : {tensor([50, 260], 'f32')}
%r = stablehlo.dynamic_update_slice %y, %x1, %i, %j : ({tensor([50, 260], 'f32')}, {tensor([30, 200], 'f32')}, tensor<i32>, tensor<i32>) -> {tensor([50, 260], 'f32')}""")
    # Written where they are read.
    yield program("loop", [([5000], "f32")], ([5000], "f32"), f"""
%zero = stablehlo.constant dense<0> : tensor<i32>
%one = stablehlo.constant dense<1> : tensor<i32>
%n = stablehlo.constant dense<5> : tensor<i32>
%w:2 = stablehlo.while(%i = %zero, %x = %x0) : tensor<i32>, tensor<5000xf32>
 cond {{
  %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %c : tensor<i1>
}} do {{
  %j = stablehlo.add %i, %one : tensor<i32>
  %y = stablehlo.add %x, %x : tensor<5000xf32>
  stablehlo.return %j, %y : tensor<i32>, tensor<5000xf32>
}}
%r = stablehlo.add %w#1, %x0 : tensor<5000xf32>""")


def memory_programs():
    """The text of a test file."""
    return "\n// -----\n".join([*reductions(), *maps(), *transposes()])
