"""Forms of elementwise operations: ranks, zero extents, special values, attributes."""
import numpy as np

from . import elementwise
from .case import Case
from .samples import plain
from .values import COMPLEX, TYPES, Value

RANK_12 = (1, 2, 1, 1, 2, 1, 3, 1, 1, 2, 1, 1)
PREFERRED = ("f32", "i32", "complex<f32>")
PARTS = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan)
# The arguments that are tested, where C99's annex G and XLA agree: bit i of the numbers below is
# PARTS[i // 7] + PARTS[i % 7] i. For others a sign or NaN is unspecified, or XLA differs.
SPECIAL_CELLS = {
    "exponential": 0x1fc78ffffffff, "exponential_minus_one": 0x1f3ffcfffffff,
    "log": 0x13dfbffffffff, "log_plus_one": 0x13dfbffffffff, "sqrt": 0x13debffbfffff,
    "rsqrt": 0x13c78f993e7cf, "sine": 0x13264cfffc78f, "cosine": 0x13264cfffc78f,
    "tan": 0x1f3e7cfffffff, "tanh": 0x1ffffffffc78f, "abs": 0x13dfbffffffff,
    "negate": 0x1ffffffffffff}


PAIR_PARTS = (0.0, -0.0, -1.5, np.inf, -np.inf)


def grid(t, parts=PARTS):
    z = np.empty(len(parts)**2, TYPES[t])
    z.real, z.imag = np.repeat(parts, len(parts)), np.tile(parts, len(parts))
    return z


def special_complex(op, function):
    """Infinities, NaN and signed zeros in both parts."""
    t = "complex<f64>"
    cells = np.array([SPECIAL_CELLS[op] >> i & 1 for i in range(49)], bool)
    z = grid(t)[cells]
    with np.errstate(all="ignore"):
        result = function(z)
    return Case(f"{op}_special_complex", {"x": Value(t, z)},
                f'%r = "stablehlo.{op}"(%x) : ($x) -> $r',
                {"r": Value("f64" if op == "abs" else t, result)}, almost=1e-12)


def quotient(a, b):
    """C99, annex G.5.1: an infinity over a number, and a number over zero, are infinite."""
    x, y, u, v = a.real, a.imag, b.real, b.imag
    if u == 0 and v == 0:
        return complex(np.copysign(np.inf, u) * x, np.copysign(np.inf, u) * y)
    if np.isinf([x, y]).any() and np.isfinite([u, v]).all():
        p, q = (np.copysign(float(np.isinf(part)), part) for part in (x, y))
        return complex(np.inf * (p * u + q * v), np.inf * (q * u - p * v))
    if np.isinf([u, v]).any() and np.isfinite([x, y]).all():
        p, q = (np.copysign(float(np.isinf(part)), part) for part in (u, v))
        return complex(0.0 * (x * p + y * q), 0.0 * (y * p - x * q))
    norm = u * u + v * v
    return complex((x * u + y * v) / norm, (y * u - x * v) / norm)


def special_pairs(op, function):
    """All of PAIR_PARTS in both operands; division of and by numbers, infinity and zero."""
    t = "complex<f32>"
    one = grid(t, PAIR_PARTS)
    x, y = np.repeat(one, one.size), np.tile(one, one.size)
    if op == "divide":
        infinite = np.isinf(x.real) | np.isinf(x.imag)
        keep = np.isfinite(y) & (infinite | (np.isfinite(x) & (x != 0)))
        keep |= np.isfinite(x) & (np.isinf(y.real) | np.isinf(y.imag))
        x, y = x[keep], y[keep]
        with np.errstate(all="ignore"):
            result = np.array([quotient(a, b) for a, b in zip(x, y)])
    else:
        result = np.empty_like(x)
        with np.errstate(all="ignore"):
            result.real, result.imag = function(x, y)
    return Case(f"{op}_special_complex", {"x": Value(t, x), "y": Value(t, y)},
                f"%r = stablehlo.{op} %x, %y : $r", {"r": Value(t, result)}, almost=1e-6)


SPECIAL_PAIRS = {  # parts of the result; products by the plain formula, as in XLA
    "add": lambda x, y: (x.real + y.real, x.imag + y.imag), "divide": None,
    "multiply": lambda x, y: (x.real * y.real - x.imag * y.imag,
                              x.real * y.imag + x.imag * y.real),
    "subtract": lambda x, y: (x.real - y.real, x.imag - y.imag)}


def of_all_ranks(op, make):
    types = make.keywords["types"]
    t = next((t for t in PREFERRED if t in types), types[-1])
    for tag, shape in (("scalar", ()), ("rank_12", RANK_12), ("empty", (0, 3)),
                       ("vector_tail", (37,)), ("matrix", (9, 33))):
        for case in make(op, types=(t,), shape=shape, tag=f"_{tag}"):
            case.name = f"{op}_{tag}"
            yield case
    if op in SPECIAL_CELLS:
        yield special_complex(op, make.keywords["function"])
    if op in SPECIAL_PAIRS:
        yield special_pairs(op, SPECIAL_PAIRS[op])


def compare():
    values = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, -np.nan]
    x, y = (np.array(v, np.float32) for v in (np.repeat(values, 8), np.tile(values, 8)))
    bits = np.array([x, y]).view(np.int32).astype(np.int64)
    order = np.where(bits < 0, -(bits & 0x7FFFFFFF) - 1, bits)
    for name, function in elementwise.COMPARISONS.items():
        yield Case(f"total_order_{name.lower()}", {"x": Value("f32", x), "y": Value("f32", y)},
                   f"%r = stablehlo.compare {name}, %x, %y, TOTALORDER : ($x, $y) -> $r",
                   {"r": Value("i1", function(*order))})
    for shape in ((), (0, 2), RANK_12):
        a, b = plain("i32", shape), plain("i32", shape, 1)
        yield Case(f"rank_{len(shape)}", {"x": a, "y": b},
                   "%r = stablehlo.compare LT, %x, %y, SIGNED : ($x, $y) -> $r",
                   {"r": Value("i1", a.array < b.array)})
    a, b = Value("ui32", [1, 2**32 - 1]), Value("ui32", [2**32 - 1, 1])
    yield Case("unsigned", {"x": a, "y": b},
               "%r = stablehlo.compare GT, %x, %y, UNSIGNED : ($x, $y) -> $r",
               {"r": Value("i1", [False, True])})


def clamp():
    x = Value("f32", [[-3, -1, 0], [1, 3, np.nan]])
    result = [[-2, -1, 0], [1, 2, np.nan]]
    yield Case("scalar_bounds", {"low": Value("f32", -2), "x": x, "high": Value("f32", 2)},
               "%r = stablehlo.clamp %low, %x, %high : ($low, $x, $high) -> $r",
               {"r": Value("f32", result)})
    low, high = np.full((2, 3), -2.0), np.full((2, 3), 2.0)
    yield Case("bounds_of_each", {"low": Value("f32", low), "x": x, "high": Value("f32", high)},
               "%r = stablehlo.clamp %low, %x, %high : ($low, $x, $high) -> $r",
               {"r": Value("f32", result)})
    yield Case("bounds_crossed", {"low": Value("i32", 5), "x": Value("i32", [0, 7]),
                                  "high": Value("i32", 3)},
               "%r = stablehlo.clamp %low, %x, %high : ($low, $x, $high) -> $r",
               {"r": Value("i32", [3, 3])})
    yield Case("zero_extent", {"low": Value("i32", 5), "x": plain("i32", (0, 2)),
                               "high": Value("i32", 3)},
               "%r = stablehlo.clamp %low, %x, %high : ($low, $x, $high) -> $r",
               {"r": plain("i32", (0, 2))})


def select():
    x, y = plain("f32", (2, 3)), plain("f32", (2, 3), 1)
    for flag in (True, False):
        yield Case(f"scalar_{flag}".lower(), {"p": Value("i1", flag), "x": x, "y": y},
                   "%r = stablehlo.select %p, %x, %y : $p, $r", {"r": x if flag else y})
    for shape in ((), (0, 3), (9, 33), RANK_12):
        p, a, b = plain("i1", shape), plain("i32", shape), plain("i32", shape, 1)
        yield Case(f"rank_{len(shape)}_size_{p.array.size}", {"p": p, "x": a, "y": b},
                   "%r = stablehlo.select %p, %x, %y : $p, $r",
                   {"r": Value("i32", np.where(p.array, a.array, b.array))})


def subnormal(t, exponent, multiples):
    """Multiples of two to the power of `exponent`."""
    return Value(t, np.array(multiples) * 2.0**exponent)


def conversions():
    yield "convert", [
        Case("truncates_and_saturates", {"x": Value("f32", [2.9, -2.9, 1e10, -1e10, np.inf,
                                                            -np.inf, np.nan, 300])},
             "%r = stablehlo.convert %x : ($x) -> $r",
             {"r": Value("i8", [2, -2, 127, -128, 127, -128, 0, 127])}),
        Case("rounds_to_even", {"x": Value("i64", [2**24 + 1, 2**24 + 3, -2**24 - 1])},
             "%r = stablehlo.convert %x : ($x) -> $r",
             {"r": Value("f32", [2**24, 2**24 + 4, -2**24])}),
        Case("real_part", {"x": Value("complex<f32>", [1.5 + 2j, complex(-4, 3)])},
             "%r = stablehlo.convert %x : ($x) -> $r", {"r": Value("f64", [1.5, -4])}),
        Case("rank_12", {"x": plain("i32", RANK_12)}, "%r = stablehlo.convert %x : ($x) -> $r",
             {"r": Value("f64", plain("i32", RANK_12).array)}),
        Case("zero_extent", {"x": plain("i32", (0, 4))}, "%r = stablehlo.convert %x : ($x) -> $r",
             {"r": Value("f64", np.zeros((0, 4)))})]
    x = Value("f32", [1 + 2.0**-11, 65519, 65520, 1e-8, -1e-8, np.nan, -np.inf])
    yield "reduce_precision", [
        Case("as_f16", {"x": x}, "%r = stablehlo.reduce_precision %x, format = e5m10 : $r",
             {"r": Value("f32", [1, 65504, np.inf, 0, -0.0, np.nan, -np.inf])}),
        Case("no_mantissa", {"x": Value("f32", [1, 1.4, 1.6, 3.1, -2.9])},
             "%r = stablehlo.reduce_precision %x, format = e8m0 : $r",
             {"r": Value("f32", [1, 1, 2, 4, -2])}),
        Case("zero_extent", {"x": plain("f32", (2, 0))},
             "%r = stablehlo.reduce_precision %x, format = e5m2 : $r", {"r": plain("f32", (2, 0))}),
        # The largest value rounds up to infinity, also where the sum is computed in f32.
        Case("beyond_the_largest_f16", {"x": Value("f16", [65504, -65504, 3, 65472])}, """
        %y = stablehlo.reduce_precision %x, format = e8m3 : $x
        %r = stablehlo.subtract %y, %x : $r""",
             {"r": Value("f16", [np.inf, -np.inf, 0, np.inf])}),
        # Subnormals of the type keep its exponent.
        Case("subnormal_f16", {"x": subnormal("f16", -24, (1, -4, 12, 20, 1023))},
             "%r = stablehlo.reduce_precision %x, format = e5m7 : $r",
             {"r": subnormal("f16", -24, (0, -0.0, 16, 16, 1024))}),
        Case("subnormal_f8", {"x": subnormal("f8E5M2", -16, (1, -2, 3))},
             "%r = stablehlo.reduce_precision %x, format = e8m1 : $r",
             {"r": subnormal("f8E5M2", -16, (0, -2, 4))})]
    x, y = plain("f32", (3, 5)), plain("f32", (3, 5), 1)
    yield "complex", [
        Case("matrix", {"x": x, "y": y}, "%r = stablehlo.complex %x, %y : $r",
             {"r": Value("complex<f32>", x.array + 1j * y.array)}),
        Case("scalar", {"x": Value("f64", 1), "y": Value("f64", -2)},
             "%r = stablehlo.complex %x, %y : $r", {"r": Value("complex<f64>", 1 - 2j)})]


def constant():
    yield Case("scalar", {}, "%r = stablehlo.constant dense<7> : tensor<i32>",
               {"r": Value("i32", 7)})
    yield Case("splat", {}, "%r = stablehlo.constant dense<2.5> : tensor<40x50xf32>",
               {"r": Value("f32", np.full((40, 50), 2.5))})
    yield Case("zero_extent", {}, "%r = stablehlo.constant dense<> : tensor<0x3xf64>",
               {"r": Value("f64", np.zeros((0, 3)))})
    big = Value("i16", np.arange(3000).reshape(60, 50))
    yield Case("large", {}, f"%r = stablehlo.constant {big.constant()}", {"r": big})
    yield Case("special", {}, "%r = stablehlo.constant dense<[0x7F800000, 0xFF800000, 0x7FC00000, "
               "0x80000000]> : tensor<4xf32>", {"r": Value("f32", [np.inf, -np.inf, np.nan, -0.0])})
    yield Case("rank_12", {}, "%r = stablehlo.constant dense<true> : "
               f"tensor<{'x'.join(map(str, RANK_12))}xi1>", {"r": Value("i1", np.ones(RANK_12))})


ACCURATE = ("exponential", "exponential_minus_one", "log", "log_plus_one", "sqrt", "rsqrt", "sine",
            "cosine", "tan", "tanh", "logistic", "cbrt")


def with_accuracy(op, make):
    case, = make(op, types=("f32",), shape=(20,), tag="")
    case.name = f"{op}_highest_accuracy"
    case.body = f"""%r = "stablehlo.{op}"(%x) {{result_accuracy = #stablehlo.result_accuracy<
            mode = #stablehlo.result_accuracy_mode<HIGHEST>>}} : ($x) -> $r"""
    return case


def files():
    for op, make in elementwise.table().items():
        cases = list(of_all_ranks(op, make))
        if op in ACCURATE:
            cases.append(with_accuracy(op, make))
        yield op, cases
    yield from {"clamp": clamp(), "compare": compare(), "constant": constant(),
                "select": select()}.items()
    yield from conversions()
