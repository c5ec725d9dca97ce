"""Cellular automata, spin models and walks on grids."""
import jax
import jax.numpy as jnp
from jax import lax

from .registry import integers, key, normal, program, uniform


def neighbours(grid):
    return sum(jnp.roll(grid, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)
               if (i, j) != (0, 0))


@program(lambda: (integers(200, 200, high=2),))
def game_of_life(grid):
    def step(grid, _):
        n = neighbours(grid)
        grid = ((n == 3) | ((grid == 1) & (n == 2))).astype(grid.dtype)
        return grid, grid.sum()
    return lax.scan(step, grid, None, length=20)


@program(lambda: (integers(128, 128, high=2) == 1,))
def game_of_life_unrolled_bool(grid):
    for _ in range(4):
        n = neighbours(grid.astype(jnp.uint8))
        grid = (n == 3) | (grid & (n == 2))
    return grid


@program(lambda: (integers(256, 256, high=2).astype("float32"),))
def game_of_life_convolution(grid):
    kernel = jnp.ones((1, 1, 3, 3), grid.dtype).at[0, 0, 1, 1].set(0)

    def step(_, grid):
        n = lax.conv_general_dilated(grid[None, None], kernel, (1, 1), "SAME")[0, 0]
        return jnp.where((n == 3) | ((grid == 1) & (n == 2)), 1.0, 0.0).astype(grid.dtype)
    return lax.fori_loop(0, 10, step, grid)


@program(lambda: (integers(1024, high=2), integers(8, high=2, seed=1)))
def elementary_automaton(cells, rule):
    def step(cells, _):
        index = 4 * jnp.roll(cells, 1) + 2 * cells + jnp.roll(cells, -1)
        cells = rule[index]
        return cells, cells
    return lax.scan(step, cells, None, length=512)[1]


@program(lambda: (2 * integers(128, 128, high=2) - 1, key(1)))
def ising_checkerboard(spins, rng):
    i, j = jnp.indices(spins.shape)

    def sweep(spins, rng):
        for colour, k in enumerate(jax.random.split(rng)):
            field = (jnp.roll(spins, 1, 0) + jnp.roll(spins, -1, 0) + jnp.roll(spins, 1, 1)
                     + jnp.roll(spins, -1, 1))
            draw = jax.random.uniform(k, spins.shape, jnp.float32)
            accept = draw < jnp.array([1.0, 1.0, 1.0, 0.17, 0.03])[
                jnp.clip(spins * field, 0, 4)]
            spins = jnp.where(accept & ((i + j) % 2 == colour), -spins, spins)
        return spins, spins.sum()
    return lax.scan(sweep, spins, jax.random.split(rng, 10))


@program(lambda: (integers(100, 100, high=8),))
def sandpile(grid):
    def body(state):
        grid, i = state
        over = jnp.pad(grid // 4, 1)
        grid = (grid % 4 + over[2:, 1:-1] + over[:-2, 1:-1] + over[1:-1, 2:] + over[1:-1, :-2])
        return grid, i + 1
    return lax.while_loop(lambda s: (s[0] >= 4).any() & (s[1] < 300), body, (grid, 0))


@program(lambda: (integers(128, 128, high=3), key(2)))
def forest_fire(grid, rng):
    def step(grid, k):
        burning = grid == 2
        near = (jnp.roll(burning, 1, 0) | jnp.roll(burning, -1, 0) | jnp.roll(burning, 1, 1)
                | jnp.roll(burning, -1, 1))
        u = jax.random.uniform(k, grid.shape, jnp.float32)
        tree = (grid == 1) | ((grid == 0) & (u < 0.02))
        new = jnp.where(tree & (near | (u > 0.9999)), 2, jnp.where(tree, 1, 0))
        return new.astype(grid.dtype), burning.sum()
    return lax.scan(step, grid, jax.random.split(rng, 10))


@program(lambda: (integers(64, 64, high=2),))
def langtons_ant(grid):
    moves = jnp.array([[-1, 0], [0, 1], [1, 0], [0, -1]])

    def step(_, state):
        grid, at, heading = state
        cell = grid[at[0], at[1]]
        heading = (heading + jnp.where(cell == 1, 1, 3)) % 4
        grid = grid.at[at[0], at[1]].set(1 - cell)
        return grid, (at + moves[heading]) % 64, heading
    return lax.fori_loop(0, 2000, step, (grid, jnp.array([32, 32]), jnp.array(0)))


@program(lambda: (uniform(100, 100),))
def lenia_fft(world):
    """Continuous automaton with a ring kernel applied by FFT of size 100."""
    i, j = jnp.indices((100, 100)) - 50
    r = jnp.sqrt(i ** 2.0 + j ** 2.0) / 13
    kernel = jnp.where(r < 1, jnp.exp(-((r - 0.5) / 0.15) ** 2 / 2), 0)
    kernel = jnp.fft.fft2(jnp.fft.fftshift(kernel / kernel.sum()))

    def step(world, _):
        u = jnp.real(jnp.fft.ifft2(kernel * jnp.fft.fft2(world)))
        growth = 2 * jnp.exp(-((u - 0.15) / 0.015) ** 2 / 2) - 1
        return jnp.clip(world + 0.1 * growth, 0, 1), None
    return lax.scan(step, world, None, length=4)[0]


@program(lambda: (integers(96, 96, high=10) < 6,))
def percolation_labels(open_):
    """Connected components of a grid by propagating the largest label."""
    labels = jnp.where(open_, jnp.arange(open_.size).reshape(open_.shape) + 1, 0)

    def body(state):
        labels, _ = state
        p = jnp.pad(labels, 1)
        best = jnp.maximum(jnp.maximum(p[2:, 1:-1], p[:-2, 1:-1]),
                           jnp.maximum(p[1:-1, 2:], p[1:-1, :-2]))
        new = jnp.where(open_, jnp.maximum(labels, best), 0)
        return new, (new != labels).any()
    return lax.while_loop(lambda s: s[1], body, (labels, jnp.array(True)))[0]


@program(lambda: (key(3),))
def random_walk_occupancy(rng):
    steps = jax.random.randint(rng, (1000, 50), 0, 4, jnp.int32)
    moves = jnp.array([[0, 1], [1, 0], [0, -1], [-1, 0]])[steps]
    path = jnp.cumsum(moves, axis=1) % 64
    return jnp.zeros((64, 64), jnp.int32).at[path[..., 0], path[..., 1]].add(1)


@program(lambda: (normal(48, 48, 16), normal(48, 128, seed=1, scale=0.1),
                  normal(128, 16, seed=2, scale=0.1)))
def neural_automaton(state, w1, w2):
    """Growing neural cellular automata: perception by depthwise Sobel filters, then a dense net."""
    sobel = jnp.array([[-1.0, 0, 1], [-2, 0, 2], [-1, 0, 1]]) / 8
    identity = jnp.zeros((3, 3)).at[1, 1].set(1)
    kernel = jnp.stack([identity, sobel, sobel.T], -1).astype(state.dtype)
    kernel = jnp.tile(kernel[:, :, None, :], (1, 1, 1, 16))

    def step(s, _):
        seen = lax.conv_general_dilated(s[None], kernel, (1, 1), "SAME",
                                        dimension_numbers=("NHWC", "HWIO", "NHWC"),
                                        feature_group_count=16)[0]
        s = s + jax.nn.relu(seen @ w1) @ w2
        alive = lax.reduce_window(s[..., 3], -jnp.inf, lax.max, (3, 3), (1, 1), "SAME") > 0.1
        return s * alive[..., None], None
    return lax.scan(step, state, None, length=3)[0]


@program(lambda: (uniform(64, 64, high=6.28), key(4)))
def xy_model_langevin(theta, rng):
    def energy(t):
        return -jnp.sum(jnp.cos(t - jnp.roll(t, 1, 0)) + jnp.cos(t - jnp.roll(t, 1, 1)))

    def step(t, k):
        noise = jax.random.normal(k, t.shape, jnp.float32)
        t = t - 0.01 * jax.grad(energy)(t) + 0.1 * noise
        return t, energy(t)
    return lax.scan(step, theta, jax.random.split(rng, 10))
