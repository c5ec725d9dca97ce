"""The training steps' optimisers in JAX, as torch.optim's SGD and Adam.

Each is a pair of functions: initial state, update.
"""
import jax
import jax.numpy as jnp

from .settings import ADAM_BETAS, ADAM_EPSILON, ADAM_RATE, MOMENTUM, SGD_RATE



def _zeros(parameters):
    return jax.tree.map(jnp.zeros_like, parameters)


def _momentum(parameters, gradients, state):
    state = jax.tree.map(lambda m, g: MOMENTUM * m + g, state, gradients)
    return jax.tree.map(lambda p, m: p - SGD_RATE * m, parameters, state), state


def _adam_state(parameters):
    return _zeros(parameters), _zeros(parameters), jnp.zeros((), jnp.int32)


def _adam(parameters, gradients, state):
    first, second, count = state
    count = count + 1
    b1, b2 = ADAM_BETAS
    first = jax.tree.map(lambda m, g: b1 * m + (1 - b1) * g, first, gradients)
    second = jax.tree.map(lambda v, g: b2 * v + (1 - b2) * g * g, second, gradients)
    rate = ADAM_RATE / (1 - b1 ** count.astype(jnp.float32))
    correction = 1 / jnp.sqrt(1 - b2 ** count.astype(jnp.float32))
    new = jax.tree.map(lambda p, m, v: p - (
        rate * m / (jnp.sqrt(v) * correction + ADAM_EPSILON)).astype(p.dtype),
        parameters, first, second)
    return new, (first, second, count)


OPTIMISERS = {"sgd": (_zeros, _momentum), "adam": (_adam_state, _adam)}
