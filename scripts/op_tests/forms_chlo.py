"""CHLO's operations as JAX sends them: composites of that name with a decomposition.

Real numbers use the operation itself, all others the decomposition, as in the evaluator. Both are
compared with SciPy. tests/ops/test_chlo.py sends CHLO operations directly.
"""
import numpy as np
import scipy.special

from .case import Case
from .values import COMPLEX, TYPES, WIDE_FLOATS, Value

TOLERANCE = {"f16": 4e-3, "bf16": 3e-2, "f32": 1e-5, "f64": 1e-6, "complex<f32>": 1e-5,
             "complex<f64>": 1e-12}


def body(*lines):
    """Lines of `name = op operands`; %x is the operand, `1`, `2` and `-1` are constants."""
    text = ['%one = stablehlo.constant dense<ONE> : $x', '%two = stablehlo.add %one, %one : $x',
            '%half = stablehlo.divide %one, %two : $x']
    for line in lines:
        name, expression = line.split(" = ")
        op, *operands = expression.split()
        text.append(f"%{name} = stablehlo.{op} {', '.join('%' + o for o in operands)} : $x")
    return text + ["return %r : $x"]


SQUARE_ROOT = ("d = subtract one x", "u = add one x", "p = multiply d u", "q = sqrt p")
# name: (SciPy's or NumPy's function, lowest and highest argument, decomposition, whether on complex numbers)
UNARY = {
    "acos": (np.arccos, -1, 1, body(*SQUARE_ROOT, "r = atan2 q x"), False),
    "acosh": (np.arccosh, 1, 30, body("d = subtract x one", "u = add x one", "a = sqrt d",
                                      "b = sqrt u", "p = multiply a b", "q = add x p", "r = log q"),
              True),
    "asin": (np.arcsin, -1, 1, body(*SQUARE_ROOT, "r = atan2 x q"), False),
    "asinh": (np.arcsinh, -0.9, 20, body("p = multiply x x", "q = add p one", "s = sqrt q",
                                         "t = add x s", "r = log t"), True),
    "atan": (np.arctan, -20, 20, body("r = atan2 x one"), False),
    "atanh": (np.arctanh, -0.9, 0.9, body("n = negate x", "a = log_plus_one x",
                                          "b = log_plus_one n", "c = subtract a b",
                                          "r = multiply c half"), True),
    "cosh": (np.cosh, -8, 8, body("n = negate x", "a = exponential x", "b = exponential n",
                                  "c = add a b", "r = multiply c half"), True),
    "sinh": (np.sinh, -8, 8, body("n = negate x", "a = exponential x", "b = exponential n",
                                  "c = subtract a b", "r = multiply c half"), True),
}


def arguments(t, low, high):
    random = np.random.default_rng(11)
    if t in COMPLEX:
        return random.uniform(max(low, -2), min(high, 2), 20) + 1j * random.uniform(-2, 2, 20)
    return np.concatenate([[low, high], random.uniform(low, high, 30)])


def one(name, t, x, function, lines, shape=None):
    x = Value(t, x if shape is None else np.resize(x, shape))
    wide = x.array.astype(np.complex128 if t in COMPLEX else np.float64)
    constant = "(1.0, 0.0)" if t in COMPLEX else "1.0"
    text = "\n".join("  " + line.replace("ONE", constant) for line in lines)
    tag = t.replace("<", "_").replace(">", "") + ("" if shape is None else f"_rank_{len(shape)}")
    return Case(f"{name}_{tag}", {"x": x}, f"""
        %r = stablehlo.composite "chlo.{name}" %x {{decomposition = @chlo.{name}.impl}} : ($x) -> $r""",
                {"r": Value(t, function(wide))}, almost=TOLERANCE[t],
                functions=f"func.func private @chlo.{name}.impl(%x: $x) -> $x {{\n{text}\n}}")


def unary(name):
    function, low, high, lines, of_complex = UNARY[name]
    for t in WIDE_FLOATS + (COMPLEX if of_complex else ()):
        yield one(name, t, arguments(t, low, high), function, lines)
    for shape in ((), (0, 3), (1, 2, 1, 1, 2, 1, 3, 1, 1, 2, 1, 1)):
        yield one(name, "f32", arguments("f32", low, high), function, lines, shape)


def erf_lines(complement):
    """Abramowitz and Stegun, 7.1.26: an absolute error of 1.5e-7."""
    coefficients = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
    text = ["%one = stablehlo.constant dense<1.0> : $x", "%a = stablehlo.abs %x : $x",
            "%k = stablehlo.constant dense<0.3275911> : $x", "%ka = stablehlo.multiply %k, %a : $x",
            "%d = stablehlo.add %one, %ka : $x", "%t = stablehlo.divide %one, %d : $x",
            f"%s0 = stablehlo.constant dense<{coefficients[0]}> : $x"]
    for i, c in enumerate(coefficients[1:], 1):
        text += [f"%c{i} = stablehlo.constant dense<{c}> : $x",
                 f"%m{i} = stablehlo.multiply %s{i - 1}, %t : $x",
                 f"%s{i} = stablehlo.add %m{i}, %c{i} : $x"]
    text += ["%p = stablehlo.multiply %s4, %t : $x", "%xx = stablehlo.multiply %x, %x : $x",
             "%n = stablehlo.negate %xx : $x", "%e = stablehlo.exponential %n : $x",
             "%pe = stablehlo.multiply %p, %e : $x", "%w = stablehlo.subtract %one, %pe : $x",
             "%sign = stablehlo.sign %x : $x", "%v = stablehlo.multiply %sign, %w : $x"]
    return text + (["%r = stablehlo.subtract %one, %v : $x"] if complement else
                   ["%zero = stablehlo.subtract %one, %one : $x",
                    "%r = stablehlo.add %v, %zero : $x"]) + ["return %r : $x"]


def erf(name):
    function = {"erf": scipy.special.erf, "erfc": scipy.special.erfc}[name]
    for t in WIDE_FLOATS:
        yield one(name, t, arguments(t, -3, 3), function, erf_lines(name == "erfc"))


def mulhi():
    for t in ("i8", "i16", "i32", "ui8", "ui16", "ui32"):
        wide = t.replace("8", "16") if t.endswith("8") else t.replace("16", "32") \
            if t.endswith("16") else t.replace("32", "64")
        bits = np.dtype(TYPES[t]).itemsize * 8
        info = np.iinfo(TYPES[t])
        random = np.random.default_rng(3)
        x, y = (np.concatenate([[info.min, info.max, 3], random.integers(info.min, info.max, 20)])
                for _ in range(2))
        y = y[::-1]
        result = [int(a) * int(b) >> bits for a, b in zip(x, y)]
        yield Case(f"mulhi_{t}", {"x": Value(t, x), "y": Value(t, y)}, """
            %r = stablehlo.composite "chlo.mulhi" %x, %y {decomposition = @chlo.mulhi.impl}
              : ($x, $y) -> $r""", {"r": Value(t, np.array(result))}, functions=f"""
            func.func private @chlo.mulhi.impl(%x: $x, %y: $x) -> $x {{
              %a = stablehlo.convert %x : ($x) -> tensor<23x{wide}>
              %b = stablehlo.convert %y : ($x) -> tensor<23x{wide}>
              %p = stablehlo.multiply %a, %b : tensor<23x{wide}>
              %n = stablehlo.constant dense<{bits}> : tensor<23x{wide}>
              %h = stablehlo.shift_right_logical %p, %n : tensor<23x{wide}>
              %r = stablehlo.convert %h : (tensor<23x{wide}>) -> $x
              return %r : $x
            }}""")


def top_k():
    random = np.random.default_rng(8)
    for name, shape, k in (("row", (20,), 3), ("rows", (4, 33), 5), ("all", (3, 6), 6),
                           ("one", (2, 100), 1)):
        x = random.integers(-20, 20, shape)
        order = np.argsort(-x, -1, kind="stable")[..., :k]
        result = np.take_along_axis(x, order, -1)
        full = "x".join(map(str, shape))
        cut = ", ".join(f"0:{n}" for n in (*shape[:-1], k))
        dim = len(shape) - 1
        kept = "x".join(map(str, result.shape))
        yield Case(f"top_k_{name}", {"x": Value("f32", x)}, f"""
            %v, %i = stablehlo.composite "chlo.top_k" %x {{composite_attributes = {{k = {k} : i64,
              largest = true}}, decomposition = @chlo.top_k.impl}} : ($x) -> ($v, $i)""",
                   {"v": Value("f32", result), "i": Value("i32", order)}, functions=f"""
            func.func private @chlo.top_k.impl(%x: $x) -> (tensor<{kept}xf32>, tensor<{kept}xi32>) {{
              %at = stablehlo.iota dim = {dim} : tensor<{full}xi32>
              %s:2 = "stablehlo.sort"(%x, %at) ({{
                ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
                  %m = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
                  stablehlo.return %m : tensor<i1>
              }}) {{dimension = {dim} : i64, is_stable = true}} : ($x, tensor<{full}xi32>) -> ($x, tensor<{full}xi32>)
              %v = stablehlo.slice %s#0 [{cut}] : ($x) -> tensor<{kept}xf32>
              %i = stablehlo.slice %s#1 [{cut}] : (tensor<{full}xi32>) -> tensor<{kept}xi32>
              return %v, %i : tensor<{kept}xf32>, tensor<{kept}xi32>
            }}""")


def files():
    for name in UNARY:
        yield f"chlo_{name}", unary(name)
    for name in ("erf", "erfc"):
        yield f"chlo_{name}", erf(name)
    yield "chlo_mulhi", mulhi()
    yield "chlo_top_k", top_k()
