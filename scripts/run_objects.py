#!/usr/bin/env python3
"""Runs test programs as object files, under emulation where needed, and counts the right ones.

  run_objects.py                                       # all targets, all programs: some minutes each
  run_objects.py --target host --target riscv64-v --every 10
  run_objects.py --only conformance --verbose

Programs: `ops`, those of tests/ops; `conformance`, those of StableHLO's test data
(../shared/conformance) that are neither dynamic nor quantized. Targets: those of
tests/objects/object_targets.py, and on this machine: `host`, `callback` (loops on threads of the
caller) and the levels that `jit-LEVEL` names. On this machine results are also compared, bit by
bit, with the plugin's at the same level. The stack of each call is painted, and must not exceed
what the object states. Exit status 1 if a program is wrong, or refused for a new reason.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import plugin_env
import run_conformance

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "objects"))
import object_targets  # noqa: E402

RUNNER = plugin_env.BUILD / "bin" / "tenon-test-objects"
NATIVE = f"cc -O1 -I. {object_targets.HERE / 'driver.c'} p*.o -o driver"
# What an object cannot be: programs that are not static, and those of several devices.
EXPECTED = re.compile(r"--check wants a program without arguments|!quant|uniform_(de)?quantize|"
                      r"of several devices|checks nothing|of \d+ devices|redefinition of symbol")


def native(flags, *options, level="host"):
    return (f"{NATIVE} {flags} && ./driver", ["cc"],
            ["--target", level, "--plugin", str(plugin_env.default_plugin()), "--option",
             f"cpu={level}", *options])


def targets():
    own = {"host": native("-DWITH_STACK", "--freestanding"),
           "callback": native("-DWITH_THREADS -lpthread", "--callback")}
    for level in ("x86-64-v2", "x86-64-v3", "x86-64-v4"):
        own["jit-" + level] = native("-DWITH_STACK", "--freestanding", level=level)
    return own | object_targets.TARGETS


def programs(only):
    sets = {"ops": sorted((ROOT / "tests" / "ops").glob("*.mlir"))}
    if run_conformance.DATA.exists():
        names = run_conformance.unpack(run_conformance.DATA)
        sets["conformance"] = [run_conformance.WORK / "testdata" / f"{name}.mlir.bc"
                               for name in names]
    return {name: files for name, files in sets.items() if only in ("", name)}


def run(target, files, options):
    """The last line of counts, and whether all is as expected."""
    command, needs, more = targets()[target]
    if absent := object_targets.missing(needs):
        return "skipped, not found: " + ", ".join(absent), True
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([RUNNER, *files, "--folder", folder, "--run", command, "--every",
                               str(options.every), "--sum-tolerance", "16", *more],
                              capture_output=True, text=True)
    *details, counts = done.stdout.splitlines() or [""]
    refused = [line for line in details if re.match(r"\d+ refused: ", line)]
    new = [line for line in refused if not EXPECTED.search(line)]
    wrong = [line for line in details if line not in refused]
    if done.returncode != 0 or new or options.verbose:
        print("\n".join([*wrong, *(refused if options.verbose else new), done.stderr]), flush=True)
    return counts, done.returncode == 0 and not new


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", action="append", choices=targets(), help="default: all")
    parser.add_argument("--only", default="", choices=["ops", "conformance"])
    parser.add_argument("--every", type=int, default=1, help="take only every Nth program")
    parser.add_argument("--verbose", action="store_true", help="print all differences and reasons")
    options = parser.parse_args()
    fine = True
    for target in options.target or targets():
        for name, files in programs(options.only).items():
            start = time.monotonic()
            counts, good = run(target, files, options)
            print(f"{target:16} {name:12} {counts} ({time.monotonic() - start:.0f} s)", flush=True)
            fine &= good
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
