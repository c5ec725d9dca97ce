"""Optimisation: descent, quasi-Newton, proximal, projections, transport, populations."""
import jax
import jax.numpy as jnp
from jax import lax

from .registry import key, normal, program, uniform


def rosenbrock(x):
    return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


@program(lambda: (uniform(100, low=-1),))
def rosenbrock_adam(x):
    def step(state, t):
        x, m, v = state
        g = jax.grad(rosenbrock)(x)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        mh, vh = m / (1 - 0.9 ** (t + 1.0)), v / (1 - 0.999 ** (t + 1.0))
        return (x - 0.01 * mh / (jnp.sqrt(vh) + 1e-8), m, v), None
    zero = jnp.zeros_like(x)
    return lax.scan(step, (x, zero, zero), jnp.arange(200))[0][0]


@program(lambda: (uniform(64, 8, low=-1),))
def newton_hessian_batch(x):
    def step(_, x):
        h = jax.hessian(rosenbrock)(x) + 50 * jnp.eye(8)
        return x - jnp.linalg.solve(h, jax.grad(rosenbrock)(x))
    return jax.vmap(lambda x: lax.fori_loop(0, 5, step, x))(x)


@program(lambda: (uniform(50, low=-0.5, high=0.5),))
def lbfgs_two_loop(x):
    m = 6
    f = jax.value_and_grad(lambda x: jnp.sum((x - 1) ** 2 * jnp.arange(1, 51)) + jnp.sum(x ** 4))

    def step(state, _):
        x, g, ss, ys, rho = state
        q = g
        alphas = []
        for i in range(m):
            a = rho[i] * ss[i] @ q
            alphas.append(a)
            q = q - a * ys[i]
        q = q * jnp.where(rho[0] > 0, 1 / (rho[0] * (ys[0] @ ys[0]) + 1e-12), 0.01)
        for i in reversed(range(m)):
            q = q + (alphas[i] - rho[i] * ys[i] @ q) * ss[i]
        new = x - q
        value, gn = f(new)
        s, y = new - x, gn - g
        ss, ys = jnp.roll(ss, 1, 0).at[0].set(s), jnp.roll(ys, 1, 0).at[0].set(y)
        rho = jnp.roll(rho, 1).at[0].set(1 / (s @ y + 1e-10))
        return (new, gn, ss, ys, rho), value
    start = (x, f(x)[1], jnp.zeros((m, 50)), jnp.zeros((m, 50)), jnp.zeros(m))
    return lax.scan(step, start, None, length=8)[1]


@program(lambda: (uniform(200, high=4), normal(200, seed=1, scale=0.05)))
def levenberg_marquardt_fit(t, noise):
    y = 2.5 * jnp.exp(-1.3 * t) * jnp.cos(2 * t) + noise

    def residual(p):
        return p[0] * jnp.exp(-p[1] * t) * jnp.cos(p[2] * t) - y

    def step(state, _):
        p, damping = state
        r, j = residual(p), jax.jacfwd(residual)(p)
        h = j.T @ j
        delta = jnp.linalg.solve(h + damping * jnp.diag(jnp.diag(h)), j.T @ r)
        better = jnp.sum(residual(p - delta) ** 2) < jnp.sum(r ** 2)
        damping = jnp.where(better, damping * 0.3, damping * 2)
        return (jnp.where(better, p - delta, p), damping), None
    start = (jnp.array([2.0, 1.0, 1.8]), jnp.full((), 1e-2))
    return lax.scan(step, start, None, length=8)[0][0]


@program(lambda: (normal(500, 100),))
def simplex_projection_batch(x):
    def project(v):
        u = jnp.sort(v)[::-1]
        css = jnp.cumsum(u) - 1
        k = jnp.arange(1, 101)
        rho = jnp.sum(u - css / k > 0)
        return jnp.maximum(v - css[rho - 1] / rho, 0)
    return jax.vmap(project)(x)


@program(lambda: (uniform(150, 2), uniform(200, 2, seed=1)))
def sinkhorn_log_domain(x, y):
    c = jnp.sum((x[:, None] - y) ** 2, -1) / 0.05
    a, b = -jnp.log(150.0), -jnp.log(200.0)

    def step(_, fg):
        f, g = fg
        f = a - jax.nn.logsumexp(g[None] - c, axis=1)
        g = b - jax.nn.logsumexp(f[:, None] - c, axis=0)
        return f, g
    f, g = lax.fori_loop(0, 20, step, (jnp.zeros(150), jnp.zeros(200)))
    return jnp.sum(jnp.exp(f[:, None] + g - c) * c) * 0.05


@program(lambda: (normal(100, 300), normal(100, seed=1)))
def lasso_fista(a, y):
    lipschitz = jnp.sum(a ** 2) / 20

    def step(state, _):
        x, z, t = state
        u = z - a.T @ (a @ z - y) / lipschitz
        new = jnp.sign(u) * jnp.maximum(jnp.abs(u) - 5.0 / lipschitz, 0)
        tn = (1 + jnp.sqrt(1 + 4 * t * t)) / 2
        return (new, new + (t - 1) / tn * (new - x), tn), None
    zero = jnp.zeros(300)
    return lax.scan(step, (zero, zero, jnp.ones(())), None, length=100)[0][0]


@program(lambda: (normal(80, 40), normal(80, seed=1)))
def lasso_admm(a, y):
    factor = jax.scipy.linalg.cho_factor(a.T @ a + jnp.eye(40))

    def step(_, state):
        z, u = state
        x = jax.scipy.linalg.cho_solve(factor, a.T @ y + z - u)
        z = jnp.sign(x + u) * jnp.maximum(jnp.abs(x + u) - 2.0, 0)
        return z, u + x - z
    return lax.fori_loop(0, 50, step, (jnp.zeros(40), jnp.zeros(40)))[0]


@program(lambda: (uniform(32, 5, 4, low=-1),), flips=0.1)
def nelder_mead_batch(simplex):
    def f(x):
        return jnp.sum((x - 0.3) ** 2 * jnp.arange(1, 5)) + 0.1 * jnp.sum(jnp.cos(3 * x))

    def step(s, _):
        value = jax.vmap(f)(s)
        order = jnp.argsort(value)
        s, value = s[order], value[order]
        centre = s[:-1].mean(0)
        reflected, expanded = 2 * centre - s[-1], 3 * centre - 2 * s[-1]
        inside = 0.5 * (centre + s[-1])
        fr = f(reflected)
        last = jnp.where(fr < value[0], jnp.where(f(expanded) < fr, expanded, reflected),
                         jnp.where(fr < value[-2], reflected, inside))
        shrink = (fr >= value[-2]) & (f(inside) >= value[-1])
        moved = s.at[-1].set(last)
        return jnp.where(shrink, 0.5 * (s + s[0]), moved), None
    return jax.vmap(lambda s: lax.scan(step, s, None, length=40)[0].mean(0))(simplex)


@program(lambda: (normal(60, 60),))
def quadratic_program_projected_gradient(a):
    q = a @ a.T / 60 + 0.1 * jnp.eye(60)
    b = a[0]

    def body(state):
        x, _, i = state
        new = jnp.clip(x - 0.2 * (q @ x - b), 0, 1)
        return new, jnp.max(jnp.abs(new - x)), i + 1
    start = (jnp.full(60, 0.5), jnp.ones(()), 0)
    return lax.while_loop(lambda s: (s[1] > 1e-12) & (s[2] < 200), body, start)[0]


@program(lambda: (uniform(5000, low=0.1, high=10),))
def cube_roots_newton_custom_derivative(y):
    """Implicit differentiation with custom_vjp around a fixed-point iteration."""
    @jax.custom_vjp
    def root(y):
        return lax.fori_loop(0, 12, lambda i, x: x - (x ** 3 - y) / (3 * x ** 2), y + 1)

    def forward(y):
        x = root(y)
        return x, x
    root.defvjp(forward, lambda x, g: (g / (3 * x ** 2),))
    return jax.value_and_grad(lambda y: jnp.sum(root(y) ** 2))(y)


@program(lambda: (uniform(20, low=-2, high=2), key(1)), flips=0.1)
def covariance_adaptation_search(mean, rng):
    def step(state, k):
        mean, sigma, c = state
        z = jax.random.normal(k, (64, 20), jnp.float32)
        chol = jnp.linalg.cholesky(c)
        x = mean + sigma * z @ chol.T
        cost = jnp.sum(x ** 2 * jnp.arange(1, 21), 1)
        best = (x[jnp.argsort(cost)[:16]] - mean) / sigma
        c = 0.8 * c + 0.2 * best.T @ best / 16 + 1e-4 * jnp.eye(20)
        return (mean + sigma * best.mean(0), sigma * 0.95, c), cost.min()
    return lax.scan(step, (mean, jnp.full((), 0.5), jnp.eye(20)), jax.random.split(rng, 10))[1]


@program(lambda: (uniform(100, 10, low=-5, high=5), key(2)), flips=0.05)
def differential_evolution(population, rng):
    def f(x):
        return 10 * 10 + jnp.sum(x ** 2 - 10 * jnp.cos(2 * jnp.pi * x), -1)

    def step(x, k):
        a, b, c = jax.random.split(k, 3)
        i, j, m = jax.random.randint(a, (3, 100), 0, 100, jnp.int32)
        trial = x[i] + 0.7 * (x[j] - x[m])
        cross = jax.random.uniform(b, x.shape, jnp.float32) < 0.8
        trial = jnp.where(cross, trial, x)
        return jnp.where((f(trial) < f(x))[:, None], trial, x), None
    return lax.scan(step, population, jax.random.split(rng, 20))[0]


@program(lambda: (normal(50, 50),))
def frank_wolfe_matrix_completion(target):
    def step(x, t):
        g = x - target
        v = lax.fori_loop(0, 5, lambda i, v: (lambda w: w / jnp.linalg.norm(w))(g.T @ (g @ v)),
                          jnp.full(50, 50 ** -0.5))
        u = g @ v
        s = -20 * jnp.outer(u / jnp.linalg.norm(u), v)
        return x + 2 / (t + 2.0) * (s - x), None
    return lax.scan(step, jnp.zeros_like(target), jnp.arange(10))[0]


@program(lambda: (normal(1000, 20), normal(1000, seed=1)))
def svm_pegasos(x, y):
    y = jnp.sign(y)

    def step(w, inputs):
        t, xi, yi = inputs
        eta = 1 / (0.01 * (t + 100.0))
        active = yi * (w @ xi) < 1
        return (1 - eta * 0.01) * w + jnp.where(active, eta * yi, 0) * xi * 0.01, None
    return lax.scan(step, jnp.zeros(20), (jnp.arange(1000), x, y))[0]
