#!/usr/bin/env python3
"""Compile times on Tenon and on JAX's built-in CPU, without tracing and lowering.

Both platforms run in one process, interleaved. The table has the minimum wall and processor times
of a few compilations of each program, in ms. Load on the machine distorts processor times least.
Also compiles 200 and 2,000 unrolled layers, whose ratio should be near ten.
"""
import argparse
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
import plugin_env  # noqa: E402


def programs(large):
    import jax.numpy as jnp
    import numpy as np
    from programs import PROGRAMS

    def layers(weights, biases, x):
        for w, b in zip(weights, biases):
            x = jnp.tanh(x @ w + b)
        return x

    def repeated(count, w, b, x):
        return layers([w] * count, [b] * count, x)

    x, w, b = (np.ones(s, np.float32) for s in ((8, 64), (64, 64), 64))
    yield "x + 1, f32[1024]", lambda x: x + 1, (np.ones(1024, np.float32),)
    for name, (function, arguments, _) in PROGRAMS.items():
        yield name, function, arguments()
    for count in (200, 2000) if large else (200,):
        yield (f"{count} layers, the same weights", lambda *a, n=count: repeated(n, *a),
               (w, b, x))
        yield f"{count} layers, different weights", layers, ([w] * count, [b] * count, x)
    if large:
        constant = np.random.default_rng(0).standard_normal(75 << 20, np.float32)
        yield "300 MB of constants", lambda x: x + constant, (np.float32(1),)


def compile_times(function, arguments, device, rounds):
    import jax
    best = [float("inf")] * 2
    arguments = jax.device_put(arguments, device)
    with jax.default_device(device):
        for _ in range(rounds):
            lowered = jax.jit(lambda *a: function(*a)).lower(*arguments)
            start = time.perf_counter(), time.process_time()
            lowered.compile()
            spent = time.perf_counter() - start[0], time.process_time() - start[1]
            best = [min(a, 1e3 * b) for a, b in zip(best, spent)]
            if best[0] > 5000:
                break
            jax.clear_caches()
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    plugin_env.add_argument(parser)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--large", action="store_true",
                        help="also 2,000 layers and 300 MB of constants (a minute or two)")
    options = parser.parse_args()
    plugin_env.set_up(options.plugin)
    import jax
    devices = [jax.devices(platform)[0] for platform in ("tenon", "cpu")]
    for device in devices:  # initialization once per process
        compile_times(lambda x: x * 3, (1.0,), device, 1)
    print(f"{'':36}{'Tenon':>10}{'CPU time':>10}{'built-in':>10}{'CPU time':>10}")
    for name, function, arguments in programs(options.large):
        times = [compile_times(function, arguments, d, options.rounds) for d in devices]
        print(f"{name:36}" + "".join(f"{t:10.1f}" for pair in times for t in pair),
              flush=True)


if __name__ == "__main__":
    main()
