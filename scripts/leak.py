#!/usr/bin/env python3
"""Compiles, runs and frees small random programs and measures the memory of the process.

Runs 10,000 different programs of the fuzzer's generator (tests/fuzz) through jaxlib's PJRT client.
Prints resident memory after each tenth of them and after 1,000. Fails if memory grows by more than
--slack MiB after the first 1,000 programs.
"""
import argparse
import ctypes
import gc
import pathlib
import sys
import time

import plugin_env

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "fuzz"))
from fuzzer import execute, generate  # noqa: E402


def resident_mib():
    """Resident memory after glibc has returned free memory to the system."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    plugin_env.add_argument(parser)
    parser.add_argument("--rounds", type=int, default=10_000)
    parser.add_argument("--warm-up", type=int, default=1_000, help="rounds before memory counts")
    parser.add_argument("--programs", type=int, default=500,
                        help="different programs, compiled again and again")
    parser.add_argument("--slack", type=float, default=16, help="MiB of growth allowed")
    parser.add_argument("--platform", choices=("tenon", "cpu"), default="tenon",
                        help="cpu: the built-in one, to compare with")
    options = parser.parse_args()
    tenon, cpu = execute.start(options.plugin)
    device = tenon if options.platform == "tenon" else cpu
    begin, start = time.monotonic(), None
    for number in range(1, options.rounds + 1):
        program = generate.mixed(number % options.programs, limits=(64, 512), most_ops=6)
        try:
            execute.run(program, device)
        except RuntimeError:   # rejected programs count too
            pass
        del program
        if number == options.warm_up or number % max(1, options.rounds // 10) == 0:
            memory = resident_mib()
            start = memory if number == options.warm_up else start
            print(f"{number:6} rounds  {time.monotonic() - begin:6.0f} s  {memory:8.1f} MiB",
                  flush=True)
    growth = memory - start
    print(f"resident memory: {start:.1f} MiB after {options.warm_up} rounds, {memory:.1f} MiB "
          f"after {options.rounds}: {growth:+.1f} MiB, {options.slack:.0f} allowed")
    return 0 if growth <= options.slack else 1


if __name__ == "__main__":
    sys.exit(main())
