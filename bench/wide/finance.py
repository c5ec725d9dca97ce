"""Pricing, calibration and risk."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.scipy.stats import norm

from .registry import key, normal, program, uniform


def black_scholes(s, k, t, r, v):
    d1 = (jnp.log(s / k) + (r + 0.5 * v * v) * t) / (v * jnp.sqrt(t))
    d2 = d1 - v * jnp.sqrt(t)
    return s * norm.cdf(d1) - k * jnp.exp(-r * t) * norm.cdf(d2)


def market(n):
    return (uniform(n, low=80, high=120), uniform(n, low=80, high=120, seed=1),
            uniform(n, low=0.1, high=2, seed=2), uniform(n, low=0.1, high=0.5, seed=3))


@program(lambda: market(20000))
def black_scholes_prices(s, k, t, v):
    call = black_scholes(s, k, t, 0.03, v)
    return call, call - s + k * jnp.exp(-0.03 * t)


@program(lambda: market(4000))
def black_scholes_greeks(s, k, t, v):
    def price(s, v, t):
        return lambda k: black_scholes(s, k, t, 0.03, v)
    delta, vega, theta = (jax.vmap(jax.grad(lambda s, v, t, k: price(s, v, t)(k), i))
                          for i in range(3))
    gamma = jax.vmap(jax.grad(jax.grad(lambda s, v, t, k: price(s, v, t)(k))))
    return delta(s, v, t, k), gamma(s, v, t, k), vega(s, v, t, k), theta(s, v, t, k)


@program(lambda: market(2000))
def implied_volatility_newton(s, k, t, v):
    price = black_scholes(s, k, t, 0.03, v)

    def solve(s, k, t, price):
        f = jax.value_and_grad(lambda v: black_scholes(s, k, t, 0.03, v))

        def step(_, v):
            p, vega = f(v)
            return jnp.clip(v - (p - price) / jnp.maximum(vega, 1e-3), 0.01, 3.0)
        return lax.fori_loop(0, 8, step, jnp.full((), 0.3))
    v = jax.vmap(solve)(s, k, t, price)
    return black_scholes(s, k, t, 0.03, v)


@program(lambda: (key(1), uniform(3, low=0.9, high=1.1)))
def monte_carlo_asian_option(rng, p):
    z = jax.random.normal(rng, (2000, 100), jnp.float32)
    increments = (0.03 - 0.02 * p[1]) / 100 + 0.2 * p[1] * 0.1 * z
    paths = 100 * p[0] * jnp.exp(jnp.cumsum(increments, axis=1))
    payoff = jnp.maximum(paths.mean(1) - 100 * p[2], 0)
    return jnp.exp(-0.03) * payoff.mean(), payoff.std() / 2000 ** 0.5


@program(lambda: (key(2), uniform(2, low=0.9, high=1.1)))
def monte_carlo_pathwise_delta(rng, p):
    def price(p):
        def step(s, k):
            z = jax.random.normal(k, (4000,), jnp.float32)
            return s * jnp.exp((0.03 - 0.02 * p[1]) / 20 + 0.2 * p[1] * z / 20 ** 0.5), None
        s = lax.scan(step, jnp.full(4000, 100.0) * p[0], jax.random.split(rng, 20))[0]
        return jnp.mean(jnp.maximum(s - 100, 0))
    return jax.value_and_grad(price)(p)


@program(lambda: (key(3), uniform(2, low=0.9, high=1.1)), flips=0.01)
def american_put_longstaff_schwartz(rng, p):
    z = jax.random.normal(rng, (2000, 25), jnp.float32)
    paths = 36 * p[0] * jnp.exp(jnp.cumsum((0.06 - 0.02) / 25 + 0.2 / 5 * z, axis=1))

    def step(value, s):
        value = value * jnp.exp(-0.06 / 25)
        x = s / 40
        basis = jnp.stack([jnp.ones_like(x), x, x ** 2], 1)
        money = s < 40
        w = money.astype(x.dtype)[:, None]
        gram = (basis * w).T @ basis + 1e-3 * jnp.eye(3)
        fit = basis @ jnp.linalg.solve(gram, (basis * w).T @ value)
        exercise = jnp.maximum(40 - s, 0)
        return jnp.where(money & (exercise > fit), exercise, value), None
    last = jnp.maximum(40 - paths[:, -1], 0)
    return lax.scan(step, last, paths[:, -2::-1].T)[0].mean()


@program(lambda: market(64))
def american_put_binomial_tree(s, k, t, v):
    n = 128

    def price(s, k, t, v):
        dt = t / n
        up = jnp.exp(v * jnp.sqrt(dt))
        q = (jnp.exp(0.03 * dt) - 1 / up) / (up - 1 / up)
        j = jnp.arange(n + 1)
        value = jnp.maximum(k - s * up ** (2.0 * j - n), 0)

        def back(i, value):
            spot = s * up ** (2.0 * j - (n - 1 - i))
            hold = jnp.exp(-0.03 * dt) * (q * jnp.roll(value, -1) + (1 - q) * value)
            return jnp.maximum(hold, k - spot)
        return lax.fori_loop(0, n, back, value)[0]
    return jax.vmap(price)(s, k, t, v)


@program(lambda: (key(4), uniform(5, low=0.9, high=1.1)))
def heston_paths(rng, p):
    z = jax.random.normal(rng, (50, 2, 2000), jnp.float32)

    def step(state, z):
        s, v = state
        w = -0.7 * z[0] + (1 - 0.49) ** 0.5 * z[1]
        vp = jnp.maximum(v, 0)
        s = s * jnp.exp((0.02 - 0.5 * vp) / 50 + jnp.sqrt(vp / 50) * z[0])
        v = v + 2 * p[0] * (0.04 * p[1] - vp) / 50 + 0.3 * p[2] * jnp.sqrt(vp / 50) * w
        return (s, v), v.mean()
    start = (jnp.full(2000, 100.0) * p[3], jnp.full(2000, 0.04) * p[4])
    (s, _), v = lax.scan(step, start, z)
    strikes = jnp.linspace(80, 120, 9)
    return jnp.maximum(s[:, None] - strikes, 0).mean(0), v


@program(lambda: (key(5), uniform(1, low=0.99, high=1.01)), flips=0.01)
def barrier_option_monte_carlo(rng, p):
    z = jax.random.normal(rng, (252, 2000), jnp.float32)

    def step(state, z):
        s, alive = state
        s = s * (1 + 0.0001 + 0.01 * z)
        return (s, alive & (s < 120)), None
    (s, alive), _ = lax.scan(step, (jnp.full(2000, 100.0) * p, jnp.ones(2000, bool)), z)
    return jnp.where(alive, jnp.maximum(s - 100, 0), 0)


@program(lambda: (normal(20, 500), normal(20, seed=1)))
def portfolio_mean_variance_gradient(returns, start):
    cov = jnp.cov(returns)
    mean = returns.mean(1)

    def loss(x):
        w = jax.nn.softmax(x)
        return 0.5 * w @ cov @ w - w @ mean
    x = lax.fori_loop(0, 100, lambda i, x: x - 0.5 * jax.grad(loss)(x), start)
    return jax.nn.softmax(x)


@program(lambda: (normal(1000), uniform(3, low=0.05, high=0.2, seed=1)))
def garch_likelihood_gradient(r, theta):
    def loss(theta):
        def step(v, r):
            v = theta[0] + theta[1] * r ** 2 + 4 * theta[2] * v
            return v, jnp.log(v) + r ** 2 / v
        return jnp.mean(lax.scan(step, jnp.ones(()), r)[1])
    return jax.value_and_grad(loss)(theta)


@program(lambda: (normal(5000, 30), uniform(30, seed=1)))
def value_at_risk_historical(returns, w):
    loss = -(returns @ (w / w.sum()))
    ordered = jnp.sort(loss)
    return jnp.quantile(loss, jnp.array([0.95, 0.99])), ordered[-50:].mean()


@program(lambda: (uniform(300, 20, low=1, high=5), uniform(300, low=70, high=110, seed=1)))
def bond_yield_bisection(coupons, price):
    t = jnp.arange(1, 21)

    def value(y):
        df = jnp.exp(-y[:, None] * t)
        return jnp.sum(coupons * df, 1) + 100 * df[:, -1]

    def step(_, bounds):
        low, high = bounds
        mid = 0.5 * (low + high)
        above = value(mid) > price
        return jnp.where(above, mid, low), jnp.where(above, high, mid)
    low, high = lax.fori_loop(0, 15, step, (jnp.full(300, -0.5), jnp.full(300, 1.0)))
    return 0.5 * (low + high)


@program(lambda: (uniform(3, low=0.9, high=1.1),))
def option_finite_differences(p):
    """Explicit scheme for a call; delta and gamma of the whole grid."""
    s = jnp.linspace(0, 300, 151)
    payoff = jnp.maximum(s - 100 * p[0], 0)

    def step(v, _):
        first = (v[2:] - v[:-2]) / 4
        second = (v[2:] - 2 * v[1:-1] + v[:-2]) / 4
        x = s[1:-1]
        inner = v[1:-1] + 5e-4 * (0.02 * p[1] * x ** 2 * second + 0.03 * x * first
                                  - 0.03 * v[1:-1])
        return jnp.concatenate([v[:1], inner, 2 * inner[-1:] - inner[-2:-1]]), None
    v = lax.scan(step, payoff, None, length=1000)[0]
    return v, jnp.gradient(v, s[1] - s[0])
