"""Reductions, prefix sums, and what is made of them."""
import jax
import jax.numpy as jnp
from jax import lax

from .registry import BOOLEANS, COMPLEX, FLOATS, REALS, operation

MEDIUM = ((100, 101), (300, 1001))


@operation(*REALS, *COMPLEX)
def sum_of_columns(x):
    return x.sum(0)


@operation(*REALS, *COMPLEX)
def sum_of_rows(x):
    return x.sum(1)


@operation(*REALS, *COMPLEX)
def sum_of_all(x):
    return x.sum()


@operation(*REALS)
def maximum_of_columns(x):
    return x.max(0)


@operation(*REALS)
def maximum_of_rows(x):
    return x.max(1)


@operation(*REALS)
def range_of_all(x):
    return x.max() - x.min()


@operation(*REALS)
def argmax_of_columns(x):
    return x.argmax(0)


@operation(*REALS)
def argmax_of_rows(x):
    return x.argmax(1)


@operation(*FLOATS, *COMPLEX)
def variance_of_rows(x):
    return x.var(1)


@operation(*REALS, *BOOLEANS)
def any_of_rows(x):
    return (x != 0).any(1)


@operation(*FLOATS)
def sum_of_squares(x):
    return jnp.square(x).mean()


@operation(*FLOATS)
def logsumexp_of_columns(x):
    return jax.nn.logsumexp(x, 0)


@operation(*FLOATS)
def softmax(x):
    return jax.nn.softmax(x)


@operation(*FLOATS)
def layer_norm(x):
    centered = x - x.mean(-1, keepdims=True)
    return centered * lax.rsqrt(x.var(-1, keepdims=True) + jnp.asarray(1e-5, x.dtype))


@operation("float64", "float32", "int8", "int32", "int64", *COMPLEX)
def prefix_sums_of_columns(x):
    return jnp.cumsum(x, 0)


@operation("float64", "float32", "int8", "int32", "int64", *COMPLEX)
def prefix_sums_of_rows(x):
    return jnp.cumsum(x, 1)


@operation(*REALS)
def prefix_maxima_of_rows(x):
    return lax.cummax(x, axis=1)


@operation(*REALS)
def sort_rows(x):
    return jnp.sort(x, 1)


@operation(*REALS, sizes=MEDIUM)
def sort_columns(x):
    return jnp.sort(x, 0)


@operation(*REALS, sizes=MEDIUM)
def argsort_rows(x):
    return jnp.argsort(x, 1)


@operation("float64", "float32", sizes=MEDIUM)
def median_of_rows(x):
    return jnp.median(x, 1)


@operation(*REALS)
def top_7_of_rows(x):
    return lax.top_k(x, 7)[0]
