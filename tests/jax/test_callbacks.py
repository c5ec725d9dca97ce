"""Callbacks and effects beyond test_ffi.py: JAX inside callbacks, concurrent callbacks, checks of
the values they return."""
import concurrent.futures
import threading
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import only_tenon
from jax.experimental import buffer_callback, checkify, io_callback

F32 = jnp.float32
# Longer than any test takes. A deadlock becomes a failure instead of a hanging test.
PATIENCE = 120


def struct(x):
    return jax.ShapeDtypeStruct(x.shape, x.dtype)


def within(run):
    """The result of run() on a thread that must end in time."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result(timeout=PATIENCE)


def with_jax_inside(inner, x):
    """`inner`, a function of JAX, called from a callback on the same device."""
    return jax.pure_callback(lambda v: np.asarray(inner(jnp.asarray(np.asarray(v)))), struct(x),
                             x, vmap_method="sequential")


def test_jax_inside_a_callback():
    inner = jax.jit(lambda v: jnp.sort(v) * 2 + jnp.sum(v @ v.T))
    f = jax.jit(lambda x: with_jax_inside(inner, x + 1) - 1)
    x = jnp.arange(12.0).reshape(3, 4)
    np.testing.assert_allclose(within(lambda: f(x)), inner(x + 1) - 1, rtol=1e-6)


def test_argument_is_used_by_jax_without_numpy_between():
    f = jax.jit(lambda x: jax.pure_callback(lambda v: jnp.tanh(v) @ v, struct(x), x) + 1)
    x = jnp.eye(64) * 0.5
    np.testing.assert_allclose(within(lambda: f(x)), np.tanh(np.eye(64) * 0.5) * 0.5 + 1)


def test_large_arrays():
    """Large enough that copies and kernels run on other threads."""
    x = jnp.ones((1500, 1500))
    inner = jax.jit(lambda v: v @ v / 1500)
    f = jax.jit(lambda x: with_jax_inside(inner, x @ x / 1500) + x)
    np.testing.assert_allclose(within(lambda: f(x)), np.full((1500, 1500), 2.0), rtol=1e-5)


def test_callbacks_within_callbacks():
    def depth(n):
        if n == 0:
            return jax.jit(lambda v: v + 1)
        return jax.jit(lambda v: with_jax_inside(depth(n - 1), v * 2) + 1)

    assert float(within(lambda: depth(6)(F32(1)))) == 2**6 + 1 + 6


@pytest.mark.parametrize("count", [2, 16])
def test_many_at_once_from_threads(count):
    inner = jax.jit(lambda v: jnp.tanh(v @ v).sum() + v)
    f = jax.jit(lambda x: with_jax_inside(inner, x) @ x)
    x = jnp.eye(200)
    expected = np.asarray(inner(x) @ x)

    def run():
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            for y in pool.map(lambda _: np.asarray(f(x)), range(2 * count)):
                np.testing.assert_allclose(y, expected, rtol=1e-5)

    within(run)


def test_many_in_flight_from_one_thread():
    inner = jax.jit(lambda v: jnp.sin(v) @ v)
    f = jax.jit(lambda x: with_jax_inside(inner, x))
    xs = [jnp.eye(50) * i for i in range(20)]
    ys = within(lambda: jax.block_until_ready([f(x) for x in xs]))
    for i, y in enumerate(ys):
        np.testing.assert_allclose(y, np.eye(50) * i * np.sin(i), atol=1e-4)


@only_tenon("JAX's own CPU runs one of them at a time", replacement=True)
def test_callbacks_that_wait_for_each_other():
    """Two programs must not prevent each other from starting."""
    barrier = threading.Barrier(2, timeout=PATIENCE)

    def meet(v):
        barrier.wait()
        return np.asarray(v)

    def program(i):  # separate functions: JAX blocks calls of a function that it compiles
        return jax.jit(lambda x: jax.pure_callback(meet, struct(x), x) + i)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        ys = [pool.submit(program(i), F32(i)) for i in range(2)]
        assert [float(y.result(timeout=PATIENCE)) for y in ys] == [0, 2]


def test_devices_compute_while_a_callback_sleeps():
    asleep, wake = threading.Event(), threading.Event()

    def sleep(v):
        asleep.set()
        assert wake.wait(PATIENCE)
        return np.asarray(v)

    f = jax.jit(lambda x: jax.pure_callback(sleep, struct(x), x))
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        y = pool.submit(lambda: float(f(F32(3))))
        assert asleep.wait(PATIENCE)
        x = jnp.ones((600, 600))
        assert float((x @ x).sum()) == 600.0**3
        wake.set()
        assert y.result(timeout=PATIENCE) == 3


def test_results_of_another_shape_or_type():
    call = lambda result: jax.jit(lambda x: jax.pure_callback(
        lambda v: result, jax.ShapeDtypeStruct((3,), F32), x))(1.0).block_until_ready()
    with pytest.raises(Exception, match=r"Incorrect output shape for return value #0: "
                                        r"Expected: \(3,\), Actual: \(2,\)"):
        call(np.zeros(2, F32))
    with pytest.raises(Exception, match="Incorrect output dtype for return value #0: "
                                        "Expected: float32, Actual: int32"):
        call(np.zeros(3, np.int32))
    with pytest.raises(Exception, match="got|Actual|tree|structure"):
        call((np.zeros(3, F32), np.zeros(3, F32)))
    # Python's doubles are converted to JAX's default type.
    np.testing.assert_array_equal(call(np.arange(3.0)), np.arange(3))


def test_error_in_one_of_several_is_its_own():
    def maybe(v):
        if v == 2:
            raise ValueError("not this one")
        return np.asarray(v)

    f = jax.jit(lambda x: jax.pure_callback(maybe, struct(x), x) * 10)
    g = jax.jit(lambda x: x + 1)
    good, bad = [], []
    for i in range(5):
        try:
            good.append(float(g(f(F32(i)))))
        except Exception as error:
            bad.append((i, str(error)))
    assert good == [1, 11, 31, 41]
    (i, message), = bad
    assert i == 2 and "not this one" in message


def test_error_reaches_whoever_uses_the_result():
    def fail(v):
        time.sleep(0.05)
        raise ValueError("too bad")

    f = jax.jit(lambda x: (jax.pure_callback(fail, struct(x), x), x + 1))
    with pytest.raises(Exception, match="too bad"):
        y, _ = f(F32(1))
        z = jax.jit(lambda v: v * 2)(y)
        z.block_until_ready()
    assert float(jnp.add(1, 1)) == 2


def test_error_in_an_effect_reaches_the_barrier():
    def fail(v):
        raise ValueError("nobody expects it")

    f = jax.jit(lambda x: (io_callback(fail, None, x), x + 1)[1])
    with pytest.raises(Exception, match="nobody expects it"):
        f(F32(1)).block_until_ready()
        jax.effects_barrier()
    jax.effects_barrier()


def test_debug_print_is_in_order(capfd):
    @jax.jit
    def f(x):
        jax.lax.fori_loop(0, 5, lambda i, y: (jax.debug.print("at {}", i, ordered=True), y)[1],
                          0)
        return x

    f(1.0)
    jax.effects_barrier()
    assert capfd.readouterr().out == "".join(f"at {i}\n" for i in range(5))


@pytest.mark.parametrize("errors, call, what", [
    (checkify.user_checks, lambda: -1.0, "must be positive"),
    (checkify.float_checks, lambda: 0.0, "nan generated by primitive: div|division by zero"),
    (checkify.index_checks, lambda: 7.0, "out-of-bounds indexing")])
def test_checkify(errors, call, what):
    @jax.jit
    def f(x):
        checkify.check(x >= 0, "x must be positive, not {}", x)
        y = jnp.arange(5.0)[x.astype(int)]
        return y / x

    error, _ = checkify.checkify(f, errors=errors)(F32(call()))
    with pytest.raises(checkify.JaxRuntimeError, match=what):
        error.throw()
    error, value = checkify.checkify(f, errors=errors)(F32(2))
    assert error.get() is None and float(value) == 1


def test_debug_nans_and_infs():
    with jax.debug_nans(True):
        with pytest.raises(FloatingPointError, match="nan"):
            jax.jit(lambda x: jnp.log(x) * 2)(F32(-1)).block_until_ready()
        assert float(jax.jit(jnp.log)(F32(1))) == 0
    with jax.debug_infs(True):
        with pytest.raises(FloatingPointError, match="inf"):
            jax.jit(lambda x: 1 / x)(F32(0)).block_until_ready()
    assert np.isnan(jax.jit(jnp.log)(F32(-1)))


def test_buffer_callback_that_raises():
    def fail(ctx, out, x):
        raise ValueError("wrong buffer")

    call = buffer_callback.buffer_callback(fail, jax.ShapeDtypeStruct((3,), F32))
    with pytest.raises(Exception, match="wrong buffer"):
        jax.jit(call)(np.ones(3, F32)).block_until_ready()


def test_gradients_and_jvp_through_callbacks():
    @jax.custom_jvp
    def f(x):
        return jax.pure_callback(lambda v: np.sin(v), struct(x), x, vmap_method="expand_dims")

    f.defjvp(lambda primals, tangents: (f(*primals), jnp.cos(*primals) * tangents[0]))
    x = jnp.arange(4.0)
    np.testing.assert_allclose(jax.jit(jax.vmap(jax.grad(f)))(x), np.cos(np.arange(4)), rtol=1e-6)


def test_ordered_effects_of_several_programs():
    seen = []

    @jax.jit
    def f(x):
        io_callback(lambda v: (time.sleep(0.002 * (5 - int(v))), seen.append(int(v))), None, x,
                    ordered=True)
        return x

    for i in range(5):
        f(i)
    jax.effects_barrier()
    assert seen == list(range(5))
