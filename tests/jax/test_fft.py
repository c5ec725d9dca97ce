"""Fourier transforms of all kinds of lengths, compared with NumPy in double precision."""
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


def check_fft(name, shape, element_type, **options):
    """Complex transforms take numbers of type `of`, real transforms reals of its width."""
    if name.startswith("r"):
        element_type = {"complex64": "float32", "complex128": "float64"}[element_type]
    x = data(shape, element_type)
    expected = getattr(np.fft, name)(x.astype(np.result_type(x.dtype, np.float64)), **options)
    placed = jax.device_put(x, jax.devices(PLATFORM)[0])
    result = np.asarray(jax.jit(lambda x: getattr(jnp.fft, name)(x, **options))(placed))
    assert result.shape == expected.shape
    size = np.sqrt(np.mean(np.abs(expected) ** 2))
    assert np.max(np.abs(result - expected)) <= 24 * epsilon(element_type) * size


@pytest.mark.parametrize("element_type", ["complex64", "complex128"])
@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("shape", [
    (8,), (5, 7), (37, 16), (17, 48), (40, 100), (33, 143), (16, 1024),  # one row per lane
    (1, 1000), (4096,), (1 << 17,), (30000,),  # in two halves
    (37,), (19, 38), (130, 17)], ids=str)  # primes
def test_one_dimension(shape, name, element_type):
    check_fft(name, shape, element_type)


@pytest.mark.parametrize("element_type", ["complex64", "complex128"])
@pytest.mark.parametrize("name", TWO + ALL_AXES)
@pytest.mark.parametrize("shape", [(16, 20), (3, 17, 12), (5, 33, 40), (128, 96), (4, 6, 34)],
                         ids=str)
def test_more_dimensions(shape, name, element_type):
    check_fft(name, shape, element_type, **({"axes": range(-len(shape), 0)} if "n" in name else {}))


@pytest.mark.parametrize("axis", [0, 1])
def test_other_axis(axis):
    check_fft("fft", (24, 40, 3), "complex64", axis=axis)


def relative_error(result, exact):
    """The root mean square error, relative to that of the exact result."""
    size = float(np.sqrt(np.mean(np.abs(exact) ** 2)))
    return float(np.sqrt(np.mean(np.abs(result - exact) ** 2))) / size if size else 0.0


def transform_all(name, inputs, lengths, device):
    """One program for all lengths, so that equal steps are compiled once."""
    def function(*inputs):
        sizes = ({"n": n} if name == "irfft" else {} for n in lengths)
        return [getattr(jnp.fft, name)(x, **size)
                for x, size in zip(inputs, sizes, strict=True)]
    with jax.default_device(device):
        return [np.asarray(y) for y in jax.jit(function)(*jax.device_put(inputs, device))]


def check_lengths(name, element_type, lengths, batches, mean_ratio):
    """Errors against extended precision: each is small, and their mean is at most `mean_ratio`
    times the built-in CPU's. The ratio allows for chance in a few transforms."""
    real = {"complex64": "float32", "complex128": "float64"}[element_type]
    shapes = [(batch, n // 2 + 1 if name == "irfft" else n)
              for batch, n in zip(batches, lengths, strict=True)]
    inputs = [data(shape, real if name == "rfft" else element_type, seed=number)
              for number, shape in enumerate(shapes)]
    results = transform_all(name, inputs, lengths, jax.devices(PLATFORM)[0])
    expected = transform_all(name, inputs, lengths, jax.devices("cpu")[0])
    errors, builtin_errors = [], []
    for n, x, result, other in zip(lengths, inputs, results, expected, strict=True):
        exact = getattr(np.fft, name)(x.astype("longdouble" if name == "rfft" else "clongdouble"),
                                      **({"n": n} if name == "irfft" else {}))
        assert result.dtype == other.dtype and result.shape == other.shape
        errors.append(relative_error(result, exact))
        builtin_errors.append(relative_error(other, exact))
        # Random rounding errors grow with the root of the number of steps.
        assert errors[-1] <= epsilon(element_type) * (1 + np.sqrt(np.log2(n))), n
    if PLATFORM != "cpu":
        assert np.mean(errors) <= mean_ratio * np.mean(builtin_errors)


@pytest.mark.parametrize("element_type,first", [("complex64", n) for n in range(1, 513, 64)] +
                         [("complex128", n) for n in range(1, 257, 64)])
@pytest.mark.parametrize("name", ONE)
def test_every_length(first, name, element_type):
    """Every length up to 512 (256 of f64), for one, three or seventeen transforms."""
    lengths = list(range(first, first + 64))
    check_lengths(name, element_type, lengths, [(1, 3, 17)[n % 3] for n in lengths], 1.15)
    if first == 1:
        for batch in (1, 3, 17):
            check_lengths(name, element_type, lengths, [batch] * len(lengths), 1.15)


@pytest.mark.parametrize("element_type", ["complex64", "complex128"])
@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("lengths", [(1021, 2042, 4093, 1031 * 3), (3375, 4095, 97 * 89, 97 * 2),
                                     (10007, 20014), (65537,), (2 * 50021,)], ids=str)
def test_large_primes(lengths, name, element_type):
    check_lengths(name, element_type, lengths, [1] * len(lengths), 1.4)
    check_lengths(name, element_type, lengths[:2], [19] * len(lengths[:2]), 1.4)


@pytest.mark.parametrize("element_type", ["complex64", "complex128"])
@pytest.mark.parametrize("name", ONE)
def test_largest_primes_without_convolution(name, element_type):
    """The built-in CPU convolves from 137 on, with twice the error of these lengths."""
    lengths = (127, 131, 254, 262, 381, 508, 524)
    for batch in (1, 3, 7):
        exact = name in ("rfft", "irfft") or element_type == "complex128"
        check_lengths(name, element_type, lengths, [batch] * len(lengths), 1.1 if exact else 1.3)


@pytest.mark.parametrize("name", TWO)
@pytest.mark.parametrize("shape", [(101, 103), (2, 101, 16), (3, 16, 101), (1, 12), (12, 1),
                                   (5, 202, 7)], ids=str)
def test_primes_in_more_dimensions(shape, name):
    if name == "irfft2" and shape[-1] == 1:
        pytest.skip("jnp.fft refuses a transform to no number")
    check_fft(name, shape, "complex64")


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("name", ONE)
def test_axes_of_primes(name, axis):
    check_fft(name, (37, 101, 113), "complex64", axis=axis)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("name", [*ONE, "irfft of an odd number"])
@pytest.mark.parametrize("n", [8, 13, 17, 97, 100, 101, 105, 202, 1021, 1024, 2042, 3375])
def test_special_values_affect_only_their_transform(n, name, value):
    """Each transform depends only on its own numbers, so the others keep all their bits."""
    x = data((21, n), "float32" if name == "rfft" else "complex64")
    special = x.copy()
    special[5, n // 3] = value
    options = {"n": 2 * n - 1} if name not in ONE else {}

    def transform(x):
        return np.asarray(jax.jit(lambda x: getattr(jnp.fft, name.split()[0])(x, **options))(
            jax.device_put(x, jax.devices(PLATFORM)[0])))

    clean, result = transform(x), transform(special)
    assert not np.isfinite(result[5]).all()
    others = np.arange(21) != 5
    np.testing.assert_array_equal(result[others], clean[others])


@pytest.mark.parametrize("element_type", ["complex64", "complex128"])
@pytest.mark.parametrize("n", [1 << 15, 1 << 16, 20736, 100_000, 132_300, 1 << 20])
def test_impulses_of_long_transforms(n, element_type):
    """An impulse's spectrum is powers of one root, so it shows the error of single twiddle factors."""
    device = jax.devices(PLATFORM)[0]
    transform = jax.jit(jnp.fft.fft)
    k = np.arange(n)
    for position in (0, 1, 9, n // 4, n // 3, n // 2, n - 1):
        x = np.zeros(n, element_type)
        x[position] = 1
        y = np.asarray(transform(jax.device_put(x, device)))
        angle = 2 * np.pi * (k * position % n).astype(np.longdouble) / n
        expected = np.cos(angle) - 1j * np.sin(angle)
        assert np.max(np.abs(y - expected)) <= 6 * epsilon(element_type), position
    # Quarters of the circle are exact in lengths of radices 2, 4 and 8.
    if n & (n - 1) == 0:
        x = np.zeros(n, element_type)
        x[n // 4] = 1
        y = np.asarray(transform(jax.device_put(x, device)))
        assert np.array_equal(y, np.array([1, -1j, -1, 1j], element_type)[k % 4])


@pytest.mark.parametrize("element_type", ["complex64", "complex128"])
@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("shape", [(16, 113), (9, 127), (33, 257), (8, 514), (17, 1009), (40, 2003), (3, 9, 521)],
                         ids=str)
def test_rows_with_large_primes(shape, name, element_type):
    """Each lane convolves a row. Not all lanes have one."""
    check_fft(name, shape, element_type)


@pytest.mark.parametrize("element_type", ["complex64", "complex128"])
@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("rows", [9, 17])
@pytest.mark.parametrize("lengths", [
    (99, 105, 117, 121, 125, 169, 243, 343), (693, 1001, 2187, 4095),  # reals: sequences
    (17 * 19, 17 * 37, 101 * 103), (9999, 19683),
    (3 * 137, 9 * 263, 13 * 131, 2 * 1021), (7 * 2857, 4 * 2099),  # columns are convolved
    (3 * 113 * 127,)], ids=str)
def test_rows_of_composite_lengths(lengths, rows, name, element_type):
    check_lengths(name, element_type, lengths, [rows] * len(lengths), 1.15)


@pytest.mark.parametrize("element_type", ["complex64", "complex128"])
@pytest.mark.parametrize("name", ONE)
def test_many_long_rows(name, element_type):
    """From 32 (f64: 16) rows on, one per lane."""
    check_lengths(name, element_type, (9000, 12005, 16384, 20000), [33] * 4, 1.15)


@pytest.mark.parametrize("element_type,size", [("complex64", 1e-30), ("complex128", 1e-297)])
@pytest.mark.parametrize("rows", [1, 3, 9])
@pytest.mark.parametrize("name", ["ifft", "irfft"])
def test_small_numbers_keep_their_digits(name, rows, element_type, size):
    """Scaled by 1 / length before the last step, a convolution's numbers were denormal."""
    for n in (1021, 4099, 10007, 16411):
        x = data((rows, n // 2 + 1 if name == "irfft" else n), element_type)
        x = np.round(x * 64) / 64 * size  # no number is denormal itself
        options = {"n": n} if name == "irfft" else {}
        exact = getattr(np.fft, name)(x.astype("clongdouble"), **options) / size
        placed = jax.device_put(x.astype(element_type), jax.devices(PLATFORM)[0])
        result = jax.jit(lambda x, options=options: getattr(jnp.fft, name)(x, **options))(placed)
        result = np.asarray(result).astype(exact.dtype) / size
        assert relative_error(result, exact) <= 5 * epsilon(element_type), n


@pytest.mark.parametrize("element_type", ["float32", "float64"])
@pytest.mark.parametrize("rows", [1, 3, 9, 17])
def test_reals_whose_transform_is_almost_too_large(rows, element_type):
    for n in (100, 1000, 4096, 8192):
        x = data((rows, n), element_type).astype("longdouble")
        x *= np.finfo(element_type).max / np.max(np.abs(np.fft.rfft(x))) * 0.9
        exact = np.fft.rfft(x.astype(element_type).astype("longdouble"))
        placed = jax.device_put(x.astype(element_type), jax.devices(PLATFORM)[0])
        result = np.asarray(jax.jit(jnp.fft.rfft)(placed))
        assert np.all(np.isfinite(result)), n
        size = np.max(np.abs(exact))
        assert relative_error(result / size, exact / size) <= 5 * epsilon(element_type), n


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft"])
@pytest.mark.parametrize("n", [39402, 40500, 58081])
def test_threads_that_share_a_transform_give_the_same_bits(n, name):
    x = data((2, n), "float32" if name == "rfft" else "complex64")
    function = jax.jit(getattr(jnp.fft, name))
    placed = jax.device_put(x, jax.devices(PLATFORM)[0])
    first = np.asarray(function(placed))
    for _ in range(40):
        np.testing.assert_array_equal(np.asarray(function(placed)), first)


@pytest.mark.parametrize("rows", [3, 50])
@pytest.mark.parametrize("n", [239, 1673, 8365, 8995])
def test_sums_of_many_positive_numbers(n, rows):
    """A large prime's first output was a sum of its inputs one by one: 13 roundings at 8365."""
    x = np.broadcast_to(np.arange(n, dtype="complex64"), (rows, n))
    exact = np.fft.fft(x.astype("clongdouble"))
    placed = jax.device_put(x, jax.devices(PLATFORM)[0])
    assert relative_error(np.asarray(jax.jit(jnp.fft.fft)(placed)), exact) <= 2 * epsilon("complex64")
