"""Inverse functions of complex numbers as clients other than JAX send them: operations of CHLO.

JAX's client expands them before the plugin sees them. Compared with NumPy in more precision.
"""
import itertools
import subprocess

import numpy as np
import plugin_env
import pytest
from conftest import only_tenon

pytestmark = only_tenon("programs for tenon-run")
PLUGIN = plugin_env.default_plugin()
RUN = PLUGIN.parents[1] / "bin" / "tenon-run"
FUNCTIONS = {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh,
             "acosh": np.arccosh, "atanh": np.arctanh}


def numbers(dtype):
    """Pairs of parts over the whole range, and near the branch points."""
    real = np.dtype(dtype).type(0).real.dtype
    info = np.finfo(real)
    parts = [0.0, 1e-30, 1e-10, 1e-3, 0.3, 1 - 2 * info.eps, 1.0, 1 + 2 * info.eps, 1.0001, 2.0, 1e5,
             1e12, 1e18, 1e20, 1e25, info.max / 1.2]
    random = np.random.default_rng(0)
    parts += list(np.exp(random.normal(0, 6, 20))) + list(1 + random.normal(0, 1e-3, 6))
    signed = [sign * part for part in parts for sign in (1, -1)]
    return np.array([complex(*pair) for pair in itertools.product(signed, signed)], dtype)


@pytest.mark.skipif(not RUN.exists(), reason=f"{RUN} is not built")
@pytest.mark.parametrize("dtype, name, bound", [("complex64", "complex<f32>", 1e-5),
                                                ("complex128", "complex<f64>", 1e-13)])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_inverse_functions(tmp_path, function, dtype, name, bound):
    z = numbers(dtype)
    np.save(tmp_path / "z.npy", z)
    program = f"""func.func @main(%z: tensor<{z.size}x{name}>) -> tensor<{z.size}x{name}> {{
      %0 = chlo.{function} %z : tensor<{z.size}x{name}> -> tensor<{z.size}x{name}>
      return %0 : tensor<{z.size}x{name}>
    }}"""
    (tmp_path / "f.mlir").write_text(program)
    done = subprocess.run([RUN, tmp_path / "f.mlir", "-p", PLUGIN, "-i", tmp_path / "z.npy", "-q",
                           "-o", str(tmp_path / "y")], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    y, = (np.load(path) for path in tmp_path.glob("y*.npy"))
    wider = np.complex128 if dtype == "complex64" else np.clongdouble
    with np.errstate(all="ignore"):
        exact = FUNCTIONS[function](z.astype(wider))
        error = np.abs(y - exact) / np.abs(exact)
    # Results that are smaller than the normal numbers may be zero.
    error[np.abs(exact) < np.finfo(dtype).tiny] = 0
    error[np.isinf(exact) & np.isinf(y)] = 0
    wrong = ~(error < bound)
    assert not wrong.any(), f"{wrong.sum()} of {z.size}\n" + "\n".join(
        f"{function}({z[i]}) = {y[i]}, not {exact[i]}" for i in np.flatnonzero(wrong)[:20])
    # Along branch cuts the sign of a zero chooses the side.
    sides = (z.real == 0) | (z.imag == 0)
    both = sides & (np.abs(exact.imag) > bound) & (np.abs(exact.real) > bound)
    assert (np.signbit(y.imag) == np.signbit(exact.imag))[both].all()
    assert (np.signbit(y.real) == np.signbit(exact.real))[both].all()
