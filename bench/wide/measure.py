"""Measures one program in this process: compilation, agreement, run time."""
import gc
import os
import statistics
import time

import jax
import numpy as np
from suite import backends, measure as interleaving, noise

from . import agreement

REFERENCE, SUBJECT = "cpu", "tenon"
STAGES = ("reference", f"compile {REFERENCE}", f"compile {SUBJECT}", "run")


class Side(backends.Backend):
    """A program on one platform. Compiles twice unless slow; the minimum time counts."""

    def __init__(self, platform, program, arguments, again_ms=500):
        self.name = platform
        device = jax.devices(platform)[0]
        self._arguments = jax.block_until_ready(jax.device_put(arguments, device))
        times = []
        for _ in range(2):
            self._function = jax.jit(lambda *a: program.function(*a))  # a new one is not cached
            start = time.perf_counter()
            lowered = self._function.lower(*self._arguments)
            middle = time.perf_counter()
            lowered.compile()
            times.append((1e3 * (time.perf_counter() - middle), 1e3 * (middle - start)))
            if times[0][0] > again_ms:
                break
        self.compile_ms, self.lower_ms = map(min, zip(*times))
        start = time.perf_counter()
        out = jax.block_until_ready(self._function(*self._arguments))
        self.first_ms = 1e3 * (time.perf_counter() - start)
        self.result = [np.asarray(x) for x in jax.tree.leaves(out)]

    def batch(self, count):
        function, arguments = self._function, self._arguments
        for _ in range(count):
            jax.block_until_ready(function(*arguments))


def warm_up():
    """Runs the initialization of a platform, which is no part of a program's compile time."""
    for platform in (REFERENCE, SUBJECT):
        device = jax.devices(platform)[0]
        jax.block_until_ready(jax.jit(lambda x: x * 2 + 1)(jax.device_put(1.0, device)))


def measure(program, seconds, rounds, say):
    """The row of `program`; calls say(stage) at the start of each of STAGES."""
    row = dict(program=program.name, domain=program.domain)
    say("reference")
    exact = None
    if not program.tolerance:
        exact = agreement.reference(program, jax.devices(REFERENCE)[0])
    sides = []
    for platform in (REFERENCE, SUBJECT):
        say(f"compile {platform}")
        try:
            side = Side(platform, program, program.arguments())
        except Exception as error:  # noqa: BLE001: what cannot run a program is a result
            text = (str(error).strip() or "no text").splitlines()[0]
            return dict(row, failure=f"{platform}: {type(error).__name__}: {text}"[:300])
        row[f"compile_ms_{platform}"] = side.compile_ms
        row[f"lower_ms_{platform}"] = side.lower_ms
        row[f"first_ms_{platform}"] = side.first_ms
        sides.append(side)
    row.update(agreement.compare(program, sides[1].result, sides[0].result,
                                 sides[0].result if exact is None else exact))
    for side in sides:
        side.result = None
    del exact
    gc.collect()
    say("run")
    if seconds:
        calm, samples, processor = interleaving.run_interleaved(sides, seconds, rounds)
        times = [[s[r] for r in calm] for s in samples]
        ratio, low, high = noise.ratio_interval(*times)
        row.update(ratio=ratio, ratio_low=low, ratio_high=high, rounds=len(calm),
                   load=os.getloadavg()[0])
        for side, t, p in zip(sides, times, processor, strict=True):
            row[f"us_{side.name}"] = 1e6 * statistics.median(t)
            row[f"processor_us_{side.name}"] = 1e6 * p
    jax.clear_caches()
    return row
