#!/usr/bin/env python3
"""Runs random StableHLO programs on Tenon and on JAX's built-in CPU and compares the results.

  fuzz.py --seed 0 --count 1000                 # seeds 0 to 999
  fuzz.py --seed 17 --show                      # the program of a seed
  fuzz.py --seed 17 --shrink tests/fuzz/regressions/name.mlir

A seed gives the same program on every machine. Programs run in a worker process. A crash or a hang
ends only that process and counts as a failure. Every --evaluate-every-th program is also compared
with the reference evaluator (tenon-run --reference). Exit status 0: no failures. tests/fuzz/fuzzer
describes the generator and the comparison.
"""
import argparse
import collections
import json
import pathlib
import sys
import time

import plugin_env

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "fuzz"))
from fuzzer import generate, shrink  # noqa: E402
from fuzzer.session import Session  # noqa: E402

PASSED = ("ok", "skipped", "denormals")


def fuzz(options):
    counts, kinds = collections.Counter(), collections.Counter()
    failures, ops, begin = 0, 0, time.monotonic()
    report = options.report.open("w") if options.report else None
    session = Session(options, options.evaluate_every)
    for number in range(1, options.count + 1):
        seed = options.seed + number - 1
        result = session.ask(f"seed {seed}")
        counts[result["status"]] += 1
        kinds[result.get("kind", "?").split(".")[0]] += 1
        ops += result["ops"]
        if report:
            report.write(json.dumps({"seed": seed, **result}) + "\n")
            report.flush()
        if result["status"] not in PASSED:
            failures += 1
            print(f"seed {seed}: {result.get('kind', '')} {result['status']}: "
                  f"{result['message']}", flush=True)
        if number % 500 == 0:
            print(f"-- {number} programs, {number / (time.monotonic() - begin):.1f} a second, "
                  f"{dict(counts)}", flush=True)
        if options.seconds and time.monotonic() - begin > options.seconds:
            print(f"-- stopped after seed {seed}: out of time")
            break
    session.close()
    print(f"{sum(counts.values())} programs of {ops / sum(counts.values()):.1f} operations in "
          f"{time.monotonic() - begin:.0f} s: {dict(counts)}, {dict(kinds)}; {failures} failures")
    return 1 if failures or not counts["ok"] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=200, help="how many seeds")
    parser.add_argument("--seconds", type=float, help="stop after that time")
    parser.add_argument("--kind", default="mixed", help="mixed: many operations, "
                        "compared within bounds. With one right answer, from Tenon, the built-in "
                        f"CPU and the evaluator: {', '.join(generate.KINDS)}, several of them "
                        "with commas between, or any")
    plugin_env.add_argument(parser)
    parser.add_argument("--evaluator", type=pathlib.Path,
                        help="tenon-run (default: beside the plugin)")
    parser.add_argument("--evaluate-every", type=int, default=5,
                        help="compare every Nth program with the evaluator; 0: none")
    parser.add_argument("--cpu-every", type=int, default=1, help="of kinds with one right answer: "
                        "run every Nth program on the built-in CPU too (0: none), which takes "
                        "twice the time of all else")
    parser.add_argument("--without-cpu", action="store_true",
                        help="compare with the evaluator only: twice as many programs")
    parser.add_argument("--restart-every", type=int, default=1000, help="programs of one process")
    parser.add_argument("--timeout", type=float, default=120, help="seconds a program may take")
    parser.add_argument("--memory", type=int, default=4096, help="MiB that a program may take")
    parser.add_argument("--report", type=pathlib.Path, help="write a JSON line for each program")
    parser.add_argument("--show", action="store_true", help="print the seed's program and stop")
    parser.add_argument("--shrink", type=pathlib.Path, metavar="FILE",
                        help="shrink the seed's failing program and write it as a test")
    options = parser.parse_args()
    if options.evaluator is None:
        options.evaluator = options.plugin.parent.parent / "bin" / "tenon-run"
    options.evaluator = options.evaluator.resolve()
    if options.kind != "mixed" and not options.evaluator.exists():
        parser.error(f"programs with one right answer need the evaluator: {options.evaluator} "
                     "is not there (--evaluator)")
    if options.show:
        print(generate.generate(options.seed, options.kind).text, end="")
        return 0
    if options.shrink:
        return shrink.shrink_seed(options)
    return fuzz(options)


if __name__ == "__main__":
    sys.exit(main())
