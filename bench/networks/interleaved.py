"""Peers in separate processes, and interleaved timing of programs on them."""
import json
import os
import queue
import statistics
import subprocess
import threading

import numpy as np

from suite import noise

SUBJECT, BUILT_IN = "tenon", "cpu"
PEERS = ("torch", "torch_compiled", "onnxruntime", "openvino")  # what Tenon is compared with
INFERENCE_ONLY = ("onnxruntime", "openvino")
_BATCH_SECONDS = 0.05


class Failure(Exception):
    pass


class Worker:
    """One peer's process. `ask` raises Failure if the peer cannot answer; unless the process has
    ended, further requests are possible."""

    def __init__(self, peer, python, threads, env, errors):
        self.peer, self._errors = peer, errors
        with open(errors, "w") as file:
            self._process = subprocess.Popen(
                [python, os.path.join(os.path.dirname(__file__), "worker.py"), peer, str(threads)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file, text=True,
                env={**env, "OMP_NUM_THREADS": str(threads)})
        self._lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self._process.stdout:
            self._lines.put(json.loads(line))
        self._lines.put(None)

    def ask(self, timeout, **message):
        if self._process.poll() is not None:
            raise Failure(f"exit {self._process.returncode}")
        try:
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()
            answer = self._lines.get(timeout=timeout)
        except queue.Empty:
            self.stop()
            raise Failure(f"more than {timeout:g} s") from None
        except BrokenPipeError:
            answer = None
        if answer is None:
            text = " ".join(self._errors.read_text().split())
            raise Failure(f"exit {self._process.wait()}: {text[-150:]}")
        if "error" in answer:
            raise Failure(answer["error"])
        return answer

    def stop(self):
        self._process.kill()
        self._process.wait()


def load(worker, name, dtype, path, timeout, layer=None):
    """Compiles and runs once: (times, result)."""
    times = worker.ask(timeout, load=name, dtype=dtype, layer=layer, result=str(path))
    return times, np.load(path)


def relative_error(result, reference, trains):
    """The rms of the difference divided by that of the reference; the maximum for losses."""
    result, reference = (x.astype(np.float64) for x in (result, reference))
    if result.shape != reference.shape:
        return float("inf")
    if trains:
        error = float(np.max(np.abs(result - reference) / np.abs(reference)))
    else:
        error = float(np.sqrt(np.sum((result - reference) ** 2) / np.sum(reference ** 2)))
    return error if error == error else float("inf")


def run_interleaved(workers, seconds, rounds, timeout=600):
    """{peer: seconds per call, by calm repetition}. The workers must have loaded the program."""
    counts = {}
    for worker in workers:
        worker.ask(timeout, time=1)
        once = worker.ask(timeout, time=1)["seconds"]
        counts[worker.peer] = max(1, min(2000, int(_BATCH_SECONDS / once)))
    samples, waited, spent = {w.peer: [] for w in workers}, [], 0.0
    while len(waited) < rounds or spent < seconds * len(workers):
        first, total = len(waited) % len(workers), 0
        for worker in (*workers[first:], *workers[:first]):
            answer = worker.ask(timeout, time=counts[worker.peer])
            samples[worker.peer].append(answer["seconds"])
            spent += answer["seconds"] * counts[worker.peer]
            total += answer["waited"]
        waited.append(total)
    calm = noise.calm_repetitions(waited, rounds)
    return {peer: [values[i] for i in calm] for peer, values in samples.items()}


def compare(samples, right):
    """Columns of a row: medians in ms, the best of the peers in `right`, ratios to Tenon's time."""
    row = {"ms": {peer: 1e3 * statistics.median(v) for peer, v in samples.items()},
           "rounds": len(next(iter(samples.values())))}
    peers = [p for p in PEERS if p in samples and p in right]
    if SUBJECT not in samples:
        return row
    if peers:
        row["best"] = min(peers, key=lambda p: row["ms"][p])
        row["ratio"] = noise.ratio_interval(samples[row["best"]], samples[SUBJECT])
    if BUILT_IN in samples:
        row["built_in_ratio"] = noise.ratio_interval(samples[BUILT_IN], samples[SUBJECT])
    return row


def available_bytes():
    with open("/proc/meminfo") as file:
        return next(1024 * int(x.split()[1]) for x in file if x.startswith("MemAvailable"))
