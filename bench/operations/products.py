"""Products, convolutions and Fourier transforms."""
import jax.numpy as jnp
from jax import lax

from .registry import COMPLEX, FLOATS, REALS, operation


@operation(*REALS, *COMPLEX)
def gram_matrix(x):
    return x[:, :100].T @ x[:, :100]


@operation(*REALS, *COMPLEX)
def matrix_times_vector(x):
    return x @ x[0]


@operation(*REALS, *COMPLEX)
def vector_times_matrix(x):
    return x[0] @ x.T


@operation(*FLOATS, *COMPLEX)
def products_of_10x10(x):
    blocks = x[:, :100].reshape(-1, 10, 10)
    return blocks @ blocks


@operation(*FLOATS, "int32")
def convolve_rows(x):
    return lax.conv_general_dilated(x[:, None], x[:8, None, :9], (1,), "SAME")


@operation(*FLOATS, *COMPLEX)
def convolve_vectors(x):
    return jnp.convolve(x[0], x[1, :31])


@operation(*COMPLEX)
def fft_of_rows(x):
    return jnp.fft.fft(x)


@operation(*COMPLEX)
def fft_of_columns(x):
    return jnp.fft.fft(x, axis=0)


@operation("float32", "float64")
def real_fft_of_rows(x):
    return jnp.fft.rfft(x)


@operation("float32", "float64")
def cross_products(x):
    return jnp.cross(x[:, :99].reshape(-1, 3), x[:, 1:100].reshape(-1, 3))


@operation("float32", "float64")
def interpolate(x):
    return jnp.interp(x, jnp.linspace(-3, 3, 50, dtype=x.dtype),
                      jnp.linspace(0, 1, 50, dtype=x.dtype))
