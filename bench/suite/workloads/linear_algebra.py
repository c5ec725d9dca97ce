"""Fourier transforms and linear algebra."""
import jax
import jax.numpy as jnp
import numpy as np

from ..registry import add, c64, f32


def positive_definite(n, batch=()):
    a = f32(*batch, n, n)
    return (a @ np.swapaxes(a, -1, -2) / n + np.eye(n)).astype(np.float32)


def _add(name, function, arguments, flops, **keywords):
    add(name, function, arguments, "fft_linalg", flops=flops, **keywords)


_add("fft_2^20", jnp.fft.fft, lambda: (c64(1 << 20),), 5.0 * 20 * 2**20, bytes=16.0 * 2**20)
_add("fft_batch_1024x1024", jnp.fft.fft, lambda: (c64(1024, 1024),), 5.0 * 10 * 2**20,
     bytes=16.0 * 2**20)
_add("fft_batch_1000x360", jnp.fft.fft, lambda: (c64(1000, 360),), 5.0 * 8.5 * 360_000,
     bytes=16.0 * 360_000)
_add("rfft2_512x512", jnp.fft.rfft2, lambda: (f32(512, 512),), 2.5 * 18 * 2**18,
     bytes=8.0 * 2**18)
# Lengths with slow paths in libraries: primes, odd lengths of reals. Compile times matter too.
_add("fft_prime_101x1000", jnp.fft.fft, lambda: (c64(1000, 101),), 5.0 * 6.7 * 101_000,
     bytes=16.0 * 101_000)
_add("fft_prime_1021x64", jnp.fft.fft, lambda: (c64(64, 1021),), 5.0 * 10 * 64 * 1021,
     bytes=16.0 * 64 * 1021)
_add("fft_prime_4093", jnp.fft.fft, lambda: (c64(4093),), 5.0 * 12 * 4093, bytes=16.0 * 4093)
_add("fft_prime_1000003", jnp.fft.fft, lambda: (c64(1_000_003),), 5.0 * 20 * 1_000_003,
     bytes=16.0 * 1_000_003)
_add("rfft_odd_3375", jnp.fft.rfft, lambda: (f32(16, 3375),), 2.5 * 11.7 * 16 * 3375,
     bytes=8.0 * 16 * 3375)
_add("irfft_odd_1001", lambda x: jnp.fft.irfft(x, 1001), lambda: (c64(64, 501),),
     2.5 * 10 * 64 * 1001, bytes=8.0 * 64 * 1001)
_add("cholesky_512", jnp.linalg.cholesky, lambda: (positive_definite(512),), 512**3 / 3)
_add("cholesky_batch_1000x8x8", jnp.linalg.cholesky, lambda: (positive_definite(8, (1000,)),),
     1000 * 8**3 / 3)
_add("triangular_solve_512x512",
     lambda a, b: jax.scipy.linalg.solve_triangular(a, b, lower=True),
     lambda: (np.tril(f32(512, 512)) + 30 * np.eye(512, dtype=np.float32),
              f32(512, 512, seed=1)), 512.0**3)
_add("lu_solve_512", jnp.linalg.solve, lambda: (positive_definite(512), f32(512, seed=1)),
     2 * 512**3 / 3, iree=False)
_add("qr_512x256", jnp.linalg.qr, lambda: (f32(512, 256),), 4.0 * 256**2 * (512 - 256 / 3),
     iree=False)
_add("eigh_256", jnp.linalg.eigh, lambda: (positive_definite(256),), 9.0 * 256**3, iree=False)
_add("svd_256", jnp.linalg.svd, lambda: (f32(256, 256),), 22.0 * 256**3, iree=False)
