"""Loops that are interchanged with their elementwise body, and similar loops that must not be."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from compare import check, data, dtype
from jax import lax

POINTS = [1, 3, 16, 33, 100, 1000]


def in_loop(body, count=20):
    return lambda *args: lax.fori_loop(0, count, body, *args)


@pytest.mark.parametrize("points", POINTS)
def test_stacked_state(points):
    def slope(s):
        x, y, z = s
        return jnp.stack([y - x, x * (1 - z) - y, x * y - z])

    def step(_, s):
        return s + 0.01 * slope(s + 0.005 * slope(s))
    check(jax.vmap(in_loop(step)), data((points, 3), "float32"), ulps=64, scale=1)


@pytest.mark.parametrize("kind", ["float32", "float64", "bfloat16", "complex64", "int32", "uint8"])
def test_element_types(x64, kind):
    factor = np.array(3 if "int" in kind else 0.25).astype(dtype(kind))
    check(in_loop(lambda i, x: (x * x + 1) * factor, 6), data((40,), kind) * factor, ulps=64,
          scale=1)


@pytest.mark.parametrize("points", POINTS)
@pytest.mark.parametrize("reverse", [False, True])
def test_scan_with_rows(points, reverse):
    def step(carry, x):
        return jnp.maximum(carry * 0.5, x), (carry, x + carry)
    check(lambda c, xs: lax.scan(step, c, xs, reverse=reverse), data((points,), "float32"),
          data((30, points), "float32"))


def test_scan_with_rows_of_several_elements():
    def step(carry, x):
        return carry * 0.5 + x[::-1], jnp.concatenate([carry, x])
    check(jax.vmap(lambda c, xs: lax.scan(step, c, xs), in_axes=(0, 1)),
          data((50, 3), "float32"), data((30, 50, 3), "float32"))


def mixed(x, axis):
    return jnp.roll(x, 1, axis) * x.dtype.type(0.5) + x * x.dtype.type(0.25)


# Elements of a point move through local memory: from 24 elements of a state on, and from 64 of a
# row.
@pytest.mark.parametrize("kind", ["float32", "float64", "bfloat16", "complex64", "int32"])
@pytest.mark.parametrize("shape,axis", [((33, 23), 1), ((100, 24), 1), ((16, 64), 1), ((5, 30), 1),
                                        ((2, 33, 25), 2), ((9, 33, 5), 0), ((13, 5, 17, 2), 0),
                                        ((33, 3, 9), 2)])
def test_states_of_many_elements(x64, shape, axis, kind):
    scale = np.array(3 if "int" in kind else 0.5).astype(dtype(kind))

    def loop(x):
        final = in_loop(lambda i, x: jnp.roll(x, 1, axis) * scale + x, 6)(x)
        return final, final + x, final.sum(axis)
    check(loop, data(shape, kind), ulps=64, scale=1)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("points,elements", [(33, 9), (100, 31), (16, 32), (40, 40)])
def test_rows_of_many_elements(points, elements, reverse):
    def step(carry, x):
        carry = mixed(carry, 0) + x
        return carry, (carry[::-1], jnp.outer(carry[:2], carry))

    def run(c, xs):
        return jax.vmap(lambda c, xs: lax.scan(step, c, xs, reverse=reverse), in_axes=(0, 1))(c, xs)
    check(run, data((points, elements), "float32"), data((12, points, elements), "float32"),
          ulps=64, scale=1)


@pytest.mark.parametrize("kind", ["float32", "complex64"])
@pytest.mark.parametrize("points", [70, 1000])
def test_long_rows_without_arithmetic(points, kind, x64):
    """A point has few instructions, so a block has many points: their rows need too much memory."""
    def step(carry, x):
        carry = carry * np.array(0.5).astype(kind) + x
        return carry, (jnp.broadcast_to(carry, (200,)), jnp.broadcast_to(x, (70,)))
    check(jax.vmap(lambda c, xs: lax.scan(step, c, xs), in_axes=(0, 1)), data((points,), kind),
          data((5, points), kind))


@pytest.mark.parametrize("points,elements", [(33, 9), (16, 24), (20, 64)])
def test_gradients_of_rows_of_many_elements(points, elements):
    def loss(c, xs):
        def step(carry, x):
            return jnp.tanh(mixed(carry, 0) + x), carry
        return sum(map(jnp.sum, lax.scan(step, c, xs)))
    check(jax.vmap(jax.grad(loss, argnums=(0, 1)), in_axes=(0, 1)),
          data((points, elements), "float32"), data((12, points, elements), "float32"),
          ulps=64, scale=1)


@pytest.mark.parametrize("elements", [100, 1000])
def test_scan_with_long_rows(elements):
    check(lambda c, xs: lax.scan(lambda c, x: (c * 0.5, x[:, ::-1] + c[:, None]), c, xs),
          data((16,), "float32"), data((6, 16, elements), "float32"))


@pytest.mark.parametrize("points", [16, 1000])
def test_sums_shared_by_all_points(points):
    check(lambda c, xs: lax.scan(lambda c, x: (c * 0.5 + x.sum(0), None), c, xs),
          data((points, 4), "float32"), data((6, points, 4), "float32"), ulps=64, scale=1)


@pytest.mark.parametrize("shape", [(6, 7), (64, 33), (2, 3, 40)])
def test_all_dimensions_are_points(shape):
    check(in_loop(lambda i, x: x - 0.1 * x * x * (i + 1)), data(shape, "float32", low=0, high=0.3),
          ulps=64)


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("points", [5, 50])
def test_products_of_small_matrices(x64, points, kind):
    def solve(a, b):
        return lax.fori_loop(0, 10, lambda _, x: x - 0.01 * (a.T @ (a @ x - b)),
                             jnp.zeros(a.shape[1], a.dtype))
    check(jax.vmap(solve), data((points, 6, 4), kind), data((points, 6), kind), ulps=64, scale=1)


def test_products_with_a_shared_operand():
    check(lambda w, x: in_loop(lambda _, x: jnp.tanh(x @ w))(x), data((5, 5), "float32"),
          data((40, 5), "float32"), ulps=64, scale=1)


def test_random_walks():
    def walk(key, x):
        def step(x, key):
            return x + 0.1 * jax.random.normal(key, x.shape), (x * x).sum()
        return lax.scan(step, x, jax.random.split(key, 10))
    keys = np.random.RandomState(0).randint(0, 2**31, (70, 2)).astype(np.uint32)
    check(jax.vmap(walk), keys, data((70, 3), "float32"), ulps=64, scale=1)


def test_carries_of_several_kinds():
    def step(i, s):
        x, seen, count, rate = s
        above = (x > 0.5).any(-1)
        return (x * rate + 0.1, seen | above, count + above.astype(jnp.int32), rate * 0.99)
    check(lambda x: lax.fori_loop(0, 9, step, (x, jnp.zeros(40, bool), jnp.zeros(40, jnp.int32),
                                               jnp.float32(1.1)))[:3],
          data((40, 3), "float32"), ulps=64)


def test_carries_of_other_layouts():
    def step(i, s):
        x, y = s
        return x + y.T, y * 0.5 + x.T
    check(lambda x, y: lax.fori_loop(0, 9, step, (x, y)), data((40, 3), "float32"),
          data((3, 40), "float32"), ulps=64, scale=1)


def test_moves_within_a_point():
    def step(i, x):
        padded = jnp.pad(x, ((0, 0), (1, 2)), constant_values=0.5)
        around = padded[:, :-3] + padded[:, 2:-1] + jnp.roll(x, 1, 1) + x[:, ::-1]
        return 0.2 * around + jnp.sort(jnp.arange(5.0))[None] * 0.1
    check(in_loop(step), data((40, 5), "float32"), ulps=64)


def test_positions_of_points():
    check(in_loop(lambda i, x: x * 0.5 + jnp.arange(40) * i), data((40,), "float32"), ulps=64)


@pytest.mark.parametrize("first,last,kind", [(3, 17, "int32"), (0, 7, "uint8"), (-5, 5, "int8")])
def test_counters(first, last, kind):
    def loop(x):
        return lax.while_loop(lambda s: s[0] < last,
                              lambda s: (s[0] + 2, s[1] * 0.9 + s[0].astype(jnp.float32)),
                              (jnp.array(first, kind), x))
    check(loop, data((40,), "float32"), ulps=64, scale=1)


@pytest.mark.parametrize("first,last,kind", [(0, 9, "int64"), (3, 12, "uint64"),
                                             (2**32 - 2, 2**32 + 7, "int64"),
                                             (2**63 - 10, 2**63 - 1, "int64")])
def test_wide_counters(x64, first, last, kind):
    def loop(x):
        return lax.while_loop(lambda s: s[0] < np.array(last, kind),
                              lambda s: (s[0] + 1, 0.5 * (jnp.roll(s[1], 1) + s[2]), s[2] * 0.9),
                              (jnp.array(first, kind), x, x))
    check(loop, data((500,), "float32"), ulps=64, scale=1)
    check(lambda x: lax.scan(lambda c, row: (c * 0.9 + row, c), x[0], x),
          data((9, 40), "float64"), ulps=64, scale=1)


def test_rows_of_invariant_arrays():
    def loop(x, table):
        return lax.fori_loop(0, 12, lambda i, x: x * 0.9 + table[:, i] + table[3, 11 - i], x)
    check(loop, data((40,), "float32"), data((40, 12), "float32"), ulps=64, scale=1)


@pytest.mark.parametrize("step", [
    lambda i, x: 0.5 * (x + jnp.roll(x, 1)),                # reads neighbours
    lambda i, x: jnp.cumsum(x) * 0.01,
    lambda i, x: x - x.mean(),
    lambda i, x: jnp.sort(x) * 0.9,
    lambda i, x: x.at[i].set(x[(i + 1) % 40]),              # at positions of the iteration
    lambda i, x: x + lax.dynamic_slice(x, (i,), (1,)),
    lambda i, x: x[jnp.arange(40) ^ 1] + 1,
    lambda i, x: lax.pad(x, np.float32(0.5), [(0, -39, 1)]),  # elements move
])
def test_points_that_depend_on_other_points(step):
    check(in_loop(step), data((40,), "float32"), ulps=64, scale=1)


def test_index_within_a_point_depends_on_the_iteration():
    def step(i, x):
        return x.at[:, i % 4].add(1.0) * 0.9 + lax.dynamic_slice(x, (0, i % 4), (40, 1))
    check(in_loop(step), data((40, 4), "float32"), ulps=64)


def test_rows_that_are_read_or_skipped():
    def read(s, x):
        rows, i = s
        rows = rows.at[i].set(x)
        return (rows, i + 1), rows[0] * x
    check(lambda xs: lax.scan(read, (jnp.zeros_like(xs), 0), xs), data((10, 40), "float32"))

    def skip(i, s):
        rows, x = s
        return rows.at[2 * i].set(x), x * 0.9
    check(lambda x: lax.fori_loop(0, 5, skip, (jnp.ones((10, 40)), x)), data((40,), "float32"),
          ulps=16)


def test_gradient():
    def loss(x, w):
        return (lax.scan(lambda c, v: (jnp.sin(c * w) + v,) * 2, x[0], x)[1] ** 2).sum()
    check(jax.grad(loss, (0, 1)), data((20, 40), "float32"), data((40,), "float32"), ulps=256,
          scale=1)


def test_donated():
    x = data((100, 3), "float32")
    step = in_loop(lambda i, x: x * 0.9 + x[:, ::-1] * 0.1)
    expected = step(x)
    assert np.allclose(jax.jit(step, donate_argnums=0)(jnp.array(x)), expected, rtol=1e-5)


def test_results_not_used_and_inner_loops():
    def step(i, x):
        dead = lax.fori_loop(0, 9, lambda j, y: y * 0.5, x)
        y, _ = lax.fori_loop(0, 6, lambda j, s: (s[0] * 0.9 + i, s[1] + s[0]), (x, dead))
        return y
    check(in_loop(step, 5), data((40,), "float32"), ulps=64, scale=1)


@pytest.mark.parametrize("count", [3, 4, 5, 10, 11])
def test_double_buffering(count):
    def step(i, s):
        x, y = s
        return 0.5 * (jnp.roll(x, 1, 0) + jnp.roll(y, -1, 1)), x + 0.1 * i
    check(lambda x, y: lax.fori_loop(0, count, step, (x, y)), data((20, 40), "float32"),
          data((20, 40), "float32", seed=1), ulps=64, scale=1)


@pytest.mark.parametrize("count", [4, 7])
def test_double_buffering_of_exchanged_arrays(count):
    def step(x, row):
        a, b, c = x
        return (b, c, jnp.roll(a, 1) + row), a[:3]
    check(lambda a, b, c, rows: lax.scan(step, (a, b, c), rows),
          *(data((500,), "float32", seed=s) for s in range(3)), data((count, 500), "float32"),
          ulps=64, scale=1)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_products_with_a_row_per_iteration(axis):
    x = np.moveaxis(data((9, 4, 6), "float32"), 0, axis)

    def step(x, w, h):
        return lax.fori_loop(0, 9, lambda i, h: jnp.tanh(
            h[::-1] + lax.dynamic_index_in_dim(x, i, axis, keepdims=False) @ w), h)
    check(step, x, data((6, 5), "float32"), data((4, 5), "float32"), ulps=64, scale=1)


FEW = [
    lambda i, x: 0.5 * (x + jnp.roll(x, 1)),
    lambda i, x: x * 0.5 + x[::-1] * x.sum() * 0.1,
    lambda i, x: jnp.stack([x[0] * x[1], *x[1:] * 0.5]) + i,
    lambda i, x: jnp.outer(x, x) @ x * 0.1 + x.max(),
    lambda i, x: jnp.where(x > x.mean(), jnp.tanh(x), x * 1.5),
    lambda i, x: lax.pad(x, np.float32(0.5), [(1, -1, 0)]) + jnp.array([1.0, -2, 3, -4][:x.size]),
    lambda i, x: jnp.cumsum(x) * 0.1,                          # rejected from here on
    lambda i, x: x.at[i % x.size].set(x[(i + 1) % x.size]),
    lambda i, x: x + x[x.astype(jnp.int32) % x.size],
    lambda i, x: jnp.sort(x)[::-1] * 0.9,
    lambda i, x: lax.fori_loop(0, i, lambda j, y: y * 0.9 + j, x),
    lambda i, x: lax.cond(x[0] > 0.5, lambda: x * 0.5, lambda: x + 0.3),
]


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("step", FEW)
def test_few_numbers(step, size):
    check(in_loop(step, 9), data((size,), "float32"), ulps=64, scale=1)


@pytest.mark.parametrize("kind", ["float64", "float16", "bfloat16", "complex64", "int32", "uint8",
                                  "bool"])
def test_small_arrays_of_other_types(x64, kind):
    def step(i, s):
        x, y = s
        return (~y, x ^ y[0]) if kind == "bool" else (x + y[::-1], y * 3 - x.sum(dtype=x.dtype))
    check(lambda x, y: lax.fori_loop(0, 5, step, (x, y)), data((3,), kind), data((3,), kind),
          ulps=64, scale=1)


@pytest.mark.parametrize("reverse", [False, True])
def test_few_numbers_with_rows(reverse):
    def step(carry, x):
        total, m, last = carry
        m = m @ (jnp.eye(2) + 0.1 * jnp.outer(x, x)) - 0.1 * jnp.outer(last, x)
        return (total + m.trace(), m, x[::-1]), (m, total, m[0, 1] > 0)
    check(lambda xs: lax.scan(step, (0.0, jnp.eye(2), jnp.ones(2)), xs, reverse=reverse),
          data((30, 2), "float32"), ulps=256, scale=1)


def test_small_arrays_and_a_data_dependent_index():
    def step(state, _):
        x, where = state
        row = lax.dynamic_slice(TABLE, (where, 0), (1, 3))[0]  # clamped if out of bounds
        return (x * 0.5 + row, (where * 5 + 3) % 9 - 1), where
    check(lambda x: lax.scan(step, (x, 2), None, length=12), data((3,), "float32"), ulps=64)


TABLE = np.arange(15, dtype=np.float32).reshape(5, 3)
