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
    yield reduction("sum_rows_s8", [5, 5000], [1], element="i32")


def memory_programs():
    """The text of a test file."""
    return "\n// -----\n".join(reductions())
