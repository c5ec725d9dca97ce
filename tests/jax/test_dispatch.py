"""Calls return before their programs end, and all ways to wait for results work."""
import threading
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax


def newton(x, steps):
    """A loop whose trip count depends on data: about 5 ns per iteration."""
    return lax.while_loop(lambda s: s[1] < steps,
                          lambda s: (0.5 * (s[0] + 2.0 / s[0]) + 1e-9, s[1] + 1), (x, 0))[0]


WAITS = {
    "block_until_ready": lambda y: y.block_until_ready(),
    "asarray": np.asarray,
    "polling": lambda y: [None for _ in iter(y.is_ready, True)],
    "copy_to_host_async": lambda y: (y.copy_to_host_async(), np.asarray(y)),
    "dlpack": lambda y: np.from_dlpack(y) if y.device.platform == "cpu" else np.asarray(y),
}


@pytest.mark.parametrize("wait", WAITS)
def test_a_long_loop_does_not_hold_up_the_caller(device, wait):
    run = jax.jit(newton)
    x, many = jax.device_put(np.float32(1), device), jax.device_put(np.int32(2**25), device)
    few = jax.device_put(np.int32(3), device)
    run(x, few).block_until_ready()  # compiled, and measured as short
    start = time.perf_counter()
    y = run(x, many)
    called = time.perf_counter() - start
    assert not y.is_ready()
    WAITS[wait](y)
    waited = time.perf_counter() - start
    assert called < waited / 4
    assert abs(float(y) - 2**0.5) < 1e-5


@pytest.mark.parametrize("wait", WAITS)
@pytest.mark.parametrize("elements", [10, 100_000, 1_000_000])
def test_results_of_chains_of_calls(device, wait, elements):
    step = jax.jit(lambda x: jnp.cos(x) * 2)
    x = jax.device_put(np.linspace(-1, 1, elements, dtype=np.float32), device)
    expected = x
    for _ in range(8):
        expected = step(expected).block_until_ready()
    y = x
    for _ in range(8):
        y = step(y)
    WAITS[wait](y)
    np.testing.assert_array_equal(np.asarray(y), np.asarray(expected))


def test_threads_wait_for_the_same_result(device):
    step = jax.jit(lambda x: jnp.sin(x).sum())
    x = jax.device_put(np.linspace(-1, 1, 300_000, dtype=np.float32), device)
    expected = float(step(x))
    for _ in range(20):
        y = step(x)
        seen = []
        threads = [threading.Thread(target=lambda y=y: seen.append(float(np.asarray(y))))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert seen == [expected] * 4


def test_errors_of_queued_programs(device):
    # A donated argument is deleted at once, before the program begins.
    step = jax.jit(lambda x: jnp.tanh(x) * 3, donate_argnums=0)
    x = jax.device_put(np.ones(200_000, np.float32), device)
    y = step(x)
    assert x.is_deleted()
    with pytest.raises((RuntimeError, ValueError)):
        step(x)
    np.testing.assert_allclose(np.asarray(y), 3 * np.tanh(1), rtol=1e-6)
