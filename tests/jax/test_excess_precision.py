"""xla_allow_excess_precision=True: chains of 16-bit floats inside a kernel are rounded once.
test_rounding.py tests the default, where each operation rounds."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import only_tenon
from jax import lax

pytestmark = only_tenon("the built-in CPU rounds each op of bf16 whatever the option")
EXCESS = {"xla_allow_excess_precision": True}
HALVES = pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float16], ids=["bf16", "f16"])


def halves(dtype, seed, low=0.5, high=1.5, count=5000):
    return np.random.default_rng(seed).uniform(low, high, count).astype(dtype)


def run(function, *arguments, options=None):
    compiled = jax.jit(function).lower(*arguments).compile(compiler_options=options)
    return jax.tree.map(np.asarray, compiled(*arguments))


def errors(result, exact):
    """The error in units of the last place."""
    unit = np.float64(jnp.finfo(result.dtype).eps) * 2.0 ** np.floor(np.log2(np.abs(exact)))
    return np.abs(result.astype(np.float64) - exact) / unit


def chain(x, y):
    return (x * y + x) * y + x


@HALVES
def test_chains_are_rounded_once(dtype):
    x, y = halves(dtype, 0), halves(dtype, 1)
    exact = chain(x.astype(np.float64), y.astype(np.float64))
    assert errors(run(chain, x, y, options=EXCESS), exact).max() < 0.502
    assert errors(run(chain, x, y), exact).max() > 0.8


@HALVES
def test_each_op_rounds_unless_told_otherwise(dtype):
    x, y = halves(dtype, 2), halves(dtype, 3)
    each = run(chain, x, y)
    np.testing.assert_array_equal(each, chain(x, y))  # NumPy rounds each result
    np.testing.assert_array_equal(run(chain, x, y, options={"xla_allow_excess_precision": False}),
                                  each)
    excess = run(chain, x, y, options=EXCESS)
    assert (excess != each).any()
    np.testing.assert_array_equal(run(chain, x, y, options={k: str(v) for k, v in EXCESS.items()}),
                                  excess)


@HALVES
@pytest.mark.parametrize("function", [jax.nn.gelu, jax.nn.silu, jax.nn.softplus, jnp.sinc],
                         ids=["gelu", "silu", "softplus", "sinc"])
def test_excess_precision_reduces_errors(dtype, function):
    x = halves(dtype, 4, 0.1, 3)
    with jax.enable_x64(True):
        exact = run(function, x.astype(np.float64))
    assert errors(run(function, x, options=EXCESS), exact).mean() < \
        errors(run(function, x), exact).mean()


@HALVES
def test_stored_values_are_rounded_whoever_else_reads_them(dtype):
    x, y = halves(dtype, 5), halves(dtype, 6)
    product, total = run(lambda x, y: (x * y, x * y + x), x, y, options=EXCESS)
    np.testing.assert_array_equal(product, x * y)
    wide_x, wide_y = x.astype(np.float64), y.astype(np.float64)
    assert errors(total, wide_x * wide_y + wide_x).max() < 0.502


@HALVES
def test_discontinuous_functions_and_comparisons_see_rounded_values(dtype):
    x, y = halves(dtype, 7, 1, 40), halves(dtype, 8, 1, 40)
    rounded = x * y

    def program(x, y):
        product = x * y
        bits = lax.bitcast_convert_type(product, jnp.uint16)
        return (jnp.floor(product), product == lax.optimization_barrier(product),
                product.astype(jnp.float32), bits, lax.rem(product, jnp.full_like(x, 2)),
                lax.reduce_precision(product, 8, 3))

    floor, same, single, bits, rest, reduced = run(program, x, y, options=EXCESS)
    np.testing.assert_array_equal(floor, np.floor(rounded))
    np.testing.assert_array_equal(rest, np.fmod(rounded, np.asarray(2, dtype)))
    np.testing.assert_array_equal(bits, rounded.view(np.uint16))
    np.testing.assert_array_equal(single, rounded.astype(np.float32))
    np.testing.assert_array_equal(reduced,
                                  run(lambda x: lax.reduce_precision(x, 8, 3), rounded))
    assert same.all()


@HALVES
def test_selects_keep_the_selected_value(dtype):
    x, y = halves(dtype, 9, -1.5, 1.5), halves(dtype, 10)

    def program(x, y):
        return jnp.where(x > 0, x * y, x - y) * y

    wide_x, wide_y = x.astype(np.float64), y.astype(np.float64)
    exact = np.where(x > 0, wide_x * wide_y, wide_x - wide_y) * wide_y
    assert errors(run(program, x, y, options=EXCESS), exact).max() < 0.502
