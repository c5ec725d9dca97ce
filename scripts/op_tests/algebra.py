"""Linear algebra, normalization and random numbers on every type: exact small cases."""
import numpy as np

from . import samples
from .case import Case
from .forms_random import philox_output, uniform
from .values import COMPLEX, FLOATS, INTEGERS, SIGNED, TYPES, Value, bits_of


def label(t):
    return t.replace("<", "_").replace(">", "")


def cholesky(t):
    a, factor = [[4, 2], [2, 2]], [[2, 0], [1, 1]]
    if t == "f8E8M0FNU":  # has no zero
        a, factor = [[4]], [[2]]
    if t in COMPLEX:
        a, factor = [[4, complex(0, -2)], [2j, 2]], [[2, 0], [1j, 1]]
    lower = Value("i1", np.tril(np.ones(np.shape(a))))
    other = Value(t, np.full(np.shape(a), 1))
    kept = Value(t, np.where(lower.array, np.array(factor), 1))
    return {"x": Value(t, a), "lower": lower, "other": other}, """
        %f = stablehlo.cholesky %x, lower = true : $x
        %r = stablehlo.select %lower, %f, %other : $lower, $x""", {"r": kept}


def triangular_solve(t):
    a, b, x = [[2, 0], [1, 1]], [[2, 4], [3, 1]], [[1, 2], [2, -1]]
    if t == "f8E8M0FNU":
        a, b, x = [[2]], [[8, 2]], [[4, 1]]
    if t in COMPLEX:
        a, b, x = [[2j, 0], [1, 1]], [[2j, 4], [3, 1]], [[1, complex(0, -2)], [2, 1 + 2j]]
    return {"a": Value(t, a), "b": Value(t, b)}, """
        %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true,
          unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}
          : ($a, $b) -> $r""", {"r": Value(t, x)}


ATTRIBUTES = "{epsilon = 0.0e+00 : f32, feature_index = 1 : i64}"


def batch_norm_inference(t):
    one = Value(t, [1, 1])
    return {"x": Value(t, [[2, 3], [3, 2]]) if t != "f8E8M0FNU" else Value(t, [[2, 2], [2, 2]]),
            "scale": one, "offset": one, "mean": one, "variance": one}, f"""
        %r = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance)
          {ATTRIBUTES} : ($x, $scale, $offset, $mean, $variance) -> $r""", \
        {"r": Value(t, [[2, 3], [3, 2]] if t != "f8E8M0FNU" else [[2, 2], [2, 2]])}


def batch_norm_training(t):
    return {"x": Value(t, [[1, 2], [3, 4]]), "scale": Value(t, [1, 1]),
            "offset": Value(t, [2, 1])}, f"""
        %r, %m, %v = "stablehlo.batch_norm_training"(%x, %scale, %offset)
          {ATTRIBUTES} : ($x, $scale, $offset) -> ($r, $m, $v)""", \
        {"r": Value(t, [[1, 0], [3, 2]]), "m": Value(t, [2, 3]), "v": Value(t, [1, 1])}


def batch_norm_grad(t):
    """The gradient of the operand is always 0 for two values per feature."""
    return {"x": Value(t, [[1, 2], [3, 4]]), "scale": Value(t, [1, 2]), "mean": Value(t, [2, 3]),
            "variance": Value(t, [1, 1]), "grad": Value(t, [[1, 2], [0, 1]])}, f"""
        %r, %s, %o = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %grad)
          {ATTRIBUTES} : ($x, $scale, $mean, $variance, $grad) -> ($r, $s, $o)""", \
        {"r": Value(t, np.zeros((2, 2))), "s": Value(t, [-1, -1]), "o": Value(t, [1, 3])}


def rng_bit_generator(t):
    state = [5, 6, 7]
    numbers, after = philox_output(list(state), bits_of(t), (3, 4))
    values = samples.wrap(numbers.astype(object), t) if t in INTEGERS else \
        numbers.astype(f"uint{8 * np.dtype(TYPES[t]).itemsize}").view(TYPES[t])
    return {"x": Value("ui64", state)}, """
        %s, %r = stablehlo.rng_bit_generator %x, algorithm = PHILOX : ($x) -> ($s, $r)""", \
        {"s": Value("ui64", after), "r": Value(t, values)}


ROWS = {"batch_norm_grad": (batch_norm_grad, FLOATS), "batch_norm_inference":
        (batch_norm_inference, FLOATS), "batch_norm_training": (batch_norm_training, FLOATS),
        "cholesky": (cholesky, FLOATS + COMPLEX),
        "rng_bit_generator": (rng_bit_generator, INTEGERS + tuple(
            t for t in FLOATS if bits_of(t) != 6)),
        "triangular_solve": (triangular_solve, FLOATS + COMPLEX)}
NO_ZERO = ("batch_norm_training", "batch_norm_grad")


def cases(op):
    make, types = ROWS[op]
    for t in types:
        if op in NO_ZERO and t == "f8E8M0FNU":
            continue
        inputs, body, expected = make(t)
        yield Case(f"{op}_{label(t)}", inputs, body, expected, about=t)


def rng():
    for t in INTEGERS + FLOATS:
        if t == "f8E8M0FNU":  # its fractions have no bits
            continue
        low, high = {"i2": (-2, 1), "ui2": (0, 3)}.get(
            t, (-3 if t in SIGNED else 0, 6 if t in FLOATS else 5))
        yield uniform(t, low, high, 5)


def rows():
    for op in ROWS:
        yield op, cases(op)
    yield "rng", rng()
