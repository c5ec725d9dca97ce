"""Random numbers, with JAX's default generator."""
import jax
import numpy as np

from ..registry import add

_KEY = np.array([0, 42], np.uint32)
_COUNT = 1_000_000


def _add(name, function, operations, count=_COUNT):
    add(name, function, lambda: (_KEY,), "random", flops=2.0 * operations * count,
        bytes=4.0 * count)


_add("bits_1e6", lambda k: jax.random.bits(k, (_COUNT,)), 45)
_add("uniform_1e6", lambda k: jax.random.uniform(k, (_COUNT,)), 48)
_add("normal_1e6", lambda k: jax.random.normal(k, (_COUNT,)), 75)
_add("bernoulli_1e6", lambda k: jax.random.bernoulli(k, 0.3, (_COUNT,)), 48)
_add("categorical_1000x1000", lambda k: jax.random.categorical(k, np.zeros((1000, 1000), "f4")),
     75)
_add("permutation_1e5", lambda k: jax.random.permutation(k, 100_000), 45, 100_000)
_add("split_1e5", lambda k: jax.random.split(k, 100_000), 90, 200_000)
