"""Programs with more than 256 calls, the limit for one function of the entry point."""
import numpy as np
import pytest
from compare import data, run_on
from jax import lax


def layer(x, w):
    return (x @ w) % 1009


@pytest.mark.parametrize("branch", (False, True))
def test_scalars_used_across_parts(device, branch):
    """Real and complex scalars that are computed early and late and used at the end."""
    count = 600

    def f(x, w, z):
        first, number, early = x[0, 0], z * z, []
        for i in range(count):
            x = layer(x, w)
            if i % 97 == 0:
                early.append(x[1, 1] * 3 + first)
            if branch and i % 150 == 75:
                x = lax.cond(early[0] % 2 == 0, lambda x: x + first, lambda x: x - early[0], x)
                x = lax.while_loop(lambda x: x.sum() < 4000, lambda x: x * 2 + early[-1], x)
        return x, sum(early) + first, number + early[1].astype(z.dtype)

    x, w = data((4, 4), "int32", low=1), data((4, 4), "int32", low=1, seed=1)
    z = np.complex64(1 + 2j)
    ours = run_on(device, f, x, w, z)

    first, early, y = x[0, 0], [], x
    for i in range(count):
        y = (y @ w) % 1009
        if i % 97 == 0:
            early.append(y[1, 1] * 3 + first)
        if branch and i % 150 == 75:
            y = y + first if early[0] % 2 == 0 else y - early[0]
            while y.sum() < 4000:
                y = y * 2 + early[-1]
    np.testing.assert_array_equal(ours[0], y)
    assert ours[1] == sum(early) + first
    assert ours[2] == z * z + early[1]


def test_donated_and_constant_arrays_in_a_long_program(device):
    table = np.arange(2000, dtype=np.int32).reshape(500, 4)

    def f(x, w):
        for i in range(300):
            x = layer(x, w) + table[i]
        return x

    x, w = data((4, 4), "int32", low=1), data((4, 4), "int32", low=1, seed=1)
    expected = x
    for i in range(300):
        expected = (expected @ w) % 1009 + table[i]
    np.testing.assert_array_equal(run_on(device, f, x, w, donate_argnums=0), expected)
