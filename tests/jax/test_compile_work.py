"""Compilation is linear: twice the program gives at most about twice the code.

In these programs each step reads the one before at several points, so that fusion without a bound
would repeat the first step exponentially often. The size of the code measures the work.
"""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from compare import data

PERMUTATIONS = np.random.RandomState(0).randint(0, 64, (64, 64))


def rolls(v, steps):
    for k in range(steps):
        v = v + jnp.roll(v, k + 1)
    return v


def rotation(v, steps):
    for _ in range(steps):
        v = jnp.concatenate([v[3:], v[:3]]) - v
    return v


def heat(u, steps):
    for _ in range(steps):
        u = u + (jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) +
                 jnp.roll(u, -1, 1) - 4 * u)
    return u


def padded(u, steps):
    for _ in range(steps):
        p = jnp.pad(u, 1)
        u = u + p[2:, 1:-1] - p[:-2, 1:-1] + p[1:-1, 2:] - p[1:-1, :-2]
    return u


def runge_kutta(u, steps):
    def f(u):
        return jnp.roll(u, -1) - jnp.roll(u, 1)

    for _ in range(steps):
        a = f(u)
        b = f(u + 2 * a)
        c = f(u - b)
        u = u + a + f(u + c)
    return u


def gathers(v, steps):
    for k in range(steps):
        v = v + v[PERMUTATIONS[k]]
    return v


def outer_products(v, steps):
    for _ in range(steps):
        v = jnp.outer(v[:8], v[8:16]).reshape(64) + v
    return v


def reversals(v, steps):
    for k in range(steps):
        v = v + v[::-1] * (k + 1)
    return v


def strided(v, steps):
    for _ in range(steps):
        v = jnp.concatenate([v[::2], v[1::2]]) + v
    return v


def stacked(s, steps):
    for _ in range(steps):
        s = s + jnp.stack([jnp.roll(s[1], 1), jnp.roll(s[2], -1), s[0] + s[1]])
    return s


PROGRAMS = {
    rolls: (1000,), rotation: (1000,), heat: (24, 40), padded: (24, 40), runge_kutta: (1000,),
    gathers: (64,), outer_products: (64,), reversals: (100,), strided: (128,), stacked: (3, 200),
}


def compiled(program, steps, x):
    return jax.jit(lambda x: program(x, steps)).lower(x).compile()


def size(executable):
    return executable.memory_analysis().generated_code_size_in_bytes


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_code_grows_linearly_and_is_right(device, program):
    x = jax.device_put(data(PROGRAMS[program], "int32", low=-3), device)
    short, long = compiled(program, 12, x), compiled(program, 24, x)
    if device.platform == "tenon":
        assert size(long) < 2.6 * size(short) + 4096, (size(short), size(long))
        assert size(long) < 400_000
    # Integers wrap around, so every order of additions gives the same result.
    with jax.default_device(jax.devices("cpu")[0]), jax.disable_jit():
        expected = program(jnp.asarray(np.asarray(x)), 12)
    np.testing.assert_array_equal(short(x), expected)


def remainders(v, steps):
    divisors = (10, -7, 1, -1, 0, 2**31, -2**63, 1_000_000_007)
    for k in range(steps):
        d = jnp.int64(divisors[k % len(divisors)])
        v = jax.lax.rem(v * v + k, d) - jax.lax.div(v, d)
    return v


def leading_zeros(v, steps):
    for k in range(steps):
        v = jax.lax.clz(v * 3 + k) + v
    return v


def conversions(v, steps):
    for k in range(steps):
        v = (v.astype(jnp.float64) * 1.0625).astype(jnp.int64) ^ k
    return v


def logarithms(v, steps):
    for k in range(steps):
        v = jnp.log(v * v + k + 1)
    return v


@pytest.mark.parametrize("program", [remainders, leading_zeros, conversions, logarithms],
                         ids=lambda program: program.__name__)
def test_long_chains_of_costly_functions(device, program):
    """Functions that become many instructions are in the code a few times, and not once a use."""
    with jax.enable_x64(True):
        x = jax.device_put(np.arange(-50, 51).astype("float64" if program is logarithms else
                                                     "int64"), device)
        short, long = compiled(program, 40, x), compiled(program, 160, x)
        if device.platform == "tenon":
            # A step has a main loop and a remainder.
            assert size(long) - size(short) < 120 * 600, (size(short), size(long))
        with jax.disable_jit():
            expected = program(x, 40)
        np.testing.assert_array_equal(short(x), expected)


def test_code_does_not_depend_on_earlier_programs(device):
    """Small programs share MLIR contexts. Large constants have names in a context."""
    def code(n):
        table = np.arange(n * n, dtype="float32").reshape(n, n)
        executable = jax.jit(lambda x: jnp.tanh(x @ x) + table).lower(
            jax.device_put(np.ones((n, n), "float32"), device)).compile()
        return executable.as_text(), size(executable)
    first = code(17)
    for n in range(20, 60):
        code(n)
    assert code(17) == first


def window_of_a_middle_dimension(x):
    return jax.lax.reduce_window(x, np.uint8(0), jax.lax.bitwise_xor, (1, 1, 7, 1), (1, 1, 1, 1),
                                 ((0, 0), (0, 0), (0, 6), (0, 0)))


def windows_of_one_element(x):
    zero = np.uint8(0)
    return jax.lax.reduce_window((x, x + 1), (zero, zero), lambda a, b: (
        a[0] + b[0], a[1] + b[1] + a[0] * b[1]), (1, 1, 1, 1), (1, 1, 1, 1), "VALID")


def transposed_differences(x):
    for d in (3, 0, 2):
        x = x - jnp.roll(x, -1, d)
    return x.T


@pytest.mark.parametrize("program, shape", [
    (window_of_a_middle_dimension, (31, 1, 7, 13)), (windows_of_one_element, (8, 1, 48, 1)),
    (transposed_differences, (7, 1, 16, 8)),
], ids=lambda x: getattr(x, "__name__", ""))
def test_vectors_of_many_narrow_elements(device, program, shape):
    """Bytes have many lanes, and LLVM takes long for vectors that are built lane by lane."""
    x = jax.device_put(data(shape, "uint8", high=255), device)
    executable = jax.jit(program).lower(x).compile()
    if device.platform == "tenon":
        # 16,000 to 20,400, by the processor.
        assert size(executable) < 25_000
    with jax.default_device(jax.devices("cpu")[0]), jax.disable_jit():
        expected = program(jnp.asarray(np.asarray(x)))
    for ours, theirs in zip(jax.tree.leaves(executable(x)), jax.tree.leaves(expected)):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("shape, dims, dtype, limit", [
    ((2, 4, 8, 9, 3), 3, "float32", 3000), ((64, 32, 9, 3), 2, "float32", 3000),
    ((500, 3, 3, 5), (1, 2), "float32", 4000), ((4000, 8, 7), 1, "int8", 10_000),
], ids=str)
def test_reductions_before_short_rows(device, shape, dims, dtype, limit):
    """Lanes are in several rows, and each is loaded alone, for every reduced element."""
    x = jax.device_put(data(shape, dtype), device)
    executable = jax.jit(lambda x: x.max(dims)).lower(x).compile()
    if device.platform == "tenon":
        assert size(executable) < limit
    np.testing.assert_array_equal(executable(x), np.asarray(x).max(dims))
