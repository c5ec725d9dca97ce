"""Small programs: the cost of a call."""
import functools

import jax.numpy as jnp
import numpy as np

from ..registry import add, f32

add("dispatch_scalar_add", lambda x: x + 1, lambda: (np.float32(1),), "dispatch")
add("dispatch_vec16_add", lambda x, y: x + y, lambda: (f32(16), f32(16, seed=1)), "dispatch")
add("dispatch_10_arguments", lambda *a: functools.reduce(jnp.add, a),
    lambda: tuple(f32(8, seed=i) for i in range(10)), "dispatch")
add("dispatch_100_arguments_100_results", lambda *a: tuple(x + 1 for x in a),
    lambda: tuple(f32(8, seed=i) for i in range(100)), "dispatch")
add("dispatch_small_mlp", lambda x, w, v: jnp.tanh(x @ w) @ v,
    lambda: (f32(1, 32), f32(32, 32, seed=1), f32(32, 8, seed=2)), "dispatch")
add("dispatch_50_small_ops",
    lambda x: functools.reduce(lambda a, _: jnp.sort(a) * 1.01 + a[::-1], range(25), x),
    lambda: (f32(64),), "dispatch")
add("dispatch_small_softmax_argmax",
    lambda x: (jnp.argmax(x), jnp.exp(x - x.max()) / jnp.exp(x - x.max()).sum()),
    lambda: (f32(128),), "dispatch")
