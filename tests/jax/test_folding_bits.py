"""A constant and an argument give the same bits: every elementwise operation on every type, over
a grid of special values that are either constants or arguments."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import only_tenon
from jax import lax

pytestmark = only_tenon("what Tenon folds")
FLOATS = ["bfloat16", "float16", "float32", "float64", "float8_e4m3fn", "float8_e5m2",
          "float8_e4m3b11fnuz", "float8_e5m2fnuz", "float8_e4m3fnuz", "float8_e3m4", "float8_e4m3"]
COMPLEX = ["complex64", "complex128"]
INTEGERS = ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "int4", "uint4"]
REALS = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, -0.5, 1.5, -2.5, 3, -7, 0.3, -0.7, 1e-5,
         12.25, 88.7, -87.4, 100, -104, 1e4, -3e4, 6.6e4, 1e8, 3e38, -1e37, 1.5e-38, 1e-38, -1e-39,
         1e-45, 6e-8, 1e300, 5e-324, 2e-308, 0.99999994, 1.0000001, 2.0 ** 24, np.pi, -np.pi / 2]


def specials(dtype, few=False):
    dtype = jnp.dtype(dtype)
    if jnp.issubdtype(dtype, jnp.complexfloating):
        parts = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.3, -2.5, 1e-5, 88.7, 3e38,
                          1e-39], np.float64)
        parts = parts[[0, 1, 2, 4, 5, 6, 7, 11]] if few else parts
        with np.errstate(all="ignore"):
            part = parts.astype(np.float32 if dtype == np.complex64 else np.float64)
        values = np.empty((len(part), len(part)), dtype)
        values.real, values.imag = part[:, None], part[None]
        return values.ravel()
    if jnp.issubdtype(dtype, jnp.floating):
        with np.errstate(all="ignore"):
            return np.array(REALS, np.float64).astype(dtype)
    if dtype == bool:
        return np.array([False, True])
    info = jnp.iinfo(dtype)
    values = {0, 1, 2, 3, 5, 7, info.max, info.max - 1, info.min, info.min + 1, max(-1, info.min),
              max(-3, info.min), info.max // 3}
    values = sorted(values)
    return np.array(values).astype(dtype) if info.bits < 64 else np.array(values, dtype)


UNARY = {
    "abs": lax.abs, "neg": lax.neg, "sign": lax.sign, "ceil": lax.ceil, "floor": lax.floor,
    "round_away": lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO),
    "round_even": lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN),
    "is_finite": lax.is_finite, "sqrt": lax.sqrt, "rsqrt": lax.rsqrt, "cbrt": lax.cbrt,
    "exp": lax.exp, "expm1": lax.expm1, "exp2": lax.exp2, "log": lax.log, "log1p": lax.log1p,
    "logistic": lax.logistic, "sin": lax.sin, "cos": lax.cos, "tan": lax.tan, "tanh": lax.tanh,
    "sinh": lax.sinh, "cosh": lax.cosh, "asin": lax.asin, "acos": lax.acos, "atan": lax.atan,
    "asinh": lax.asinh, "acosh": lax.acosh, "atanh": lax.atanh, "erf": lax.erf, "erfc": lax.erfc,
    "erf_inv": lax.erf_inv, "lgamma": lax.lgamma, "digamma": lax.digamma,
    "bessel_i0e": lax.bessel_i0e, "bessel_i1e": lax.bessel_i1e, "square": lax.square,
    "integer_pow": lambda x: lax.integer_pow(x, 5), "reciprocal": lambda x: lax.integer_pow(x, -2),
    "real": lax.real, "imag": lax.imag, "conj": lax.conj,
    "not": lax.bitwise_not, "popcount": lax.population_count, "clz": lax.clz,
    "reduce_precision": lambda x: lax.reduce_precision(x, 5, 3),
    "to_f32": lambda x: lax.convert_element_type(x, np.float32),
    "to_bf16": lambda x: lax.convert_element_type(x, jnp.bfloat16),
    "to_f16": lambda x: lax.convert_element_type(x, np.float16),
    "to_e4m3": lambda x: lax.convert_element_type(x, jnp.float8_e4m3fn),
    "to_int32": lambda x: lax.convert_element_type(x, np.int32),
    "to_uint8": lambda x: lax.convert_element_type(x, np.uint8),
    "to_bool": lambda x: lax.convert_element_type(x, bool),
}
BINARY = {
    "add": lax.add, "sub": lax.sub, "mul": lax.mul, "div": lax.div, "rem": lax.rem, "max": lax.max,
    "min": lax.min, "pow": lax.pow, "atan2": lax.atan2, "nextafter": lax.nextafter,
    "and": lax.bitwise_and, "or": lax.bitwise_or, "xor": lax.bitwise_xor,
    "shift_left": lax.shift_left, "shift_right": lax.shift_right_arithmetic,
    "shift_right_logical": lax.shift_right_logical,
    "eq": lax.eq, "ne": lax.ne, "lt": lax.lt, "le": lax.le, "gt": lax.gt, "ge": lax.ge,
    "eq_total": lax.eq_to_p.bind, "lt_total": lax.lt_to_p.bind, "le_total": lax.le_to_p.bind,
    "complex": lax.complex,
    "select": lambda x, y: lax.select(lax.eq(x, x), x, y),
    "clamp": lambda x, y: lax.clamp(x, y, x),
}


def ops_of(ops, dtype):
    """The functions that JAX can evaluate abstractly; the others have no result type."""
    known = {}
    for name, op in ops.items():
        try:
            jax.eval_shape(op, *[jax.ShapeDtypeStruct((1,), jnp.dtype(dtype))] *
                           (1 if ops is UNARY else 2))
        except (TypeError, ValueError, NotImplementedError):
            continue
        known[name] = op
    return known


def is_refusal(error):
    """Whether the compiler, or JAX's own lowering of CHLO, rejects a program."""
    return any(text in str(error) for text in ("UNIMPLEMENTED", "failed to legalize",
                                               "does not fit element type"))


def run(functions, *x):
    """The results of functions of `x`, by name, from one program; from one program per function if
    the compiler rejects some."""
    try:
        return jax.jit(lambda *x: {name: f(*x) for name, f in functions.items()})(*x)
    except jax.errors.JaxRuntimeError as error:
        if not is_refusal(error):
            raise
    results = {}
    for name, function in functions.items():
        try:
            results[name] = jax.jit(function)(*x)
        except jax.errors.JaxRuntimeError as error:
            if not is_refusal(error):
                raise
    return results


def differences(folded, computed):
    """The elements whose bits differ; None if there are none."""
    folded, computed = np.asarray(folded), np.asarray(computed)
    assert folded.dtype == computed.dtype
    if jnp.issubdtype(folded.dtype, jnp.complexfloating):
        return differences(folded.real, computed.real) | differences(folded.imag, computed.imag)

    def bits(x):
        return np.ascontiguousarray(x).view(np.uint8).reshape(*x.shape, x.dtype.itemsize)
    folded, computed = np.atleast_1d(folded), np.atleast_1d(computed)
    # The sign and payload of a NaN are not compared: the processor chooses the operand's.
    return ((bits(folded) != bits(computed)).any(-1) &
            ~((folded != folded) & (computed != computed)))


def assert_same_bits(folded, computed):
    assert not differences(folded, computed).any()


def compare(ops, *x):
    """Asserts that `ops` of arguments, constants and broadcast constants have the same bits."""
    computed = run({name: op for name, op in ops.items()}, *x)
    folded = run({name: functools.partial(op, *x) for name, op in ops.items()})
    picked = [int(i) for i in np.linspace(1, len(x[0]) - 1, 3)]
    splats = run({(name, i): functools.partial(
        lambda op, i: op(*[jnp.full((3,), v[i]) for v in x]), op, i)
        for name, op in ops.items() for i in picked})
    wrong = []
    for name in folded:
        want = np.asarray(computed[name])
        for i in np.nonzero(differences(folded[name], want))[0][:3]:
            wrong.append((name, [v[i] for v in x], "array", np.asarray(folded[name])[i], want[i]))
        for i in picked:
            if (name, i) in splats and differences(splats[name, i], np.repeat(want[i], 3)).any():
                wrong.append((name, [v[i] for v in x], "splat", splats[name, i][0], want[i]))
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("dtype", FLOATS + COMPLEX + INTEGERS + ["bool"])
def test_unary(x64, dtype):
    compare(ops_of(UNARY, dtype), specials(dtype))


@pytest.mark.parametrize("dtype", FLOATS + COMPLEX + INTEGERS + ["bool"])
def test_binary(x64, dtype):
    ops = ops_of(BINARY, dtype)
    values = specials(dtype, few=jnp.issubdtype(dtype, jnp.complexfloating))
    compare(ops, np.repeat(values, len(values)), np.tile(values, len(values)))


def test_constants_in_loops():
    """Loop-invariant values give the same bits as arguments."""
    x = np.linspace(-3, 3, 37, dtype=np.float32)

    def function(c):
        def step(i, total):
            return total + jnp.exp(c) * jnp.sin(c * 3) / jnp.log1p(jnp.abs(c) + 1)
        return lax.fori_loop(0, 5, step, jnp.zeros_like(c))
    assert_same_bits(jax.jit(functools.partial(function, x))(), jax.jit(function)(x))
    assert_same_bits(jax.jit(lambda: function(jnp.float32(0.7)))(),
                     jax.jit(function)(np.float32(0.7)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_sums_and_products(x64, dtype):
    """Sums, whose bits depend on the order."""
    x = np.random.default_rng(0).standard_normal((37, 53)).astype(dtype)

    def function(x):
        return jnp.sum(x), jnp.sum(x, 0), jnp.cumsum(x, 1), x @ x.T, jnp.mean(x * x, 1)
    for folded, computed in zip(jax.jit(lambda: function(jnp.asarray(x)))(), jax.jit(function)(x)):
        assert_same_bits(folded, computed)
