"""Ordinary differential equations and particle systems."""
import jax
import jax.numpy as jnp
from jax import lax

from .registry import integers, normal, program, uniform


def rk4_step(f, y, dt):
    k1 = f(y)
    k2 = f(y + dt / 2 * k1)
    k3 = f(y + dt / 2 * k2)
    k4 = f(y + dt * k3)
    return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


@program(lambda: (normal(512, 3, scale=5),))
def lorenz_ensemble_rk4(y0):
    def field(y):
        x, y, z = y
        return jnp.array([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])

    def solve(y):
        return lax.fori_loop(0, 200, lambda i, y: rk4_step(field, y, 0.005), y)
    return jax.vmap(solve)(y0)


@program(lambda: (uniform(2, low=0.5, high=2), uniform(4, low=0.5, high=1.5, seed=1)))
def lotka_volterra_trajectory(y0, p):
    def field(y):
        return jnp.stack([p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]])

    def step(y, _):
        y = rk4_step(field, y, 0.01)
        return y, y
    return lax.scan(step, y0, None, length=2000)[1]


@program(lambda: (uniform(2, low=0.5, high=2), uniform(4, low=0.5, high=1.5, seed=1)))
def lotka_volterra_parameter_gradient(y0, p):
    def loss(p):
        def step(y, _):
            d = jnp.stack([p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]])
            return y + 0.01 * d, None
        y, _ = lax.scan(step, y0, None, length=500)
        return jnp.sum((y - 1) ** 2)
    return jax.value_and_grad(loss)(p)


@program(lambda: (uniform(64, 2, low=-2, high=2), uniform(64, low=0.5, high=4, seed=1)), flips=0.2)
def van_der_pol_adaptive(y0, mu):
    """Bogacki-Shampine with step size control, a batch of while loops."""
    def solve(y, mu):
        def field(y):
            return jnp.stack([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]])

        def body(state):
            t, h, y, steps = state
            h = jnp.minimum(h, 5.0 - t)
            k1 = field(y)
            k2 = field(y + h / 2 * k1)
            k3 = field(y + 3 * h / 4 * k2)
            new = y + h * (2 / 9 * k1 + 1 / 3 * k2 + 4 / 9 * k3)
            k4 = field(new)
            low = y + h * (7 / 24 * k1 + k2 / 4 + k3 / 3 + k4 / 8)
            error = jnp.max(jnp.abs(new - low)) / 1e-3 + 1e-10
            accept = error <= 1
            factor = jnp.clip(0.9 * error ** (-1 / 3), 0.2, 5.0)
            return (jnp.where(accept, t + h, t), h * factor, jnp.where(accept, new, y), steps + 1)

        state = lax.while_loop(lambda s: (s[0] < 5.0 - 1e-5) & (s[3] < 2000), body,
                               (jnp.zeros_like(mu), jnp.full_like(mu, 0.01), y, 0))
        return state[2]
    return jax.vmap(solve)(y0, mu)


@program(lambda: (normal(64, 3), normal(64, 3, seed=1, scale=0.1), uniform(64, low=0.5, seed=2)))
def n_body_leapfrog(x, v, m):
    def acceleration(x):
        d = x[None, :, :] - x[:, None, :]
        r2 = jnp.sum(d ** 2, -1) + 0.05
        return jnp.sum(m[None, :, None] * d * (r2 ** -1.5)[..., None], axis=1)

    def step(state, _):
        x, v = state
        v = v + 0.005 * acceleration(x)
        x = x + 0.01 * v
        v = v + 0.005 * acceleration(x)
        kinetic = 0.5 * jnp.sum(m[:, None] * v ** 2)
        return (x, v), kinetic
    return lax.scan(step, (x, v), None, length=20)


@program(lambda: (uniform(256, 4, low=-1, high=1),))
def double_pendulum_lagrangian(state):
    """Accelerations from jax.hessian and jax.jacobian of a Lagrangian, as in LNN tutorials."""
    def lagrangian(q, v):
        kinetic = v[0] ** 2 + 0.5 * v[1] ** 2 + v[0] * v[1] * jnp.cos(q[0] - q[1])
        return kinetic + 19.6 * jnp.cos(q[0]) + 9.8 * jnp.cos(q[1])

    def field(s):
        q, v = s[:2], s[2:]
        h = jax.hessian(lagrangian, 1)(q, v)
        rhs = jax.grad(lagrangian, 0)(q, v) - jax.jacobian(jax.grad(lagrangian, 1), 0)(q, v) @ v
        return jnp.concatenate([v, jnp.linalg.inv(h) @ rhs])

    def solve(s):
        return lax.scan(lambda s, _: (rk4_step(field, s, 0.01), s), s, None, length=20)[0]
    return jax.vmap(solve)(state)


@program(lambda: (uniform(3, low=0.1), uniform(1000, 3, low=0.05, high=0.5, seed=1)))
def seir_epidemic_sweep(start, rates):
    def run(r):
        def day(state, _):
            s, e, i, rec = state
            new_e, new_i, new_r = r[0] * s * i, r[1] * e, r[2] * i
            state = (s - new_e, e + new_e - new_i, i + new_i - new_r, rec + new_r)
            return state, state[2]
        first = (1 - 0.01 * start[0], 0.0 * start[1], 0.01 * start[0], 0.0 * start[2])
        return lax.scan(day, first, None, length=160)[1]
    infected = jax.vmap(run)(rates)
    return infected.max(axis=1), jnp.argmax(infected, axis=1) // 8


@program(lambda: (normal(500, 500, scale=0.3), uniform(500, seed=1)), flips=0.05)
def izhikevich_network(weights, noise):
    def step(state, i):
        v, u, fired = state
        current = 5 * noise + weights @ fired + 2 * jnp.sin(0.1 * i)
        v = jnp.where(fired > 0, -65.0, v)
        u = jnp.where(fired > 0, u + 8.0, u)
        v = v + 0.5 * (0.04 * v ** 2 + 5 * v + 140 - u + current)
        v = v + 0.5 * (0.04 * v ** 2 + 5 * v + 140 - u + current)
        u = u + 0.02 * (0.2 * v - u)
        fired = (v >= 30.0).astype(v.dtype)
        return (v, u, fired), fired.sum()
    v = jnp.full_like(noise, -65.0)
    return lax.scan(step, (v, 0.2 * v, jnp.zeros_like(v)), jnp.arange(30))[1]


@program(lambda: (uniform(300, 2), normal(300, 2, seed=1, scale=0.01)))
def boids_flocking(x, v):
    def rule(xi, vi, x, v):
        d = x - xi
        d = d - jnp.round(d)
        r2 = jnp.sum(d ** 2, -1)
        near = (r2 < 0.02) & (r2 > 0)
        count = jnp.maximum(near.sum(), 1)
        cohesion = jnp.where(near[:, None], d, 0).sum(0) / count
        alignment = jnp.where(near[:, None], v, 0).sum(0) / count - vi
        push = jnp.where((near & (r2 < 0.001))[:, None], -d, 0).sum(0)
        return vi + 0.01 * cohesion + 0.05 * alignment + 0.05 * push

    def step(_, state):
        x, v = state
        v = jax.vmap(rule, (0, 0, None, None))(x, v, x, v)
        speed = jnp.linalg.norm(v, axis=1, keepdims=True)
        v = v * jnp.clip(speed, 0.005, 0.03) / (speed + 1e-8)
        return (x + v) % 1.0, v
    return lax.fori_loop(0, 4, step, (x, v))


@program(lambda: (uniform(400, high=6.28), normal(400, seed=1)))
def kuramoto_oscillators(theta, omega):
    def field(theta):
        return omega + 2.0 * jnp.mean(jnp.sin(theta[None, :] - theta[:, None]), axis=1)

    def step(theta, _):
        theta = theta + 0.05 * field(theta)
        return theta, jnp.abs(jnp.mean(jnp.exp(1j * theta)))
    return lax.scan(step, theta, None, length=10)


@program(lambda: (normal(40),))
def lorenz96_jacobian(x):
    """Tangent-linear model of Lorenz 96: rolls inside jvp inside RK4."""
    def field(x):
        return (jnp.roll(x, -1) - jnp.roll(x, 2)) * jnp.roll(x, 1) - x + 8.0

    def forecast(x):
        return lax.fori_loop(0, 10, lambda i, x: rk4_step(field, x, 0.01), x)
    return jax.jacfwd(forecast)(x)


@program(lambda: (normal(4096),))
def lorenz96_unrolled(x):
    def field(x):
        return (jnp.roll(x, -1) - jnp.roll(x, 2)) * jnp.roll(x, 1) - x + 8.0
    for _ in range(3):
        x = rk4_step(field, x, 0.01)
    return x


@program(lambda: (uniform(20, 2, low=-1), normal(20, 2, seed=1), integers(40, 2, high=20)))
def spring_mass_mesh(x, v, springs):
    rest = 0.5
    a, b = springs[:, 0], springs[:, 1]

    def step(state, _):
        x, v = state
        d = x[b] - x[a]
        length = jnp.sqrt(jnp.sum(d * d, -1) + 1e-6)
        force = (10 * (length - rest) / length)[:, None] * d
        f = jnp.zeros_like(x).at[a].add(force).at[b].add(-force)
        v = 0.99 * (v + 0.005 * f)
        return (x + 0.005 * v, v), x
    return lax.scan(step, (x, v), None, length=200)
