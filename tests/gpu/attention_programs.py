"""Test programs with attention that devices with matrix instructions compute by blocks of keys.

The expected results are those of the same program on wider operands, by the reference evaluator.
"""
from matrix_programs import integers, tensor

INFINITY = {"bf16": "0xFF80", "f16": "0xFC00", "f32": "0xFF800000", "f64": "0xFFF0000000000000"}


class Case:
    """softmax(q k^T / 4 + ...) v for `sizes`: batch, rows, keys, depth, columns."""

    def __init__(self, name, sizes, element="bf16", rows="f32", scores="", result="o",
                 values_first=False, value_scale=1 / 64, value_center=48, tolerance=0.02):
        self.name, self.sizes, self.element, self.rows = name, sizes, element, rows
        self.scores, self.result, self.values_first = scores, result, values_first
        self.value_scale, self.value_center = value_scale, value_center
        self.tolerance = tolerance

    def body(self, element, rows):
        """Lines that compute %o, %p, %m and %t from %q, %k and %v.

        With a gradient also %x, %y and %u, those of q, k and v, if %g is that of %o.
        """
        b, n, keys, d, c = self.sizes
        q, k, v = (tensor(s, element) for s in ((b, n, d), (b, keys, d), (b, keys, c)))
        s, r, w = tensor((b, n, keys), rows), tensor((b, n), rows), tensor((b, n, keys), element)
        wide = "f64" if rows == "f64" else "f32"
        sw, rw = tensor((b, n, keys), wide), tensor((b, n), wide)
        convert = lambda to, x, tx, ty: (
            f"%{to} = stablehlo.convert %{x} : ({tx}) -> {ty}" if tx != ty
            else f"%{to} = stablehlo.reshape %{x} : ({tx}) -> {ty}")
        lines = [
            f"%z = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : ({q}, {k}) -> {s}",
            f"%quarter = stablehlo.constant dense<0.25> : {s}",
            f"%scaled = stablehlo.multiply %z, %quarter : {s}",
            f"%row = stablehlo.iota dim = 1 : {tensor((b, n, keys), 'i32')}",
            f"%column = stablehlo.iota dim = 2 : {tensor((b, n, keys), 'i32')}",
            f"%lowest = stablehlo.constant dense<{INFINITY[rows]}> : {s}"]
        lines += [line.format(s=s, i=tensor((b, n, keys), "i32"), p=tensor((b, n, keys), "i1"))
                  for line in (self.scores or "%s = stablehlo.reshape %scaled : ({s}) -> {s}").splitlines()]
        lines += [
            f"%low = stablehlo.constant dense<{INFINITY[rows]}> : tensor<{rows}>",
            f"%zero = stablehlo.constant dense<0.0> : tensor<{wide}>",
            f"%m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : ({s}, tensor<{rows}>) -> {r}",
            f"%mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : ({r}) -> {s}",
            f"%d = stablehlo.subtract %s, %mb : {s}",
            f"%e = stablehlo.exponential %d : {s}",
            convert("ew", "e", s, sw),
            f"%t = stablehlo.reduce(%ew init: %zero) applies stablehlo.add across dimensions = [2] : ({sw}, tensor<{wide}>) -> {rw}",
            convert("tn", "t", rw, r),
            f"%tb = stablehlo.broadcast_in_dim %tn, dims = [0, 1] : ({r}) -> {s}",
            f"%p = stablehlo.divide %e, %tb : {s}",
            convert("w", "p", s, w)]
        out = tensor((b, c, n) if self.values_first else (b, n, c), element)
        first = f"%v, %w, batching_dims = [0] x [0], contracting_dims = [1] x [2] : ({v}, {w})"
        last = f"%w, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : ({w}, {v})"
        lines.append(f"%o = stablehlo.dot_general {first if self.values_first else last} -> {out}")
        types = {"o": out, "p": s, "m": r, "t": rw, "x": q, "y": k, "u": v}
        if set(self.result) & set("xyu"):
            dot = "stablehlo.dot_general"
            lines += [
                f"%dw = {dot} %g, %v, batching_dims = [0] x [0], contracting_dims = [2] x [2] : ({out}, {v}) -> {s}",
                f"%dwp = stablehlo.multiply %dw, %p : {s}",
                convert("dwpw", "dwp", s, sw),
                f"%sum = stablehlo.reduce(%dwpw init: %zero) applies stablehlo.add across dimensions = [2] : ({sw}, tensor<{wide}>) -> {rw}",
                convert("sumn", "sum", rw, r),
                f"%sumb = stablehlo.broadcast_in_dim %sumn, dims = [0, 1] : ({r}) -> {s}",
                f"%dc = stablehlo.subtract %dw, %sumb : {s}",
                f"%dp = stablehlo.multiply %dc, %p : {s}",
                f"%ds = stablehlo.multiply %dp, %quarter : {s}",
                convert("dn", "ds", s, w),
                f"%x = {dot} %dn, %k, batching_dims = [0] x [0], contracting_dims = [2] x [1] : ({w}, {k}) -> {q}",
                f"%y = {dot} %dn, %q, batching_dims = [0] x [0], contracting_dims = [1] x [1] : ({w}, {q}) -> {k}",
                f"%u = {dot} %w, %g, batching_dims = [0] x [0], contracting_dims = [1] x [1] : ({w}, {out}) -> {v}"]
        return lines, [types[name] for name in self.result]

    def program(self):
        b, n, keys, d, c = self.sizes
        shapes = {"q": (b, n, d), "k": (b, keys, d), "v": (b, keys, c), "g": (b, n, c)}
        inputs = []
        for (name, shape), factors in zip(shapes.items(), ((7, 5, 3), (3, 13, 5), (5, 31, 11), (11, 3, 7))):
            inputs += integers(name + "n", shape, "f32", factors, 97)
            whole = tensor(shape, "f32")
            inputs += [f"%{name}half = stablehlo.constant dense<{self.value_center if name == 'v' else 48}.0> : {whole}",
                       f"%{name}scale = stablehlo.constant dense<{self.value_scale if name == 'v' else 1 / 32:e}> : {whole}",
                       f"%{name}c = stablehlo.subtract %{name}n, %{name}half : {whole}",
                       f"%{name}d = stablehlo.multiply %{name}c, %{name}scale : {whole}",
                       f"%{name} = stablehlo.convert %{name}d : ({whole}) -> {tensor(shape, self.element)}"]
        types = [tensor(shape, self.element) for shape in shapes.values()]
        narrow, results = self.body(self.element, self.rows)
        wide, wide_results = self.body("f64", "f64")
        lines = ["module @%s {" % self.name,
                 f"func.func private @inputs() -> ({', '.join(types)}) {{", *inputs,
                 f"return %q, %k, %v, %g : {', '.join(types)}", "}",
                 f"func.func private @expected() -> ({', '.join(results)}) {{", *inputs]
        for name, shape in shapes.items():
            lines.append(f"%{name}w = stablehlo.convert %{name} : ({tensor(shape, self.element)}) -> {tensor(shape, 'f64')}")
        text = "\n".join(wide)
        for name in shapes:
            text = text.replace(f"%{name},", f"%{name}w,").replace(f"%{name} ", f"%{name}w ")
        lines.append(text)
        for i, name in enumerate(self.result):
            lines.append(f"%r{i} = stablehlo.convert %{name} : ({wide_results[i]}) -> {results[i]}")
        values = ", ".join(f"%r{i}" for i in range(len(results)))
        lines += [f"return {values} : {', '.join(results)}", "}", "func.func @main() {",
                  f"%q, %k, %v, %g = call @inputs() : () -> ({', '.join(types)})",
                  f"%want:{len(results)} = call @expected() : () -> ({', '.join(results)})", *narrow]
        for i, name in enumerate(self.result):
            lines.append(
                f"stablehlo.custom_call @check.expect_almost_eq(%{name}, %want#{i}) {{has_side_effect = true, "
                f"api_version = 4 : i32, backend_config = {{tolerance = {self.tolerance} : f64}}}} : "
                f"({results[i]}, {results[i]}) -> ()")
        return "\n".join([*lines, "return", "}", "}", ""])


CAUSAL = """%allowed = stablehlo.compare GE, %row, %column, SIGNED : ({i}, {i}) -> {p}
%s = stablehlo.select %allowed, %scaled, %lowest : {p}, {s}"""
# Rows before the fifth have no key; rows after it have none in the first block of keys.
NO_KEYS = """%some = stablehlo.constant dense<5> : {i}
%many = stablehlo.constant dense<100> : {i}
%late = stablehlo.compare GE, %row, %some, SIGNED : ({i}, {i}) -> {p}
%far = stablehlo.compare GE, %column, %many, SIGNED : ({i}, {i}) -> {p}
%allowed = stablehlo.and %late, %far : {p}
%s = stablehlo.select %allowed, %scaled, %lowest : {p}, {s}"""
# Scores of +inf in one row, NaN in another, in the second block.
SPECIAL = """%at = stablehlo.constant dense<70> : {i}
%three = stablehlo.constant dense<3> : {i}
%four = stablehlo.constant dense<4> : {i}
%here = stablehlo.compare EQ, %column, %at, SIGNED : ({i}, {i}) -> {p}
%row3 = stablehlo.compare EQ, %row, %three, SIGNED : ({i}, {i}) -> {p}
%row4 = stablehlo.compare EQ, %row, %four, SIGNED : ({i}, {i}) -> {p}
%i3 = stablehlo.and %here, %row3 : {p}
%i4 = stablehlo.and %here, %row4 : {p}
%high = stablehlo.negate %lowest : {s}
%nan = stablehlo.add %high, %lowest : {s}
%s3 = stablehlo.select %i3, %high, %scaled : {p}, {s}
%s = stablehlo.select %i4, %nan, %s3 : {p}, {s}"""
# Later keys have larger scores, so that the maximum changes in every block.
RISING = """%position = stablehlo.convert %column : ({i}) -> {s}
%rise = stablehlo.multiply %position, %quarter : {s}
%s = stablehlo.add %scaled, %rise : {s}"""

CASES = [
    Case("plain", (2, 128, 256, 64, 64)),
    Case("half", (2, 128, 256, 64, 64), "f16"),
    Case("f32", (2, 128, 256, 64, 64), "f32"),
    Case("f32_values_first", (1, 300, 257, 20, 18), "f32", values_first=True),
    Case("narrow_rows", (2, 128, 256, 32, 64), "bf16", "bf16"),
    Case("beside_tiles", (3, 145, 200, 40, 24)),
    Case("loads", (1, 300, 257, 20, 18)),
    Case("large_heads", (1, 256, 256, 128, 128)),
    Case("few_keys", (30, 200, 17, 128, 16)),
    Case("few_rows", (30, 17, 200, 16, 128)),
    Case("causal", (2, 200, 200, 32, 32), scores=CAUSAL),
    Case("no_keys", (2, 128, 256, 32, 32), scores=NO_KEYS, result="omt"),
    Case("special", (2, 128, 256, 32, 32), scores=SPECIAL, result="omt"),
    Case("rising", (2, 128, 256, 32, 32), scores=RISING, result="omt"),
    Case("values_first", (2, 128, 256, 64, 32), values_first=True),
    # Sums of weights that are not divided yet would be infinite.
    Case("large_values", (2, 128, 256, 32, 32), value_scale=3e36, value_center=0),
    Case("gradients", (2, 128, 256, 64, 64), result="oxyu"),
    Case("gradients_f16", (2, 128, 256, 64, 64), "f16", result="oxyu"),
    Case("gradients_f32", (2, 128, 256, 64, 64), "f32", result="oxyu"),
    Case("gradients_f32_beside_tiles", (3, 145, 200, 40, 24), "f32", result="oxyu"),
    Case("gradients_narrow_rows", (2, 128, 256, 32, 64), "bf16", "bf16", result="oxyu", tolerance=0.05),
    Case("gradients_beside_tiles", (3, 145, 200, 40, 24), result="oxyu"),
    Case("gradients_loads", (1, 300, 257, 20, 18), result="oxyu"),
    Case("gradients_large_heads", (1, 256, 256, 128, 128), result="oxyu"),
    Case("gradients_causal", (2, 200, 200, 32, 32), scores=CAUSAL, result="oxyu"),
    Case("gradients_no_keys", (2, 128, 256, 32, 32), scores=NO_KEYS, result="oxyu"),
    Case("gradients_special", (2, 128, 256, 32, 32), scores=SPECIAL, result="oxyu"),
    Case("gradients_mixed_sizes", (1, 300, 300, 128, 16), result="oxyu"),
    Case("gradients_rounded_rows", (2, 160, 416, 32, 32), "bf16", "bf16", scores=CAUSAL, result="oxyu",
         tolerance=0.06),
    # Weights are results, too, so the scores are stored.
    Case("weights", (2, 128, 256, 32, 32), result="op")]


def attention_programs(cases=CASES):
    """The text of a test file."""
    return "\n// -----\n\n".join(case.program() for case in cases)


if __name__ == "__main__":
    print(attention_programs())
