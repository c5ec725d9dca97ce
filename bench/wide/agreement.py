"""Whether a result is as accurate as the built-in CPU's, compared with an f64 evaluation.

The reference is the same program with f64 (complex128) arguments and 64-bit types on the built-in
CPU. The built-in CPU's own error shows the effect of rounding in this program, whatever its
condition number. Another order of roundings may cause a few times that error. Integers and booleans
must equal the built-in CPU's, except for the share of elements (`flips`) where rounding decides a
comparison. A program with a `tolerance` is compared with the built-in CPU's own result instead.
"""
import jax
import jax.numpy as jnp
import numpy as np

MAX_FACTOR = 8.0  # of the largest error
RMS_FACTOR = 4.0  # of the root mean square, which varies less
# For results where the built-in CPU happens to be exact, such as a single number: roundings of the
# output type, relative to the largest value.
FLOOR_ROUNDINGS = 32.0


def reference(program, device):
    """Results of the f64 evaluation, as NumPy arrays."""
    def widen(x):
        if jnp.issubdtype(x.dtype, jnp.complexfloating):
            return np.asarray(x, np.complex128)
        return np.asarray(x, np.float64) if jnp.issubdtype(x.dtype, jnp.floating) else x
    with jax.enable_x64(True), jax.default_device(device):
        arguments = jax.tree.map(widen, program.arguments())
        out = jax.jit(lambda *a: program.function(*a))(*jax.device_put(arguments, device))
        return [np.asarray(x) for x in jax.tree.leaves(out)]


def _split(x):
    """A floating array as float64 components."""
    x = np.asarray(x)
    if np.iscomplexobj(x):
        x = x.astype(np.complex128)
        return np.stack([x.real, x.imag])
    return x.astype(np.float64)


def _compare_floats(got, builtin, exact, roundings, flips, tolerance):
    """(complaint or None, error, tolerance), errors relative to the largest value."""
    if exact.shape != builtin.shape:
        exact = builtin
    finite = np.isfinite(exact) & np.isfinite(builtin)
    odd = ~finite & ~((got == builtin) | (np.isnan(got) & np.isnan(builtin)))
    odd |= finite & ~np.isfinite(got)
    if odd.mean() > flips:
        where = tuple(map(int, np.argwhere(odd)[0]))
        return f"{got[where]} instead of {builtin[where]} at {where}", np.inf, 0.0
    finite &= np.isfinite(got)
    if not finite.any():
        return None, 0.0, 0.0
    scale = np.abs(exact[finite]).max() or 1.0
    ours, theirs = (np.where(finite, np.abs(np.where(finite, x, 0) - np.where(finite, exact, 0)), 0)
                    / scale for x in (got, builtin))
    floor = max(FLOOR_ROUNDINGS * roundings, tolerance)
    bound = MAX_FACTOR * theirs.max() + floor
    error = float(ours.max())
    if flips:
        return ((None if (ours > bound).mean() <= flips else
                 f"{(ours > bound).mean():.2%} of elements are off"), error, float(bound))
    rms, rms_bound = (float(np.sqrt(np.mean(e ** 2))) for e in (ours, theirs))
    rms_bound = RMS_FACTOR * rms_bound + floor
    if error > bound or rms > rms_bound:
        where = tuple(map(int, np.unravel_index(ours.argmax(), ours.shape)))
        return (f"{got[where]:.9g} instead of {exact[where]:.9g} (built-in {builtin[where]:.9g}) "
                f"at {where}; rms error {rms:.2g} of {rms_bound:.2g}"), error, float(bound)
    return None, error, float(bound)


def compare(program, got, builtin, exact):
    """{error, tolerance, complaint} of the worst result."""
    worst = dict(error=0.0, tolerance=0.0, complaint=None)
    if len(got) != len(builtin):
        return dict(worst, complaint=f"{len(got)} results instead of {len(builtin)}")
    for i, (x, y, z) in enumerate(zip(got, builtin, exact, strict=True)):
        if x.shape != y.shape or x.dtype != y.dtype:
            return dict(worst, complaint=f"result {i}: {x.dtype}{x.shape} "
                        f"instead of {y.dtype}{y.shape}")
        if not x.size:
            continue
        if jnp.issubdtype(y.dtype, jnp.inexact):
            complaint, error, bound = _compare_floats(
                _split(x), _split(y), _split(z), float(jnp.finfo(y.dtype).eps) / 2, program.flips,
                program.tolerance)
        else:
            wrong = x != y
            error, bound = float(wrong.mean()), program.flips
            complaint = None
            if error > bound:
                where = tuple(map(int, np.argwhere(wrong)[0]))
                complaint = f"{wrong.sum()} of {x.size} differ, {x[where]} instead of {y[where]} " \
                            f"at {where}"
        if complaint and not worst["complaint"]:
            worst["complaint"] = f"result {i}: {complaint}"
        if error - bound > worst["error"] - worst["tolerance"] or not i:
            worst.update(error=error, tolerance=bound)
    return worst
