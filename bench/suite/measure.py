"""Times one workload on several back ends, interleaved in this process.

The back ends run in rotating order, so that noise of the machine affects all alike.
"""
import gc
import os
import statistics
import time

import numpy as np

from . import backends, limits, noise, peers
from .registry import WORKLOADS

_BATCH_SECONDS = 0.005
_MAX_CALLS = 4096


def largest_error(reference, result):
    """The largest difference relative to the reference's largest value; None: not comparable."""
    if reference is None or result is None or len(reference) != len(result):
        return None
    worst = 0.0
    for x, y in zip(reference, result):
        kind = np.complex128 if np.iscomplexobj(x) else np.float64
        x, y = x.astype(kind), y.astype(kind)
        if x.shape != y.shape:
            return None
        if x.size:
            scale = np.nanmax(np.abs(x)) or 1.0
            worst = max(worst, float(np.nanmax(np.abs(x - y)) / scale))
    return worst


def _calibrate(backend):
    backend.batch(1)
    count = 1
    while True:
        start = time.perf_counter()
        backend.batch(count)
        elapsed = time.perf_counter() - start
        if elapsed > _BATCH_SECONDS * 0.8 or count >= _MAX_CALLS:
            return max(1, min(_MAX_CALLS, int(count * _BATCH_SECONDS / elapsed)))
        count *= 4


def run_interleaved(live, seconds, rounds):
    """Runs the back ends `live` interleaved, in rotating order: each for `seconds` and at least
    `rounds` times.

    Returns (calm, samples, processor): the repetitions in which the process waited least for a
    core, which are the ones to count; each back end's seconds per call, by repetition; and its
    minimum processor time.
    """
    counts = [_calibrate(backend) for backend in live]
    samples = [[] for _ in live]
    processor = [float("inf")] * len(live)
    waited = []
    end = time.perf_counter() + seconds * len(live)
    repetition = 0
    while live and (repetition < rounds or time.perf_counter() < end):
        before = noise.wait_nanoseconds()
        for i in (*range(repetition % len(live), len(live)), *range(repetition % len(live))):
            noise.settle()
            live[i].batch(1)
            start, used = time.perf_counter(), time.process_time()
            live[i].batch(counts[i])
            samples[i].append((time.perf_counter() - start) / counts[i])
            processor[i] = min(processor[i], (time.process_time() - used) / counts[i])
        waited.append(noise.wait_nanoseconds() - before)
        repetition += 1
    return noise.calm_repetitions(waited, rounds), samples, processor


def _iree(workload, arguments):
    if not workload.iree:
        raise TimeoutError("IREE takes minutes to compile this")
    return backends.Iree(workload, arguments)


def measure(name, platforms, machine, seconds, rounds, iree=False, with_peers=False):
    """Rows (dicts of columns) of workload `name`; the first platform is the reference.

    `platforms`: (JAX platform, name in the results) pairs. `seconds`: steady time per back end.
    """
    workload = WORKLOADS[name]
    arguments = workload.arguments()
    rows, live = [], []

    def attempt(label, make):
        row = dict(workload=name, group=workload.group, backend=label)
        rows.append(row)
        try:
            backend = make()
        except Exception as error:  # a back end that cannot run a workload is a result
            row["error"] = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            return
        for column in ("lower_ms", "compile_ms", "first_ms", "first_run_mib", "implementation"):
            row[column] = getattr(backend, column)
        if live:
            row["error_to_first"] = largest_error(live[0][0].result, backend.result)
        live.append((backend, row))

    for platform, label in platforms:
        attempt(label, lambda: backends.Jax(platform, workload, arguments, label))
    if iree:
        attempt("iree", lambda: _iree(workload, arguments))
    if with_peers:
        for label, make in peers.PEERS.get(name, {}).items():
            attempt(label, lambda: backends.Routine(label, make(*arguments)))
    for backend, _ in live:
        backend.result = None
    gc.collect()

    calm, samples, processor = run_interleaved([backend for backend, _ in live], seconds, rounds)
    minimum = limits.seconds(workload, machine)
    for i, (_, row) in enumerate(live):
        times = [samples[i][r] for r in calm]
        ratio, low, high = noise.ratio_interval([samples[0][r] for r in calm], times)
        row.update(median_us=1e6 * statistics.median(times), minimum_us=1e6 * min(times),
                   processor_us=1e6 * processor[i], ratio=ratio, ratio_low=low, ratio_high=high,
                   rounds=len(times), load=os.getloadavg()[0])
        if minimum:
            row["limit_fraction"] = minimum / statistics.median(times)
    return rows
