"""Many small matrices: QR, eigenvalues and singular values are kernels with one matrix per lane.

The tests check the properties that define the factors, to a few roundings of the matrix norm. Only
matrices with infinities or NaNs have factors of NaNs.
"""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import PLATFORM

KINDS = ("random", "graded", "deficient", "repeated", "zero", "diagonal", "tiny", "huge",
         "denormal")
SIZES = [1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 24, 25, 32, 33]


@pytest.fixture(autouse=True)
def on_device():
    with jax.default_device(jax.devices(PLATFORM)[0]):
        yield


def matrices(batch, m, n, dtype, symmetric=False):
    """Matrices of all kinds, alternating."""
    rng = np.random.RandomState(m * 100 + n)
    a = rng.randn(batch, m, n)
    for i in range(batch):
        kind = KINDS[i % len(KINDS)]
        k = min(m, n)
        if kind == "graded":
            a[i] *= 10.0 ** -np.linspace(0, 12, n)
        elif kind == "deficient":
            a[i] = a[i][:, :1] @ a[i][:1]
        elif kind == "repeated":
            q = np.linalg.qr(rng.randn(n, n))[0]
            a[i] = 0
            a[i, :k] = (q * (np.arange(n) % 2 + 1)) @ q.T if m >= n else q[:k]
        elif kind == "zero":
            a[i] = 0
        elif kind == "diagonal":
            a[i] = 0
            a[i][np.arange(k), np.arange(k)] = rng.randn(k)
        elif kind == "tiny":
            a[i] *= 1e-30 if dtype == "float32" else 1e-290
        elif kind == "denormal":
            a[i] *= 1e-40 if dtype == "float32" else 1e-310
        elif kind == "huge":
            a[i] *= 1e30 if dtype == "float32" else 1e290
    if symmetric:
        a = (a + np.swapaxes(a, -1, -2)) / 2
    return a.astype(dtype)


def assert_equal(found, expected, a, dtype, factor=8):
    """Compares each matrix, to some roundings of its largest element times its size."""
    found, expected = np.asarray(found, "float64"), np.asarray(expected, "float64")
    size = np.abs(np.asarray(a, "float64")).max((-2, -1), keepdims=True)
    limit = factor * max(a.shape[-2:]) * np.finfo(dtype).eps * size + 1e-37
    error = np.abs(found - expected)
    assert np.isfinite(found).all() and (error <= limit).all(), (
        np.nanmax(error / limit), KINDS[np.argmax((error / limit).max((-2, -1))) % len(KINDS)])


def assert_orthogonal(q, dtype):
    q = np.asarray(q, "float64")
    limit = 8 * q.shape[-2] * np.finfo(dtype).eps
    assert np.abs(np.swapaxes(q, -1, -2) @ q - np.eye(q.shape[-1])).max() <= limit


def scaled(a):
    return np.asarray(a, "float64")


@pytest.fixture(params=["float32", "float64"])
def dtype(request):
    with jax.enable_x64(request.param == "float64"):
        yield request.param


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("extra", [0, 3])
def test_qr(n, extra, dtype):
    a = matrices(19, n + extra, n, dtype)
    for mode in ("reduced", "complete"):
        q, r = jnp.linalg.qr(a, mode=mode)
        assert_orthogonal(q, dtype)
        assert_equal(scaled(q) @ scaled(r), a, a, dtype)
        assert not np.any(np.tril(r, -1))
    reflections, taus = jnp.linalg.qr(a, mode="raw")
    one = jnp.linalg.qr(a[0], mode="raw")  # LAPACK's
    np.testing.assert_allclose(reflections[0], one[0], rtol=0, atol=n * 40 * np.finfo(dtype).eps)
    np.testing.assert_allclose(taus[0], one[1], rtol=0, atol=n * 40 * np.finfo(dtype).eps)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("lower", [True, False])
def test_eigh(n, lower, dtype):
    a = matrices(19, n, n, dtype, symmetric=True)
    other = np.triu(np.full(a.shape, 7, dtype), 1)
    given = (np.tril(a) + other) if lower else np.swapaxes(np.tril(a) + other, -1, -2)
    w, v = jnp.linalg.eigh(given, UPLO="L" if lower else "U", symmetrize_input=False)
    assert_orthogonal(v, dtype)
    assert np.all(np.diff(w) >= -np.finfo(dtype).tiny)
    assert_equal(scaled(a) @ scaled(v), scaled(v) * scaled(w)[:, None], a, dtype)
    only = jnp.linalg.eigvalsh(given, UPLO="L" if lower else "U", symmetrize_input=False)
    assert_equal(only[:, None], w[:, None], a, dtype)


@pytest.mark.parametrize("m, n", [(n, n) for n in SIZES] + [(5, 3), (3, 5), (40, 7), (7, 40)])
def test_svd(m, n, dtype):
    a = matrices(19, m, n, dtype)
    for full in (False, True):
        u, s, vt = jnp.linalg.svd(a, full_matrices=full)
        k = min(m, n)
        assert_orthogonal(u, dtype)
        assert_orthogonal(np.swapaxes(vt, -1, -2), dtype)
        assert np.all(np.diff(s) <= np.finfo(dtype).tiny) and np.all(s >= 0)
        product = scaled(u[..., :k]) * scaled(s)[:, None] @ scaled(vt[:, :k])
        assert_equal(product, a, a, dtype)
        only = jnp.linalg.svd(a, compute_uv=False)
        assert_equal(only[:, None], s[:, None], a, dtype)


@pytest.mark.parametrize("batch", [1, 7, 8, 16, 33, 1000])
def test_batches(batch, dtype):
    a = matrices(batch, 6, 6, dtype, symmetric=True)
    w, v = jnp.linalg.eigh(a)
    assert_equal(scaled(a) @ scaled(v), scaled(v) * scaled(w)[:, None], a, dtype)
    two = jnp.linalg.svd(a.reshape(batch, 1, 6, 6), compute_uv=False)
    np.testing.assert_array_equal(two.shape, (batch, 1, 6))
    assert_equal(two[:, 0][:, None], np.sort(np.abs(w), -1)[:, ::-1][:, None], a, dtype)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("n", [3, 8])
def test_infinities_affect_only_their_matrix(bad, n, dtype):
    a = np.stack([matrices(1, n, n, dtype, symmetric=True)[0]] * 20)
    a[5, 1, 1] = bad
    clean = np.arange(20) != 5
    for result in (*jnp.linalg.eigh(a), *jnp.linalg.svd(a), *jnp.linalg.qr(a)):
        assert np.isfinite(np.asarray(result)[clean]).all()
    if np.isinf(bad) and PLATFORM == "cpu":
        return  # LAPACK finds factors of identities
    for result in (*jnp.linalg.eigh(a), *jnp.linalg.svd(a)):
        assert np.isnan(np.asarray(result)[5]).all()
    assert np.isnan(np.asarray(jnp.linalg.qr(a)[1][5])).any()


def test_gradients_through_factors():
    a = matrices(16, 5, 5, "float32", symmetric=True) + np.diag(np.arange(5.0)).astype("float32")

    def f(a):
        w, v = jnp.linalg.eigh(a)
        return (w * jnp.arange(5)).sum() + (v[..., 0] ** 2).sum()
    one = [jax.grad(f)(a[i]) for i in (0, 8)]
    many = jax.grad(lambda a: jax.vmap(f)(a).sum())(a)
    np.testing.assert_allclose(many[0], one[0], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(many[8], one[1], rtol=1e-4, atol=1e-4)
