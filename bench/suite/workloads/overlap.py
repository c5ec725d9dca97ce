"""Host work during a device program: the caller computes in NumPy while the program runs.

A back end that runs the program on the caller's thread takes the sum of both times. One that is
slow to pass it to another thread takes more than the maximum of both.
"""
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..registry import add, f32

_UNSORTED = f32(30_000, seed=9)


def _sort():
    """About 2 ms on one thread."""
    return np.sort(_UNSORTED, kind="stable")


def _newton(limit):
    """A loop over scalars with a data-dependent trip count."""
    def run(x, steps):
        return lax.while_loop(lambda s: s[1] < steps,
                              lambda s: (0.5 * (s[0] + 2.0 / s[0]) + 1e-9 * s[1], s[1] + 1),
                              (x, 0))[0]
    return run, lambda: (np.float32(1), np.int32(limit))


add("overlap_while_2ms", *_newton(250_000), "overlap", host=_sort, iree=False)
add("overlap_while_200us", *_newton(25_000), "overlap", host=_sort, iree=False)
add("overlap_product_768", lambda a, b: jnp.tanh(a @ b) @ b,
    lambda: (f32(768, 768, scale=.05), f32(768, 768, seed=1, scale=.05)), "overlap",
    host=_sort, iree=False)
add("overlap_elementwise_1e6", lambda x: jnp.sin(x) * jnp.exp(-x * x), lambda: (f32(10**6),),
    "overlap", host=_sort, iree=False)
add("overlap_scan_300", lambda x: lax.scan(
    lambda c, v: (jnp.tanh(c @ v), c.sum()), jnp.eye(32, dtype=jnp.float32), x)[1],
    lambda: (f32(300, 32, 32, scale=.2),), "overlap", host=_sort, iree=False)
