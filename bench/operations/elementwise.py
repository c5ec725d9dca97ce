"""Elementwise functions and conversions."""
import jax
import jax.numpy as jnp
from jax import lax

from .registry import BOOLEANS, COMPLEX, FLOATS, INTEGERS, REALS, operation


@operation(*REALS, *COMPLEX)
def multiply_and_add(x):
    return x * x + x


@operation(*REALS, *COMPLEX)
def divide(x):
    return x / (x * x + 1)


@operation(*REALS)
def floor_divide(x):
    return x // (x * x + 1)


@operation(*REALS)
def remainder(x):
    return x % (x * x + 1)


@operation(*REALS, *COMPLEX)
def select(x):
    return jnp.where(x == x[::-1], x, x + x)


@operation(*REALS)
def clip(x):
    return jnp.clip(x, jnp.asarray(1, x.dtype), jnp.asarray(50, x.dtype))


@operation(*REALS)
def cube(x):
    return x ** 3


@operation(*REALS, *COMPLEX)
def absolute(x):
    return jnp.abs(x)


@operation(*REALS)
def sign(x):
    return jnp.sign(x)


@operation(*INTEGERS)
def population_count(x):
    return lax.population_count(x)


@operation(*INTEGERS)
def count_leading_zeros(x):
    return lax.clz(x)


@operation(*INTEGERS)
def shifts(x):
    return (x << 1) ^ (x >> 2)


@operation(*COMPLEX)
def squared_norm(x):
    return jnp.conj(x) * x


@operation(*COMPLEX)
def angle(x):
    return jnp.angle(x)


def _function(name, function, types=FLOATS):
    def of_matrix(x):
        return function(x)
    of_matrix.__name__ = name
    of_matrix.__module__ = __name__
    operation(*types)(of_matrix)


for _name in ("exp", "sin", "tanh", "expm1"):
    _function(_name, getattr(jnp, _name), FLOATS + COMPLEX)
for _name in ("cbrt", "round", "floor", "isnan"):
    _function(_name, getattr(jnp, _name))
_function("sqrt", lambda x: jnp.sqrt(jnp.abs(x)))
_function("log", lambda x: jnp.log(jnp.abs(x) + 1))
_function("log1p", lambda x: jnp.log1p(jnp.abs(x)))
_function("power", lambda x: jnp.abs(x) ** jnp.asarray(1.7, x.dtype))
_function("atan2", lambda x: jnp.arctan2(x, x + 1))
_function("logistic", jax.nn.sigmoid)
_function("erf", lax.erf)
_function("gelu", jax.nn.gelu)
_function("softplus", jax.nn.softplus)
_function("lgamma", lambda x: lax.lgamma(jnp.abs(x) + 1))
_function("digamma", lambda x: lax.digamma(jnp.abs(x) + 1))
for _type in ("float32", "float64", "int8", "bfloat16", "int64", "float16", "complex64", "bool"):
    _function(f"to_{_type}", lambda x, dtype=_type: jnp.abs(x).astype(dtype) if x.dtype != bool
              else x.astype(dtype), REALS + BOOLEANS)
