"""Transposes that cancel across reductions and reshapes, and those that must not."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from compare import PLATFORM, check, check_sum, data, run_on
from jax import lax


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("order", ["big", "little"])
def test_packed_bits(axis, order):
    x = np.random.default_rng(0).integers(0, 3, (24, 17, 40)).astype("uint8")
    packed = run_on(jax.devices(PLATFORM)[0], lambda x: jnp.packbits(x, axis=axis, bitorder=order), x)
    np.testing.assert_array_equal(packed, np.packbits(x, axis=axis, bitorder=order))
    bits = run_on(jax.devices(PLATFORM)[0], lambda x: jnp.unpackbits(x, axis=axis, bitorder=order), x)
    np.testing.assert_array_equal(bits, np.unpackbits(x, axis=axis, bitorder=order))


PERMUTATIONS = [(0, 1, 2, 3), (1, 0, 2, 3), (2, 3, 0, 1), (3, 0, 1, 2), (1, 3, 0, 2)]


@pytest.mark.parametrize("there", PERMUTATIONS[1:], ids=str)
@pytest.mark.parametrize("axes", [(3,), (1,), (0, 2), (1, 3)], ids=str)
def test_reducers_that_do_not_commute(there, axes):
    """The first nonzero element, in the order of the transposed array's indices."""
    x = np.random.default_rng(1).integers(-1, 2, (4, 3, 5, 6)).astype("int32") * np.arange(6, dtype="int32")

    def f(x, back):
        y = jnp.transpose(x, there) * 2 + 1
        first = lax.reduce(jnp.where(y % 3 == 0, y, 0), np.int32(0),
                           lambda a, b: jnp.where(a != 0, a, b), axes)
        return jnp.transpose(first, back)
    for back in ((0, 1, 2), (1, 0, 2), (2, 0, 1), (2, 1, 0)) if len(axes) == 1 else ((0, 1), (1, 0)):
        check(lambda x: f(x, back), x)


@pytest.mark.parametrize("permutation", PERMUTATIONS, ids=str)
def test_groups(permutation):
    """Sums of groups, with operands that are broadcast, of unit dimensions, shared, and iotas."""
    x = data((8, 6, 4, 10), "float32")

    def f(x, scale):
        y = jnp.transpose(x, permutation)
        y = y.reshape(*y.shape[:-1], -1, 2) * scale[:, None]
        total = y.sum(-1)
        flat = (y + jnp.arange(2)).reshape(*y.shape[:2], -1)
        largest = flat.max(-1, keepdims=True)
        return (jnp.transpose(total, np.argsort(permutation)), total,
                jnp.transpose(flat - largest, (2, 0, 1)), jnp.transpose(flat, (1, 2, 0)))
    check_sum(f, x, data((x.shape[permutation[-1]] // 2,), "float32"))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_batches_along_any_axis(axis):
    x = data((12, 10, 8), "float32")
    check_sum(lambda x: jax.vmap(lambda v: v.reshape(-1, 4).sum(-1), in_axes=axis, out_axes=axis % 2)(x), x)
    check(lambda x: jax.vmap(lambda v: (v * 2).argmax(-1), axis, -1)(x), x)
    check(lambda x: jnp.moveaxis(jnp.moveaxis(x, axis, -1).reshape(-1, 2).max(-1).reshape(-1, 4), 0, 1), x)


def test_in_a_loop():
    # The reduced value does not depend on the loop's state: it must not move into the loop.
    x = data((64, 6), "float32")

    def f(x):
        groups = jnp.exp(x.T.reshape(6, 8, 8)).sum(-1)
        return lax.fori_loop(0, 3, lambda i, s: s + groups.T * i, jnp.zeros((8, 6), "float32"))
    check_sum(f, x)


@pytest.mark.parametrize("kind", ["float32", "float64", "bfloat16", "uint8", "complex64"])
@pytest.mark.parametrize("shape", [(64, 128), (65, 66), (72, 68), (129, 20), (17, 300), (3, 70, 33)],
                         ids=str)
def test_tiles_at_the_ends(shape, kind, x64):
    """Tiles that would reach past the end are moved back: no element is computed from a result."""
    x, y = data(shape, kind, 1), data((*shape[:-2], shape[-1], shape[-2]), kind, 2)
    device = jax.devices(PLATFORM)[0]
    moved = run_on(device, lambda x: jnp.swapaxes(x, -1, -2), x)
    np.testing.assert_array_equal(moved, np.swapaxes(x, -1, -2))

    def long(x, y):
        z = jnp.swapaxes(x, -1, -2)
        for _ in range(8):
            z = jnp.where(z == y, z + y, z - y) + z
        return z, z + y
    check(long, x, y)
    added = run_on(device, lambda y, x: y + jnp.swapaxes(x, -1, -2), y, x, donate_argnums=0)
    np.testing.assert_array_equal(added, y + np.swapaxes(x, -1, -2))
