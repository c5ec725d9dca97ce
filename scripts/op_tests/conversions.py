"""convert between all types, bitcast_convert between all that fit, reduce_precision."""
import math

import numpy as np

from . import samples
from .case import Case
from .elementwise import fits
from .values import (ALL, BITS, BOOL, COMPLEX, FLOATS, INTEGERS, TYPES, Value, bits_of)


def label(t):
    return t.replace("<", "_").replace(">", "")


def exact(value, t):
    """The value as a Python number."""
    if t in COMPLEX:
        return complex(value)
    return float(value) if t in FLOATS else int(value)


def to_integer(number, t):
    """Integers wrap; floats are truncated and saturate; NaN becomes 0."""
    if isinstance(number, int):
        return number
    low, high = samples.integer_range(t)
    if math.isnan(number):
        return 0
    return low if number <= low else high if number >= high else int(number)


def converted(array, source, target):
    numbers = [exact(v, source) for v in array]
    if target not in COMPLEX:
        numbers = [n.real if isinstance(n, complex) else n for n in numbers]
    if target in BOOL:
        return np.array([n != 0 for n in numbers])
    if target in INTEGERS:
        return samples.wrap(np.array([to_integer(n, target) for n in numbers], object), target)
    with np.errstate(all="ignore"):
        return np.array(numbers, np.complex128 if target in COMPLEX else
                        object if target in ("f32", "f64", "f16") else np.float64) \
            .astype(TYPES[target])


def convert_arguments(source, target):
    if source in COMPLEX:
        return samples.complex_numbers(source)
    array = samples.unary(source, -300, 300)
    if source in FLOATS and target not in INTEGERS + BOOL:
        wide = array.astype(np.float64)
        array = array[fits(wide, target) & fits(wide, source)]
    elif source in FLOATS:
        array = array[fits(array.astype(np.float64), source)]
    if source in INTEGERS and target in FLOATS:
        wide = array.astype(np.float64)
        array = array[fits(wide, target) & (np.abs(wide) <= 2.0**53)]
    return array


def convert_cases():
    for source in ALL:
        targets = [t for t in ALL if not (source in BOOL and t == "f8E8M0FNU")]
        for target in targets:
            x = convert_arguments(source, target)
            if source in COMPLEX and target == "f8E8M0FNU":
                x = np.abs(x).astype(TYPES[source])
            yield Case(f"convert_{label(source)}_to_{label(target)}", {"x": Value(source, x)},
                       "%r = stablehlo.convert %x : ($x) -> $r",
                       {"r": Value(target, converted(x, source, target))})


def unpacked(array, bits):
    """Bits, the least significant first, one row per element."""
    raw = np.ascontiguousarray(array).view(np.uint8).reshape(array.size, -1)
    return np.unpackbits(raw, axis=1, bitorder="little")[:, :bits]


def packed(bits, t):
    size = np.dtype(TYPES[t]).itemsize
    full = np.zeros((bits.shape[0], 8 * size), np.uint8)
    full[:, :bits.shape[1]] = bits
    if t in ("i2", "i4"):  # ml_dtypes keeps the sign in the whole byte
        full[:, bits.shape[1]:] = bits[:, -1:]
    return np.packbits(full, axis=1, bitorder="little").view(TYPES[t]).reshape(-1)


def bitcast_cases():
    """A wider type's bits are the last dimension of a narrower one."""
    for source in ALL:
        for target in ALL:
            a, b = bits_of(source), bits_of(target)
            if (source in COMPLEX) != (target in COMPLEX) or max(a, b) % min(a, b):
                continue
            if a != b and {a, b} & {1, 6}:  # XLA has no such groups
                continue
            x = samples.every(source) if a <= 8 and source not in COMPLEX else \
                samples.unary(source)
            ratio = max(a, b) // min(a, b)
            if a < b:
                x = np.resize(x, (-(-x.size // ratio), ratio))
            rows = unpacked(x.reshape(-1), a).reshape(-1, b)
            result = packed(rows, target)
            if a > b:
                result = result.reshape(x.shape[0], ratio)
            yield Case(f"bitcast_convert_{label(source)}_to_{label(target)}",
                       {"x": Value(source, x)}, "%r = stablehlo.bitcast_convert %x : ($x) -> $r",
                       {"r": Value(target, result)})


EXPONENT_BITS = {"f8E3M4": 3, "f8E4M3": 4, "f8E4M3B11FNUZ": 4, "f8E4M3FN": 4,
                 "f8E4M3FNUZ": 4, "f16": 5, "f8E5M2": 5, "f8E5M2FNUZ": 5, "bf16": 8, "f32": 8,
                 "f64": 11}


def rounded_to(x, t, exponent, mantissa):
    """The specification's reduce_precision, on exact doubles."""
    result = []
    for value in x.astype(np.float64):
        if not math.isfinite(value) or value == 0:
            result.append(value)
            continue
        bias = 2**(exponent - 1) - 1
        power = math.frexp(value)[1] - 1
        unit = 2.0**(power - mantissa)
        near = float(np.rint(value / unit)) * unit
        if exponent >= EXPONENT_BITS.get(t, exponent):
            pass  # the range stays
        elif abs(near) >= 2.0**(bias + 1):
            near = math.copysign(math.inf, value)
        elif abs(near) < 2.0**(1 - bias):
            near = math.copysign(0.0, value)
        result.append(near)
    return np.array(result)


def reduce_precision_cases():
    for t in FLOATS:
        for exponent, mantissa in ((5, 10), (8, 7), (5, 2), (4, 3), (3, 1)):
            if t == "f8E8M0FNU" or t in BITS:
                exponent, mantissa = 8, 7  # keeps every value
            x = samples.unary(t, -300, 300)
            x = x[fits(x.astype(np.float64), t)]
            with np.errstate(all="ignore"):
                result = rounded_to(x, t, exponent, mantissa)
            keep = fits(result, t)
            yield Case(f"reduce_precision_{t}_e{exponent}m{mantissa}", {"x": Value(t, x[keep])},
                       f"%r = stablehlo.reduce_precision %x, format = e{exponent}m{mantissa} : $r",
                       {"r": Value(t, result[keep])})
            if t == "f8E8M0FNU" or t in BITS:
                break


def complex_cases():
    for part, whole in (("f32", "complex<f32>"), ("f64", "complex<f64>")):
        x, y = samples.binary(part)
        both = np.empty(x.shape, TYPES[whole])
        both.real, both.imag = x, y
        yield Case(f"complex_{part}", {"x": (part, x), "y": (part, y)},
                   "%r = stablehlo.complex %x, %y : $r", {"r": (whole, both)})


def rows():
    yield "convert", convert_cases()
    yield "bitcast_convert", bitcast_cases()
    yield "reduce_precision", reduce_precision_cases()
    yield "complex", complex_cases()
