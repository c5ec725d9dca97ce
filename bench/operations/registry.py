"""Registers one operation for many element types and sizes, as programs of the suite.

Types with 64 bits need `jax_enable_x64`, which `run_wide.py` sets for this suite.
"""
import jax.numpy as jnp
import numpy as np
from wide import registry

FLOATS = ("float64", "float32", "bfloat16", "float16")
INTEGERS = ("int8", "uint8", "int16", "int32", "int64")
REALS = FLOATS + INTEGERS
COMPLEX = ("complex64", "complex128")
BOOLEANS = ("bool",)
SIZES = ((100, 101), (1000, 1001))  # in the second-level cache, and larger


def matrix(dtype, shape):
    """Normal numbers, integers from 0 to 99, or booleans."""
    random = np.random.RandomState(0)
    if dtype == "bool":
        return random.rand(*shape) > 0.5
    kind = jnp.dtype(dtype)
    if jnp.issubdtype(kind, jnp.integer):
        return random.randint(0, 100, shape).astype(kind)
    real = random.standard_normal(shape)
    if jnp.issubdtype(kind, jnp.complexfloating):
        return (real + 1j * random.standard_normal(shape)).astype(kind)
    return real.astype(kind)


def operation(*types, sizes=SIZES, flips=0.0):
    """Registers a function of one matrix as NAME_TYPE_ROWSxCOLUMNS."""
    def register(function):
        for dtype in types:
            for shape in sizes:
                def arguments(dtype=dtype, shape=shape):
                    return (matrix(dtype, shape),)
                label = f"{function.__name__}_{dtype}_{shape[0]}x{shape[1]}"
                registry.program(arguments, flips=flips, name=label)(function)
        return function
    return register
