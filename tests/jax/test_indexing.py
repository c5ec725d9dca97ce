"""Shapes, slices, gathers and scatters."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from compare import ALL, check, check_sum, data
from jax import lax

NAMES = [t for t in ALL if "64" not in t and t != "complex128"] + ["complex64"]


@pytest.mark.parametrize("name", sorted(set(NAMES)))
def test_movement(name):
    x = data((4, 6, 5), name)
    check(lambda x: (x.reshape(8, 15), x.transpose(2, 0, 1), x[:, ::-1], x[1:3, ::2, -3:],
                     jnp.broadcast_to(x[:, None], (4, 3, 6, 5)), jnp.concatenate([x, x], 1),
                     jnp.stack([x, x], -1), jnp.tile(x, (2, 1, 3)), jnp.roll(x, 2, 1),
                     x.ravel(), jnp.flip(x), jnp.rot90(x), jnp.repeat(x, 3, axis=0)), x,
          ulps=0)


@pytest.mark.parametrize("config", [((1, 2, 0), (0, 1, 0)), ((2, 0, 1), (3, 0, 2)),
                                    ((-1, 0, 0), (0, -2, 0)), ((-1, 2, 1), (-1, 1, 0))])
def test_pad(config):
    check(lambda x: lax.pad(x, np.float32(7), config), data((5, 6), "float32"), ulps=0)


@pytest.mark.parametrize("mode", ["edge", "reflect", "wrap", "symmetric", "constant"])
def test_numpy_pad(mode):
    check(lambda x: jnp.pad(x, ((2, 1), (0, 3)), mode=mode), data((5, 6), "float32"), ulps=0)


def test_iota_eye_tri():
    check(lambda: (jnp.arange(10), jnp.eye(4, 5), jnp.tri(4), jnp.linspace(0, 1, 7),
                   lax.broadcasted_iota(np.int32, (3, 4), 1), jnp.indices((2, 3))))


@pytest.mark.parametrize("start", [0, 2, -1, 7, 100, -100])
def test_dynamic_slice_clamps(start):
    x, i = data((8, 9), "float32"), np.int32(start)
    check(lambda x, i: lax.dynamic_slice(x, (i, i), (3, 4)), x, i, ulps=0)
    check(lambda x, i: lax.dynamic_update_slice(x, jnp.zeros((3, 4)), (i, i)), x, i, ulps=0)


@pytest.mark.parametrize("mode", ["clip", "fill", "wrap"])
def test_take(mode):
    i = np.random.default_rng(0).integers(-3, 12, (5, 4)).astype(np.int32)
    for axis in (0, 1):
        check(lambda x, i: jnp.take(x, i, axis=axis, mode=mode), data((7, 8), "float32"), i,
              ulps=0)


def test_advanced_indexing():
    x = data((6, 7, 8), "float32")
    i, j = np.array([[0, 5], [2, -1]]), np.array([3, 6])
    mask = data((6,), "bool")
    check(lambda x, i, j: (x[i], x[i, j], x[:, i], x[i, :, j], x[..., 0, j], x[j[:, None], i],
                           jnp.take_along_axis(x, i[:, :1, None] % 6, 0)), x, i, j, ulps=0)
    check(lambda x, m: jnp.where(m[:, None, None], x, 0), x, mask, ulps=0)


UPDATES = ["set", "add", "multiply", "min", "max", "divide"]


AFFINE = [[2, 1, 0], [0, 2, 4], [4, 2, 0], [3], [1, 2, 3], [6, 3, 0], [0, 6]]


@pytest.mark.parametrize("name", ["uint8", "float16", "float32", "complex64"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_constant_indices_with_one_distance(axis, name):
    x = data((7, 9, 8), name)
    for indices in AFFINE:
        i = np.array(indices)
        check(lambda x, i=i: (jnp.take(x, i, axis=axis), x[i % 7, :, 1]), x, ulps=0)


def test_gradient_of_constant_indices():
    x = data((7, 9), "float32")
    for indices in AFFINE:
        i = np.array(indices)
        check(jax.grad(lambda x, i=i: (jnp.take(x, i, axis=1, mode="clip") ** 2).sum()), x,
              ulps=0)


@pytest.mark.parametrize("mode", ["clip", "fill", "wrap"])
@pytest.mark.parametrize("indices", [[1, 2, 4], [2, 2, 2], [5, 6, 7], [-8, -6], [1, 0, -1],
                                     [-1, -2], [], [0, 7, 14], [[0, 1], [2, 3]]])
def test_indices_that_are_almost_affine(indices, mode):
    x = data((7, 4), "float32")
    i = np.array(indices, np.int32)
    check(lambda x: (jnp.take(x, i, axis=0, mode=mode), jnp.take(x, i, axis=1, mode=mode)), x,
          ulps=0)
    check(lambda x: (x[i], x[:, i], x[i, :2], x[i, i % 4]), x, ulps=0)


@pytest.mark.parametrize("name", ["float32", "int32", "bfloat16", "uint8"])
@pytest.mark.parametrize("update", UPDATES[:5])
def test_at(update, name):
    i = np.array([0, 3, 3, 5, 100])  # repeated and out of bounds
    if update == "set":
        i = np.array([0, 3, 4, 5, 100])
    check_sum(lambda x, i, v: getattr(x.at[i], update)(v), data((6, 4), name), i,
              data((5, 4), name, 1, *((1, 2) if name in ("float32", "bfloat16") else ())))


@pytest.mark.parametrize("name", ["float32", "int32", "bfloat16"])
@pytest.mark.parametrize("update", UPDATES[1:5])
def test_many_updates_of_few_elements(update, name):
    # So many updates that copies of the array are updated and then combined; -1 and 7 are out of
    # bounds.
    i = np.random.default_rng(0).integers(-1, 8, 70_000).astype(np.int32)
    v = np.where(np.arange(70_000) % 1000 == 0, 2, 1) if update == "multiply" else (
        np.random.default_rng(1).integers(0, 3, 70_000))
    v[30_000:] = 1 if update == "multiply" or name == "bfloat16" else v[30_000:]
    if update == "add" and name == "bfloat16":
        v[200:] = 0  # sums stay exact
    check(lambda x, i, v: getattr(x.at[i], update)(v, mode="drop", wrap_negative_indices=False),
          np.arange(7).astype(jnp.dtype(name)), i, v.astype(jnp.dtype(name)), ulps=0)


def test_many_updates_of_batches():
    i = np.random.default_rng(0).integers(0, 50, (12, 9000)).astype(np.int32)
    v = np.random.default_rng(1).integers(0, 9, (12, 9000)).astype(np.float32)
    check(jax.vmap(lambda i, v: jnp.zeros(40).at[i].add(v)), i, v, ulps=0)


def test_scatter_shapes():
    x = data((5, 6, 7), "float32")
    check_sum(lambda x: (x.at[1:3, :, 2].set(0), x.at[:, np.array([0, 2])].add(1.5),
                         x.at[np.array([0, 1]), np.array([5, 5])].max(0),
                         x.at[..., ::2].multiply(2), x.at[np.array([[1], [2]]), 1].set(3)), x)


def test_scatter_large_add():
    i = np.random.default_rng(0).integers(0, 100, 20000).astype(np.int32)
    check_sum(lambda i, v: jnp.zeros((100,)).at[i].add(v), i, data((20000,), "float32"))


@pytest.mark.parametrize("shape, updates", [((10,), 100_000), ((100, 8), 200_000), ((3, 65), 700)])
def test_products_of_many_updates_keep_zeros(shape, updates):
    """The product of all updates overflows: they must not be multiplied before they reach a 0."""
    i = np.arange(updates, dtype=np.int32) % shape[0]
    v = np.full((updates,) + shape[1:], 3, np.float32)
    f = jax.jit(lambda x, i, v: x.at[i].multiply(v))
    np.testing.assert_array_equal(f(np.zeros(shape, np.float32), i, v), np.zeros(shape))
    np.testing.assert_array_equal(f(np.ones(shape, np.float32), i, v), np.full(shape, np.inf))


@pytest.mark.parametrize("update", ["scatter", "update_slice"])
def test_an_updated_array_is_read_by_a_view(update):
    """The view has a second user, which prevents an update in place."""
    def f(x, i):
        flat = x.reshape(-1)
        rows = flat[1000:6000].reshape(50, 100)
        new = x.at[i].add(rows) if update == "scatter" else lax.dynamic_update_slice(
            x, rows * 2, (i[0], 0))
        return new, jnp.sort(flat)
    x, i = data((100, 100), "float32"), np.random.default_rng(0).permutation(50).astype(np.int32)
    new, in_order = jax.jit(f, donate_argnums=0)(jnp.array(x), i)
    wanted = x.copy()
    if update == "scatter":
        wanted[i] += x[10:60]
    else:
        wanted[i[0]:i[0] + 50] = x[10:60] * 2
    np.testing.assert_array_equal(new, wanted)
    np.testing.assert_array_equal(in_order, np.sort(x, None))


def test_segment_sum_and_one_hot():
    ids = np.random.default_rng(0).integers(0, 9, 100).astype(np.int32)
    check_sum(lambda v, i: (jax.ops.segment_sum(v, i, 9), jax.nn.one_hot(i, 9)),
              data((100, 3), "float32"), ids)


def test_embedding_gradient():
    def f(table, i):
        return (jnp.tanh(table[i]) ** 2).sum()
    i = np.random.default_rng(0).integers(0, 30, (8, 16)).astype(np.int32)
    check_sum(jax.grad(f), data((30, 12), "float32"), i)


def test_gradients_of_movement():
    def f(x):
        y = jnp.concatenate([x[:, 1:], jnp.pad(x, ((0, 0), (1, 2)))], 1)
        y = jnp.take(y, np.array([0, 3, 3]), axis=0)
        return (lax.dynamic_slice(y, (1, 2), (2, 5)) ** 2).sum() + (y.T[::2] ** 3).sum()
    check_sum(jax.grad(f), data((5, 6), "float32"))


@pytest.mark.parametrize("name", ["bool", "int8", "bfloat16", "float32", "float64", "complex64",
                                  "complex128"])
@pytest.mark.parametrize("shape, dims", [
    ((100,), (0,)), ((1000,), (0,)), ((70, 100), (1,)), ((70, 37), (0, 1)), ((33, 3), (1,)),
    ((9, 16, 4), (1, 2)), ((9, 7, 5), (0, 2)), ((5, 6, 7, 8), (0, 1, 3)), ((4, 130), (1,))])
def test_reverse(shape, dims, name, x64):
    check(lambda x: lax.rev(x, dims), data(shape, name))
    check(lambda x: (lax.rev(x, dims), jnp.roll(lax.rev(x, dims), 1, 0)), data(shape, name))


@pytest.mark.parametrize("width", [None, 1, 2, 3, 5, 7, 8, 12, 20, 100, 300])
@pytest.mark.parametrize("update", ["add", "set", "multiply"])
def test_gather_and_scatter_of_rows(update, width):
    shape = (50,) if width is None else (50, width)
    i, j = (np.random.RandomState(seed).randint(-60, 60, 333) for seed in (1, 2))

    def move(x, y, i, j):
        other = getattr(x.at[i], update)(y[j] * 0.5 + 0.25)
        same = getattr(x.at[i], update)(x[j] * 0.5)   # reads the values before the update
        return other, same, getattr(y.at[j[i]], update)(y[i[j]] * 0.5, mode="drop")
    check(move, data(shape, "float32"), data(shape, "float32"), i, j, ulps=256, scale=1)


def test_rows_moved_in_loops():
    e = np.random.RandomState(3).randint(-40, 40, (300, 2))

    def step(_, v):
        total = jnp.zeros_like(v).at[e[:, 0]].add(v[e[:, 1]]).at[e[:, 1]].add(v[e[:, 0]])
        return 0.5 * v + 0.03 * total
    check(lambda v, n: lax.fori_loop(0, n, step, v), data((40, 3), "float32"), np.int32(6),
          ulps=256, scale=1)


@pytest.mark.parametrize("kind", ["float32", "float64", "int32", "bfloat16", "uint8", "complex64"])
@pytest.mark.parametrize("columns", [2, 3, 4, 7, 9])
def test_columns(columns, kind, x64):
    for rows in (5, 16, 33, 100):
        def take(x):
            last = x[:, -1]
            return x[:, 0] + last, x[1:, 1] * x[:-1, 0], x.reshape(-1)[::columns], last[::-1]
        check(take, data((rows, columns), kind), ulps=4)


@pytest.mark.parametrize("shape", [(40, 50, 3), (200, 2), (7, 5, 4, 3), (130, 1, 3), (3, 300, 15)])
def test_short_last_dimensions(shape):
    def move(x):
        wide = jnp.pad(x, [(2, 1), (1, 2)] + [(0, 0)] * (x.ndim - 2), mode="edge")
        beside = jnp.concatenate([x[:, 1:], -x[:, :1], x[:, ::-1]], 1)
        below = jnp.concatenate([x[1:], x * 2, x[:1]])
        shifted = jnp.maximum(wide[:-3, 2:-1], wide[3:, 1:-2]) - jnp.roll(x, 1, 1) + x[..., ::-1]
        return beside, below, shifted, x[:, 1:] - x[:, :-1]
    check(move, data(shape, "float32"), ulps=16)
