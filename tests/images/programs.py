"""Writes small programs of every kind, as StableHLO, into a folder: programs.py FOLDER."""
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def array(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def bf16(*shape):
    return array(*shape, dtype=jnp.bfloat16)


def convolution(x, w):
    return lax.conv_general_dilated(x, w, (2, 2), "SAME",
                                    dimension_numbers=("NHWC", "HWIO", "NHWC"))


def halve(x):
    return lax.while_loop(lambda c: c[0] < 20,
                          lambda c: (c[0] + 1, c[1] * 0.5 + jnp.roll(c[1], 1)), (0, x))


def spectra(x):
    return jnp.fft.fft(x), jnp.fft.rfft(x.real), jnp.fft.fft(x[:, :60]), jnp.fft.ifft(x[:, :53])


def solve(x):
    lower = jnp.tril(x) + 9 * jnp.eye(30)
    return (jnp.linalg.cholesky(x @ x.T + 40 * jnp.eye(30)),
            lax.linalg.triangular_solve(lower, x, left_side=True, lower=True))


# Name: function, arguments.
PROGRAMS = {
    "elementwise": (lambda x, y: (jnp.where(x > y, x * y + 1, jnp.abs(x) - y),
                                  jnp.maximum(x, y) / (1 + x * x)), array(1003), array(1003)),
    "functions": (lambda x: (jnp.exp(x), jnp.sin(x), jnp.tanh(x), jnp.log1p(jnp.abs(x)),
                             lax.erf(x)), array(999)),
    "reduce": (lambda x: (x.sum(), x.sum(0), x.sum(1), x.max(1), jnp.argmax(x, 1)),
               array(100, 257)),
    "integers": (lambda x: (x // 3, x % 7, x << 2, jnp.cumsum(x), lax.population_count(x)),
                 array(777, dtype=jnp.int32)),
    "dot": (lambda x, y: (x @ y, jax.nn.relu(x @ y + 1)), array(65, 130), array(130, 70)),
    "dot_bf16": (lambda x, y: x @ y, bf16(64, 128), bf16(128, 48)),
    "dot_s8": (lambda x, y: lax.dot(x, y, preferred_element_type=jnp.int32),
               array(33, 64, dtype=jnp.int8), array(64, 40, dtype=jnp.int8)),
    "convolution": (convolution, array(2, 17, 19, 5), array(3, 3, 5, 8)),
    "sort": (lambda x: (jnp.sort(x), jnp.argsort(x), lax.top_k(x, 5)), array(1000)),
    "while": (halve, array(300)),
    "fft": (spectra, array(3, 256, dtype=jnp.complex64)),
    "bf16": (lambda x, y: (x * y + x, x.astype(jnp.float32) - y, jnp.maximum(x, y)),
             bf16(40, 300), bf16(40, 300)),
    "f16": (lambda x: (x * x + 1, jnp.abs(x)), array(513, dtype=jnp.float16)),
    "sums_bf16": (lambda x: (x.sum(0), jnp.cumsum(x, 1)), bf16(40, 300)),
    "gather": (lambda x, i: (x[i], x.at[i].add(1.0), x.T[3]), array(50, 20),
               array(31, dtype=jnp.int32)),
    "windows": (lambda x: (lax.reduce_window(x, -np.inf, lax.max, (3, 3), (2, 2), "SAME"),
                           jnp.pad(x, 3), x.T.reshape(-1)), array(33, 31)),
    "solve": (solve, array(30, 30)),
    "attention": (jax.nn.dot_product_attention, array(1, 64, 4, 32), array(1, 64, 4, 32),
                  array(1, 64, 4, 32)),
    "random": (lambda key: jax.random.bits(jax.random.wrap_key_data(key), (500,)),
               array(2, dtype=jnp.uint32)),
    "constants": (lambda x: x @ np.arange(4096, dtype=np.float32).reshape(64, 64) / 4096,
                  array(10, 64)),
}


if __name__ == "__main__":
    for name, (function, *arguments) in PROGRAMS.items():
        text = jax.jit(function).lower(*arguments).as_text()
        (pathlib.Path(sys.argv[1]) / f"{name}.mlir").write_text(text)
