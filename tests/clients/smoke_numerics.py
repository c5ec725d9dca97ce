"""Smoke programs about numbers: each operation family once, against NumPy."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from smoke_tools import close, configured, data, equal


def check_elementwise():
    x = data(37, 5)
    f = lambda x: jnp.tanh(x) * jnp.exp(-jnp.abs(x)) + jnp.sqrt(x * x + 1) / (1 + jnp.cos(x) ** 2)
    close(jax.jit(f)(x), np.tanh(x) * np.exp(-np.abs(x)) + np.sqrt(x * x + 1)
          / (1 + np.cos(x) ** 2))


def check_special_values():
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0], np.float32)
    with np.errstate(all="ignore"):
        for name in ("exp", "log", "sqrt", "sin", "tanh", "sign", "floor"):
            np.testing.assert_allclose(getattr(jnp, name)(x), getattr(np, name)(x), 1e-6)
        equal(jnp.maximum(x, 0), np.maximum(x, 0))


def check_integers():
    x, y = np.arange(-20, 20, dtype=np.int32), np.tile(np.array([3, -7, 5, -2], np.int32), 10)
    equal(jax.jit(lambda x, y: x // y + x % y * 3)(x, y), x // y + x % y * 3)
    equal(jax.jit(lambda x, y: (x << 2) ^ (y & 5) | ~x)(x, y), (x << 2) ^ (y & 5) | ~x)
    u = x.astype(np.uint8)
    equal(lax.population_count(u), [bin(v).count("1") for v in u])


def check_types():
    for name in ("bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "float16",
                 "bfloat16", "float32", "complex64", "float8_e4m3fn", "float8_e5m2", "int4"):
        x = (np.arange(6) % 2).astype(jnp.dtype(name))
        y = jax.jit(lambda x: x[::-1])(x)
        assert y.dtype == x.dtype, name
        equal(y.astype(jnp.float32), x[::-1].astype(np.float32))


def check_64_bits():
    with configured(jax_enable_x64=True):
        x = data(40, dtype=np.float64)
        close(jax.jit(lambda x: jnp.sin(x) @ jnp.log1p(x * x))(x),
              np.sin(x) @ np.log1p(x * x), 1e-13, 1e-13)
        equal(jnp.int64(2) ** 40 + jnp.arange(3), 2**40 + np.arange(3))


def check_complex():
    x = data(9) + 1j * data(9, seed=1)
    x = x.astype(np.complex64)
    close(jax.jit(lambda x: jnp.exp(x) * jnp.conj(x) / (x + 2))(x),
          np.exp(x) * np.conj(x) / (x + 2), 1e-4, 1e-5)
    close(jnp.abs(x) + jnp.angle(x), np.abs(x) + np.angle(x))


def check_conversions():
    x = np.array([1.7, -1.7, 300.2, 0.0], np.float32)
    equal(jnp.asarray(x).astype(jnp.int32), [1, -1, 300, 0])
    equal(lax.bitcast_convert_type(x, jnp.int32), x.view(np.int32))
    equal(jnp.asarray(x, jnp.bfloat16).astype(jnp.float32), [1.703125, -1.703125, 300, 0])


def check_matmul():
    a, b = data(65, 33), data(33, 70, seed=1)
    close(jax.jit(jnp.matmul)(a, b), a @ b, 1e-4, 1e-5)
    a, b = a.astype(jnp.bfloat16), b.astype(jnp.bfloat16)
    close(jnp.matmul(a, b, preferred_element_type=jnp.float32),
          a.astype(np.float32) @ b.astype(np.float32), 1e-3, 1e-3)


def check_batched_products():
    a, b = data(3, 4, 8, 5), data(3, 4, 5, 6, seed=1)
    close(a @ jnp.asarray(b), a @ b, 1e-4, 1e-5)
    c = data(5, 6, 7, seed=2)
    close(jax.jit(lambda a, c: jnp.einsum("abij,jkl->bikl", a, c))(a, c),
          np.einsum("abij,jkl->bikl", a, c), 1e-4, 1e-4)


def convolve(x, w, stride=1, dilation=1, groups=1):
    """Convolution without padding, NHWC by HWIO, by its definition."""
    n, h, width, _ = x.shape
    kh, kw, ci, co = w.shape
    oh = (h - (kh - 1) * dilation - 1) // stride + 1
    ow = (width - (kw - 1) * dilation - 1) // stride + 1
    out = np.zeros((n, oh, ow, co))
    for i in range(kh):
        for j in range(kw):
            part = x[:, i * dilation:, j * dilation:][:, :oh * stride:stride,
                                                      :ow * stride:stride]
            for g in range(groups):
                o = slice(g * co // groups, (g + 1) * co // groups)
                out[..., o] += part[..., g * ci:(g + 1) * ci] @ w[i, j][:, o]
    return out


def check_convolution():
    x, w = data(2, 9, 10, 4), data(3, 3, 4, 6, seed=1)
    numbers = ("NHWC", "HWIO", "NHWC")
    close(lax.conv_general_dilated(x, w, (1, 1), "VALID", dimension_numbers=numbers),
          convolve(x, w), 1e-4, 1e-4)
    close(lax.conv_general_dilated(x, w, (2, 2), "VALID", rhs_dilation=(2, 2),
                                   dimension_numbers=numbers),
          convolve(x, w, stride=2, dilation=2), 1e-4, 1e-4)
    w = data(3, 3, 1, 8, seed=2)
    close(lax.conv_general_dilated(x, w, (1, 1), "VALID", dimension_numbers=numbers,
                                   feature_group_count=4), convolve(x, w, groups=4), 1e-4, 1e-4)


def check_reductions():
    x = data(6, 50, 7)
    for name in ("sum", "max", "min", "mean", "var", "prod"):
        close(jax.jit(getattr(jnp, name), static_argnums=1)(x, 1), getattr(np, name)(x, 1), 1e-4)
    equal(jnp.argmax(x, 1), np.argmax(x, 1))
    equal(jnp.any(x > 2, 0), np.any(x > 2, 0))
    close(jax.nn.logsumexp(x, axis=(0, 2)), np.log(np.exp(x).sum((0, 2))))


def check_cumulative():
    x = data(5, 23)
    close(jnp.cumsum(x, 1), np.cumsum(x, 1), 1e-4, 1e-5)
    equal(lax.cummax(x, 1), np.maximum.accumulate(x, 1))
    close(jnp.cumprod(x, 0), np.cumprod(x, 0))


def check_pooling():
    x = data(1, 6, 6, 2)
    windows = x.reshape(1, 3, 2, 3, 2, 2)
    pool = lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    equal(pool(x), windows.max((2, 4)))
    gradient = jax.grad(lambda x: pool(x).sum())(x)
    equal(gradient, (windows == windows.max((2, 4), keepdims=True)).reshape(x.shape))


def check_sort():
    x = np.random.default_rng(0).integers(0, 20, (4, 100)).astype(np.int32)
    equal(jnp.sort(x, axis=1), np.sort(x, axis=1))
    equal(jnp.argsort(x, axis=1), np.argsort(x, axis=1, kind="stable"))
    keys, values = lax.sort((x[0], np.arange(100)), num_keys=1)
    order = np.argsort(x[0], kind="stable")
    equal(keys, x[0][order])
    equal(values, order)
    y = data(50)
    values, where = lax.top_k(y, 5)
    equal(values, np.sort(y)[::-1][:5])
    equal(where, np.argsort(-y)[:5])


def check_gather():
    x, rows = data(10, 6), np.array([3, 0, 9, -1])
    equal(jax.jit(lambda x, i: x[i])(x, rows), x[rows])
    equal(jax.jit(lambda x, i: x[i[:, None], jnp.arange(3)])(x, rows), x[rows][:, :3])
    equal(jnp.take_along_axis(x, np.argsort(x, 1), 1), np.sort(x, 1))
    equal(jax.jit(lambda x, i: lax.dynamic_slice(x, (i, 2), (3, 2)))(x, 4), x[4:7, 2:4])


def check_scatter():
    x, rows = data(10, 3), np.array([1, 1, 7])
    expected = x.copy()
    np.add.at(expected, rows, 2)
    equal(jnp.asarray(x).at[rows].add(2), expected)
    expected[rows] = -1
    equal(jnp.asarray(expected).at[rows].set(-1), expected)
    equal(jax.jit(lambda x: lax.dynamic_update_slice(x, jnp.zeros((2, 2)), (8, 1)))(x)[8:, 1:],
          np.zeros((2, 2)))
    equal(jax.ops.segment_sum(jnp.arange(6), np.array([0, 1, 0, 2, 2, 2])), [2, 1, 12])


def check_shapes():
    x = data(4, 6)
    equal(jnp.pad(x, ((1, 2), (0, 3)), constant_values=5),
          np.pad(x, ((1, 2), (0, 3)), constant_values=5))
    equal(jnp.concatenate([x, x[:1] * 2]).T.reshape(-1), np.concatenate([x, x[:1] * 2]).T.ravel())
    equal(jnp.where(x > 0, x, x[::-1]), np.where(x > 0, x, x[::-1]))
    equal(jnp.rot90(jnp.tile(x, (2, 3))), np.rot90(np.tile(x, (2, 3))))
    assert jnp.zeros((0, 5)).sum() == 0 and (jnp.ones((3, 0)) @ jnp.ones((0, 2))).sum() == 0


def check_fft():
    x = data(6, 12)
    close(jnp.fft.fft2(x), np.fft.fft2(x), 1e-4, 1e-4)
    close(jnp.fft.irfft(jnp.fft.rfft(x)), x, 1e-4, 1e-5)


def check_linear_algebra():
    a = data(6, 6)
    s = a @ a.T + 6 * np.eye(6, dtype=np.float32)
    close(jnp.linalg.cholesky(s), np.linalg.cholesky(s), 1e-3, 1e-4)
    close(jnp.linalg.solve(s, a), np.linalg.solve(s, a), 1e-3, 1e-4)
    close(jnp.linalg.inv(s), np.linalg.inv(s), 1e-3, 1e-4)
    close(jnp.linalg.slogdet(s)[1], np.linalg.slogdet(s)[1], 1e-4)
    close(lax.linalg.triangular_solve(np.tril(s), a, left_side=True, lower=True),
          np.linalg.solve(np.tril(s), a), 1e-3, 1e-4)


def check_decompositions():
    a = data(6, 4)
    q, r = jnp.linalg.qr(a)
    close(q @ r, a, 1e-4, 1e-5)
    u, s, v = jnp.linalg.svd(a, full_matrices=False)
    close((u * s) @ v, a, 1e-4, 1e-5)
    close(s, np.linalg.svd(a)[1], 1e-4, 1e-5)
    square = a.T @ a
    close(jnp.linalg.eigh(square)[0], np.linalg.eigh(square)[0], 1e-3, 1e-4)


def check_eigenvalues():
    a = data(5, 5)
    values = np.sort_complex(np.asarray(jnp.linalg.eigvals(a)))
    close(values, np.sort_complex(np.linalg.eigvals(a)), 1e-3, 1e-4)


def check_random_bits():
    from jax.extend.random import threefry_2x32
    zero, ones = np.zeros(2, np.uint32), np.full(2, 0xffffffff, np.uint32)
    equal(threefry_2x32(zero, zero), np.array([0x6b200159, 0x99ba4efe], np.uint32))
    equal(threefry_2x32(ones, ones), np.array([0x1cb996fc, 0xbb002be7], np.uint32))


def check_random_distributions():
    key = jax.random.key(3)
    x = np.asarray(jax.random.normal(key, (100_000,)))
    assert abs(x.mean()) < 0.02 and abs(x.std() - 1) < 0.02
    u = np.asarray(jax.random.uniform(key, (100_000,)))
    assert 0 <= u.min() and u.max() < 1 and abs(u.mean() - 0.5) < 0.01
    assert sorted(jax.random.permutation(key, 50).tolist()) == list(range(50))
    g = np.asarray(jax.random.gamma(key, 2.0, (20_000,)))
    assert abs(g.mean() - 2) < 0.1
    state, bits = jax.lax.rng_bit_generator(np.arange(4, dtype=np.uint32), (10_000,))
    assert np.asarray(state).tolist() != [0, 1, 2, 3]
    assert abs(np.asarray(bits).mean() / 2**32 - 0.5) < 0.02


def check_special_functions():
    x = np.linspace(0.5, 3, 20).astype(np.float32)
    import math
    close(jax.scipy.special.gammaln(x), [math.lgamma(v) for v in x], 1e-4, 1e-5)
    close(jax.scipy.special.erf(x), [math.erf(v) for v in x], 1e-5)
    close(jax.scipy.special.erfinv(jax.scipy.special.erf(x[:10])), x[:10], 1e-3, 1e-3)
    close(jax.nn.gelu(x, approximate=False),
          [v * (1 + math.erf(v / 2**0.5)) / 2 for v in x.tolist()], 1e-5)


def check_inverse_and_hyperbolic_functions():
    x = np.linspace(0.05, 0.9, 12).astype(np.float32)
    z = (x + 1j * x[::-1] * np.sign(x - 0.5)).astype(np.complex64)
    for name in ("arcsin", "arccos", "arctan", "sinh", "cosh", "tan", "arcsinh", "arccosh",
                 "arctanh"):
        f, expected = jax.jit(getattr(jnp, name)), getattr(np, name)
        close(f(z), expected(z), 1e-4, 1e-5)
        y = x + 1 if name == "arccosh" else x
        close(f(y), expected(y), 1e-5, 1e-6)
