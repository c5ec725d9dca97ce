"""Molecular dynamics: potentials, neighbour lists, integrators, structure."""
import jax
import jax.numpy as jnp
from jax import lax

from .registry import integers, key, normal, program, uniform


def lattice(n, seed=0):
    """n^3 slightly displaced points of a cubic lattice of spacing 1.2."""
    import numpy as np
    grid = np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), -1).reshape(-1, 3)
    return (1.2 * grid + 0.05 * normal(n ** 3, 3, seed=seed)).astype(np.float32)


def pair_energy(r2):
    s6 = (1 / r2) ** 3
    return 4 * (s6 * s6 - s6)


def total_energy(x, box):
    d = x[:, None] - x[None]
    d = d - box * jnp.round(d / box)
    r2 = jnp.sum(d ** 2, -1) + 100 * jnp.eye(len(x))
    return 0.5 * jnp.sum(jnp.where(r2 < 6.25, pair_energy(r2), 0))


@program(lambda: (lattice(6),))
def lennard_jones_forces(x):
    energy, gradient = jax.value_and_grad(total_energy)(x, 7.2)
    return energy, -gradient


@program(lambda: (lattice(4), normal(64, 3, seed=1, scale=0.3)))
def velocity_verlet_trajectory(x, v):
    force = jax.grad(lambda x: -total_energy(x, 4.8))

    def step(state, _):
        x, v, f = state
        v = v + 0.001 * f
        x = (x + 0.002 * v) % 4.8
        f = force(x)
        v = v + 0.001 * f
        return (x, v, f), 0.5 * jnp.sum(v ** 2)
    return lax.scan(step, (x, v, force(x)), None, length=20)[1]


@program(lambda: (lattice(7), integers(343, 24, high=343)))
def neighbour_list_energy_gradient(x, neighbours):
    def energy(x):
        d = x[:, None] - x[neighbours]
        r2 = jnp.sum(d ** 2, -1)
        real = (neighbours != jnp.arange(343)[:, None]) & (r2 < 9.0)
        r2 = jnp.where(real, r2, 1.0)
        return 0.5 * jnp.sum(jnp.where(real, pair_energy(r2), 0))
    return jax.value_and_grad(energy)(x)


@program(lambda: (uniform(2000, 3, high=10),))
def cell_list_construction(x):
    cell = jnp.floor(x / 1.25).astype(jnp.int32)
    ids = cell[:, 0] * 64 + cell[:, 1] * 8 + cell[:, 2]
    order = jnp.argsort(ids)
    count = jnp.bincount(ids, length=512)
    start = jnp.cumsum(count) - count
    slot = jnp.arange(2000) - start[ids[order]]
    table = jnp.full((512, 16), -1).at[ids[order], slot].set(order, mode="drop")
    return table.astype(jnp.int32), count


@program(lambda: (uniform(300, 3, high=8),), flips=0.02)
def radial_distribution_function(x):
    d = x[:, None] - x[None]
    d = d - 8 * jnp.round(d / 8)
    r = jnp.sqrt(jnp.sum(d ** 2, -1))
    bins = jnp.clip((r / 4 * 100).astype(jnp.int32), 0, 100)
    counts = jnp.zeros(101).at[bins.ravel()].add(1.0)[:100]
    edges = jnp.linspace(0, 4, 101)
    return counts / (4 / 3 * jnp.pi * (edges[1:] ** 3 - edges[:-1] ** 3))


@program(lambda: (lattice(5), integers(400, 2, high=125), integers(300, 3, high=125, seed=1),
                  integers(200, 4, high=125, seed=2)))
def bonded_force_field(x, bonds, angles, torsions):
    def energy(x):
        b = x[bonds[:, 0]] - x[bonds[:, 1]]
        e = jnp.sum((1 - jnp.exp(-(jnp.sqrt(jnp.sum(b * b, 1) + 0.1) - 1))) ** 2)
        u, v = x[angles[:, 0]] - x[angles[:, 1]], x[angles[:, 2]] - x[angles[:, 1]]
        c = jnp.sum(u * v, 1) / jnp.sqrt((jnp.sum(u * u, 1) + 0.1) * (jnp.sum(v * v, 1) + 0.1))
        e += jnp.sum((jnp.arccos(jnp.clip(c, -0.99, 0.99)) - 1.9) ** 2)
        p = x[torsions]
        b1, b2, b3 = p[:, 1] - p[:, 0], p[:, 2] - p[:, 1], p[:, 3] - p[:, 2]
        n1, n2 = jnp.cross(b1, b2), jnp.cross(b2, b3)
        y = jnp.sum(jnp.cross(n1, n2) * b2, 1) / jnp.sqrt(jnp.sum(b2 * b2, 1) + 0.1)
        phi = jnp.arctan2(y, jnp.sum(n1 * n2, 1) + 0.01)
        return e + jnp.sum(1 + jnp.cos(3 * phi))
    return jax.value_and_grad(energy)(x)


@program(lambda: (uniform(200, 3, high=10), normal(200, seed=1)))
def ewald_reciprocal_energy(x, charge):
    k = jnp.arange(-3, 4)
    kx, ky, kz = jnp.meshgrid(k, k, k, indexing="ij")
    vectors = 2 * jnp.pi / 10 * jnp.stack([kx, ky, kz], -1).reshape(-1, 3)
    k2 = jnp.sum(vectors ** 2, 1)
    w = jnp.where(k2 > 0, jnp.exp(-k2) / jnp.where(k2 > 0, k2, 1), 0)

    def energy(x):
        phase = x @ vectors.T
        s = charge @ jnp.cos(phase), charge @ jnp.sin(phase)
        return jnp.sum(w * (s[0] ** 2 + s[1] ** 2))
    return jax.value_and_grad(energy)(x)


@program(lambda: (normal(100, 3), normal(100, 3, seed=1)))
def nose_hoover_chain(x, v):
    def step(state, _):
        x, v, xi = state
        xi = xi + 0.005 * (jnp.sum(v * v) / 300 - 1)
        v = (v - 0.01 * (x + 0.1 * x ** 3)) * jnp.exp(-0.01 * xi)
        return (x + 0.01 * v, v, xi), xi
    return lax.scan(step, (x, v, jnp.zeros(())), None, length=500)[1]


@program(lambda: (normal(200, 50, 3), normal(50, 3, seed=1)))
def kabsch_alignment_batch(frames, target):
    def rmsd(x):
        a, b = x - x.mean(0), target - target.mean(0)
        u, s, vt = jnp.linalg.svd(a.T @ b)
        sign = jnp.sign(jnp.linalg.det(u @ vt))
        s = s * jnp.concatenate([jnp.ones(2), sign[None]])
        return jnp.sqrt((jnp.sum(a * a) + jnp.sum(b * b) - 2 * s.sum()) / 50)
    return jax.vmap(rmsd)(frames)


@program(lambda: (uniform(1000, 2), key(1)))
def brownian_dynamics_double_well(x, rng):
    def step(x, k):
        force = jax.vmap(jax.grad(lambda q: -(q[0] ** 2 - 1) ** 2 - q[1] ** 2))(x)
        x = x + 0.01 * force + 0.1 * jax.random.normal(k, x.shape, jnp.float32)
        return x, jnp.mean(x[:, 0] > 0)
    return lax.scan(step, x, jax.random.split(rng, 50))[0]


@program(lambda: (uniform(80, 2, high=6),))
def fire_minimisation_soft_spheres(x):
    def energy(x):
        d = x[:, None] - x[None]
        d = d - 6 * jnp.round(d / 6)
        r = jnp.sqrt(jnp.sum(d ** 2, -1) + jnp.eye(80))
        return 0.25 * jnp.sum(jnp.where(r < 1, (1 - r) ** 2, 0))
    force = jax.grad(lambda x: -energy(x))

    def step(state, _):
        x, v, dt, a = state
        f = force(x)
        power = jnp.sum(f * v)
        vn, fn = jnp.linalg.norm(v), jnp.linalg.norm(f) + 1e-8
        v = jnp.where(power > 0, (1 - a) * v + a * vn * f / fn, 0.0)
        dt = jnp.where(power > 0, jnp.minimum(dt * 1.1, 0.3), dt * 0.5)
        a = jnp.where(power > 0, a * 0.99, 0.1)
        v = v + dt * f
        return (x + dt * v, v, dt, a), energy(x)
    start = (x, jnp.zeros_like(x), jnp.full((), 0.1), jnp.full((), 0.1))
    return lax.scan(step, start, None, length=20)[1]
