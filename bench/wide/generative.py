"""Flows, diffusion, quantisation, meta-learning."""
import jax
import jax.numpy as jnp
from jax import lax

from .registry import key, normal, program, uniform, weights


def mlp(p, x):
    return jnp.tanh(jnp.tanh(x @ p[0]) @ p[1]) @ p[2]


def mlp_weights(i, h, o, seed=0):
    return weights(i, h, seed=seed), weights(h, h, seed=seed + 1), weights(h, o, seed=seed + 2)


@program(lambda: (normal(256, 4), [mlp_weights(2, 32, 4, seed=9 * k) for k in range(4)]))
def realnvp_likelihood_gradient(x, layers):
    def loss(layers):
        z, logdet = x, 0.0
        for p in layers:
            a, b = jnp.split(z, 2, 1)
            s, t = jnp.split(mlp(p, a), 2, 1)
            s = jnp.tanh(s)
            z = jnp.concatenate([b * jnp.exp(s) + t, a], 1)
            logdet = logdet + s.sum(1)
        return jnp.mean(0.5 * jnp.sum(z ** 2, 1) - logdet)
    return jax.value_and_grad(loss)(layers)


@program(lambda: (normal(64, 3), mlp_weights(3, 32, 3)))
def continuous_flow_trace_jacobian(x, p):
    def field(x):
        return mlp(p, x), jnp.trace(jax.jacfwd(lambda x: mlp(p, x))(x))

    def solve(x):
        def step(state, _):
            x, logp = state
            dx, trace = field(x)
            return (x + 0.05 * dx, logp - 0.05 * trace), None
        return lax.scan(step, (x, jnp.zeros(())), None, length=20)[0]
    return jax.vmap(solve)(x)


@program(lambda: (normal(128, 8), normal(128, 8, seed=1), uniform(128, seed=2),
                  mlp_weights(24, 64, 8)))
def ddpm_training_gradient(x, noise, t, p):
    frequencies = jnp.exp(jnp.linspace(0, 5, 8))
    angle = t[:, None] * frequencies
    embedding = jnp.concatenate([jnp.sin(angle), jnp.cos(angle)], 1)
    alpha = jnp.cos(t * jnp.pi / 2)[:, None] ** 2
    noisy = jnp.sqrt(alpha) * x + jnp.sqrt(1 - alpha) * noise

    def loss(p):
        return jnp.mean((mlp(p, jnp.concatenate([noisy, embedding], 1)) - noise) ** 2)
    return jax.value_and_grad(loss)(p)


@program(lambda: (normal(64, 2), mlp_weights(3, 64, 2), key(1)))
def ddpm_ancestral_sampling(x, p, rng):
    beta = jnp.linspace(1e-4, 0.05, 50)
    bar = jnp.cumprod(1 - beta)

    def step(x, inputs):
        b, a, k, t = inputs
        e = mlp(p, jnp.concatenate([x, jnp.full((64, 1), t / 50)], 1))
        x = (x - b / jnp.sqrt(1 - a) * e) / jnp.sqrt(1 - b)
        return x + jnp.sqrt(b) * jax.random.normal(k, x.shape, jnp.float32), None
    inputs = (beta[::-1], bar[::-1], jax.random.split(rng, 50), jnp.arange(50)[::-1])
    return lax.scan(step, x, inputs)[0]


@program(lambda: (normal(200, 2), mlp_weights(2, 32, 2)))
def score_matching_hutchinson(x, p):
    def loss(p):
        def one(x):
            s, tangent = jax.jvp(lambda x: mlp(p, x), (x,), (jnp.ones(2),))
            return jnp.sum(tangent) + 0.5 * jnp.sum(s ** 2)
        return jnp.mean(jax.vmap(one)(x))
    return jax.value_and_grad(loss)(p)


@program(lambda: (normal(1000, 16), normal(128, 16, seed=1)))
def vector_quantisation_straight_through(x, codebook):
    def loss(x, codebook):
        d = jnp.sum(x ** 2, 1)[:, None] - 2 * x @ codebook.T + jnp.sum(codebook ** 2, 1)
        q = codebook[jnp.argmin(d, 1)]
        commit = jnp.mean((lax.stop_gradient(q) - x) ** 2)
        embed = jnp.mean((q - lax.stop_gradient(x)) ** 2)
        return commit + 0.25 * embed + jnp.mean((x + lax.stop_gradient(q - x)) ** 3)
    return jax.value_and_grad(loss, (0, 1))(x, codebook)


@program(lambda: (normal(8, 10), normal(8, 10, seed=1), mlp_weights(1, 32, 1)))
def maml_sinusoid_meta_gradient(x, xq, p):
    def loss(p, x):
        return jnp.mean((mlp(p, x[:, None])[:, 0] - jnp.sin(x)) ** 2)

    def adapted(p, x, xq):
        for _ in range(2):
            p = jax.tree.map(lambda a, g: a - 0.1 * g, p, jax.grad(loss)(p, x))
        return loss(p, xq)
    return jax.value_and_grad(lambda p: jnp.mean(jax.vmap(adapted, (None, 0, 0))(p, x, xq)))(p)


@program(lambda: (weights(784, 64), uniform(64, 784, seed=1), key(2)), flips=0.02)
def boltzmann_machine_contrastive_divergence(w, v, rng):
    a, b = jax.random.split(rng)
    h = jax.nn.sigmoid(v @ w)
    sample = (jax.random.uniform(a, h.shape, jnp.float32) < h).astype(v.dtype)
    v2 = jax.nn.sigmoid(sample @ w.T)
    v2 = (jax.random.uniform(b, v2.shape, jnp.float32) < v2).astype(v.dtype)
    h2 = jax.nn.sigmoid(v2 @ w)
    return w + 0.1 / 64 * (v.T @ h - v2.T @ h2)


@program(lambda: (uniform(1024, 2, low=-1), mlp_weights(2, 64, 3), uniform(1024, 3, seed=3)))
def siren_image_fit_step(xy, p, colour):
    def loss(p):
        h = jnp.sin(30 * xy @ p[0])
        return jnp.mean((jnp.sin(3 * h @ p[1]) @ p[2] - colour) ** 2)
    value, g = jax.value_and_grad(loss)(p)
    return value, jax.tree.map(lambda p, g: p - 1e-3 * g, p, g)


@program(lambda: (uniform(40, 1, low=-1), mlp_weights(2, 32, 1)))
def physics_informed_burgers_residual(x, p):
    """Second derivatives inside a loss, and its gradient by the weights."""
    def u(p, x, t):
        return mlp(p, jnp.stack([x, t])[None])[0, 0]

    def loss(p):
        def residual(x, t):
            ut, ux = jax.grad(u, 2)(p, x, t), jax.grad(u, 1)(p, x, t)
            uxx = jax.grad(jax.grad(u, 1), 1)(p, x, t)
            return ut + u(p, x, t) * ux - 0.01 * uxx
        return jnp.mean(jax.vmap(residual)(x[:, 0], 0.5 * x[:, 0] + 0.5) ** 2)
    return jax.value_and_grad(loss)(p)
