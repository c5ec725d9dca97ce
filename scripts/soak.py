#!/usr/bin/env python3
"""Compiles, runs and frees programs in a loop and measures the memory of the process.

Each iteration compiles new programs (a new constant, a new shape), runs them, and frees programs
and arrays. Fails if resident memory grows by more than --slack MiB after a fifth of the time (2 of
10 minutes).
"""
import argparse
import gc
import sys
import time

import plugin_env


def resident_mib():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024


def one_round(jax, jnp, number):
    size = 64 + number % 97
    constant = jnp.float32(1 + number * 1e-6).item()

    def train(w, x):
        loss = lambda w: jnp.mean(jnp.tanh(x @ w * constant) ** 2)
        value, gradient = jax.value_and_grad(loss)(w)
        return w - 0.1 * gradient, value

    step = jax.jit(train, donate_argnums=0)
    w, x = jnp.ones((size, size)), jnp.ones((32, size))
    for _ in range(5):
        w, value = step(w, x)
    loop = jax.jit(lambda x: jax.lax.fori_loop(0, 10, lambda i, y: y * constant + i, x))
    result = loop(jnp.arange(float(1000 + number % 1009)))
    ordered = jax.jit(lambda x: jnp.sort(x * constant))(result)
    jax.block_until_ready((w, value, ordered))
    jax.clear_caches()
    gc.collect()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--slack", type=float, default=16, help="MiB of growth allowed")
    parser.add_argument("--platform", default="tenon")
    plugin_env.add_argument(parser)
    options = parser.parse_args()
    plugin_env.set_up(options.plugin, options.platform)
    import jax
    import jax.numpy as jnp
    start, number, reference, shown = time.monotonic(), 0, None, 0.0
    length = 60 * options.minutes
    while (now := time.monotonic() - start) < length:
        one_round(jax, jnp, number)
        number += 1
        if reference is None and now >= length / 5:
            reference = resident_mib()
        if now >= shown:
            print(f"{now:6.0f} s  {number:6} iterations  {resident_mib():8.1f} MiB", flush=True)
            shown += length / 20
    growth = resident_mib() - reference
    print(f"{number} iterations; resident memory grew by {growth:.1f} MiB since a fifth of the time, "
          f"{options.slack:.0f} allowed")
    return 0 if growth <= options.slack else 1


if __name__ == "__main__":
    sys.exit(main())
