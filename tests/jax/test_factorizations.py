"""Cholesky and LU factors and triangular systems, which are generated code: sizes at and around the
sizes of registers and panels, batches, every form, matrices without factors."""
import itertools
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from compare import epsilon
from conftest import PLATFORM, only_tenon
from own_process import run

TYPES = ("float32", "float64", "complex64", "complex128")
SIZES = (1, 7, 16, 33, 130)
BATCHES = ((), (3,), (37,))


@pytest.fixture(autouse=True)
def on_device(x64):
    with jax.default_device(jax.devices(PLATFORM)[0]):
        yield


def matrices(name, *shape, seed=0):
    random = np.random.default_rng(seed)
    values = random.standard_normal(shape)
    if name.startswith("complex"):
        values = values + 1j * random.standard_normal(shape)
    return values.astype(name)


def adjoint(a):
    return np.swapaxes(a, -1, -2).conj()


def assert_near(found, expected, name, ulps):
    """`found` is within `ulps` units of the type `name`, relative to the largest number."""
    size = max(1.0, np.abs(expected).max(initial=0))
    error = np.abs(np.asarray(found) - expected).max(initial=0)
    assert error <= ulps * epsilon(name) * size


def shapes():
    return [(batch, n) for batch in BATCHES for n in SIZES if not batch or n <= 16]


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("batch, n", shapes())
def test_cholesky(name, batch, n):
    a = matrices(name, *batch, n, n)
    a = (a @ adjoint(a) + n * np.eye(n)).astype(name)
    expected = np.linalg.cholesky(a.astype("complex128"))
    assert_near(jnp.linalg.cholesky(a), expected, name, 10 * n)
    assert_near(jnp.linalg.cholesky(a, upper=True), adjoint(expected), name, 10 * n)


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("n", (2, 4, 5, 6, 8, 9, 13, 16))
def test_cholesky_in_batches_of_any_size(name, n):
    """A shard of a batch has the same bits as the whole, although many matrices have a lane each."""
    a = matrices(name, 40, n, n)
    a = a @ adjoint(a)
    a[3] = -np.eye(n)
    cholesky = jax.jit(jax.lax.linalg.cholesky)
    whole = np.asarray(cholesky(a))
    for size in (1, 3, 4, 10, 20):
        parts = np.concatenate([cholesky(a[i:i + size]) for i in range(0, 40, size)])
        np.testing.assert_array_equal(parts.view("uint8"), whole.view("uint8"))


def test_not_positive_definite():
    a = np.stack([np.eye(40, dtype="float32")] * 3)
    a[1, 20, 20] = -1
    found = np.isnan(jnp.linalg.cholesky(a))
    lower = np.tril(np.ones((40, 40), bool))
    assert not found[0].any() and not found[2].any() and found[1][lower].all()
    small = np.stack([np.eye(8, dtype="complex64")] * 40)
    small[3, 5, 5], small[39, 0, 0] = 0, np.nan
    found = np.isnan(jnp.linalg.cholesky(small)).any((1, 2))
    assert list(np.flatnonzero(found)) == [3, 39]


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("batch, n", shapes())
def test_lu(name, batch, n):
    for rows, columns in ((n, n), (n, n + 5), (n + 9, n)):
        a = matrices(name, *batch, rows, columns)
        factors, pivots, order = map(np.asarray, jax.lax.linalg.lu(a))
        k = min(rows, columns)
        lower = np.tril(factors[..., :k], -1) + np.eye(rows, k)
        upper = np.triu(factors[..., :k, :])
        expected = np.take_along_axis(a, order[..., None], -2)
        assert_near(lower.astype("complex128") @ upper, expected, name, 20 * n)
        # Complex pivots are the largest by |re| + |im|.
        assert np.abs(lower).max() <= (1.0001 if a.dtype.kind == "f" else 1.4143)
        assert (pivots >= np.arange(k)).all() and (pivots < rows).all()


def test_singular():
    ones = np.ones((20, 20), "float32")
    factors, pivots, _ = jax.lax.linalg.lu(ones)
    assert (np.asarray(pivots) == np.arange(20)).all()
    np.testing.assert_array_equal(np.triu(factors)[1:], 0)
    nans = np.full((33, 33), np.nan, "float32")
    assert np.isnan(jnp.linalg.det(nans))


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("batch, n, m", [
    ((), 1, 1), ((), 7, 1), ((), 16, 5), ((), 33, 33), ((), 65, 40), ((), 130, 3), ((3,), 17, 9),
    ((37,), 8, 1), ((2,), 40, 64)])
def test_triangular_solve(name, batch, n, m):
    forms = itertools.product(*[(False, True)] * 3, "NTC")
    for left, lower, unit, form in forms:
        a = matrices(name, *batch, n, n, seed=n)
        a = (a / (2 * n) if unit else a + n * np.eye(n)).astype(name)
        b = matrices(name, *batch, *((n, m) if left else (m, n)), seed=m)
        found = jax.lax.linalg.triangular_solve(
            a, b, left_side=left, lower=lower, unit_diagonal=unit, transpose_a=form != "N",
            conjugate_a=form == "C")
        triangle = np.tril(a) if lower else np.triu(a)
        if unit:
            triangle = triangle * (1 - np.eye(n)) + np.eye(n)
        triangle = triangle.astype("complex128")
        if form != "N":
            triangle = np.swapaxes(triangle, -1, -2)
        if form == "C":
            triangle = triangle.conj()
        product = triangle @ found if left else found @ triangle
        assert found.dtype == name
        assert_near(product, b, name, 20 * n)


def test_lapack_call_with_a_row_major_matrix():
    a = np.array([[4, 100], [2, 9]], np.float32)
    shapes = jax.ShapeDtypeStruct((2, 2), jnp.float32), jax.ShapeDtypeStruct((), jnp.int32)
    call = jax.ffi.ffi_call("lapack_spotrf_ffi", shapes)
    factor, status = jax.jit(lambda x: call(x, uplo=np.uint8(ord("L"))))(a)
    assert int(status) == 2  # LAPACK sees the transpose: 9 - 50 * 50 is not positive
    np.testing.assert_array_equal(np.asarray(factor), [[2, 50], [2, -2491]])


@only_tenon("about an option of Tenon", replacement=True)
def test_lu_of_denormal_pivots():
    factors = run("""
    import jax, numpy as np
    print(jax.lax.linalg.lu(np.array([[1e-39, 1], [5e-40, 1]], np.float32))[0].tolist()[1])""",
                  JAX_PLATFORMS="tenon", TENON_IEEE_DENORMALS="1")
    np.testing.assert_allclose(json.loads(factors), [0.5, 0.5], rtol=1e-5)


@only_tenon("the built-in CPU hangs for some of these matrices")
@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("number", ("inf", "nan"))
def test_svd_of_infinities_and_nans(name, number):
    """LAPACK's iteration does not end for some infinite elements. run() fails on a hang."""
    shapes = ((3, 3), (8, 8), (30, 20), (2, 5, 5), (64, 4, 4))
    done = run(f"""
        import jax, jax.numpy as jnp, numpy as np
        jax.config.update("jax_enable_x64", True)
        rng = np.random.default_rng(0)
        for shape in {shapes}:
            x = rng.standard_normal(shape).astype("{name}")
            x.flat[x.size // 2] = float("{number}")
            inverse = np.asarray(jnp.linalg.pinv(x)).reshape(-1, *shape[:-3:-1])
            bad = ~np.isfinite(x.reshape(-1, *shape[-2:])).all((1, 2))
            assert np.isnan(inverse[bad]).all() and not np.isnan(inverse[~bad]).any(), shape
        print("done")""")
    assert done == "done"
