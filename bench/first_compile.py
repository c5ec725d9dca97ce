#!/usr/bin/env python3
"""The first compilation of single kernels in a process, on Tenon and on JAX's built-in CPU.

Every round is two new processes that compile each program once on both platforms, without tracing
and lowering: the first with an empty cache of generated code, the second with what the first left
there. The table has medians over the rounds: milliseconds, and the built-in CPU's time by Tenon's.
"""
import argparse
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import plugin_env  # noqa: E402


def programs():
    """Functions and arguments by name. No two have an equal kernel, but some call the same shared
    functions, so their order is random."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    def ones(*shape, dtype=np.float32):
        return np.ones(shape, dtype)

    def convolution(x, w):
        return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME",
                                            dimension_numbers=("NHWC", "HWIO", "NHWC"))

    image, kernel = ones(1, 28, 28, 64), ones(3, 3, 64, 64)
    square = ones(512, 512)
    return {
        "product, 512": (jnp.matmul, (square, square)),
        "product, 1,000": (jnp.matmul, (ones(1000, 1000), ones(1000, 1000))),
        "product by a vector, 512": (jnp.matmul, (square, ones(512))),
        "batched product, 64 of 32": (jnp.matmul, (ones(64, 32, 32), ones(64, 32, 32))),
        "convolution, 3x3": (convolution, (image, kernel)),
        "gradient of a convolution": (jax.grad(lambda *a: convolution(*a).sum(), 1),
                                      (image, kernel)),
        "sort, 65,536": (jnp.sort, (ones(65536),)),
        "argsort, 65,536": (jnp.argsort, (ones(65536),)),
        "sort, 1,000 x 100": (lambda x: jnp.sort(x, -1), (ones(1000, 100),)),
        "top 10 of 100,000": (lambda x: jax.lax.top_k(x, 10), (ones(100_000),)),
        "median, 10,000": (jnp.median, (ones(10_000),)),
        "FFT, 1,024": (jnp.fft.fft, (ones(1024, dtype=np.complex64),)),
        "FFT, 65,536": (jnp.fft.fft, (ones(65536, dtype=np.complex64),)),
        "FFT, 2^20": (jnp.fft.fft, (ones(1 << 20, dtype=np.complex64),)),
        "FFT, 1,009": (jnp.fft.fft, (ones(1009, dtype=np.complex64),)),
        "real FFT, 512 x 512": (jnp.fft.rfft2, (square,)),
        "sum of columns": (lambda x: x.sum(0), (square,)),
        "softmax": (jax.nn.softmax, (square,)),
        "prefix sums": (lambda x: jnp.cumsum(x, 0), (square,)),
        "histogram": (lambda x: jnp.zeros(64).at[(63 * x).astype(int)].add(1), (ones(10_000),)),
        "max pooling": (lambda x: jax.lax.reduce_window(
            x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), (image,)),
        "Cholesky, 64": (jnp.linalg.cholesky, (np.eye(64, dtype=np.float32),)),
        "solve, 64": (jnp.linalg.solve, (np.eye(64, dtype=np.float32), ones(64))),
        "uniform random numbers": (lambda key: jax.random.uniform(key, (10_000,)),
                                   (np.array([0, 1], np.uint32),)),
    }


def run_child(chosen, seed):
    """Prints the times of every program, whose order `seed` decides."""
    import jax
    import numpy as np
    devices = [jax.devices(platform)[0] for platform in ("tenon", "cpu")]

    def compile_time(function, arguments, device):
        with jax.default_device(device):
            lowered = jax.jit(function).lower(*jax.device_put(arguments, device))
            start = time.perf_counter()
            lowered.compile()
            return 1e3 * (time.perf_counter() - start)

    for device in devices:  # initialization once per process
        compile_time(lambda x: x * 3, (np.float32(1),), device)
    order = [item for item in programs().items() if re.search(chosen, item[0])]
    generator = random.Random(seed)
    generator.shuffle(order)
    times = {}
    for name, (function, arguments) in order:
        both = [0, 1]
        generator.shuffle(both)
        pair = [0, 0]
        for i in both:
            pair[i] = compile_time(function, arguments, devices[i])
        times[name] = pair
    print(json.dumps(times), flush=True)
    os._exit(0)  # skips the teardown of two runtimes' threads


def measure(options):
    """For each program the times of all rounds: first on Tenon, again on Tenon, built-in."""
    rounds = {}
    for seed in range(options.rounds):
        with tempfile.TemporaryDirectory() as cache:
            for run in range(2):
                child = subprocess.run(
                    [sys.executable, __file__, "--only", options.only, "--child", str(seed)],
                    env=plugin_env.child(options.plugin, TENON_KERNEL_CACHE=cache), check=True,
                    stdout=subprocess.PIPE, text=True)
                for name, (ours, builtin) in json.loads(child.stdout.splitlines()[-1]).items():
                    times = rounds.setdefault(name, ([], [], []))
                    times[run].append(ours)
                    times[2].append(builtin)
        print(f"\r{seed + 1} of {options.rounds} rounds", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return rounds


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    plugin_env.add_argument(parser)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", help="regular expression on a program's name")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        run_child(options.only, options.child)
    rounds = measure(options)
    print(f"{'ms':28}{'first':>9}{'cached':>9}{'built-in':>9}{'first':>9}{'cached':>9}")
    for name in filter(rounds.get, programs()):
        first, cached, builtin = map(statistics.median, rounds[name])
        print(f"{name:28}{first:9.1f}{cached:9.1f}{builtin:9.1f}{builtin / first:9.2f}"
              f"{builtin / cached:9.2f}")


if __name__ == "__main__":
    main()
