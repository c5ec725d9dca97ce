"""Rows shorter than a vector register, several per vector, compared with NumPy bit by bit: tails,
blocks of several chunks, and loops that do not start at a row."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest

TYPES = ("float32", "float64", "bfloat16", "int8", "bool", "complex64", "complex128")
COLUMNS = (2, 3, 4, 5, 7, 8, 12, 15, 16)


def values(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    dtype = jnp.dtype(dtype)
    if dtype == bool:
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        return rng.integers(-100, 100, shape).astype(dtype)
    x = rng.standard_normal(shape)
    if dtype.kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return np.asarray(x.astype(dtype))


def check(function, expected, *arguments):
    with jax.enable_x64(True):
        result = np.asarray(jax.jit(function)(*arguments))
    assert result.dtype == expected.dtype and result.shape == expected.shape
    assert result.tobytes() == np.ascontiguousarray(expected).tobytes()


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("dtype", TYPES)
def test_reverse(dtype, columns):
    for rows in (7, 65, 301):
        x = values((rows, columns), dtype)
        check(lambda x: x[:, ::-1], x[:, ::-1], x)


@pytest.mark.parametrize("columns", COLUMNS)
def test_many_rows(columns):
    x = values((40_003, columns), "float32")
    check(lambda x: x[:, ::-1], x[:, ::-1], x)
    check(lambda x: x[:, ::2] * 2, x[:, ::2] * 2, x)


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("dtype", ("float32", "int8", "complex64"))
def test_pieces_of_rows(dtype, columns):
    for rows in (64, 211):
        x = values((rows, columns), dtype)
        y = values((rows, 3), dtype, 1)
        right = np.zeros_like(x)
        right[:, :-1] = x[:, 1:]
        check(lambda x: jnp.pad(x[:, 1:], ((0, 0), (0, 1))) - x[:, ::-1], right - x[:, ::-1], x)
        check(lambda x: x[:, 1:], x[:, 1:], x)
        check(lambda x: x[:, ::2], x[:, ::2], x)
        check(lambda x: jnp.roll(x, 1, 1), np.roll(x, 1, 1), x)
        check(lambda x: jnp.roll(x, 1, 0), np.roll(x, 1, 0), x)
        check(lambda x, y: jnp.concatenate([x, y], 1), np.concatenate([x, y], 1), x, y)
        check(lambda x, y: x * y[:, :1], x.real * y.real[:, :1], x.real, y.real)
        check(lambda x: jnp.repeat(x, 3, 1), np.repeat(x, 3, 1), x)
        check(lambda x: jnp.tile(x, (1, 2)), np.tile(x, (1, 2)), x)


@pytest.mark.parametrize("columns", COLUMNS)
def test_rows_of_matrices(columns):
    x = values((6, 31, columns), "float32")
    check(lambda x: x[:, ::-1, ::-1], x[:, ::-1, ::-1], x)
    check(lambda x: x[:, 1:, :-1] - x[:, :-1, 1:], x[:, 1:, :-1] - x[:, :-1, 1:], x)
    y = values((50, 5, columns), "float32")
    check(lambda y: y[:, ::-1, ::-1], y[:, ::-1, ::-1], y)
    padded = np.pad(y, ((1, 0), (0, 1), (1, 1)))
    check(lambda y: jnp.pad(y, ((1, 0), (0, 1), (1, 1))), padded, y)


@pytest.mark.parametrize("columns", COLUMNS)
def test_prefix_sums(columns):
    x = values((500, columns), "int32")
    check(lambda x: jnp.cumsum(x, 1), np.cumsum(x, 1, dtype=x.dtype), x)
    check(lambda x: jax.lax.cumsum(x, 1, reverse=True),
          np.cumsum(x[:, ::-1], 1, dtype=x.dtype)[:, ::-1], x)
    check(lambda x: jax.lax.cummax(x, 1), np.maximum.accumulate(x, 1), x)


@pytest.mark.parametrize("columns", (3, 4, 7))
def test_rows_reshaped_across(columns):
    """Positions that do not repeat with the period of the result's rows."""
    x = values((columns, 120), "float32")
    check(lambda x: x.reshape(120, columns)[:, ::-1], x.reshape(120, columns)[:, ::-1], x)
    rolled = np.roll(x.reshape(-1), 1).reshape(120, columns)
    check(lambda x: jnp.roll(x.reshape(-1), 1).reshape(120, columns)[:, ::-1], rolled[:, ::-1], x)


@pytest.mark.parametrize("columns", (3, 5, 8))
def test_positions_as_numbers(columns):
    rows = 77
    x = values((rows, columns), "int32")
    row, column = np.indices(x.shape)
    check(lambda x: jnp.where(jax.lax.broadcasted_iota(jnp.int32, x.shape, 1) > 1, x,
                              jax.lax.broadcasted_iota(jnp.int32, x.shape, 0)),
          np.where(column > 1, x, row).astype(np.int32), x)


@pytest.mark.parametrize("columns", (3, 8))
def test_donated(columns):
    """The result must not reuse the memory of an argument that is read in another order."""
    x = values((1000, columns), "float32")
    expected = x[:, ::-1] + x
    result = jax.jit(lambda x: x[:, ::-1] + x, donate_argnums=0)(jnp.array(x))
    np.testing.assert_array_equal(np.asarray(result), expected)


@pytest.mark.parametrize("columns", (3, 5, 7, 8, 12, 15, 16))
@pytest.mark.parametrize("dtype", ("float32", "float64", "int8"))
def test_reduced_rows(dtype, columns):
    """Lanes are rows: all columns of a vector of rows are read and written at once."""
    for rows in (100, 4_099):
        x = values((rows, columns), dtype)
        check(lambda x: jnp.argmax(x, 1).astype(jnp.int32), np.argmax(x, 1).astype(np.int32), x)
        check(lambda x: x - jnp.max(x, 1, keepdims=True), x - x.max(1, keepdims=True), x)
        smallest, largest = x.min(1), x.max(1)
        check(lambda x: jnp.stack([x.min(1), x.max(1)], 1),
              np.stack([smallest, largest], 1), x)


@pytest.mark.parametrize("columns", (3, 5, 8, 13))
def test_rows_reduced_in_order(columns):
    """A reduction with a non-associative body is a left fold."""
    x = values((203, columns), "float32")
    expected = np.zeros(203, np.float32)
    for column in range(columns):
        expected = expected * np.float32(0.5) - x[:, column]
    check(lambda x: jax.lax.reduce(x, np.float32(0), lambda a, b: a * 0.5 - b, (1,)), expected, x)


@pytest.mark.parametrize("columns", (3, 5, 8, 13))
def test_donated_rows(columns):
    """Rows that an overlapping tail computes twice are stored once."""
    for rows in (65, 127, 40_001):
        x = values((rows, columns), "float32")
        expected = x - x.max(1, keepdims=True) * 2
        result = jax.jit(lambda x: x - x.max(1, keepdims=True) * 2, donate_argnums=0)(jnp.array(x))
        assert np.asarray(result).tobytes() == expected.tobytes()


@pytest.mark.parametrize("columns", (2, 3, 4, 5, 8))
@pytest.mark.parametrize("offset", (1, 2, 3, 8, 63))
@pytest.mark.parametrize("dtype", ("int32", "int8", "float64"))
def test_rows_read_at_two_offsets(dtype, offset, columns):
    x = values((offset + 65, columns), dtype).astype(dtype)
    if dtype == "float64":
        x = np.round(x * 8)  # sums are exact
    low, high = x[:-offset], x[offset:]
    check(lambda x: (x[offset:] - x[:-offset]).sum(1, dtype=x.dtype),
          (high - low).sum(1, dtype=x.dtype), x)
    check(lambda x: x[offset:].max(1) - x[:-offset].max(1), high.max(1) - low.max(1), x)
    check(lambda x: x[offset:, 0] * x[:-offset, 1] - x[offset:, 1] * x[:-offset, 0],
          high[:, 0] * low[:, 1] - high[:, 1] * low[:, 0], x)
    images = values((3, offset + 65, columns), dtype).astype(dtype)
    check(lambda x: jnp.maximum(x[:, offset:], x[:, :-offset])[:, :, ::-1],
          np.maximum(images[:, offset:], images[:, :-offset])[:, :, ::-1], images)


@pytest.mark.parametrize("columns", (2, 3, 4, 5))
@pytest.mark.parametrize("dtype", TYPES)
def test_interleaved_columns(dtype, columns):
    for rows in (63, 64, 301, 20_001):
        x = [values((rows,), dtype, seed) for seed in range(columns)]
        check(lambda *x: jnp.stack(x, 1), np.stack(x, 1), *x)
        check(lambda *x: jnp.stack([*x[1:], x[0][::-1]], 1), np.stack([*x[1:], x[0][::-1]], 1), *x)
        left = values((rows, columns - 1), dtype, 7)
        check(lambda a, b: jnp.concatenate([a, b[:, None]], 1),
              np.concatenate([left, x[0][:, None]], 1), left, x[0])


@pytest.mark.parametrize("columns", (2, 3, 4))
def test_columns_stored_at_two_offsets(columns):
    x = values((64, columns), "int32")
    expected = np.concatenate([x * 2, x[::-1], x + 1])
    check(lambda x: jnp.concatenate([x * 2, x[::-1], x + 1]), expected, x)


@pytest.mark.parametrize("image", ((3, 7), (5, 5), (7, 7), (10, 10), (2, 3, 11), (4, 4), (1, 13)))
@pytest.mark.parametrize("dtype", TYPES)
def test_operand_per_image(dtype, image):
    """A factor for each channel: constant along one row, or along the one dimension only."""
    for batch, channels in ((1, 3), (3, 5), (40, 9)):
        x = values((batch, channels, *image), dtype)
        k = values((channels,), dtype, 1)
        of_image = k.reshape(-1, *[1] * len(image))
        of_batch = values((batch, 1, *[1] * len(image)), dtype, 2)
        of_line = values((channels, *image[:-1], 1), dtype, 3)
        of_column = values(image[-1:], dtype, 4)
        for y in (of_image, of_batch, of_line, of_column):
            check(lambda x, y: jnp.where(y == y, y, x), np.broadcast_to(y, x.shape), x, y)
            if jnp.dtype(dtype).kind == "f":
                check(lambda x, y: x * y, x * y, x, y)
        both = np.where(of_image == of_column, x, of_image)
        check(lambda x, a, b: jnp.where(a == b, x, a), both, x, of_image, of_column)
        check(lambda x, y: jnp.where(y == y, y, x)[..., ::-1], np.broadcast_to(of_image, x.shape),
              x, of_image)
