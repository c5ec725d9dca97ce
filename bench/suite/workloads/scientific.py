"""Scientific programs: stencils, option pricing, vmapped solvers and samplers."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..registry import add, f32, random_state


def heat(u):
    def step(_, u):
        around = jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1)
        return u + 0.1 * (around - 4 * u)
    return lax.fori_loop(0, 10, step, u)


add("stencil_heat_1024sq_10_steps", heat, lambda: (f32(1024, 1024),), "model",
    flops=70.0 * 2**20, bytes=8.0 * 2**20)


def black_scholes(spot, strike, time, rate, volatility):
    deviation = volatility * jnp.sqrt(time)
    d1 = (jnp.log(spot / strike) + (rate + 0.5 * volatility**2) * time) / deviation
    normal = lambda x: 0.5 * (1 + lax.erf(x * np.float32(0.5**0.5)))
    return spot * normal(d1) - strike * jnp.exp(-rate * time) * normal(d1 - deviation)


def black_scholes_arguments():
    uniform = lambda low, high, seed: random_state(seed).uniform(
        low, high, 1_000_000).astype(np.float32)
    return (uniform(50, 150, 0), uniform(50, 150, 1), uniform(.1, 2, 2), np.float32(.03),
            uniform(.1, .5, 3))


add("black_scholes_1e6", black_scholes, black_scholes_arguments, "model",
    flops=1e6 * 2 * (14 + 10 + 28 + 20), bytes=20e6)


def lorenz(state):
    """Runge-Kutta steps of many Lorenz systems."""
    def slope(s):
        x, y, z = s
        return jnp.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])

    def step(_, s):
        a = slope(s)
        b = slope(s + 0.005 * a)
        c = slope(s + 0.005 * b)
        d = slope(s + 0.01 * c)
        return s + 0.01 / 6 * (a + 2 * b + 2 * c + d)
    return lax.fori_loop(0, 100, step, state)


add("lorenz_rk4_10000_100_steps", jax.vmap(lorenz), lambda: (f32(10_000, 3),), "model",
    flops=1e6 * 60.0)


def metropolis(key, start):
    """Random-walk Metropolis on a Gaussian of eight dimensions, one chain."""
    log_density = lambda x: -0.5 * (x * x).sum()

    def step(carry, key):
        x, density = carry
        move, accept = jax.random.split(key)
        proposal = x + 0.5 * jax.random.normal(move, x.shape)
        proposed = log_density(proposal)
        take = jnp.log(jax.random.uniform(accept)) < proposed - density
        carry = jnp.where(take, proposal, x), jnp.where(take, proposed, density)
        return carry, None
    return lax.scan(step, (start, log_density(start)), jax.random.split(key, 100))[0][0]


add("metropolis_1000_chains_100_steps", jax.vmap(metropolis),
    lambda: (random_state(1).randint(0, 2**31, (1000, 2)).astype(np.uint32), f32(1000, 8)),
    "model", flops=1e5 * 8 * 100.0)


def gradient_descent(a, b):
    """Least squares of one small system."""
    step = lambda _, x: x - 0.01 * (a.T @ (a @ x - b))
    return lax.fori_loop(0, 50, step, jnp.zeros(a.shape[1]))


add("least_squares_500x_16x8_50_steps", jax.vmap(gradient_descent),
    lambda: (f32(500, 16, 8), f32(500, 16, seed=1)), "model", flops=500 * 50 * 4.0 * 16 * 8)
