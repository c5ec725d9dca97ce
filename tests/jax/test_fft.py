"""Fourier transforms: lengths that have a kernel, in all its forms, and lengths that have none,
against NumPy in double precision."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from compare import data, epsilon
from conftest import PLATFORM

pytestmark = pytest.mark.usefixtures("x64")
ONE = ("fft", "ifft", "rfft", "irfft")
TWO = ("fft2", "ifft2", "rfft2", "irfft2")
ALL_AXES = ("fftn", "ifftn", "rfftn", "irfftn")


def check_fft(name, shape, of, **options):
    """Transforms of complex numbers get numbers of type `of`, real ones reals of its width."""
    if name.startswith("r"):
        of = {"complex64": "float32", "complex128": "float64"}[of]
    x = data(shape, of)
    expected = getattr(np.fft, name)(x.astype(np.result_type(x.dtype, np.float64)), **options)
    placed = jax.device_put(x, jax.devices(PLATFORM)[0])
    result = np.asarray(jax.jit(lambda x: getattr(jnp.fft, name)(x, **options))(placed))
    assert result.shape == expected.shape
    size = np.sqrt(np.mean(np.abs(expected) ** 2))
    assert np.max(np.abs(result - expected)) <= 24 * epsilon(of) * size


@pytest.mark.parametrize("of", ["complex64", "complex128"])
@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("shape", [
    (8,), (5, 7), (37, 16), (17, 48), (40, 100), (33, 143), (16, 1024),  # a lane a row
    (1, 1000), (4096,), (1 << 17,), (30000,),  # in two halves
    (37,), (19, 38), (130, 17)], ids=str)  # primes
def test_one_dimension(shape, name, of):
    check_fft(name, shape, of)


@pytest.mark.parametrize("of", ["complex64", "complex128"])
@pytest.mark.parametrize("name", TWO + ALL_AXES)
@pytest.mark.parametrize("shape", [(16, 20), (3, 17, 12), (5, 33, 40), (128, 96), (4, 6, 34)],
                         ids=str)
def test_more_dimensions(shape, name, of):
    check_fft(name, shape, of, **({"axes": range(-len(shape), 0)} if "n" in name else {}))


@pytest.mark.parametrize("axis", [0, 1])
def test_other_axis(axis):
    check_fft("fft", (24, 40, 3), "complex64", axis=axis)
