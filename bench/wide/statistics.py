"""Sampling, estimation and tests."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.scipy import stats

from .registry import integers, key, normal, program, uniform


@program(lambda: (normal(200, 4), key(1)), flips=0.02)
def metropolis_hastings(data, rng):
    def log_density(theta):
        return -0.5 * jnp.sum((data - theta) ** 2) - 0.5 * jnp.sum(theta ** 2)

    def step(theta, k):
        a, b = jax.random.split(k)
        proposal = theta + 0.1 * jax.random.normal(a, theta.shape, jnp.float32)
        log_ratio = log_density(proposal) - log_density(theta)
        accept = jnp.log(jax.random.uniform(b, (), jnp.float32)) < log_ratio
        theta = jnp.where(accept, proposal, theta)
        return theta, theta
    return lax.scan(step, jnp.zeros(4), jax.random.split(rng, 500))[1]


@program(lambda: (normal(100, 8), integers(100, high=2), normal(32, 8, seed=2), key(2)), flips=0.02)
def hmc_logistic_regression(x, y, start, rng):
    """32 chains of Hamiltonian Monte Carlo, vmapped."""
    def log_density(w):
        logits = x @ w
        return jnp.sum(y * logits - jnp.logaddexp(0.0, logits)) - 0.5 * jnp.sum(w ** 2)
    gradient = jax.grad(log_density)

    def chain(w, rng):
        def step(w, k):
            a, b = jax.random.split(k)
            p = jax.random.normal(a, w.shape, jnp.float32)

            def leapfrog(_, state):
                w, p = state
                p = p + 0.025 * gradient(w)
                w = w + 0.05 * p
                return w, p + 0.025 * gradient(w)
            w2, p2 = lax.fori_loop(0, 10, leapfrog, (w, p * jnp.ones_like(w)))
            energy = log_density(w2) - 0.5 * p2 @ p2 - log_density(w) + 0.5 * p @ p
            accept = jnp.log(jax.random.uniform(b, (), jnp.float32)) < energy
            return jnp.where(accept, w2, w), accept
        return lax.scan(step, w, jax.random.split(rng, 4))
    return jax.vmap(chain)(start, jax.random.split(rng, 32))


@program(lambda: (normal(1000), key(3)))
def bootstrap_confidence_interval(data, rng):
    def resample(k):
        index = jax.random.randint(k, (1000,), 0, 1000, jnp.int32)
        return jnp.mean(data[index])
    means = jax.vmap(resample)(jax.random.split(rng, 500))
    return jnp.percentile(means, jnp.array([2.5, 50.0, 97.5]))


@program(lambda: (normal(1000), uniform(400, low=-3, high=3, seed=1)))
def kernel_density(data, points):
    h = 1.06 * jnp.std(data) * 1000 ** -0.2
    return jnp.mean(stats.norm.pdf((points[:, None] - data) / h), axis=1) / h


@program(lambda: (normal(1000, 3), normal(4, 3, seed=1)))
def gaussian_mixture_em(x, means):
    def em(state, _):
        pi, mu, cov = state
        chol = jnp.linalg.cholesky(cov)
        d = x[None] - mu[:, None]
        z = jax.vmap(lambda c, d: jax.scipy.linalg.solve_triangular(c, d.T, lower=True))(chol, d)
        log_det = jnp.sum(jnp.log(jnp.diagonal(chol, axis1=1, axis2=2)), -1)
        logp = jnp.log(pi)[:, None] - 0.5 * jnp.sum(z ** 2, 1) - log_det[:, None]
        r = jax.nn.softmax(logp, axis=0)
        n = r.sum(1)
        mu = (r @ x) / n[:, None]
        d = x[None] - mu[:, None]
        cov = jnp.einsum("kn,kni,knj->kij", r, d, d) / n[:, None, None] + 1e-3 * jnp.eye(3)
        return (n / 1000, mu, cov), jax.nn.logsumexp(logp, axis=0).sum()
    start = (jnp.full(4, 0.25), means, jnp.tile(jnp.eye(3), (4, 1, 1)))
    return lax.scan(em, start, None, length=10)


@program(lambda: (uniform(120, 2), normal(120, seed=1), uniform(200, 2, seed=2)))
def gaussian_process_regression(x, y, new):
    def kernel(a, b):
        d2 = jnp.sum((a[:, None] - b[None]) ** 2, -1)
        return jnp.exp(-d2 / 0.08)
    chol = jax.scipy.linalg.cho_factor(kernel(x, x) + 0.1 * jnp.eye(120), lower=True)
    cross = kernel(new, x)
    mean = cross @ jax.scipy.linalg.cho_solve(chol, y)
    variance = 1 - jnp.sum(cross * jax.scipy.linalg.cho_solve(chol, cross.T).T, 1)
    return mean, variance


@program(lambda: (uniform(60, 1), normal(60, seed=1), normal(3, seed=2, scale=0.3)))
def gp_marginal_likelihood_gradient(x, y, theta):
    def loss(theta):
        scale, amplitude, noise = jnp.exp(theta)
        k = amplitude * jnp.exp(-0.5 * (x - x.T) ** 2 / scale) + (noise + 0.1) * jnp.eye(60)
        chol = jnp.linalg.cholesky(k)
        alpha = jax.scipy.linalg.solve_triangular(chol, y, lower=True)
        return 0.5 * alpha @ alpha + jnp.sum(jnp.log(jnp.diag(chol)))
    return jax.value_and_grad(loss)(theta)


@program(lambda: (normal(2000, 10), integers(2000, high=2)))
def logistic_regression_newton(x, y):
    def step(w, _):
        p = jax.nn.sigmoid(x @ w)
        gradient = x.T @ (p - y) + 0.1 * w
        hessian = (x * (p * (1 - p))[:, None]).T @ x + 0.1 * jnp.eye(10)
        return w - jnp.linalg.solve(hessian, gradient), None
    return lax.scan(step, jnp.zeros(10), None, length=6)[0]


@program(lambda: (normal(100, seed=1), normal(120, seed=2), key(4)), flips=0.02)
def permutation_test(a, b, rng):
    pool = jnp.concatenate([a, b])

    def difference(k):
        shuffled = jax.random.permutation(k, pool)
        return shuffled[:100].mean() - shuffled[100:].mean()
    null = jax.vmap(difference)(jax.random.split(rng, 200))
    return null, jnp.sum(jnp.abs(null) >= jnp.abs(a.mean() - b.mean()))


# If one index of a resampling differs, by a rounding of the sum of weights, so do all later steps.
@program(lambda: (normal(200, seed=5), key(6)), flips=0.3)
def particle_filter(observations, rng):
    """Bootstrap filter with systematic resampling, 500 particles."""
    def step(particles, inputs):
        y, k = inputs
        a, b = jax.random.split(k)
        particles = 0.9 * particles + jax.random.normal(a, (500,), jnp.float32)
        logw = -0.5 * (y - particles) ** 2
        w = jax.nn.softmax(logw)
        u = (jnp.arange(500) + jax.random.uniform(b, (), jnp.float32)) / 500
        index = jnp.clip(jnp.searchsorted(jnp.cumsum(w), u), 0, 499)
        return particles[index], jnp.sum(w * particles)
    return lax.scan(step, jnp.zeros(500), (observations[:50], jax.random.split(rng, 50)))[1]


@program(lambda: (key(7),))
def gibbs_bivariate_normal(rng):
    noise = jax.random.normal(rng, (2000, 2), jnp.float32)

    def step(state, e):
        x, y = state
        x = 0.8 * y + 0.6 * e[0]
        y = 0.8 * x + 0.6 * e[1]
        return (x, y), jnp.stack([x, y])
    draws = lax.scan(step, (jnp.zeros(()), jnp.zeros(())), noise * 1.0)[1]
    return draws.mean(0), jnp.cov(draws.T)


@program(lambda: (normal(300, 12),))
def spearman_rank_correlation(x):
    ranks = jnp.argsort(jnp.argsort(x, axis=0), axis=0).astype(x.dtype)
    return jnp.corrcoef(ranks.T)


@program(lambda: (normal(100000),))
def histogram_and_moments(x):
    counts, edges = jnp.histogram(x, bins=50, range=(-4, 4))
    z = (x - x.mean()) / x.std()
    return counts, edges, jnp.mean(z ** 3), jnp.mean(z ** 4) - 3


@program(lambda: (normal(64, 500),))
def autocorrelation_effective_size(chains):
    centred = chains - chains.mean(1, keepdims=True)
    f = jnp.fft.rfft(centred, n=1000)
    acov = jnp.fft.irfft(jnp.abs(f) ** 2, n=1000)[:, :500]
    rho = acov / acov[:, :1]
    return 500 / (1 + 2 * jnp.sum(rho[:, 1:50], axis=1))


@program(lambda: (normal(500, 6), normal(500, seed=1)))
def quantile_regression_subgradient(x, y):
    def loss(w, q):
        r = y - x @ w
        return jnp.mean(jnp.maximum(q * r, (q - 1) * r))

    def fit(q):
        return lax.fori_loop(0, 50, lambda i, w: w - 0.1 * jax.grad(loss)(w, q), jnp.zeros(6))
    return jax.vmap(fit)(jnp.array([0.1, 0.25, 0.5, 0.75, 0.9]))


@program(lambda: (normal(100_000),))
def positions_of_extremes(x):
    return jnp.argmax(x), jnp.argmin(x), jnp.argmax(jnp.abs(x))
