"""Partial differential equations on grids: stencils by rolls and slices, spectral methods."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .ode import rk4_step
from .registry import normal, program, uniform


def laplacian(u):
    return (jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1)
            - 4 * u)


@program(lambda: (uniform(256, 256),))
def heat_2d_rolls(u):
    return lax.fori_loop(0, 50, lambda i, u: u + 0.2 * laplacian(u), u)


@program(lambda: (uniform(256, 256),))
def heat_2d_unrolled(u):
    for _ in range(8):
        u = u + 0.2 * laplacian(u)
    return u


@program(lambda: (uniform(300, 300),))
def heat_2d_slices(u):
    def step(_, u):
        inner = (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
        return u.at[1:-1, 1:-1].add(0.2 * inner)
    return lax.fori_loop(0, 20, step, u)


@program(lambda: (normal(128, 128),))
def heat_2d_convolution(u):
    kernel = jnp.array([[0, 1, 0], [1, -4, 1], [0, 1, 0]], u.dtype)

    def step(u, _):
        padded = jnp.pad(u, 1, mode="edge")
        return u + 0.2 * jax.scipy.signal.convolve2d(padded, kernel, mode="valid"), None
    return lax.scan(step, u, None, length=10)[0]


@program(lambda: (normal(4096), normal(4096, seed=1)))
def wave_1d_trajectory(u, v):
    def step(state, _):
        u, v = state
        v = v + 0.1 * (jnp.roll(u, 1) - 2 * u + jnp.roll(u, -1))
        u = u + 0.1 * v
        return (u, v), u
    return lax.scan(step, (u, v), None, length=100)


@program(lambda: (normal(128, 128), uniform(128, 128, low=0.5, seed=1)))
def wave_2d_adjoint(source, speed):
    """Gradient of a misfit with respect to the medium, as in full waveform inversion."""
    def loss(c):
        def step(state, _):
            u, old = state
            return (2 * u - old + 0.1 * c ** 2 * laplacian(u), u), u[64]
        _, trace = lax.scan(step, (source, source), None, length=16)
        return jnp.mean(trace ** 2)
    return jax.value_and_grad(loss)(speed)


@program(lambda: (normal(2048),))
def burgers_godunov(u):
    def flux(left, right):
        speed = jnp.maximum(jnp.abs(left), jnp.abs(right))
        return 0.25 * (left ** 2 + right ** 2) - 0.5 * speed * (right - left)

    def step(_, u):
        f = flux(u, jnp.roll(u, -1))
        return u - 0.1 * (f - jnp.roll(f, 1))
    return lax.fori_loop(0, 100, step, u)


@program(lambda: (uniform(128, 128), uniform(128, 128, seed=1, high=0.5)))
def gray_scott(u, v):
    def step(state, _):
        u, v = state
        uvv = u * v * v
        u = u + 0.16 * laplacian(u) - uvv + 0.035 * (1 - u)
        v = v + 0.08 * laplacian(v) + uvv - 0.1 * v
        return (u, v), None
    return lax.scan(step, (u, v), None, length=50)[0]


@program(lambda: (normal(1000),))
def advection_rk4_unrolled(u):
    """Fourth-order differences of a periodic field, five unrolled RK4 steps."""
    def field(u):
        return -(8 * (jnp.roll(u, -1) - jnp.roll(u, 1)) - (jnp.roll(u, -2) - jnp.roll(u, 2))) / 12
    for _ in range(5):
        u = rk4_step(field, u, 0.1)
    return u


@program(lambda: (normal(128, 128),))
def poisson_jacobi(f):
    def body(state):
        u, _, i = state
        p = jnp.pad(u, 1)
        new = 0.25 * (p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 1e-2 * f)
        return new, jnp.max(jnp.abs(new - u)), i + 1
    state = (jnp.zeros_like(f), jnp.ones((), f.dtype), 0)
    u, residual, _ = lax.while_loop(lambda s: (s[1] > 1e-9) & (s[2] < 60), body, state)
    return u, residual


@program(lambda: (normal(128, 128),))
def poisson_red_black(f):
    i, j = jnp.indices(f.shape)
    red = (i + j) % 2 == 0

    def sweep(_, u):
        for mask in (red, ~red):
            around = (jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1)
                      + jnp.roll(u, -1, 1))
            u = jnp.where(mask, 0.25 * (around - 1e-2 * f), u)
        return u
    return lax.fori_loop(0, 20, sweep, jnp.zeros_like(f))


_C = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]])
_W = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)


@program(lambda: (uniform(96, 96, 9, low=0.9, high=1.1),))
def lattice_boltzmann_d2q9(f):
    i, j = np.indices((96, 96))
    wall = jnp.asarray((i - 24) ** 2 + (j - 48) ** 2 < 80)
    opposite = np.array([0, 3, 4, 1, 2, 7, 8, 5, 6])

    def step(f, _):
        rho = f.sum(-1)
        u = jnp.einsum("xyq,qd->xyd", f, jnp.asarray(_C, f.dtype)) / rho[..., None]
        cu = jnp.einsum("xyd,qd->xyq", u, jnp.asarray(_C, f.dtype))
        square = jnp.sum(u ** 2, -1, keepdims=True)
        shape = 1 + 3 * cu + 4.5 * cu ** 2 - 1.5 * square
        equilibrium = rho[..., None] * jnp.asarray(_W, f.dtype) * shape
        out = f - (f - equilibrium) / 0.8
        out = jnp.where(wall[..., None], f[..., opposite], out)
        out = jnp.stack([jnp.roll(out[..., q], _C[q], axis=(0, 1)) for q in range(9)], -1)
        return out, None
    return lax.scan(step, f, None, length=5)[0]


@program(lambda: (normal(128, 128),))
def vorticity_spectral(w):
    k = jnp.fft.fftfreq(128, 1 / 128)
    kx, ky = k[:, None], jnp.fft.rfftfreq(128, 1 / 128)[None, :]
    k2 = kx ** 2 + ky ** 2
    inverse = jnp.where(k2 == 0, 0, 1 / jnp.where(k2 == 0, 1, k2))

    def step(wh, _):
        psi = wh * inverse
        u, v = jnp.fft.irfft2(1j * ky * psi), jnp.fft.irfft2(-1j * kx * psi)
        wx, wy = jnp.fft.irfft2(1j * kx * wh), jnp.fft.irfft2(1j * ky * wh)
        nonlinear = jnp.fft.rfft2(u * wx + v * wy)
        return (wh - 1e-3 * nonlinear) / (1 + 1e-5 * k2), None
    return jnp.fft.irfft2(lax.scan(step, jnp.fft.rfft2(w), None, length=5)[0])


@program(lambda: (uniform(128, 128, low=0.9, high=1.1),))
def shallow_water(h):
    def dx(a):
        return 0.5 * (jnp.roll(a, -1, 1) - jnp.roll(a, 1, 1))

    def dy(a):
        return 0.5 * (jnp.roll(a, -1, 0) - jnp.roll(a, 1, 0))

    def step(_, state):
        h, u, v = state
        u = u - 0.02 * (dx(h) + u * dx(u) + v * dy(u) - 0.1 * v)
        v = v - 0.02 * (dy(h) + u * dx(v) + v * dy(v) + 0.1 * u)
        h = h - 0.02 * (dx(h * u) + dy(h * v))
        return h, u, v
    return lax.fori_loop(0, 20, step, (h, jnp.zeros_like(h), jnp.zeros_like(h)))


@program(lambda: (normal(500),))
def kdv_integrating_factor(u):
    """Korteweg-de Vries by RK4 in Fourier space; 500 points."""
    k = 2 * jnp.pi * jnp.fft.fftfreq(500, 40 / 500)
    dt = 1e-4
    half = jnp.exp(0.5j * k ** 3 * dt)

    def step(uh, _):
        def nonlinear(uh):
            return -3j * k * jnp.fft.fft(jnp.real(jnp.fft.ifft(uh)) ** 2)
        a = dt * nonlinear(uh)
        b = dt * nonlinear(half * (uh + a / 2))
        c = dt * nonlinear(half * uh + b / 2)
        d = dt * nonlinear(half ** 2 * uh + half * c)
        return half ** 2 * uh + (half ** 2 * a + 2 * half * (b + c) + d) / 6, None
    uh, _ = lax.scan(step, jnp.fft.fft(u), None, length=10)
    return jnp.real(jnp.fft.ifft(uh))


@program(lambda: (normal(16, 257),))
def crank_nicolson_tridiagonal(u):
    n, r = 257, 0.4
    lower = jnp.full(n, -r / 2).at[0].set(0).astype(u.dtype)
    upper = jnp.full(n, -r / 2).at[-1].set(0).astype(u.dtype)
    diagonal = jnp.full(n, 1 + r).astype(u.dtype)

    def step(u, _):
        rhs = u + r / 2 * (jnp.roll(u, 1) - 2 * u + jnp.roll(u, -1))
        return lax.linalg.tridiagonal_solve(lower, diagonal, upper, rhs[:, None])[:, 0], None
    return jax.vmap(lambda u: lax.scan(step, u, None, length=10)[0])(u)


@program(lambda: (normal(512),))
def schroedinger_split_step(x):
    grid = jnp.linspace(-10, 10, 512)
    psi = jnp.exp(-(grid - 1) ** 2 + 2j * grid + 0.01j * x)
    k = 2 * jnp.pi * jnp.fft.fftfreq(512, 20 / 512)
    potential = jnp.exp(-0.5j * 0.01 * 0.5 * grid ** 2)
    kinetic = jnp.exp(-0.5j * 0.01 * k ** 2)

    def step(psi, _):
        psi = potential * jnp.fft.ifft(kinetic * jnp.fft.fft(potential * psi))
        return psi, jnp.sum(jnp.abs(psi) ** 2)
    return lax.scan(step, psi, None, length=50)[1]


@program(lambda: (normal(129, 129),))
def multigrid_v_cycle(f):
    def smooth(u, f, h):
        for _ in range(2):
            inner = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
                            - h * h * f[1:-1, 1:-1])
            u = u.at[1:-1, 1:-1].set(inner)
        return u

    def cycle(u, f, h):
        u = smooth(u, f, h)
        if u.shape[0] <= 5:
            return u
        r = jnp.zeros_like(u).at[1:-1, 1:-1].set(
            f[1:-1, 1:-1] - (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
                             - 4 * u[1:-1, 1:-1]) / (h * h))
        e = cycle(jnp.zeros_like(r[::2, ::2]), r[::2, ::2], 2 * h)
        fine = jnp.zeros_like(u).at[::2, ::2].set(e)
        fine = fine.at[1::2, ::2].set(0.5 * (e[1:] + e[:-1]))
        fine = fine.at[:, 1::2].set(0.5 * (fine[:, 2::2] + fine[:, :-2:2]))
        return smooth(u + fine, f, h)
    return cycle(jnp.zeros_like(f), f, 1 / 128)


@program(lambda: (normal(64, 64, scale=0.1),))
def cahn_hilliard(c):
    def step(_, c):
        return c + 0.01 * laplacian(c ** 3 - c - 0.5 * laplacian(c))
    return lax.fori_loop(0, 100, step, c)


@program(lambda: (uniform(40, 40, 40),))
def heat_3d_seven_point(u):
    def step(u, _):
        total = sum(jnp.roll(u, s, a) for a in range(3) for s in (1, -1))
        return u + 0.1 * (total - 6 * u), u.mean()
    return lax.scan(step, u, None, length=10)
