#!/usr/bin/env python3
"""Runs JAX's own tests of several processes (tests/multiprocess) with Tenon in place of `cpu`.

    scripts/run_multiprocess_tests.py JAX_CHECKOUT [--processes 2 4] [--files array pjit]
                                      [--devices 1] [--builtin]

Prints a table of test functions per file: passed, failed, skipped. A test has passed if it passed
in all processes. Logs are in build/logs/multiprocess. Exits with 1 if a test has failed.
"""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
# For other hardware, or of features that the C API does not have.
NOT_APPLICABLE = {"tpu_device_test", "socket_transfer_test", "pgle_test"}
RESULT = re.compile(r"^\[ +(OK|FAILED|SKIPPED) +\] (\S+)", re.MULTILINE)


def environment(builtin):
    env = {name: value for name, value in os.environ.items() if not name.startswith("TENON_")}
    if not builtin:
        env["PYTHONPATH"] = str(ROOT / "python")
        env["TENON_REPLACE_CPU"] = "1"
        env["TENON_COLLECTIVES_TIMEOUT"] = "60"
    env["JAX_PLATFORMS"] = "cpu"
    return env


def run_file(path, processes, devices, builtin, seconds, logs):
    """The results of one file: {test: [result per process]}, and whether it ended."""
    logs.mkdir(parents=True, exist_ok=True)
    env = {**environment(builtin), "TEST_UNDECLARED_OUTPUTS_DIR": str(logs)}
    command = [sys.executable, str(path), f"--num_processes={processes}",
               "--heartbeat_timeout=30", "--initialization_timeout=120",
               "--shutdown_timeout=60"]
    if devices > 1:
        command.append(f"--extra_test_args=--jax_num_cpu_devices={devices}")
    ended = True
    with open(logs / "driver.log", "w", encoding="utf-8") as log:
        child = subprocess.Popen(command, env=env, stdout=log, stderr=log, start_new_session=True,
                                 cwd=path.parents[2])
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            ended = False
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
    results = {}
    for process in range(processes):
        text = (logs / f"jax_{process}_stderr.log").read_text(encoding="utf-8", errors="replace")
        for result, test in RESULT.findall(text):
            results.setdefault(test, []).append(result)
    return results, ended


def summarize(results, processes):
    counts = {"passed": 0, "failed": [], "skipped": 0}
    for test, outcomes in sorted(results.items()):
        if "FAILED" in outcomes or len(outcomes) < processes:
            counts["failed"].append(test)
        elif "SKIPPED" in outcomes:
            counts["skipped"] += 1
        else:
            counts["passed"] += 1
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("checkout", type=pathlib.Path, help="of JAX, for its folder tests")
    parser.add_argument("--processes", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--devices", type=int, default=1, help="per process")
    parser.add_argument("--files", nargs="+", help="only these, without _test.py")
    parser.add_argument("--builtin", action="store_true", help="JAX's own CPU, for comparison")
    parser.add_argument("--seconds", type=int, default=600, help="limit per file")
    options = parser.parse_args()
    folder = options.checkout / "tests" / "multiprocess"
    files = sorted(folder.glob("*_test.py"))
    failed = 0
    print("| file | processes | passed | failed | skipped |\n|---|---|---|---|---|")
    for processes in options.processes:
        total = {"passed": 0, "failed": 0, "skipped": 0}
        for path in files:
            if path.stem in NOT_APPLICABLE:
                continue
            if options.files and path.stem.removesuffix("_test") not in options.files:
                continue
            logs = ROOT / "build" / "logs" / "multiprocess" / f"{path.stem}_{processes}"
            results, ended = run_file(path.resolve(), processes, options.devices,
                                      options.builtin, options.seconds, logs)
            counts = summarize(results, processes)
            note = ": " + ", ".join(counts["failed"]) if counts["failed"] else ""
            note += "" if ended else " (did not end)"
            note += "" if results else " (no results)"
            print(f"| {path.stem} | {processes} | {counts['passed']} | "
                  f"{len(counts['failed'])}{note} | {counts['skipped']} |", flush=True)
            total["passed"] += counts["passed"]
            total["failed"] += len(counts["failed"]) + (not ended or not results)
            total["skipped"] += counts["skipped"]
        print(f"| all | {processes} | {total['passed']} | {total['failed']} | "
              f"{total['skipped']} |", flush=True)
        failed += total["failed"]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
