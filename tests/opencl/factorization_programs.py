"""Factorizations and triangular systems on the default device:  factorization_programs.py NAME

Residuals are within the bounds of Higham, Accuracy and Stability of Numerical Algorithms (chapters 8
to 10), which hold for any order of summation; the pivots are those of JAX's built-in CPU.
"""
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)
CPU = jax.devices("cpu")[0]
TYPES = ("float32", "float64", "complex64", "complex128")
# Below, at and above the size of a block, with and without padding.
SIZES = (1, 5, 64, 65, 129, 200, 513)


def matrix(name, *shape, seed=0):
    random = np.random.default_rng(seed)
    values = random.standard_normal(shape)
    if np.dtype(name).kind == "c":
        values = values + 1j * random.standard_normal(shape)
    return values.astype(name)


def definite(name, *shape):
    a = matrix(name, *shape)
    return a @ adjoint(a) + shape[-1] * np.eye(shape[-1], dtype=name)


def adjoint(a):
    return a.conj().swapaxes(-1, -2)


def wide(product, *arrays):
    """With more bits than `product`, so that the test itself does not round."""
    real, number = (("double", "cdouble") if np.finfo(product).bits == 32
                    else ("longdouble", "clongdouble"))
    return [np.asarray(a, number if a.dtype.kind == "c" else real) for a in arrays]


def small_residual(product, factors, result):
    """|x y - result| <= 4 (n + 1) eps |x| |y|. The 4 is for complex numbers."""
    x, y, wanted = wide(product, *factors, result)
    bound = 4 * (x.shape[-1] + 1) * np.finfo(product).eps * (np.abs(x) @ np.abs(y))
    assert (np.abs(x @ y - wanted) <= bound).all(), np.max(np.abs(x @ y - wanted) / bound)


def run(function, *arguments, device=None):
    arguments = [jax.device_put(a, device) for a in arguments]
    return [np.asarray(x) for x in jax.tree.leaves(jax.jit(function)(*arguments))]


def cases(sizes=SIZES):
    """All types of one size, all sizes of one type, and batches."""
    return [("float32", (n,)) for n in sizes] + [(name, (129,)) for name in TYPES[1:]] + \
        [("float32", (65, 3)), ("complex64", (50, 2, 2))]


def cholesky():
    for name, (n, *batch) in cases():
        a = definite(name, *batch, n, n)
        # The other triangle is not read.
        half = np.tril(a) + np.triu(np.full((n, n), np.nan, name), 1)
        lower, = run(lambda a: lax.linalg.cholesky(a, symmetrize_input=False), half)
        assert not np.triu(lower, 1).any(), (name, n)
        small_residual(name, (lower, adjoint(lower)), a)


def cholesky_fails():
    a = definite("float32", 3, 200, 200)
    for bad in (0, 63, 130, 199):
        b = a.copy()
        b[1, bad, bad] = -1
        factor, = run(lambda b: lax.linalg.cholesky(b), b)
        assert np.isnan(factor[1][np.tril_indices(200)]).all(), bad
        small_residual("float32", (factor[0], factor[0].T), a[0])
        small_residual("float32", (factor[2], factor[2].T), a[2])


def lu():
    for name, (n, *batch) in cases():
        shapes = [(n, n)]
        if n < 200 and name in ("float32", "complex128"):  # the driver compiles each for seconds
            shapes += [(n, n + 70), (n + 70, n)]
        for rows, columns in shapes:
            a = matrix(name, *batch, rows, columns)
            factors, pivots, order = run(lax.linalg.lu, a)
            _, expected, expected_order = run(lax.linalg.lu, a, device=CPU)
            np.testing.assert_array_equal(pivots, expected)
            np.testing.assert_array_equal(order, expected_order)
            small = min(rows, columns)
            lower = np.tril(factors[..., :small], -1) + np.eye(rows, small, dtype=name)
            exchanged = np.take_along_axis(a, order[..., None], -2)
            small_residual(name, (lower, np.triu(factors[..., :small, :])), exchanged)


def lu_of_a_long_panel():
    """Too long for local memory, and too long for registers: 48,000 numbers of 16 bytes."""
    a = matrix("complex128", 3000, 16)
    factors, pivots, order = run(lax.linalg.lu, a)
    _, expected, expected_order = run(lax.linalg.lu, a, device=CPU)
    np.testing.assert_array_equal(pivots, expected)
    np.testing.assert_array_equal(order, expected_order)
    small_residual("complex128", (np.tril(factors, -1) + np.eye(3000, 16), np.triu(factors[:16])), a[order])


def lu_of_special_values():
    n = 129
    # Factors of whole numbers are exact.
    whole = np.eye(n, dtype=np.float32) * 2 + np.tril(np.ones((n, n), np.float32), -100)
    zeros, equal, last = whole.copy(), whole.copy(), matrix("float32", n, n)
    zeros[:, 70] = 0
    equal[80] = equal[3]
    equal[:, 90:] = 0
    last[:, -1] = np.nan
    for a in (zeros, equal, np.zeros_like(whole), last):
        results, expected = run(lax.linalg.lu, a), run(lax.linalg.lu, a, device=CPU)
        np.testing.assert_array_equal(results[1], expected[1])
        if a is last:
            assert np.isnan(results[0][:, -1]).all() and not np.isnan(results[0][:, :-1]).any()
        else:
            np.testing.assert_array_equal(results[0], expected[0])
    # A NaN is not chosen as a pivot while there are numbers, so its row becomes the last one.
    a = matrix("float32", n, n)
    a[100, 3] = np.nan
    factors, pivots, order = run(lax.linalg.lu, a)
    assert order[-1] == 100 and pivots[-1] == n - 1
    assert np.isnan(factors[-1, 3:]).all() and not np.isnan(factors[:-1]).any()
    small_residual("float32", ((np.tril(factors, -1) + np.eye(n, dtype=a.dtype))[:-1, :-1],
                               np.triu(factors)[:-1]), a[order[:-1]])
    _, pivots, _ = run(lax.linalg.lu, np.full_like(a, np.nan))
    np.testing.assert_array_equal(pivots, np.arange(n))


def lu_of_tall_matrices_with_nan():
    """No row has to move, so rows beyond the last column stay where they are."""
    for rows, columns in ((100, 65), (130, 70)):
        a = np.zeros((rows, columns), np.float32)
        a[np.arange(columns), np.arange(columns)] = 4
        a[columns:, 0] = np.arange(columns, rows) / 256
        a[columns, 3] = np.nan
        factors, pivots, order = run(lax.linalg.lu, a)
        np.testing.assert_array_equal(pivots, np.arange(columns))
        np.testing.assert_array_equal(order, np.arange(rows))
        np.testing.assert_array_equal(factors[columns:, 0] * 4, a[columns:, 0])
        assert np.isnan(factors[columns, 3:]).all() and np.isfinite(factors[columns + 1:]).all()


def callbacks_beside_exchanges():
    """A loop that makes a permutation of pivots, and does something else."""
    jax.config.update("jax_enable_x64", False)  # JAX's own loop counts in i32
    called = []

    def program(a):
        _, pivots, _ = lax.linalg.lu(a)

        def body(i, order):
            jax.debug.callback(called.append, i)
            x, y = order[i], order[pivots[i]]
            return order.at[i].set(y).at[pivots[i]].set(x)
        return pivots, lax.fori_loop(0, len(a), body, lax.iota(np.int32, len(a)))

    for n in (6, 70):
        called.clear()
        pivots, order = run(program, matrix("float32", n, n))
        jax.effects_barrier()
        assert sorted(map(int, called)) == list(range(n))
        expected = np.arange(n)
        for i, pivot in enumerate(pivots):
            expected[[i, pivot]] = expected[[pivot, i]]
        np.testing.assert_array_equal(order, expected)


def solve(name, n, batch, left, lower, form, unit):
    a = np.full((*batch, n, n), np.nan, name)
    where = np.tril_indices(n, -1) if lower else np.triu_indices(n, 1)
    a[(..., *where)] = (matrix(name, *batch, n, n) / n)[(..., *where)]
    if not unit:
        a[..., np.arange(n), np.arange(n)] = 1 + matrix(name, *batch, n) / 4
    b = matrix(name, *batch, n, 37) if left else matrix(name, *batch, 37, n)
    x, = run(lambda a, b: lax.linalg.triangular_solve(
        a, b, left_side=left, lower=lower, transpose_a=form > 0, conjugate_a=form == 2,
        unit_diagonal=unit), a, b)
    if unit:
        a[..., np.arange(n), np.arange(n)] = 1
    a = np.tril(a) if lower else np.triu(a)
    if form:
        a = a.swapaxes(-1, -2)
    if form == 2:
        a = a.conj()
    small_residual(name, (a, x) if left else (x, a), b)


def triangular_solve():
    for name, (n, *batch) in cases():
        solve(name, n, batch, True, True, 0, False)
    for left in (False, True):
        for lower in (False, True):
            for form in range(3):
                solve("complex64", 65, (), left, lower, form, form == 1)
    solve("float32", 200, (), False, True, 2, True)


def solve_of_one_vector():
    a, b = matrix("float32", 200, 200), matrix("float32", 200)
    x, = run(jnp.linalg.solve, a, b)
    expected = np.linalg.solve(a.astype(float), b)
    condition = np.linalg.cond(a.astype(float))
    assert np.linalg.norm(x - expected) <= 1e-6 * condition * np.linalg.norm(expected)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
    print("ok")
