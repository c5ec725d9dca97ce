"""Tenon on a device against another platform of JAX's, both in one process.

The parent starts a child, which compiles a few workloads at a time on `jobs` threads, runs them one
after the other, and prints an event for each step. If it dies or hangs, the parent charges this to
the workload in flight and starts another child for the rest. The budget counts from the start, and
covers everything. `compile_first` compiles in many processes before, into a cache on disk.
"""
import collections
import concurrent.futures
import json
import math
import os
import queue
import re
import statistics
import subprocess
import sys
import threading
import time

from . import backends, measure, noise
from .registry import WORKLOADS

MARK = "SUITE-EVENT "
_BATCH_SECONDS = 0.002
_STEADY = 0.01  # of the median: the rounds end when its error is below this
_ONCE_SECONDS = 2.0  # workloads that take longer run once
_GRACE = 5.0  # seconds after the budget until a child is ended


def order(names):
    """From small to large, taking one of each group in turn, so that a budget covers all groups."""
    def size(name):
        w = WORKLOADS[name]
        return max(w.flops / 1e13, w.bytes / 1e12)
    groups = collections.defaultdict(list)
    for name in names:
        groups[WORKLOADS[name].group].append(name)
    places = []
    for members in groups.values():
        members.sort(key=size)
        places += [((i + 0.5) / len(members), name) for i, name in enumerate(members)]
    return [name for _, name in sorted(places)]


# ---------------------------------------------------------------- the child
def _emit(**event):
    # One write: threads emit too.
    sys.stdout.write(MARK + json.dumps(event) + "\n")
    sys.stdout.flush()


def _text(error):
    return f"{type(error).__name__}: {error}".splitlines()[0][:300]


def _prepare(name, platforms):
    """[(row, back end or None)] of both platforms, compiled."""
    workload, result = WORKLOADS[name], []
    _emit(preparing=name)
    arguments = workload.arguments()
    for platform in platforms:
        row = dict(workload=name, group=workload.group, backend=platform)
        try:
            backend = backends.Jax(platform, workload, arguments, attempts=1, run=False)
            row.update(lower_ms=backend.lower_ms, compile_ms=backend.compile_ms)
        except Exception as error:  # a back end that cannot compile a workload is a result
            backend, row["error"] = None, _text(error)
        result.append((row, backend))
    _emit(prepared=name)
    return result


def _steady(samples):
    if len(samples) < 5:
        return False
    quarters = statistics.quantiles(samples, n=4)
    return (quarters[2] - quarters[0]) / math.sqrt(len(samples)) < _STEADY * quarters[1]


def _count(backend):
    """How many calls take about _BATCH_SECONDS, and the seconds of one."""
    start = time.perf_counter()
    backend.batch(1)
    once = time.perf_counter() - start
    return max(1, min(100, int(_BATCH_SECONDS / once))), once


def _sample(live, seconds):
    """Seconds per call of each back end, by round: interleaved, until the medians are steady."""
    counts, once = zip(*map(_count, live))
    if max(once) > _ONCE_SECONDS:
        return [[t] for t in once]
    samples = [[] for _ in live]
    end = time.perf_counter() + seconds * len(live)
    while True:
        for i in range(len(live)) if len(samples[0]) % 2 else reversed(range(len(live))):
            noise.settle()
            live[i].batch(1)
            start = time.perf_counter()
            live[i].batch(counts[i])
            samples[i].append((time.perf_counter() - start) / counts[i])
        if len(samples[0]) >= 3 and time.perf_counter() > end or all(map(_steady, samples)):
            return samples


def _queued(backend, once):
    """Seconds per call when calls do not wait for each other's results."""
    count = max(2, min(50, int(0.005 / once)))
    times = []
    for _ in range(3):
        start = time.perf_counter()
        backend.queue(count)
        times.append((time.perf_counter() - start) / count)
    return statistics.median(times)


def _run(prepared, seconds):
    """Completes the rows of one workload."""
    live, reference = [], None
    for row, backend in prepared:
        if not backend:
            continue
        try:
            backend.run_first()
            row["first_ms"] = backend.first_ms
            if reference is not None:
                row["error_to_first"] = measure.largest_error(reference, backend.result)
            reference, backend.result = backend.result, None
            live.append((row, backend))
        except Exception as error:  # as above
            row["error"] = _text(error)
    if not live:
        return
    try:
        samples = _sample([backend for _, backend in live], seconds)
        for (row, backend), times in zip(live, samples):
            row.update(median_us=1e6 * statistics.median(times), minimum_us=1e6 * min(times),
                       rounds=len(times))
            if max(times) < _ONCE_SECONDS:
                row["queued_us"] = 1e6 * _queued(backend, statistics.median(times))
        if len(live) == 2:
            ratio, low, high = noise.ratio_interval(*samples)
            live[1][0].update(ratio=ratio, ratio_low=low, ratio_high=high)
    except Exception as error:
        live[-1][0]["error"] = _text(error)


def _still_works(platforms):
    """Whether the clients can still run something; a kernel's fault ends a context for good."""
    import jax
    try:
        for platform in platforms:
            jax.jit(lambda x: x + 1, device=jax.devices(platform)[0])(1.0).block_until_ready()
    except Exception:
        return False
    return True


def compile_only(settings):
    """Compiles `names` on `platforms`."""
    for name in settings["names"]:
        _emit(rows=[row for row, _ in _prepare(name, settings["platforms"])])
    os._exit(0)  # as below


def child(settings):
    """Measures `names` on `platforms`: the reference and the subject."""
    import jax
    if settings.get("compile_only"):
        compile_only(settings)
    names, platforms = collections.deque(settings["names"]), settings["platforms"]
    jobs, end, pace = settings["jobs"], settings["end"], collections.deque(maxlen=40)
    _emit(devices=[jax.devices(platform)[0].device_kind for platform in platforms])
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        while names and time.time() < end:
            # As many as the budget has room for, by the pace so far.
            room = (end - time.time()) / statistics.fmean(pace) if pace else 2 * jobs
            count = max(1, min(3 * jobs, int(room), len(names)))
            chunk, start = [names.popleft() for _ in range(count)], time.time()
            compiled = list(pool.map(lambda name: _prepare(name, platforms), chunk))
            for name in chunk:
                prepared = compiled.pop(0)
                if time.time() > end:
                    break
                _emit(start=name)
                _run(prepared, settings["seconds"])
                rows = [row for row, _ in prepared]
                _emit(rows=rows)
                del prepared
                if any("error" in row for row in rows) and not _still_works(platforms):
                    _emit(lost=name)
                    os._exit(3)
            pace += [(time.time() - start) / count] * count
    _emit(finished=True)
    os._exit(0)  # skips the teardown of several runtimes' threads


# ---------------------------------------------------------------- the parent
class _Child:
    """Runs one child to its end. `left`: what it did not measure; `blamed`: what it died in, and
    `why`; `devices`: their names, once it had them."""

    def __init__(self, command, env, settings, timeout, on_rows):
        self.left, self.blamed, self.devices, self.why = list(settings["names"]), [], [], ""
        self._on_rows, self._preparing, self._started, self._ended = on_rows, [], None, False
        process = subprocess.Popen([*command, json.dumps(settings)], env=env, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        lines, errors = queue.Queue(), collections.deque(maxlen=30)

        def read():
            for line in process.stdout:
                lines.put(line)
            lines.put(None)

        readers = [threading.Thread(target=read),
                   threading.Thread(target=lambda: errors.extend(process.stderr))]
        for reader in readers:
            reader.start()
        try:
            self._follow(lines, settings["end"], timeout)
        finally:
            process.kill()
            status = process.wait()
            for reader in readers:
                reader.join(timeout=5)
        if not self._ended:
            self.blamed = [self._started] if self._started else list(self._preparing)
            self.why = self.why or _last_words(status, errors)

    def _follow(self, lines, end, timeout):
        while True:
            try:
                line = lines.get(timeout=max(0.01, min(timeout, end + _GRACE - time.time())))
            except queue.Empty:
                self._ended = time.time() > end
                self.why = f"more than {timeout:g} s"
                return
            if line is None:
                return
            if line.startswith(MARK):
                self._take(json.loads(line[len(MARK):]))

    def _take(self, event):
        self.devices = event.get("devices", self.devices)
        self._started = event.get("start", self._started)
        self._ended |= "finished" in event or "lost" in event
        if "preparing" in event:
            self._preparing.append(event["preparing"])
        if "prepared" in event:
            self._preparing.remove(event["prepared"])
        if "rows" in event:
            self.left.remove(self._started)
            self._started = None
            self._on_rows(event["rows"])


def compile_first(names, platforms, command, env, *, processes, seconds):
    """Compiles the workloads in `processes` processes, which share JAX's compilation cache, for at
    most `seconds`. Returns the rows of those that were compiled, by workload and platform."""
    end, compiled, names = time.time() + seconds, {}, order(names)

    def follow(lines):
        for line in lines:
            if line.startswith(MARK):
                for row in json.loads(line[len(MARK):]).get("rows", []):
                    compiled[row["workload"], row["backend"]] = row

    running = []
    for i in range(min(processes, len(names))):
        settings = dict(names=names[i::processes], platforms=platforms, compile_only=True)
        process = subprocess.Popen([*command, json.dumps(settings)], env=env, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        reader = threading.Thread(target=follow, args=(process.stdout,))
        reader.start()
        running.append((process, reader))
    for process, reader in running:
        try:
            process.wait(max(0.01, end - time.time()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        reader.join(timeout=5)
    return compiled


def _last_words(status, errors):
    known = [line for line in errors if re.search("rror|Fatal|Check failed", line)]
    return f"exit {status}: " + " ".join((known or list(errors))[-2:]).strip()[-300:]


def compare(names, platforms, command, env, *, seconds, budget, jobs, timeout, on_rows):
    """Measures the workloads on `platforms` in children; calls on_rows with the rows of each.

    Returns the devices' names, and the workloads for which the budget had no time.
    """
    end, devices = time.time() + budget, []
    left, alone = order(names), []  # alone: those in flight when a child died compiling several
    while (left or alone) and time.time() < end:
        names, several = left or alone, bool(left)
        run = _Child(command, env,
                     dict(names=names, platforms=platforms, seconds=seconds, end=end,
                          jobs=jobs if several else 1), timeout, on_rows)
        devices = devices or run.devices
        if not devices:
            raise RuntimeError(f"{' and '.join(platforms)} cannot be compared: {run.why}")
        if run.left == names and not run.blamed:
            break  # it got nowhere
        rest = [name for name in run.left if name not in run.blamed]
        left, alone = (rest, alone) if several else ([], rest)
        if len(run.blamed) > 1:
            alone = alone + run.blamed
            continue
        for name in run.blamed:
            on_rows([dict(workload=name, group=WORKLOADS[name].group, backend=platform,
                          error=run.why) for platform in platforms])
    return devices, left + alone
