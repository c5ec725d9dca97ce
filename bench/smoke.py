#!/usr/bin/env python3
"""Compares a few workloads' ratios to the built-in CPU with stored ones and prints the result.

The margin is wide, and a slow ratio is only reported in the log. The run fails only if a workload
fails. --store writes the measured ratios as the new ones.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from suite import report  # noqa: E402

STORED = ROOT / "bench" / "smoke_ratios.json"
MARGIN = 0.5  # of the stored ratio
WORKLOADS = ("dispatch_scalar_add", "gelu_1e6", "softmax_2048x1024", "matmul_f32_512",
             "matmul_bf16_1024", "sort_1e6", "while_newton_1000",
             "lorenz_rk4_10000_100_steps", "attention_h8_s1024_d64")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, ROOT / "bench" / "run_suite.py", "--plugin", options.plugin,
             "--only", "/(" + "|".join(WORKLOADS) + ")$", "--seconds", "0.1", "--out", folder],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        rows = report.read_csv(pathlib.Path(folder) / "suite.csv")
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    seen, failed = {}, False
    for row in rows:
        if row.get("error"):
            print(f"bench smoke: {row['workload']} on {row['backend']}: {row['error']}")
            failed = True
        elif row["backend"] == report.SUBJECT:
            name, ratio = row["workload"], row["ratio"]
            seen[name] = round(ratio, 2)
            before = stored.get(name)
            slow = before and ratio < MARGIN * before
            print(f"bench smoke: {name}: {ratio:.2f} x built-in CPU's speed, stored {before}"
                  + (" -- much slower than it was" if slow else ""))
    if options.store and not failed:
        STORED.write_text(json.dumps(seen, indent=1) + "\n")
    return failed


if __name__ == "__main__":
    sys.exit(main())
