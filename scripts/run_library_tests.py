#!/usr/bin/env python3
"""Runs the test suites of libraries on JAX (the sdists of flax, optax, chex ...) on Tenon.

    scripts/run_library_tests.py --plugin SO --sdist flax-0.12.8 optax-0.2.8 chex-0.1.92

Tenon replaces the built-in CPU. Each test file runs in its own process. A test that ends its
process is a crash, and a test that takes too long is a timeout; the rest of the file then continues
in a new process. Failing tests also run on JAX's built-in CPU. Tests that pass only there are
Tenon's failures; the exit status is 1 if there are any.

Results are stored in --work and not computed again: after --minutes the command stops, and running
the same command continues.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

import plugin_env

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUTCOMES = ("passed", "skipped", "failed", "crash", "timeout")


# ---------------------------------------------------------------- in the test process
class Recorder:
    """A pytest plugin that selects tests and writes a JSON line at their start and end."""

    def __init__(self, options):
        self.options, self.current = options, None
        self.pipe = os.fdopen(options["pipe"], "w", buffering=1)

    def write(self, **event):
        self.pipe.write(json.dumps(event) + "\n")

    def pytest_collectreport(self, report):
        if report.failed:
            self.write(id=f"{report.nodeid}::collection", outcome="failed", seconds=0,
                       message=str(report.longrepr)[-600:])

    def pytest_collection_modifyitems(self, items):
        done, only = set(self.options["done"]), re.compile(self.options["only"])
        items[:] = [item for item in items if item.nodeid not in done
                    and is_in_sample(item.nodeid, self.options["sample"])
                    and only.search(item.nodeid)
                    and item.nodeid in (self.options["ids"] or (item.nodeid,))]

    def pytest_runtest_logstart(self, nodeid):
        self.current = dict(id=nodeid, outcome="passed", message="", seconds=0.0)
        self.write(start=nodeid)

    def pytest_runtest_logreport(self, report):
        result = self.current
        result["seconds"] += report.duration
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            text = crash.message if crash else str(report.longrepr)
            result.update(outcome="failed", message=text[:600])
        elif report.skipped and not hasattr(report, "wasxfail"):
            result.update(outcome="skipped", message=str(report.longrepr)[-200:])

    def pytest_runtest_logfinish(self):
        self.write(**self.current)


def is_in_sample(name, sample):
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % sample == 0


def run_in_this_process(options):
    import pytest
    sys.path.insert(0, os.getcwd())
    status = pytest.main(["-q", "-p", "no:cacheprovider", "-o", "addopts=", "--tb=short", "-s",
                          "-W", "ignore", options["file"]], plugins=[Recorder(options)])
    sys.stdout.flush()
    os._exit(0 if status in (0, 1, 5) else 3)


# ---------------------------------------------------------------- the command
class Suite:
    """The tests of one sdist on one platform, with a journal of results."""

    def __init__(self, folder, platform, options):
        self.folder, self.platform, self.options = folder, platform, options
        self.journal = options.work / f"{folder.name}.{platform}.jsonl"
        self.results, self.finished, self.lock = {}, set(), threading.Lock()
        if self.journal.exists():
            for line in self.journal.read_text().splitlines():
                self.add(json.loads(line), keep=False)

    def add(self, result, keep=True):
        with self.lock:
            if "finished" in result:
                self.finished.add((result["finished"], result["sample"]))
            else:
                self.results[result["id"]] = result
            if keep:
                with self.journal.open("a") as journal:
                    journal.write(json.dumps(result) + "\n")

    def files(self):
        found = {*self.folder.rglob("*_test.py"), *self.folder.rglob("test_*.py")}
        outside = ("examples", "benchmarks", "docs", "docs_nnx")
        return sorted(str(path.relative_to(self.folder)) for path in found
                      if path.relative_to(self.folder).parts[0] not in outside)

    def run_file(self, file, ids=None):
        """Runs a file, in as many processes as needed; False if the time ran out."""
        sample = 1 if ids else self.options.sample
        if not ids and any(f == file and sample % s == 0 for f, s in self.finished):
            return True
        for _ in range(100):
            if time.monotonic() > self.options.end:
                return False
            done = [name for name in self.results if name.startswith(file)]
            if ids and not ids - set(done):
                return True
            if self.run_process(file, done, ids):
                break
        if not ids and not self.options.only:
            self.add({"finished": file, "sample": sample})
        return True

    def run_process(self, file, done, ids):
        """True if the process finished its tests."""
        read, write = os.pipe()
        request = dict(file=file, done=done, ids=sorted(ids or ()), pipe=write,
                       sample=1 if ids else self.options.sample,
                       only=self.options.only)
        log = self.options.work / f"{self.folder.name}.{self.platform}.log"
        with log.open("a") as output:
            process = subprocess.Popen(
                [self.options.python, __file__, "--worker", "-"], cwd=self.folder,
                env=self.environment(), pass_fds=[write], stdin=subprocess.PIPE,
                stdout=output, stderr=output)
        os.close(write)
        process.stdin.write(json.dumps(request).encode())
        process.stdin.close()
        running, timed_out, timer = None, threading.Event(), None

        def stop():
            timed_out.set()
            process.kill()

        with os.fdopen(read) as events:
            for line in events:
                event = json.loads(line)
                if timer:
                    timer.cancel()
                if "start" in event:
                    running = event["start"]
                    timer = threading.Timer(self.options.timeout, stop)
                    timer.start()
                else:
                    running = None
                    self.add(event)
        status = process.wait()
        if timer:
            timer.cancel()
        if running:
            self.add(dict(id=running, outcome="timeout" if timed_out.is_set() else "crash",
                          message=f"exit status {status}", seconds=0))
            return False
        if status not in (0, 3):
            self.add(dict(id=f"{file}::process", outcome="crash", seconds=0,
                          message=f"exit status {status} outside of a test"))
        return True

    def environment(self):
        env = dict(plugin_env.clean(), PYTHONDONTWRITEBYTECODE="1")
        if self.platform == "tenon":
            return plugin_env.child(self.options.plugin, replace_cpu=True, base=env)
        return dict(env, JAX_PLATFORMS="cpu")

    def run(self, wanted):
        """Runs {file: ids or None}; False if the time ran out."""
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            return all([*pool.map(lambda item: self.run_file(*item), wanted.items())])


def run_suite(folder, options):
    """(counts, Tenon's failures, True if all has been run) of one sdist."""
    tenon, cpu = (Suite(folder, platform, options) for platform in ("tenon", "cpu"))
    complete = tenon.run(dict.fromkeys(tenon.files()))
    chosen = [r for name, r in tenon.results.items() if is_in_sample(name, options.sample)
              and re.search(options.only, name)]
    counts = collections.Counter(r["outcome"] for r in chosen)
    rest = collections.defaultdict(set)
    for result in chosen:
        if result["outcome"] != "passed":
            rest[result["id"].split("::")[0]].add(result["id"])
    complete = cpu.run(rest) and complete
    failures = []
    for result in chosen:
        reference = cpu.results.get(result["id"], {}).get("outcome")
        if result["outcome"] == "passed" or reference not in ("passed", None):
            continue
        if reference:
            failures.append(result)
    return counts, failures, complete


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    plugin_env.add_argument(parser)
    parser.add_argument("--sdist", type=pathlib.Path, nargs="+", default=[],
                        help="unpacked source distributions")
    parser.add_argument("--python", default=sys.executable,
                        help="Python with JAX, pytest and what the suites need")
    parser.add_argument("--sample", type=int, default=1, help="every Nth test, by its name")
    parser.add_argument("--only", default="", help="regular expression on test names")
    parser.add_argument("--timeout", type=float, default=120, help="seconds a test may take")
    parser.add_argument("--minutes", type=float, default=1e6, help="start no file after these")
    parser.add_argument("--jobs", type=int, default=1, help="test processes at once")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/library_tests",
                        help="folder for results; delete it to start anew")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return run_in_this_process(json.load(sys.stdin))
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    options.end = time.monotonic() + 60 * options.minutes
    wrong = False
    for folder in options.sdist:
        counts, failures, complete = run_suite(folder.resolve(), options)
        for failure in failures:
            first = (failure["message"].splitlines() or [""])[0]
            print(f"{failure['outcome']} {failure['id']}: {first[:200]}")
        own = [f"{counts[name]} {name}" for name in OUTCOMES if counts[name]]
        print(f"{folder.name}: {', '.join(own)}; {len(failures)} pass on the built-in CPU only"
              f"{'' if complete else '; TIME WAS UP, run again'}", flush=True)
        wrong |= bool(failures) or not complete
    return wrong


if __name__ == "__main__":
    sys.exit(main())
