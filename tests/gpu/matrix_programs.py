"""Test programs with products and convolutions for which devices have matrix instructions.

Operands are small integers, so that sums are exact in every type and order.
"""

OPERANDS = ("bf16", "f16", "i8", "ui8", "f64", "f32")
SUMS = {"bf16": "f32", "f16": "f32", "i8": "i32", "ui8": "ui32", "f64": "f64", "f32": "f32", "i32": "i32"}
CONVOLUTION = ("stablehlo.convolution({x}, {y}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
               "window = {{stride = [S, S], pad = [[1, 1], [1, 1]]}} {{batch_group_count = 1 : i64, "
               "feature_group_count = G : i64}} : ({xt}, {yt}) -> {rt}")

# The gradient of a 3x3 filter: the batch of the images is what sums go over.
GRADIENT = ("stablehlo.convolution({x}, {y}) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], "
            "window = {{stride = [1, 1], pad = [[1, 1], [1, 1]]}} {{batch_group_count = G : i64, "
            "feature_group_count = 1 : i64}} : ({xt}, {yt}) -> {rt}")


def tensor(shape, element):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def integers(name, shape, element, factors, modulus):
    """Lines that define %name: the remainder of a linear function of the index."""
    whole = tensor(shape, "i32")
    lines, total = [], None
    for d in range(len(shape)):
        lines += [f"%{name}i{d} = stablehlo.iota dim = {d} : {whole}",
                  f"%{name}c{d} = stablehlo.constant dense<{factors[d]}> : {whole}",
                  f"%{name}t{d} = stablehlo.multiply %{name}i{d}, %{name}c{d} : {whole}"]
        if total:
            lines.append(f"%{name}s{d} = stablehlo.add {total}, %{name}t{d} : {whole}")
        total = f"%{name}s{d}" if total else f"%{name}t{d}"
    return lines + [f"%{name}m = stablehlo.constant dense<{modulus}> : {whole}",
                    f"%{name}r = stablehlo.remainder {total}, %{name}m : {whole}",
                    f"%{name} = stablehlo.convert %{name}r : ({whole}) -> {tensor(shape, element)}"]


def program(name, element, lhs, rhs, result, op, modulus=11):
    """A program that compares op with the same op on wider operands."""
    sums = SUMS[element]
    wide = "i32" if element.endswith("i8") else "f64"
    x, y, r = tensor(lhs, element), tensor(rhs, element), tensor(result, sums)
    define = "\n".join(integers("x", lhs, element, (7, 5, 3, 2), modulus)
                       + integers("y", rhs, element, (3, 13, 5, 2), 7))
    narrow_op = op.format(x="%x", y="%y", xt=x, yt=y, rt=r)
    wide_op = op.format(x="%u", y="%v", xt=tensor(lhs, wide), yt=tensor(rhs, wide),
                        rt=tensor(result, wide))
    return f"""module @{name} {{
func.func private @inputs() -> ({x}, {y}) {{
{define}
return %x, %y : {x}, {y}
}}
func.func private @expected() -> {r} {{
{define}
%u = stablehlo.convert %x : ({x}) -> {tensor(lhs, wide)}
%v = stablehlo.convert %y : ({y}) -> {tensor(rhs, wide)}
%w = {wide_op}
%e = stablehlo.convert %w : ({tensor(result, wide)}) -> {r}
return %e : {r}
}}
func.func @main() {{
%x, %y = call @inputs() : () -> ({x}, {y})
%e = call @expected() : () -> {r}
%r = {narrow_op}
stablehlo.custom_call @check.expect_eq(%r, %e) {{has_side_effect = true}} : ({r}, {r}) -> ()
return
}}
}}
"""


def product(name, element, lhs, rhs, result, contracting, batching="[] x []"):
    op = (f"stablehlo.dot_general {{x}}, {{y}}, batching_dims = {batching}, "
          f"contracting_dims = {contracting} : ({{xt}}, {{yt}}) -> {{rt}}")
    return program(f"{name}_{element}", element, lhs, rhs, result, op)


def precise_programs(precisions):
    """Operands that have more bits than tf32: behind transposes, in batches, and in windows."""
    programs = []
    for precision in precisions:
        name = "precise_" + precision.replace(", ", "_").lower()
        product_of = ("stablehlo.dot_general {x}, {y}, BATCH contracting_dims = CONTRACTING, "
                      f"precision = [{precision}] : ({{xt}}, {{yt}}) -> {{rt}}")
        batched = product_of.replace("BATCH", "batching_dims = [0] x [0],").replace(
            "CONTRACTING", "[2] x [1]")
        transposed = product_of.replace("BATCH ", "").replace("CONTRACTING", "[0] x [1]")
        parts = ", ".join(f"#stablehlo<precision {part}>" for part in precision.split(", "))
        window = CONVOLUTION.replace("S, S", "1, 1").replace("G :", "1 :").replace(
            "batch_group_count", f"precision_config = [{parts}], batch_group_count", 1)
        programs += [
            program(name, "f32", (2, 40, 64), (2, 64, 48), (2, 40, 48), batched, 4099),
            program(name + "_transposed", "f32", (64, 40), (48, 64), (40, 48), transposed, 4099),
            program(name + "_convolution", "f32", (2, 9, 10, 16), (3, 3, 16, 24), (2, 9, 10, 24),
                    window, 4099)]
    return "\n// -----\n\n".join(programs)


def convolution(name, element, lhs, rhs, result, stride, groups):
    op = CONVOLUTION.replace("S, S", f"{stride}, {stride}").replace("G :", f"{groups} :")
    return program(f"{name}_{element}", element, lhs, rhs, result, op)


def filter_gradient(name, element, lhs, rhs, result, groups):
    return program(f"{name}_{element}", element, lhs, rhs, result, GRADIENT.replace("G :", f"{groups} :"))


def matrix_programs():
    """The text of a test file."""
    all_programs = []
    for t in OPERANDS:
        all_programs += [
            product("batched", t, (3, 70, 96), (3, 96, 80), (3, 70, 80), "[2] x [1]", "[0] x [0]"),
            product("odd", t, (33, 45), (45, 51), (33, 51), "[1] x [0]"),
            product("transposed", t, (64, 72), (40, 64), (72, 40), "[0] x [1]")]
    all_programs.append(product("large", "bf16", (130, 256), (256, 200), (130, 200), "[1] x [0]"))
    # Without matrix instructions: rows and columns that end in tiles of 128, whole tiles, and
    # few rows or columns.
    for t in ("f32", "i32"):
        for (m, n, k) in ((130, 132, 20), (128, 256, 17), (3, 300, 40), (300, 5, 9), (129, 36, 64)):
            all_programs += [
                product(f"tiles_{m}_{n}_{k}", t, (m, k), (k, n), (m, n), "[1] x [0]"),
                product(f"transposed_{m}_{n}_{k}", t, (k, m), (n, k), (m, n), "[0] x [1]")]
    # Long sums, whose parts are added in a second phase.
    for t in ("bf16", "f32", "f64"):
        all_programs += [
            product("long", t, (40, 4200), (4200, 24), (40, 24), "[1] x [0]"),
            product("long_row", t, (1, 3000), (70, 3000), (1, 70), "[1] x [1]"),
            product("long_columns", t, (3000, 33), (3000, 3), (33, 3), "[0] x [0]")]
    # Parts of 1,408: a block of 256 would cross the end of one.
    for t in ("i8", "ui8", "bf16", "f16"):
        all_programs.append(product("parts", t, (64, 2688), (2688, 64), (64, 64), "[1] x [0]"))
    for t in ("bf16", "f32"):
        all_programs += [
            convolution("depthwise", t, (2, 9, 9, 16), (3, 3, 1, 32), (2, 9, 9, 32), 1, 16),
            filter_gradient("gradient", t, (8, 20, 20, 16), (8, 20, 20, 24), (3, 3, 16, 24), 1),
            filter_gradient("depthwise_gradient", t, (8, 20, 20, 16), (8, 20, 20, 16), (3, 3, 1, 16), 16)]
    for t in ("bf16", "f16", "f32"):
        all_programs += [
            convolution("convolution", t, (2, 9, 10, 16), (3, 3, 16, 24), (2, 9, 10, 24), 1, 1),
            convolution("groups", t, (2, 9, 9, 16), (3, 3, 8, 32), (2, 5, 5, 32), 2, 2)]
    return "\n// -----\n\n".join(all_programs)
