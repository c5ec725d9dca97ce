"""Compares results as exactly as the program's ranges allow."""
import numpy as np

from .ranges import BITS


def flushed(x, smallest):
    """x without denormals, also not in parts of complex numbers."""
    if np.iscomplexobj(x):
        result = np.empty_like(x)   # a sum of parts would have NaNs for infinities
        result.real, result.imag = flushed(x.real, smallest), flushed(x.imag, smallest)
        return result
    return np.where(np.abs(x) <= smallest, np.copysign(0.0, x), x)


def difference(etype, value_range, ours, theirs):
    """The difference of two results, or None."""
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return f"{ours.dtype}{list(ours.shape)} against {theirs.dtype}{list(theirs.shape)}"
    if ours.size == 0 or value_range.error == np.inf:
        return None
    if not etype.is_inexact:
        wrong = ours != theirs
    elif value_range.exact_bits and etype.bits >= 8:
        unsigned = np.dtype(f"u{etype.dtype.itemsize // (2 if etype.kind == 'complex' else 1)}")
        wrong = (np.ascontiguousarray(ours).view(unsigned) !=
                 np.ascontiguousarray(theirs).view(unsigned))
        if etype.kind == "complex":
            wrong = wrong.reshape(*ours.shape, 2).any(axis=-1)
    else:
        wide = np.complex128 if etype.kind == "complex" else np.float64
        with np.errstate(invalid="ignore"):   # NaNs of narrow types
            a, b = ours.astype(wide), theirs.astype(wide)
        if value_range.special:
            # Denormals may be flushed, before or after rounding.
            a, b = flushed(a, etype.smallest), flushed(b, etype.smallest)
        with np.errstate(all="ignore"):
            agree = (a == b) | (np.isnan(a) & np.isnan(b))
            if value_range.bits and etype.kind == "float" and not etype.name.endswith("FNUZ"):
                agree &= np.isnan(a) | (np.signbit(a) == np.signbit(b))
            if value_range.special and not value_range.exact:   # relative: no bound is known
                agree |= np.abs(a - b) <= 64 * etype.unit * np.abs(b)
            elif not value_range.exact:
                agree |= np.abs(a - b) <= 2 * value_range.error
        wrong = ~agree
    if not wrong.any():
        return None
    first = tuple(int(i) for i in np.argwhere(wrong)[0])
    return (f"{etype}{list(ours.shape)}: {int(wrong.sum())} of {wrong.size} differ; first at "
            f"{list(first)}: {ours[first]!r} against {theirs[first]!r}"
            + (f", {2 * value_range.error:.3g} allowed" if value_range.error else ""))


def differences(program, ours, theirs):
    """The differences of the results, one line each."""
    if len(ours) != len(theirs):
        return [f"{len(ours)} results against {len(theirs)}"]
    found = []
    for i, ((etype, value_range), a, b) in enumerate(zip(program.outputs, ours, theirs)):
        if text := difference(etype, value_range, a, b):
            found.append(f"result {i}: {text}")
    return found


def unexpected(program, results):
    """The differences from results that the generator knows."""
    found = [difference(etype, BITS, result, expected) for (etype, _), result, expected in
             zip(program.outputs, results, program.expected) if expected is not None]
    return [text for text in found if text]


def out_of_range(program, results):
    """Results outside the generator's ranges, which are faults of its rules, not of the results."""
    found = []
    for i, ((etype, value_range), x) in enumerate(zip(program.outputs, results)):
        if not etype.is_inexact or value_range.special or not x.size:
            continue
        wide = np.abs(x) if etype.kind == "complex" else x.astype(np.float64)
        slack = value_range.error + 4 * etype.unit * value_range.size + etype.smallest
        low, high = value_range.low, value_range.high
        if etype.kind == "complex":
            low, high = 0, value_range.size
        if not (np.min(wide) >= low - slack and np.max(wide) <= high + slack):
            found.append(f"result {i}: {etype} in [{np.min(wide)}, {np.max(wide)}], "
                         f"[{low}, {high}] promised")
    return found
