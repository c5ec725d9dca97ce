#!/usr/bin/env python3
"""Measures the elementary functions of a PJRT plugin against exact values.

  measure_accuracy.py --plugin build/release/lib/pjrt_plugin_tenon_cpu.so
  measure_accuracy.py --plugin SO --write docs/elementary_functions.md
  measure_accuracy.py --quick                  # a subset, as in tests/ops/test_accuracy.py

For each function, in units in the last place (ulp) of the exact result:

  f32   every 1024th bit pattern, against double precision (x87 extended for power)
  f64   2 million random values (1.6 million pairs): half of any exponent, half where the function
        is not constant; large arguments included; against x87 extended precision, 64 bits
  f16, bf16   every value: the f32 result rounded once, bit for bit
  special values   infinities, NaN, signed zeros, poles and the ends of the domain

Subnormal arguments and results are excluded, because compiled code flushes them to zero. Exit
status 1 if an error exceeds its limit (2 ulp; power 4).
"""
import argparse
import ctypes
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import plugin_env
import run_conformance

INF, NAN = math.inf, math.nan

ODD = ((0.0, 0.0), (-0.0, -0.0), (NAN, NAN))  # odd functions at zero, and NaN
# name: (libm's name, the interval where the function varies, (argument, exact result) ...)
FUNCTIONS = {
    "exp": ("expl", (-750, 750), ((INF, INF), (-INF, 0.0), (0.0, 1.0), (-0.0, 1.0), (1e30, INF),
                                  (-1e30, 0.0), (NAN, NAN))),
    "expm1": ("expm1l", (-50, 100), (*ODD, (INF, INF), (-INF, -1.0), (1e30, INF), (-1e30, -1.0))),
    "log": ("logl", (0.25, 4), ((INF, INF), (0.0, -INF), (-0.0, -INF), (1.0, 0.0), (-1.0, NAN),
                                (-INF, NAN), (NAN, NAN))),
    "log1p": ("log1pl", (-1, 2), (*ODD, (INF, INF), (-1.0, -INF), (-2.0, NAN), (-INF, NAN))),
    "tanh": ("tanhl", (-20, 20), (*ODD, (INF, 1.0), (-INF, -1.0), (1e30, 1.0), (-1e30, -1.0))),
    "sin": ("sinl", (-100, 100), (*ODD, (INF, NAN), (-INF, NAN))),
    "cos": ("cosl", (-100, 100), ((0.0, 1.0), (-0.0, 1.0), (INF, NAN), (-INF, NAN), (NAN, NAN))),
    "tan": ("tanl", (-100, 100), (*ODD, (INF, NAN), (-INF, NAN))),
    "sqrt": ("sqrtl", (0, 10), (*ODD, (INF, INF), (-INF, NAN), (-1.0, NAN), (4.0, 2.0))),
    "rsqrt": ("rsqrtl", (0, 10), ((0.0, INF), (-0.0, -INF), (INF, 0.0), (-INF, NAN), (-1.0, NAN),
                                  (4.0, 0.5), (NAN, NAN))),
    "cbrt": ("cbrtl", (-10, 10), (*ODD, (INF, INF), (-INF, -INF), (27.0, 3.0), (-8.0, -2.0))),
    "asin": ("asinl", (-1, 1), (*ODD, (1.5, NAN), (-1.5, NAN), (INF, NAN), (-INF, NAN))),
    "acos": ("acosl", (-1, 1), ((1.0, 0.0), (1.5, NAN), (-1.5, NAN), (INF, NAN), (NAN, NAN))),
    "atan": ("atanl", (-10, 10), ODD),
    "sinh": ("sinhl", (-710.5, 710.5), (*ODD, (INF, INF), (-INF, -INF), (1e30, INF),
                                        (-1e30, -INF))),
    "cosh": ("coshl", (-710.5, 710.5), ((0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, INF),
                                        (1e30, INF), (-1e30, INF), (NAN, NAN))),
    "asinh": ("asinhl", (-10, 10), (*ODD, (INF, INF), (-INF, -INF))),
    "acosh": ("acoshl", (1, 10), ((1.0, 0.0), (INF, INF), (0.5, NAN), (-INF, NAN), (NAN, NAN))),
    "atanh": ("atanhl", (-1, 1), (*ODD, (1.0, INF), (-1.0, -INF), (1.5, NAN), (-INF, NAN))),
    "erf": ("erfl", (-6, 6), (*ODD, (INF, 1.0), (-INF, -1.0), (1e30, 1.0), (-1e30, -1.0))),
    "logistic": ("logisticl", (-750, 40), ((INF, 1.0), (-INF, 0.0), (0.0, 0.5), (-0.0, 0.5),
                                           (1e30, 1.0), (-1e30, 0.0), (NAN, NAN))),
    "power": ("powl", None, (  # arguments and result; IEEE 754-2019, 9.2.1
        (0.0, 3.0, 0.0), (-0.0, 3.0, -0.0), (0.0, 2.5, 0.0), (-0.0, 2.0, 0.0), (0.0, -3.0, INF),
        (-0.0, -3.0, -INF), (-0.0, -2.0, INF), (-1.0, INF, 1.0), (-1.0, -INF, 1.0),
        (1.0, NAN, 1.0), (NAN, 0.0, 1.0), (NAN, -0.0, 1.0), (NAN, 1.0, NAN), (2.0, NAN, NAN),
        (-2.0, 0.5, NAN), (-2.0, 3.0, -8.0), (-2.0, 2.0, 4.0), (0.5, -INF, INF),
        (2.0, -INF, 0.0), (0.5, INF, 0.0), (2.0, INF, INF), (-INF, -3.0, -0.0),
        (-INF, -2.0, 0.0), (-INF, 3.0, -INF), (-INF, 2.0, INF), (INF, -1.5, 0.0),
        (INF, 1.5, INF), (3.0, 0.0, 1.0), (INF, 0.0, 1.0), (0.0, 0.0, 1.0))),
}
CHLO = {"asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh", "erf"}
LIMIT = {name: 4 if name == "power" else 2 for name in FUNCTIONS}

LONG_DOUBLE_LOOPS = r"""
#include <math.h>
#define UNARY(name, f) \
  void loop_##name(const long double* x, long double* y, long n) { \
    for (long i = 0; i < n; ++i) y[i] = f(x[i]); \
  }
static long double rsqrtl(long double x) { return 1 / sqrtl(x); }
static long double logisticl(long double x) {
  return x < 0 ? expl(x) / (1 + expl(x)) : 1 / (1 + expl(-x));
}
%s
void loop_powl(const long double* x, const long double* z, long double* y, long n) {
  for (long i = 0; i < n; ++i) y[i] = powl(x[i], z[i]);
}
"""


class LongDoubleMath:
    """The C library's long double functions over arrays."""

    def __init__(self):
        names = sorted({row[0] for name, row in FUNCTIONS.items() if name != "power"})
        source = LONG_DOUBLE_LOOPS % "\n".join(f"UNARY({n}, {n})" for n in names)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "loops.so"
            subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-x", "c", "-", "-o", path, "-lm"],
                           input=source, text=True, check=True)
            self.library = ctypes.CDLL(str(path))

    def __call__(self, name, *arguments):
        with np.errstate(invalid="ignore"):  # signalling NaNs
            arguments = [np.ascontiguousarray(a, np.longdouble) for a in arguments]
        result = np.empty_like(arguments[0])
        loop = getattr(self.library, "loop_" + FUNCTIONS[name][0])
        loop(*[ctypes.c_void_p(a.ctypes.data) for a in (*arguments, result)],
             ctypes.c_long(result.size))
        return result


class Device:
    """The functions on the device under test, as programs of one operation."""

    OPS = {"exp": "exponential", "expm1": "exponential_minus_one", "log1p": "log_plus_one",
           "sin": "sine", "cos": "cosine"}
    TYPES = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}

    def __init__(self, platform, plugin):
        plugin_env.set_up(plugin, platform)
        import jax
        jax.config.update("jax_enable_x64", True)
        self.device = jax.devices(platform)[0]

    def __call__(self, name, *arguments):
        tensor = f"tensor<{arguments[0].size}x{self.TYPES[arguments[0].dtype.name]}>"
        op = f"chlo.{name}" if name in CHLO else f"stablehlo.{self.OPS.get(name, name)}"
        names = ", ".join(f"%{i}" for i in range(len(arguments)))
        operands = ", ".join(f"%{i}: {tensor}" for i in range(len(arguments)))
        signature = f"({', '.join([tensor] * len(arguments))}) -> {tensor}"
        program = f"""func.func public @main({operands}) -> {tensor} {{
          %r = "{op}"({names}) : {signature}
          return %r : {tensor}
        }}"""
        return run_conformance.execute(self.device, program, arguments)[0]


def ulp_errors(name, arguments, computed, exact):
    """The largest error in ulp over normal values, and its arguments."""
    element_type = computed.dtype
    info = np.finfo(element_type)
    with np.errstate(all="ignore"):
        rounded = exact.astype(element_type)
        keep = np.isfinite(rounded) & (np.abs(exact) >= info.tiny)
        for argument in arguments:
            keep &= np.isfinite(argument) & ((np.abs(argument) >= info.tiny) | (argument == 0))
        unit = np.ldexp(np.longdouble(1), np.frexp(exact)[1] - 1 - info.nmant)
        errors = np.abs(computed.astype(np.longdouble) - exact.astype(np.longdouble)) / unit
        # Results above the largest value are infinite; below the smallest they are zero.
        errors = np.where(np.isnan(errors), np.inf, errors)
        errors = np.where(keep, errors, 0)
    worst = int(np.argmax(errors))
    return float(errors[worst]), [a[worst] for a in arguments], computed[worst], int(keep.sum())


def arguments_f32(name, step):
    bits = np.arange(0, 2**32, step, dtype=np.uint64).astype(np.uint32)
    x = bits.view(np.float32)
    if name != "power":
        return [x]
    random = np.random.default_rng(32)
    return power_arguments(np.abs(x), random, np.float32)


def power_arguments(base, random, element_type):
    """Exponents that keep base^y in range. Some are integers; half of their bases are
    negative."""
    limit = 88.0 if element_type == np.float32 else 709.0
    with np.errstate(all="ignore"):
        scale = limit / np.abs(np.log(base.astype(np.float64)))
        y = random.uniform(-1, 1, base.size) * scale
        is_whole = random.random(base.size) < 0.2
        y = np.where(is_whole, np.rint(random.uniform(-12, 12, base.size)), y)
        y = np.where(np.isfinite(y), y, 2)
        base = np.where(is_whole & (random.random(base.size) < 0.5), -base, base)
        return [base.astype(element_type), y.astype(element_type)]


def arguments_f64(name, quick):
    random = np.random.default_rng(64)
    many, more = (1 << 14, 1 << 14) if quick else (1 << 20, 1 << 18)
    bits = random.integers(0, 2**64, many, dtype=np.uint64)
    x = bits.view(np.float64)
    if name == "power":
        near_one = 1 + random.uniform(-0.5, 0.5, more)
        base = np.abs(np.concatenate([x, near_one, random.uniform(0, 100, more)]))
        return power_arguments(base, random, np.float64)
    low, high = FUNCTIONS[name][1]
    zeros = np.arange(1, 2049) * (np.pi / 2)  # where sin, cos and tan cancel most
    return [np.concatenate([x, random.uniform(low, high, more),
                            np.exp2(random.uniform(-60, 4, more)) * random.choice([-1, 1], more),
                            random.uniform(-1e7, 1e7, more), zeros])]


def measure_f32(name, device, libm, quick):
    arguments = arguments_f32(name, 1024 * (64 if quick else 1))
    computed = device(name, *arguments)
    with np.errstate(all="ignore"):
        exact = libm(name, *arguments)
    return ulp_errors(name, arguments, computed, exact)


def measure_f64(name, device, libm, quick):
    arguments = arguments_f64(name, quick)
    computed = device(name, *arguments)
    return ulp_errors(name, arguments, computed, libm(name, *arguments))


def measure_16_bits(name, element_type, device):
    """The number of values that differ from the f32 result rounded once."""
    x = np.arange(1 << 16, dtype=np.uint16).view(element_type)
    arguments = [[x]]
    if name == "power":
        exponents = [-3, -2, -1, -0.5, 0, 0.25, 0.5, 1, 1.5, 2, 3, 5, 10, np.inf, -np.inf, np.nan]
        arguments = [[x, np.full_like(x, y)] for y in exponents]
    wrong = 0
    for row in arguments:
        computed = device(name, *row)
        with np.errstate(all="ignore"):
            expected = device(name, *[a.astype(np.float32) for a in row]).astype(element_type)
        same = computed.view(np.uint16) == expected.view(np.uint16)
        for a in (*row, expected):  # subnormal in f32 as well: flushed
            with np.errstate(invalid="ignore"):
                size = np.abs(a.astype(np.float64))
            same |= (size > 0) & (size < np.finfo(np.float32).tiny)
        wrong += int((~(same | (np.isnan(computed) & np.isnan(expected)))).sum())
    return wrong


def measure_special(name, element_type, device):
    """(arguments..., result, exact result) of special values with inexact results."""
    with np.errstate(over="ignore"):
        columns = [np.array(column, element_type) for column in zip(*FUNCTIONS[name][2])]
    computed, expected = device(name, *columns[:-1]), columns[-1]
    same = (computed == expected) & (np.signbit(computed) == np.signbit(expected))
    same |= np.isnan(computed) & np.isnan(expected)
    return [tuple(float(a[i]) for a in (*columns[:-1], computed, expected))
            for i in np.flatnonzero(~same)]


def measure(name, device, libm, quick):
    """One row of the table, and the errors above their limits."""
    import ml_dtypes
    row, failures = [name], []
    for measurement, what in ((measure_f32, "f32"), (measure_f64, "f64")):
        error, arguments, computed, count = measurement(name, device, libm, quick)
        row.append(f"{error:.2f}")
        if not error <= LIMIT[name]:
            text = ", ".join(repr(a) for a in arguments)
            failures.append(f"{name} {what}: {error:.2f} ulp at ({text}), got {computed!r}; "
                            f"{count} values")
    for element_type in (np.float16, ml_dtypes.bfloat16):
        wrong = measure_16_bits(name, element_type, device)
        row.append("equal" if not wrong else f"{wrong} differ")
        if wrong:
            failures.append(f"{name} {np.dtype(element_type).name}: {wrong} values are not the f32 "
                            "result rounded once")
    wrong = [(np.dtype(element_type).name, w)
             for element_type in (np.float32, np.float64, np.float16, ml_dtypes.bfloat16)
             for w in measure_special(name, element_type, device)]
    row.append("exact" if not wrong else f"{len(wrong)} wrong")
    failures += [f"{name} special value {w}" for w in wrong]
    return row, failures


PAGE = """# Accuracy of the elementary functions

Written by `scripts/measure_accuracy.py --plugin build/release/lib/pjrt_plugin_tenon_cpu.so
--write docs/elementary_functions.md` on {machine}; `--help` says how it measures. The largest
error is in units in the last place of the exact result; the limit is 2, for power 4. Subnormal
arguments and results are excluded, because compiled code flushes them to zero. Inverse and hyperbolic
functions and `erf` are CHLO's (`tanh` is not), all others are StableHLO's own.

| function | f32, every 1024th value | f64, 2 million random values | f16, all values | bf16, all values | special values |
|---|---:|---:|---|---|---|
{rows}

f16 and bf16: `equal` means that the result is the f32 result rounded once, bit for bit (power: every
base with 16 exponents). Special values are infinities, NaN, signed zeros, poles and the ends of the
domain, in all four types. `tests/ops/test_accuracy.py` runs a subset with every test run.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    plugin_env.add_argument(parser)
    parser.add_argument("--platform", default="tenon", help="cpu: JAX's built-in CPU")
    parser.add_argument("--only", default=",".join(FUNCTIONS), help="functions, comma separated")
    parser.add_argument("--quick", action="store_true", help="fewer f32 and f64 values")
    parser.add_argument("--write", type=pathlib.Path, help="write the table to this file")
    options = parser.parse_args()
    device, libm = Device(options.platform, options.plugin), LongDoubleMath()
    rows, failures = [], []
    for name in options.only.split(","):
        row, wrong = measure(name, device, libm, options.quick)
        rows.append(f"| {' | '.join(row)} |")
        failures += wrong
        print(rows[-1], flush=True)
    print("\n".join(failures))
    if options.write:
        options.write.write_text(PAGE.format(machine=os.uname().machine, rows="\n".join(rows)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
