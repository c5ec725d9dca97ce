#!/usr/bin/env python3
"""Fits the polynomials of elementary functions and writes tenon/compiler/math/polynomials.h.

Every polynomial is a weighted minimax fit (Remez exchange in multiple precision). The weights
minimize the error relative to the function's result. Needs mpmath and clang-format-22.

usage: scripts/fit_polynomials.py [--check] [name...]
  --check prints the errors and writes nothing; names restrict the fits (with --check).
"""
import os
import struct
import subprocess
import sys

from mpmath import mp, mpf

mp.prec = 260
OUT = "tenon/compiler/math/polynomials.h"


def remez(g, w, a, b, degree):
    """Coefficients (constant first) of the polynomial that minimizes max |w (p - g)| on [a, b]."""
    n = degree + 1
    a, b = mpf(a), mpf(b)
    count = 24 * (n + 2)
    grid = [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * (i + mpf(1) / 2) / count)
            for i in range(count)]
    gs, ws = [g(x) for x in grid], [w(x) for x in grid]
    # Fits in t in [-1, 1], which is well conditioned, and expands to powers of x at the end.
    ts = [(2 * x - a - b) / (b - a) for x in grid]
    points = [round((count - 1) * (1 - mp.cos(mp.pi * i / n)) / 2) for i in range(n + 1)]
    coefficients, best = None, None
    for _ in range(60):
        matrix, rhs = mp.matrix(n + 1, n + 1), mp.matrix(n + 1, 1)
        for row, i in enumerate(points):
            power = mpf(1)
            for k in range(n):
                matrix[row, k] = power
                power *= ts[i]
            matrix[row, n] = (-1) ** row / ws[i]
            rhs[row] = gs[i]
        solution = mp.lu_solve(matrix, rhs)
        coefficients, level = [solution[k] for k in range(n)], abs(solution[n])
        errors = [ws[i] * (mp.polyval(coefficients[::-1], ts[i]) - gs[i])
                  for i in range(count)]
        # The largest error of each sequence of equal signs.
        extremes = []
        for i, e in enumerate(errors):
            if extremes and (errors[extremes[-1]] > 0) == (e > 0):
                if abs(e) > abs(errors[extremes[-1]]):
                    extremes[-1] = i
            else:
                extremes.append(i)
        while len(extremes) > n + 1:
            if len(extremes) == n + 2:
                drop = 0 if abs(errors[extremes[0]]) < abs(errors[extremes[-1]]) else n + 1
                del extremes[drop]
                continue
            i = min(range(len(extremes) - 1),
                    key=lambda j: min(abs(errors[extremes[j]]), abs(errors[extremes[j + 1]])))
            del extremes[i:i + 2]
        best = max(abs(e) for e in errors)
        if len(extremes) < n + 1 or best < level * mpf("1.001"):
            break
        points = extremes
    # Powers of t = (2x - a - b) / (b - a) to powers of x.
    scale, shift = 2 / (b - a), -(a + b) / (b - a)
    result = [mpf(0)]
    for c in reversed(coefficients):
        result = ([shift * result[0]] +
                  [scale * result[k - 1] + shift * result[k] for k in range(1, len(result))] +
                  [scale * result[-1]])
        result[0] += c
    return result[:n], best


def rounded(value, bits):
    if bits == 32:
        return struct.unpack("f", struct.pack("f", float(value)))[0]
    return float(value)


def hexfloat(value):
    return float(value).hex()


FITS = {}


def fit(name, degrees, interval, g, w, note):
    """Registers: degrees = {bits: degree}; g and w are functions of the polynomial's variable."""
    FITS[name] = (degrees, interval, g, w, note)


def series_safe(f, taylor, limit):
    """`f` away from 0, `taylor` (coefficients) where `f` would cancel."""
    def call(x):
        return mp.polyval(taylor[::-1], x) if abs(x) < limit else f(x)
    return call


LN2 = mp.log(2)
QUARTER_PI = mp.pi / 4
fit("Exp", {32: 4, 64: 9}, (-LN2 / 2 * mpf("1.0002"), LN2 / 2 * mpf("1.0002")),
    series_safe(lambda r: (mp.expm1(r) - r) / r ** 2,
                [1 / mp.factorial(k + 2) for k in range(12)], mpf("1e-12")),
    lambda r: abs(r ** 2 / mp.expm1(r)) if r else mpf(0),
    "expm1(r) = r + r^2 p(r), |r| <= ln(2)/2")
fit("Log", {32: 8}, (-mpf(1) / 3, mpf(1) / 3),
    series_safe(lambda f: (mp.log1p(f) - f + f ** 2 / 2) / f ** 3,
                [mpf((-1) ** k) / (k + 3) for k in range(12)], mpf("1e-12")),
    lambda f: abs(f ** 3 / mp.log1p(f)) if f else mpf(0),
    "log(1 + f) = f - f^2/2 + f^3 p(f), |f| <= 1/3")
S_MAX = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)


def atanh_tail(terms):
    """(2 atanh(s) - its first `terms` terms) / s^(2 terms + 1) as a function of z = s^2."""
    def g(z):
        total, power, k = mpf(0), mpf(1), terms
        while True:
            term = 2 * power / (2 * k + 1)
            total += term
            if term < mpf(2) ** -240:
                return total
            power *= z
            k += 1
    return g


fit("LogAtanh", {64: 6}, (0, S_MAX ** 2), atanh_tail(1),
    lambda z: z,
    "2 atanh(s) = 2s + s^3 p(s^2), |s| <= (sqrt(2)-1)/(sqrt(2)+1)")
fit("PowLog", {32: 2, 64: 6}, (0, S_MAX ** 2), atanh_tail(2),
    lambda z: z ** 2,
    "2 atanh(s) = 2s + 2/3 s^3 + s^5 p(s^2), |s| <= (sqrt(2)-1)/(sqrt(2)+1)")
Z_MAX = (QUARTER_PI * mpf("1.0002")) ** 2


def taylor_in_z(f, taylor):
    return series_safe(lambda z: f(mp.sqrt(z)), taylor, mpf("1e-16"))


fit("Sin", {32: 2, 64: 5}, (0, Z_MAX),
    taylor_in_z(lambda r: (mp.sin(r) - r) / r ** 3,
                [mpf((-1) ** (k + 1)) / mp.factorial(2 * k + 3) for k in range(8)]),
    lambda z: z, "sin r = r + r^3 p(r^2), |r| <= pi/4")
fit("Cos", {32: 2, 64: 5}, (0, Z_MAX),
    taylor_in_z(lambda r: (mp.cos(r) - 1 + r ** 2 / 2) / r ** 4,
                [mpf((-1) ** k) / mp.factorial(2 * k + 4) for k in range(8)]),
    lambda z: z ** 2, "cos r = 1 - r^2/2 + r^4 p(r^2), |r| <= pi/4")
TAN_TAYLOR = [c for c in mp.taylor(mp.tan, 0, 25)][3::2]
fit("Tan", {32: 6, 64: 13}, (0, Z_MAX),
    taylor_in_z(lambda r: (mp.tan(r) - r) / r ** 3, TAN_TAYLOR),
    lambda z: z, "tan r = r + r^3 p(r^2), |r| <= pi/4")
TANH_TAYLOR = [c for c in mp.taylor(mp.tanh, 0, 25)][3::2]
fit("Tanh", {32: 4, 64: 9}, (0, mpf("0.5501") ** 2),
    taylor_in_z(lambda r: (mp.tanh(r) - r) / r ** 3, TANH_TAYLOR),
    lambda z: z, "tanh x = x + x^3 p(x^2), |x| <= 0.55")
fit("Atan", {32: 7, 64: 19}, (0, 1),
    taylor_in_z(lambda r: (mp.atan(r) - r) / r ** 3,
                [mpf((-1) ** (k + 1)) / (2 * k + 3) for k in range(12)]),
    lambda z: z, "atan q = q + q^3 p(q^2), |q| <= 1")
ASIN_TAYLOR = [mp.binomial(2 * k, k) / mpf(4) ** k / (2 * k + 1) for k in range(1, 14)]
fit("Asin", {32: 4, 64: 11}, (0, mpf(1) / 4),
    taylor_in_z(lambda r: (mp.asin(r) - r) / r ** 3, ASIN_TAYLOR),
    lambda z: z, "asin x = x + x^3 p(x^2), |x| <= 1/2")
SINH_TAYLOR = [1 / mp.factorial(2 * k + 1) for k in range(1, 14)]
fit("Sinh", {32: 3, 64: 6}, (0, 1),
    taylor_in_z(lambda r: (mp.sinh(r) - r) / r ** 3, SINH_TAYLOR),
    lambda z: z, "sinh x = x + x^3 p(x^2), |x| <= 1")
# The coefficients of acosh(1 + t) / sqrt(2 t), without the first.
ACOSH_TAYLOR = [mp.binomial(2 * k, k) / mpf(-8) ** k / (2 * k + 1) for k in range(1, 30)]
fit("Acosh", {32: 3, 64: 9}, (0, mpf(1) / 4),
    series_safe(lambda t: (mp.acosh(1 + t) / mp.sqrt(2 * t) - 1) / t, ACOSH_TAYLOR, mpf("1e-6")),
    lambda t: t, "acosh(1 + t) = s + s t p(t), s = sqrt(2 t), t <= 1/4")
fit("Cbrt", {32: 4, 64: 5}, (1, 2), lambda m: m ** (-mpf(1) / 3), lambda m: m ** (mpf(1) / 3),
    "m^(-1/3) ~ p(m), 1 <= m < 2; refined by Newton steps")
ERF_TAYLOR = [2 / mp.sqrt(mp.pi) * mpf((-1) ** k) / (mp.factorial(k) * (2 * k + 1)) -
              (1 if k == 0 else 0) for k in range(12)]
fit("ErfSmall", {32: 6, 64: 11}, (0, 1),
    taylor_in_z(lambda x: mp.erf(x) / x - 1, ERF_TAYLOR),
    lambda z: mpf(1), "erf x = x + x p(x^2), |x| <= 1")
for bits, degree, top in ((32, 6, "3.95"), (64, 17, "5.95")):
    fit(f"ErfLarge{bits}", {bits: degree}, (mpf("0.92"), mpf(top)),
        lambda x: -mp.log(mp.erfc(x)), lambda x: mp.erfc(x) / mp.erf(x),
        f"erf x = 1 - exp(-p(x)), 0.92 <= x <= {top}")


def erfc_of_t(t):
    """(1 + 2x) e^(x^2) erfc(x) at x = 4 (1 + t) / (1 - t): nearly a constant."""
    x = 4 * (1 + t) / (1 - t)
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


for bits, degree, top in ((32, 9, "10.3"), (64, 22, "27.3")):
    x0, x1 = mpf("0.7"), mpf(top)
    fit(f"Erfc{bits}", {bits: degree}, ((x0 - 4) / (x0 + 4), (x1 - 4) / (x1 + 4)),
        erfc_of_t, lambda t: 1 / erfc_of_t(t),
        "(1 + 2x) e^(x^2) erfc x = p((x - 4) / (x + 4)), "
        f"0.7 <= x <= {top}")


def erf_inv_of_w(w):
    """erf_inv(x) / x at 1 - x^2 = e^-w."""
    if w < mpf("1e-30"):
        return mp.sqrt(mp.pi) / 2
    x = mp.sqrt(-mp.expm1(-w))
    # Newton's method from the asymptotic value, because mpmath's function is slow at this
    # precision.
    y = mp.sqrt(mp.pi) / 2 * x if w < 1 else mp.sqrt(max(w - mp.log(w), mpf("0.3")))
    one_minus_x = mp.exp(-w) / (1 + x)
    for _ in range(200):
        error = (mp.erf(y) - x) if w < 1 else (one_minus_x - mp.erfc(y))
        derivative = 2 / mp.sqrt(mp.pi) * mp.exp(-y * y)
        u = error / derivative
        step = u / (1 + y * u)
        y -= step
        if abs(step) < abs(y) * mpf(2) ** -150:
            return y / x
    raise ArithmeticError(f"erf_inv does not converge at w = {w}")


def relative_erf_inv(change):
    return lambda s: 1 / erf_inv_of_w(change(s))


# (width, degree, w from, w to, shift, whether in sqrt(w) rather than w)
for bits, name, degree, w0, w1, shift, root in (
        (32, "Center", 10, 0, 5, "2.5", False), (32, "Tail", 10, 5, 17, "3", True),
        (64, "Center", 25, 0, "6.25", "3.125", False),
        (64, "Middle", 20, "6.25", 16, "3.25", True), (64, "Tail", 19, 16, 37, "5", True)):
    lo, hi = mpf(w0), mpf(w1)
    if root:
        lo, hi = mp.sqrt(lo), mp.sqrt(hi)
        change = lambda s, c=mpf(shift): (s + c) ** 2
    else:
        change = lambda s, c=mpf(shift): max(s + c, mpf(0))
    fit(f"ErfInv{name}{bits}", {bits: degree}, (lo - mpf(shift), hi - mpf(shift)),
        lambda s, change=change: erf_inv_of_w(change(s)), relative_erf_inv(change),
        f"erf_inv(x) / x = p({'sqrt(w)' if root else 'w'} - {shift}), w = -log(1 - x^2), "
        f"{w0} <= w <= {w1}")


# Piecewise polynomials of functions of a >= 0, in u = scale a. A piece has all u for which
# u + `offset` has the same exponent and the same first `bits` of the mantissa. The scale makes the
# slope at zero 1, which is exact. The function is constant from a = `top` on.
# name: (function, scale, offset, bits, top, most pieces, terms, text)
PIECES = {
    "ErfPieces32": (mp.erf, 2 / mp.sqrt(mp.pi), mpf("1.5"), 3, mpf("3.925"), 16, 6, "erf a"),
    "ErfFewPieces32": (mp.erf, 2 / mp.sqrt(mp.pi), mpf("1.5"), 2, mpf("3.925"), 8, 8, "erf a"),
    "TanhPieces32": (mp.tanh, mpf(1), mpf("0.75"), 2, mpf("9.2"), 16, 7, "tanh a"),
    "TanhFewPieces32": (mp.tanh, mpf(1), mpf("0.75"), 1, mpf("9.2"), 8, 8, "tanh a"),
}


def fit_pieces(name):
    """The text of one table: for each power of u - start a coefficient of each piece."""
    f, scale, offset, bits, top, most, terms, note = PIECES[name]
    scale, top = mpf(rounded(scale, 32)), mpf(rounded(top, 32))
    starts = [mpf(2) ** e * (1 + mpf(m) / 2 ** bits)
              for e in range(-4, 5) for m in range(2 ** bits)]
    starts = [s for s in starts if offset <= s < scale * top + offset]
    assert starts[0] == offset and len(starts) <= most
    table = [[0.0] * most for _ in range(terms)]
    worst = mpf(0)
    for start, end in zip(starts, starts[1:] + [scale * top + offset]):
        start, end = start - offset, end - offset
        value = lambda t, start=start: f((start + t) / scale)
        coefficients, error = remez(lambda t: (value(t) - value(0)) / t,
                                    lambda t: t / value(t), mpf("1e-9"), end - start,
                                    terms - 2)
        worst = max(worst, error)
        pattern = struct.unpack("I", struct.pack("f", float(start + offset)))[0]
        for k, c in enumerate([value(0), *coefficients]):
            table[k][(pattern >> (23 - bits)) % most] = rounded(c, 32)
    log_error = mp.nstr(mp.log(worst, 2), 4)
    print(f"{name} {len(starts)} pieces of {terms} terms: error 2^{log_error}", file=sys.stderr)
    rows = ",".join("{" + ",".join(map(hexfloat, row)) + "}" for row in table)
    return (f"// {note} piecewise, 0 <= a <= {mp.nstr(top, 6)}; error 2^{log_error}.\n"
            f"inline constexpr Pieces<{most}, {terms}> k{name} = {{{hexfloat(scale)}, "
            f"{hexfloat(offset)}, {bits}, {hexfloat(top)}, {{{rows}}}}};")


PIECES_TYPE = """
// A piecewise polynomial for a function of a >= 0, in u = scale * a. The exponent and the first
// `mantissa_bits` of the mantissa of u + offset select one of kCount pieces: its number are their
// low bits. Coefficient k multiplies power k of u minus the start of the piece. The function is
// constant from a = `top` on.
template <size_t kCount, size_t kTerms>
struct Pieces {
  double scale, offset;
  int mantissa_bits;
  double top;
  double coefficients[kTerms][kCount];
};
"""


def main():
    args = sys.argv[1:]
    check = "--check" in args
    names = [a for a in args if not a.startswith("-")] or [*FITS, *PIECES]
    lines = []
    for name in names:
        if name in PIECES:
            lines.append(fit_pieces(name))
            continue
        degrees, (a, b), g, w, note = FITS[name]
        for bits, degree in degrees.items():
            coefficients, error = remez(g, w, a, b, degree)
            values = [rounded(c, bits) for c in coefficients]
            log_error = mp.nstr(mp.log(error, 2), 4)
            print(f"{name} f{bits} degree {degree}: error 2^{log_error}", file=sys.stderr)
            title = name if name.endswith(str(bits)) else name + str(bits)
            lines.append(f"// {note}; error 2^{log_error}.")
            lines.append(f"inline constexpr double k{title}[] = {{")
            lines += [f"    {hexfloat(v)}," for v in values]
            lines.append("};")
    if check:
        return
    with open(OUT, "w", encoding="ascii") as out:
        guard = "TENON_COMPILER_MATH_POLYNOMIALS_H_"
        out.write("// Minimax polynomials, constant term first, written by scripts/fit_polynomials.py."
                  " The number\n// in a name is the width of the floats that the coefficients are "
                  f"rounded to.\n#ifndef {guard}\n#define {guard}\n\n#include <cstddef>\n\n"
                  "namespace tenon::compiler {\n" + PIECES_TYPE + "\n" + "\n".join(lines) +
                  f"\n\n}}  // namespace tenon::compiler\n\n#endif  // {guard}\n")
    subprocess.run(["clang-format-22", "-i", OUT], check=True)


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    main()
