"""Elementwise programs, 1e3 to 1e7 elements."""
import functools

import jax
import jax.numpy as jnp
from jax import lax

from ..registry import OPERATIONS, add, bf16, f16, f32

_FUNCTIONS = {
    "add": (lambda x: x + 1.5, 1),
    "exp": (jnp.exp, OPERATIONS["exp"]),
    "log": (lambda x: jnp.log(jnp.abs(x) + 1e-3), OPERATIONS["log"]),
    "tanh": (jnp.tanh, OPERATIONS["tanh"]),
    "erf": (lax.erf, OPERATIONS["erf"]),
    "sin": (jnp.sin, OPERATIONS["sin"]),
    "pow": (lambda x: jnp.power(jnp.abs(x) + 0.1, 1.7), OPERATIONS["pow"]),
    "gelu": (jax.nn.gelu, OPERATIONS["tanh"] + 8),
    "chain": (lambda x: jnp.tanh(jnp.exp(-x * x) + jnp.sin(x)) * jnp.log1p(jnp.exp(x)), 64),
}
for _name, (_function, _operations) in _FUNCTIONS.items():
    _sizes = (1_000, 100_000, 1_000_000, 10_000_000) if _name in ("add", "exp", "gelu") \
        else (1_000_000,)
    for _size in _sizes:
        add(f"{_name}_{_size:.0e}".replace("e+0", "e"), _function,
            functools.partial(lambda size: (f32(size),), _size), "elementwise",
            flops=2.0 * _size * _operations, bytes=8.0 * _size)
add("bias_relu_2048x1024", lambda x, b: jnp.maximum(x + b, 0),
    lambda: (f32(2048, 1024), f32(1024, seed=1)), "elementwise", bytes=8.0 * 2048 * 1024)
add("gelu_bf16_1e6", jax.nn.gelu, lambda: (bf16(1_000_000),), "elementwise", flops=48e6,
    bytes=4e6)
add("sigmoid_f16_1e6", jax.nn.sigmoid, lambda: (f16(1_000_000),), "elementwise", flops=24e6,
    bytes=4e6)
add("where_compare_1e6", lambda x, y: jnp.where(x > y, x * 2, y - 1),
    lambda: (f32(1_000_000), f32(1_000_000, seed=1)), "elementwise", bytes=12e6)
add("multiply_add_1e6", lambda x, y: x * y + x,
    lambda: (f32(1_000_000), f32(1_000_000, seed=1)), "elementwise", bytes=12e6)
