"""Forms of cholesky, triangular_solve, fft and batch normalization, against NumPy."""
import itertools

import numpy as np

from .case import Case
from .values import Value

TOLERANCE = {"f32": 1e-4, "f64": 1e-10, "complex<f32>": 1e-4, "complex<f64>": 1e-10,
             "f16": 1e-2, "bf16": 5e-2}


def label(t):
    return t.replace("<", "_").replace(">", "")


def random_matrix(t, shape, seed=0):
    random = np.random.default_rng(seed)
    x = random.standard_normal(shape)
    if t.startswith("complex"):
        x = x + 1j * random.standard_normal(shape)
    return x


def wide(x):
    """Computes in long double without libraries, for the same bits on every processor."""
    return x.astype(np.clongdouble if np.iscomplexobj(x) else np.longdouble)


def narrow(x):
    return x.astype(np.complex128 if np.iscomplexobj(x) else np.float64)


def lower_factor(a):
    a = wide(a)
    factor = np.zeros_like(a)
    for j in range(a.shape[-1]):
        row = np.conj(factor[..., j, :j, None])
        rest = a[..., j:, j] - (factor[..., j:, :j] @ row)[..., 0]
        factor[..., j:, j] = rest / np.sqrt(rest[..., :1].real)
    return narrow(factor)


def solve_triangle(matrix, b, lower):
    matrix, b = wide(matrix), wide(b)
    x, n = np.zeros_like(b), matrix.shape[-1]
    for i in range(n) if lower else reversed(range(n)):
        product = (matrix[..., i, None, :] @ x)[..., 0, :]
        x[..., i, :] = (b[..., i, :] - product) / matrix[..., i, i, None]
    return narrow(x)


def one_cholesky(name, t, batch, n, lower):
    a = random_matrix(t, (*batch, n, n))
    a = narrow(wide(a) @ wide(np.conj(np.swapaxes(a, -1, -2)))) + n * np.eye(n)
    factor = lower_factor(a)
    if not lower:
        factor = np.conj(np.swapaxes(factor, -1, -2))
    keep = "GE" if lower else "LE"
    return Case(name, {"x": Value(t, a)}, f"""
        %f = stablehlo.cholesky %x, lower = {str(lower).lower()} : $x
        %i = stablehlo.iota dim = {len(batch)} : tensor<{'x'.join(map(str, a.shape))}xi32>
        %j = stablehlo.iota dim = {len(batch) + 1} : tensor<{'x'.join(map(str, a.shape))}xi32>
        %keep = stablehlo.compare {keep}, %i, %j : (tensor<{'x'.join(map(str, a.shape))}xi32>, tensor<{'x'.join(map(str, a.shape))}xi32>) -> tensor<{'x'.join(map(str, a.shape))}xi1>
        %zero = stablehlo.subtract %x, %x : $x
        %r = stablehlo.select %keep, %f, %zero : tensor<{'x'.join(map(str, a.shape))}xi1>, $x""",
                {"r": Value(t, factor)}, almost=TOLERANCE[t])


def cholesky():
    """Only the named triangle is compared: the other one is implementation-defined."""
    for t in ("f32", "f64", "complex<f32>", "complex<f64>"):
        for lower in (True, False):
            yield one_cholesky(f"{label(t)}_{'lower' if lower else 'upper'}", t, (), 5, lower)
    yield one_cholesky("batched", "f64", (2, 3), 4, True)
    yield one_cholesky("size_1", "f64", (3,), 1, True)
    yield one_cholesky("size_33", "f64", (), 33, False)
    yield one_cholesky("size_50", "f64", (), 50, True)
    yield one_cholesky("zero_extent", "f64", (), 0, True)
    yield one_cholesky("zero_batch", "f64", (0,), 3, True)


def one_solve(name, t, batch, n, m, left, lower, unit, transpose, seed=0):
    a = random_matrix(t, (*batch, n, n), seed) / max(n, 1) + 2 * np.eye(n)
    b = random_matrix(t, (*batch, n, m) if left else (*batch, m, n), seed + 1)
    matrix = np.tril(a) if lower else np.triu(a)
    if unit:
        matrix = matrix - matrix * np.eye(n) + np.eye(n)
    if transpose != "NO_TRANSPOSE":
        matrix = np.swapaxes(matrix, -1, -2)
    if transpose == "ADJOINT":
        matrix = np.conj(matrix)
    is_lower = lower == (transpose == "NO_TRANSPOSE")
    if left:
        x = solve_triangle(matrix, b, is_lower)
    else:
        x = np.swapaxes(solve_triangle(np.swapaxes(matrix, -1, -2), np.swapaxes(b, -1, -2),
                                       not is_lower), -1, -2)
    flag = {True: "true", False: "false"}
    return Case(name, {"a": Value(t, a), "b": Value(t, b)}, f"""
        %r = "stablehlo.triangular_solve"(%a, %b) {{left_side = {flag[left]}, lower = {flag[lower]},
          unit_diagonal = {flag[unit]}, transpose_a = #stablehlo<transpose {transpose}>}}
          : ($a, $b) -> $r""", {"r": Value(t, x)}, almost=TOLERANCE[t])


def triangular_solve():
    kinds = ("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT")
    for left, lower, unit, kind in itertools.product((True, False), (True, False), (True, False),
                                                     kinds):
        name = f"{'left' if left else 'right'}_{'lower' if lower else 'upper'}_" \
               f"{'unit_' if unit else ''}{kind.lower()}"
        t = "complex<f64>" if kind == "ADJOINT" else "f64"
        yield one_solve(name, t, (), 5, 3, left, lower, unit, kind)
    for t in ("f32", "complex<f32>"):
        yield one_solve(label(t), t, (), 6, 2, True, True, False, "NO_TRANSPOSE")
    yield one_solve("batched", "f64", (2, 3), 4, 2, True, False, False, "NO_TRANSPOSE")
    yield one_solve("size_1", "f64", (), 1, 4, True, True, False, "NO_TRANSPOSE")
    yield one_solve("size_40", "f64", (), 40, 3, False, True, False, "TRANSPOSE")
    yield one_solve("zero_extent", "f64", (), 0, 3, True, True, False, "NO_TRANSPOSE")
    yield one_solve("no_right_sides", "f64", (), 3, 0, True, True, False, "NO_TRANSPOSE")


def one_fft(name, kind, shape, length, t="complex<f64>"):
    rank, random = len(length), np.random.default_rng(sum(shape))
    axes = tuple(range(len(shape) - rank, len(shape)))
    real = {"complex<f64>": "f64", "complex<f32>": "f32"}[t]
    x = random.standard_normal(shape)
    if kind != "RFFT":
        x = x + 1j * random.standard_normal(shape)
    function = {"FFT": np.fft.fftn, "IFFT": np.fft.ifftn,
                "RFFT": lambda a, axes: np.fft.rfftn(a, axes=axes),
                "IRFFT": lambda a, axes: np.fft.irfftn(a, s=length, axes=axes)}[kind]
    result = function(x, axes=axes)
    return Case(name, {"x": Value(real if kind == "RFFT" else t, x)}, f"""
        %r = stablehlo.fft %x, type = {kind}, length = [{', '.join(map(str, length))}] : ($x) -> $r""",
                {"r": Value(real if kind == "IRFFT" else t, result)},
                almost=1e-3 if t == "complex<f32>" else 1e-9)


def fft():
    for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 27, 30, 31, 32, 49, 60, 64, 97,
              100, 121, 127, 128, 210, 256, 509):
        kind = ("FFT", "IFFT", "RFFT", "IRFFT")[n % 4]
        shape = (n // 2 + 1,) if kind == "IRFFT" else (n,)
        yield one_fft(f"{kind.lower()}_{n}", kind, shape, (n,))
    for kind in ("FFT", "IFFT", "RFFT", "IRFFT"):
        for length in ((8,), (7,), (4, 6), (3, 5), (2, 4, 3), (3, 2, 5)):
            shape = (*length[:-1], length[-1] // 2 + 1) if kind == "IRFFT" else length
            name = f"{kind.lower()}_batched_{'x'.join(map(str, length))}"
            yield one_fft(name, kind, (2, *shape), length)
        n = 12
        shape = (n // 2 + 1,) if kind == "IRFFT" else (n,)
        yield one_fft(f"{kind.lower()}_complex_f32", kind, (3, *shape), (n,), "complex<f32>")
    yield one_fft("zero_batch", "FFT", (0, 8), (8,))
    yield one_fft("rank_5", "FFT", (2, 2, 3, 4, 2), (3, 4, 2))


def normalised(x, axis):
    axes = tuple(d for d in range(x.ndim) if d != axis)
    shape = [-1 if d == axis else 1 for d in range(x.ndim)]
    return axes, shape


def batch_norm(kind):
    random = np.random.default_rng(9)
    for name, t, shape, axis in (("rank_4", "f32", (2, 3, 4, 5), 3), ("axis_1", "f32", (2, 3, 4), 1),
                                 ("axis_0", "f64", (3, 8), 0), ("f64", "f64", (4, 5), 1),
                                 ("f16", "f16", (6, 4), 1), ("bf16", "bf16", (6, 4), 1)):
        count = shape[axis]
        wide = {"x": random.standard_normal(shape), "scale": random.uniform(0.5, 2, count),
                "offset": random.standard_normal(count), "mean": random.standard_normal(count),
                "variance": random.uniform(0.5, 2, count), "grad": random.standard_normal(shape)}
        given = {k: Value(t, v) for k, v in wide.items()}
        yield BATCH_NORMS[kind](name, t, given, axis)


def rounded(given):
    return {k: v.array.astype(np.float64) for k, v in given.items()}


EPSILON = float(np.float32(0.001))  # the attribute is f32
ATTRIBUTES = "{{epsilon = 1.0e-03 : f32, feature_index = {} : i64}}"


def inference(name, t, given, axis):
    v = rounded(given)
    _, shape = normalised(v["x"], axis)
    result = (v["x"] - v["mean"].reshape(shape)) / np.sqrt(v["variance"].reshape(shape) + EPSILON) \
        * v["scale"].reshape(shape) + v["offset"].reshape(shape)
    names = ("x", "scale", "offset", "mean", "variance")
    return Case(name, {k: given[k] for k in names}, f"""
        %r = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance)
          {ATTRIBUTES.format(axis)} : ($x, $scale, $offset, $mean, $variance) -> $r""",
                {"r": Value(t, result)}, almost=TOLERANCE[t])


def training(name, t, given, axis):
    v = rounded(given)
    axes, shape = normalised(v["x"], axis)
    mean, variance = v["x"].mean(axes), v["x"].var(axes)
    result = (v["x"] - mean.reshape(shape)) / np.sqrt(variance.reshape(shape) + EPSILON) \
        * v["scale"].reshape(shape) + v["offset"].reshape(shape)
    return Case(name, {k: given[k] for k in ("x", "scale", "offset")}, f"""
        %r, %m, %v = "stablehlo.batch_norm_training"(%x, %scale, %offset)
          {ATTRIBUTES.format(axis)} : ($x, $scale, $offset) -> ($r, $m, $v)""",
                {"r": Value(t, result), "m": Value(t, mean), "v": Value(t, variance)},
                almost=TOLERANCE[t])


def gradient(name, t, given, axis):
    v = rounded(given)
    axes, shape = normalised(v["x"], axis)
    count = np.prod([v["x"].shape[d] for d in axes])
    centered = v["x"] - v["mean"].reshape(shape)
    inverse = 1 / np.sqrt(v["variance"].reshape(shape) + EPSILON)
    grad_offset = v["grad"].sum(axes)
    grad_scale = (v["grad"] * centered * inverse).sum(axes)
    grad_x = v["scale"].reshape(shape) * inverse / count * (
        count * v["grad"] - grad_offset.reshape(shape) -
        centered * inverse * grad_scale.reshape(shape))
    names = ("x", "scale", "mean", "variance", "grad")
    return Case(name, {k: given[k] for k in names}, f"""
        %r, %s, %o = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %grad)
          {ATTRIBUTES.format(axis)} : ($x, $scale, $mean, $variance, $grad) -> ($r, $s, $o)""",
                {"r": Value(t, grad_x), "s": Value(t, grad_scale), "o": Value(t, grad_offset)},
                almost=TOLERANCE[t])


BATCH_NORMS = {"inference": inference, "training": training, "grad": gradient}


def files():
    yield from {"cholesky": cholesky(), "fft": fft(),
                "triangular_solve": triangular_solve()}.items()
    for kind in BATCH_NORMS:
        yield f"batch_norm_{kind}", batch_norm(kind)
