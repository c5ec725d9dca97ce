"""Shared by the smoke programs: data, comparison, and tests that do not apply everywhere."""
import contextlib

import jax
import jax.numpy as jnp
import numpy as np

ffi_library = None  # the path given on the command line


class NotApplicable(Exception):
    """The program is about something that this version or platform does not have."""


def platform():
    return jax.devices()[0].platform


def data(*shape, seed=0, dtype=np.float32):
    """Random numbers around zero, reproducible."""
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def equal(computed, expected):
    computed = np.asarray(computed)
    np.testing.assert_array_equal(computed, np.asarray(expected, computed.dtype))


def close(computed, expected, rtol=1e-5, atol=1e-6):
    """Same shape, and numbers that differ by rounding only."""
    computed, expected = np.asarray(computed), np.asarray(expected)
    assert computed.shape == expected.shape, f"{computed.shape} is not {expected.shape}"
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    np.testing.assert_allclose(computed.astype(wide), expected.astype(wide), rtol, atol)


def raises(function, *texts):
    """The error `function` raises, whose message must contain every text."""
    try:
        jax.block_until_ready(function())
    except Exception as error:
        for text in texts:
            assert text in str(error), f"no {text!r} in {error}"
        return error
    raise AssertionError(f"no error; expected one about {texts}")


@contextlib.contextmanager
def configured(**values):
    """JAX's configuration with other values."""
    before = {name: getattr(jax.config, name) for name in values}
    try:
        for name, value in values.items():
            jax.config.update(name, value)
        yield
    finally:
        for name, value in before.items():
            jax.config.update(name, value)


def layers(sizes, seed=0):
    """Weights of a multi-layer perceptron."""
    return [(data(m, n, seed=seed + i) / np.sqrt(m), np.zeros(n, np.float32))
            for i, (m, n) in enumerate(zip(sizes, sizes[1:]))]


def perceptron(weights, x):
    for w, b in weights[:-1]:
        x = jnp.tanh(x @ w + b)
    w, b = weights[-1]
    return x @ w + b
