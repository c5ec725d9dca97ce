"""Control flow, vmap, grad, scan, random numbers, static FFTs."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from compare import check, check_sum, data, run_on
from conftest import PLATFORM
from jax import lax


def test_while_loop():
    check(lambda n: lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * 1.01),
                                   (0, 1.0)), np.int32(1000), ulps=2000)


def test_while_with_arrays():
    def body(s):
        x, i = s
        return x.at[i % 10].add(i.astype(jnp.float32)) * 0.99, i + 1
    check(lambda x: lax.while_loop(lambda s: (s[1] < 100) & (s[0].sum() < 1e6), body,
                                   (x, jnp.int32(0))), data((10,), "float32"), ulps=64)


def test_while_that_never_runs():
    check(lambda x: lax.while_loop(lambda x: x.sum() < 0, lambda x: x - 1, x), np.ones((4,)))


def test_collatz():
    check(lambda n: lax.while_loop(
        lambda s: s[0] != 1, lambda s: (jnp.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1),
                                        s[1] + 1), (n, 0)), np.int32(97))


def test_nested_loops():
    def f(x):
        return lax.fori_loop(0, 5, lambda i, x: lax.fori_loop(
            0, i + 1, lambda j, x: x * 0.9 + j, x), x)
    check(f, data((7,), "float32"), ulps=64)


@pytest.mark.parametrize("value", [True, False])
def test_cond(value):
    check(lambda p, x: lax.cond(p, lambda x: x * 2, lambda x: x - 1, x), np.array(value),
          data((5, 3), "float32"))


@pytest.mark.parametrize("index", [-3, 0, 1, 2, 9])
def test_switch(index):
    branches = [lambda x: x + 1, lambda x: jnp.sin(x), lambda x: x[::-1] * 2]
    check(lambda i, x: lax.switch(i, branches, x), np.int32(index), data((6,), "float32"))


def test_scan():
    def step(carry, x):
        carry = jnp.tanh(carry * 0.5 + x)
        return carry, carry.sum()
    check_sum(lambda c, xs: lax.scan(step, c, xs), data((4, 3), "float32"),
              data((50, 4, 3), "float32"))
    check_sum(lambda c, xs: lax.scan(step, c, xs, reverse=True, unroll=3),
              data((4, 3), "float32"), data((50, 4, 3), "float32"))


def test_grad_of_scan_and_remat():
    @jax.checkpoint
    def step(carry, x):
        carry = jnp.sin(carry @ x)
        return carry, (carry ** 2).sum()
    f = lambda c, xs: lax.scan(step, c, xs)[1].sum()
    check_sum(jax.value_and_grad(f, (0, 1)), data((3, 4), "float32"),
              data((12, 4, 4), "float32"))


def test_map_and_vmap():
    x = data((6, 5, 4), "float32")
    check_sum(lambda x: (lax.map(lambda a: a @ a.T, x), jax.vmap(lambda a: a @ a.T)(x),
                         jax.vmap(jnp.sort)(x), jax.vmap(jax.vmap(jnp.cumsum))(x)), x)


def test_vmap_of_control_flow():
    def f(x, n):
        return lax.while_loop(lambda s: s[1] < n, lambda s: (s[0] * 1.5, s[1] + 1), (x, 0))[0]
    check(jax.vmap(f), data((8,), "float32"), np.arange(8, dtype=np.int32), ulps=16)
    check(jax.vmap(lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x)), data((8,), "bool"),
          data((8,), "float32"))


@pytest.mark.parametrize("function", [
    lambda x: jnp.tanh(x).sum(), lambda x: (jax.nn.softmax(x) ** 2).sum(),
    lambda x: jax.nn.logsumexp(x, 1).sum(), lambda x: (jnp.sort(x, 1)[:, :3] ** 2).sum(),
    lambda x: jnp.prod(x[:, :5]), lambda x: jnp.linalg.norm(x), lambda x: jax.nn.gelu(x).sum(),
    lambda x: x.max(1).sum(), lambda x: jnp.cumsum(x, 0)[2].sum() ** 2,
    lambda x: jnp.where(x > 0, x, 0.1 * x).sum(), lambda x: (x[:, ::2] * x[:, 1::2]).sum(),
    lambda x: jax.nn.log_softmax(x)[:, 2].sum(), lambda x: (x - x.mean(0)).var()])
def test_grad(function):
    check_sum(jax.grad(function), data((7, 12), "float32"))


def test_higher_derivatives():
    f = lambda x: jnp.sin(x[0]) * jnp.exp(x[1]) + x[2] ** 3 * x[0]
    x = data((3,), "float32")
    check_sum(lambda x: (jax.hessian(f)(x), jax.jacfwd(jax.grad(f))(x),
                         jax.jvp(f, (x,), (x,))), x)


def test_custom_vjp_and_jvp():
    @jax.custom_vjp
    def f(x):
        return jnp.sin(x)
    f.defvjp(lambda x: (f(x), x), lambda x, g: (g * 3 * x,))
    check(jax.grad(lambda x: f(x).sum()), data((5,), "float32"))


def test_nested_jit_and_calls():
    inner = jax.jit(lambda x, y: x * y + 1)
    outer = jax.jit(lambda x: inner(inner(x, x), 2.0) + inner(x, 3.0))
    check(outer, data((9,), "float32"))


@pytest.mark.parametrize("draw", [
    lambda k: jax.random.bits(k, (33,)), lambda k: jax.random.uniform(k, (3, 7)),
    lambda k: jax.random.randint(k, (50,), 0, 100), lambda k: jax.random.split(k, 5),
    lambda k: jax.random.permutation(k, 40), lambda k: jax.random.bernoulli(k, 0.3, (100,)),
    lambda k: jax.random.fold_in(k, 7)])
def test_random_bits(draw):
    """Threefry: the same bits everywhere."""
    ours = run_on(jax.devices(PLATFORM)[0], lambda: draw(jax.random.PRNGKey(42)))
    theirs = run_on(jax.devices("cpu")[0], lambda: draw(jax.random.PRNGKey(42)))
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("draw", [
    lambda k: jax.random.normal(k, (100,)), lambda k: jax.random.truncated_normal(k, -1, 1, (9,)),
    lambda k: jax.random.categorical(k, jnp.log(jnp.array([.1, .2, .7])), shape=(30,)),
    lambda k: jax.random.gumbel(k, (20,)), lambda k: jax.random.exponential(k, (20,)),
    lambda k: jax.random.dirichlet(k, jnp.ones(4)), lambda k: jax.random.gamma(k, 2.0, (10,)),
    lambda k: jax.random.choice(k, 10, (4,), replace=False)])
def test_random_distributions(draw):
    check_sum(lambda: draw(jax.random.PRNGKey(3)))


@pytest.mark.parametrize("implementation", ["rbg", "unsafe_rbg"])
def test_rng_bit_generator(implementation):
    check(lambda: jax.random.uniform(jax.random.key(5, impl=implementation), (100,)))


def test_thousands_of_operations():
    def f(x):
        for i in range(1500):
            x = x + jnp.float32(i) * x[::-1]
            x = x / jnp.max(jnp.abs(x))
        return x
    check(f, data((8,), "float32"), ulps=4096, scale=1.0)
