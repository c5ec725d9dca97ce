"""Linear algebra as written by hand and by library calls; filters of state-space models."""
import jax
import jax.numpy as jnp
from jax import lax

from .registry import normal, program, uniform


@program(lambda: (normal(2000, 6, 6), normal(2000, 6, seed=1)))
def batched_solve_6x6(a, b):
    return jnp.linalg.solve(a + 4 * jnp.eye(6), b[..., None])[..., 0]


@program(lambda: (normal(1000, 3, 3),))
def inverse_and_determinant_3x3(a):
    a = a + 3 * jnp.eye(3)
    return jnp.linalg.inv(a), jnp.linalg.det(a)


@program(lambda: (normal(200, 2), normal(4, 4, seed=1, scale=0.1)))
def kalman_filter_and_smoother(observed, q):
    f = jnp.eye(4) + 0.1 * jnp.eye(4, k=2)
    h = jnp.eye(2, 4)
    q = q @ q.T + 0.01 * jnp.eye(4)

    def forward(state, z):
        m, p = state
        mp, pp = f @ m, f @ p @ f.T + q
        s = h @ pp @ h.T + 0.5 * jnp.eye(2)
        k = jnp.linalg.solve(s, h @ pp).T
        m, p = mp + k @ (z - h @ mp), (jnp.eye(4) - k @ h) @ pp
        return (m, p), (m, p, mp, pp)
    _, (m, p, mp, pp) = lax.scan(forward, (jnp.zeros(4), jnp.eye(4)), observed)

    def backward(state, inputs):
        ms, ps = state
        m, p, mp, pp = inputs
        g = jnp.linalg.solve(pp, f @ p).T
        ms, ps = m + g @ (ms - mp), p + g @ (ps - pp) @ g.T
        return (ms, ps), ms
    inputs = (m[:-1], p[:-1], mp[1:], pp[1:])
    return lax.scan(backward, (m[-1], p[-1]), inputs, reverse=True)[1]


@program(lambda: (normal(300, 300),))
def power_iteration_deflation(a):
    a = a @ a.T / 300

    def leading(a):
        def step(_, v):
            v = a @ v
            return v / jnp.linalg.norm(v)
        v = lax.fori_loop(0, 20, step, jnp.full(300, 300 ** -0.5))
        return v @ a @ v, v
    values = []
    for _ in range(3):
        value, v = leading(a)
        values.append(value)
        a = a - value * jnp.outer(v, v)
    return jnp.stack(values)


@program(lambda: (normal(64, 64), normal(64, seed=1)))
def conjugate_gradient_while(a, b):
    a = a @ a.T / 64 + jnp.eye(64)

    def body(s):
        x, r, p, rr, i = s
        ap = a @ p
        alpha = rr / (p @ ap)
        x, r = x + alpha * p, r - alpha * ap
        new = r @ r
        return x, r, r + new / rr * p, new, i + 1
    start = (jnp.zeros_like(b), b, b, b @ b, 0)
    return lax.while_loop(lambda s: (s[3] > 1e-20) & (s[4] < 15), body, start)[0]


@program(lambda: (normal(32, 8, 8),))
def jacobi_eigenvalues_batch(a):
    def sweep(a):
        for p in range(7):
            for q in range(p + 1, 8):
                theta = 0.5 * jnp.arctan2(2 * a[p, q], a[q, q] - a[p, p])
                c, s = jnp.cos(theta), jnp.sin(theta)
                rows = jnp.stack([c * a[p] - s * a[q], s * a[p] + c * a[q]])
                a = a.at[jnp.array([p, q])].set(rows)
                cols = jnp.stack([c * a[:, p] - s * a[:, q], s * a[:, p] + c * a[:, q]], 1)
                a = a.at[:, jnp.array([p, q])].set(cols)
        return a

    def solve(a):
        a = lax.fori_loop(0, 4, lambda i, a: sweep(a), (a + a.T) / 2)
        return jnp.sort(jnp.diag(a))
    return jax.vmap(solve)(a)


@program(lambda: (normal(100, 30),))
def gram_schmidt_modified(a):
    def step(q, i):
        v = a[:, i] - q @ (q.T @ a[:, i])
        v = v - q @ (q.T @ v)
        return q.at[:, i].set(v / jnp.linalg.norm(v)), None
    return lax.scan(step, jnp.zeros_like(a), jnp.arange(30))[0]


@program(lambda: (normal(64, 32),))
def householder_qr_by_hand(a):
    def step(k, a):
        x = jnp.where(jnp.arange(64) >= k, a[:, k], 0)
        v = x.at[k].add(jnp.where(x[k] >= 0, 1.0, -1.0) * jnp.linalg.norm(x))
        return a - 2 * jnp.outer(v, v @ a) / (v @ v)
    return jnp.abs(lax.fori_loop(0, 32, step, a))[:32]


@program(lambda: (normal(64, 24, 24), normal(64, 24, seed=1)))
def cholesky_solve_gradient_batch(a, b):
    def f(a, b):
        m = a @ a.T / 24 + jnp.eye(24)
        x = jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(m), b)
        return b @ x
    return jax.vmap(jax.grad(f, (0, 1)))(a, b)


@program(lambda: (normal(200, 20), normal(200, seed=1)))
def least_squares_qr_and_svd(a, b):
    q, r = jnp.linalg.qr(a)
    x = jax.scipy.linalg.solve_triangular(r, q.T @ b)
    s = jnp.linalg.svd(a, compute_uv=False)
    return x, s


@program(lambda: (normal(16, 12, 12, scale=0.2),))
def matrix_exponential_batch(a):
    return jax.vmap(jax.scipy.linalg.expm)(a)


@program(lambda: (normal(200, 200), normal(200, seed=1)))
def lanczos_tridiagonalisation(a, v):
    a = (a + a.T) / 20

    def step(state, _):
        v, w, beta = state
        u = a @ v - beta * w
        alpha = u @ v
        u = u - alpha * v
        beta = jnp.linalg.norm(u)
        return (u / beta, v, beta), (alpha, beta)
    start = (v / jnp.linalg.norm(v), jnp.zeros_like(v), jnp.zeros(()))
    return lax.scan(step, start, None, length=10)[1]


@program(lambda: (normal(64, 64), normal(64, seed=1)))
def gmres_library(a, b):
    return jax.scipy.sparse.linalg.gmres(lambda x: x + a @ x / 32, b, restart=20, maxiter=1)[0]


@program(lambda: (normal(128, 128),))
def newton_schulz_orthogonalisation(a):
    x = a / jnp.linalg.norm(a)
    for _ in range(5):
        g = x @ x.T
        x = 3.4445 * x + (-4.7750 * g + 2.0315 * g @ g) @ x
    return x


@program(lambda: (normal(300, 200), normal(200, 20, seed=1)))
def randomised_svd(a, sketch):
    q, _ = jnp.linalg.qr(a @ sketch)
    return jnp.linalg.svd(q.T @ a, compute_uv=False)


@program(lambda: (uniform(32, 1000), uniform(32, 15, seed=1)))
def toeplitz_and_kronecker_products(x, c):
    rows = jnp.arange(15)
    toeplitz = c[:, jnp.abs(rows[:, None] - rows)]
    small = x[:, :225].reshape(32, 15, 15)
    return jax.vmap(lambda t, m: jnp.kron(t[:4, :4], m[:6, :6]) @ m.reshape(-1)[:24])(
        toeplitz, small), toeplitz @ small


@program(lambda: (normal(500, 50),))
def principal_components_whitening(x):
    x = x - x.mean(0)
    e, v = jnp.linalg.eigh(x.T @ x / 499)
    return jnp.abs((x @ v)[:, -3:] / jnp.sqrt(e[-3:])), e


@program(lambda: (normal(10_000, scale=0.1),))
def composed_rotations_in_the_plane(angle):
    c, s = jnp.cos(angle), jnp.sin(angle)
    turn = jnp.stack([jnp.stack([c, -s], -1), jnp.stack([s, c], -1)], -2)
    return lax.associative_scan(jnp.matmul, turn)


@program(lambda: (normal(20_000, 3, 3), normal(20_000, 3, 3, seed=1), normal(20_000, 3, seed=2)))
def stress_of_deformations(f, c, v):
    strain = (jnp.swapaxes(f, 1, 2) @ f - jnp.eye(3)) / 2
    return f @ (c @ strain), jnp.einsum("nij,nj->ni", f, v)
