"""The known range of a float value, so that results can be compared exactly.

A range has bounds of the exact value, a bound of the absolute error of any correct implementation,
and a grid: every element is a multiple of 2**grid. Arithmetic on a grid that fits the significand
is exact in any order, with or without fused multiply-adds, so most programs are compared for
equality. The others are compared within the bound of their rounding errors.

A complex value's bounds are those of its modulus. Integers carry bounds or EXACT.
"""
import dataclasses
import math


class Reject(Exception):
    """This operation does not fit these operands; the generator tries another."""


@dataclasses.dataclass(frozen=True)
class Range:
    low: float = 0.0
    high: float = 0.0
    error: float = 0.0
    grid: int | None = None
    bits: bool = False    # the sign of zeros is also known, so it may be bitcast
    # May contain NaNs and infinities. With a grid: special values and integers, for exact
    # operations. Without a grid: any bit pattern, which may only be copied.
    special: bool = False
    exact_bits: bool = False   # exact bits, including NaNs and denormals

    @property
    def size(self):
        return max(abs(self.low), abs(self.high))

    @property
    def exact(self):
        """Whether all correct implementations compute the same value, except signs of zeros."""
        return self.error == 0

    def without_bits(self):
        return dataclasses.replace(self, bits=False)


# A float with special values, or computed from them.
SPECIAL, OF_SPECIAL = Range(grid=0, special=True), Range(error=1.0, special=True)
# A float with one correct value, including signs of zeros. Any NaN is correct, and denormals may be
# flushed.
BITS = Range(grid=0, bits=True, special=True)
# A float that was only copied, by ops that compute nothing: exact bits.
EXACT_BITS = Range(bits=True, special=True, exact_bits=True)
# A value without bounds, which is not compared with other implementations.
ANY = Range(error=math.inf, special=True)
# An integer or bool without further knowledge.
EXACT = Range(-math.inf, math.inf, bits=True, grid=0)


def rounded(etype, low, high, error=0.0, grid=None, ulps=1):
    """A result of type `etype`, computed with `ulps` roundings relative to its largest value."""
    size = max(abs(low), abs(high))
    if not math.isfinite(size + error) or size + error > etype.limit:
        raise Reject
    if grid is not None and error == 0 and 2.0 ** grid >= etype.smallest and \
            size <= 2.0 ** (etype.precision + grid):
        return Range(low, high, 0.0, grid)
    error += ulps * size * etype.unit + etype.smallest
    if error > 0.1 * max(size, 1e-3):
        raise Reject
    return Range(low, high, error)


def sum_of(etype, term, count):
    """The sum of `count` values like `term`, in any order."""
    count = max(count, 1)
    return rounded(etype, min(0.0, count * term.low), max(0.0, count * term.high),
                   count * term.error, term.grid, ulps=min(count, 1 << 20))


def product(etype, a, b, terms=1):
    """a * b, summed `terms` times."""
    ends = (a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high)
    if etype.kind == "complex":
        ends, terms = (-a.size * b.size, a.size * b.size), 2 * terms
    grid = None if a.grid is None or b.grid is None else a.grid + b.grid
    term = Range(min(ends), max(ends), a.error * b.size + b.error * a.size + a.error * b.error,
                 grid)
    if terms == 1:
        return rounded(etype, term.low, term.high, term.error, grid)
    return sum_of(etype, term, terms)


def union(*ranges):
    grids = [r.grid for r in ranges]
    return Range(min(r.low for r in ranges), max(r.high for r in ranges),
                 max(r.error for r in ranges), None if None in grids else min(grids),
                 all(r.bits for r in ranges), any(r.special for r in ranges))


def converted(source, etype, r):
    """A value of type `source` as type `etype` (both inexact, or the range of an integer)."""
    if r.special:
        raise Reject
    low, high = (-r.size, r.size) if etype.kind == "complex" else (r.low, r.high)
    return rounded(etype, low, high, r.error, r.grid)
