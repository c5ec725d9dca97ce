#!/usr/bin/env python3
"""Compile and run times of eleven programs on Tenon and on JAX's built-in CPU.

Both platforms run in one process, interleaved in batches of calls, so that other load affects both
alike. Every call waits for its result. The table has medians of the time per call, and of the ratio
between two adjacent batches. Compile times are those of the first compilation of each program in
the process, without tracing and lowering.

--null measures the scalar call also through a plugin that does nothing (target null_plugin). The
difference is Tenon's own overhead.

Results: a table, and bench.csv, bench.md and bench.png in --out.
"""
import argparse
import csv
import os
import pathlib
import platform as machine
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import plugin_env  # noqa: E402

NEVER_SLOWER = ("sort", "while")  # no slower than built-in CPU; the rest: at most 3 times


class Subject:
    """One program on one device."""

    def __init__(self, name, device, function, arguments, donated):
        import jax
        self.name, self.device, self.donated = name, device, donated
        self.arguments = jax.device_put(arguments, device)
        jax.block_until_ready(self.arguments)
        with jax.default_device(device):
            self.function = jax.jit(function, donate_argnums=donated)
            lowered = self.function.lower(*self.arguments)
            start = time.perf_counter()
            lowered.compile()
            self.compile_ms = 1e3 * (time.perf_counter() - start)
        self.batch(1)
        self.count, self.samples = 1, []

    def batch(self, count):
        import jax
        function, arguments = self.function, self.arguments
        start = time.perf_counter()
        if self.donated:
            for _ in range(count):
                result = jax.block_until_ready(function(*arguments))
                arguments = (result[0], *arguments[1:])
            self.arguments = arguments
        else:
            for _ in range(count):
                jax.block_until_ready(function(*arguments))
        return (time.perf_counter() - start) / count

    def calibrate(self, seconds):
        self.count = 1
        while (elapsed := self.batch(self.count) * self.count) < seconds / 4:
            self.count *= 4
        self.count = max(1, min(10000, int(self.count * seconds / elapsed)))


def measure(subjects, seconds, batch_seconds):
    """Runs one batch per subject in rotating order, for `seconds` per subject."""
    for subject in subjects:
        subject.calibrate(batch_seconds)
    end, rounds = time.perf_counter() + seconds * len(subjects), 0
    while rounds < 5 or time.perf_counter() < end:
        first = rounds % len(subjects)
        for subject in subjects[first:] + subjects[:first]:
            time.sleep(0.002)  # lets the waiting threads of the other platform sleep
            subject.batch(1)
            subject.samples.append(subject.batch(subject.count))
        rounds += 1


def compare_results(subjects):
    """Largest difference between the platforms' results, relative to the largest value."""
    import jax
    import numpy as np
    worst = 0.0
    results = [[np.asarray(x, np.float64) for x in jax.tree.leaves(s.function(*s.arguments))]
               for s in subjects if not s.donated]
    for other in results[1:]:
        for a, b in zip(results[0], other):
            worst = max(worst, float(np.abs(a - b).max() / max(np.abs(a).max(), 1e-30)))
    return worst


def run_program(name, program, platforms, null, options):
    import jax
    function, make_arguments, donated = program
    arguments = make_arguments()
    row = {"program": name}
    subjects = []
    for platform in platforms:
        try:
            subjects.append(Subject(platform, jax.devices(platform)[0], function, arguments,
                                    donated))
        except Exception as error:
            row["error"] = f"{platform}: {error}".splitlines()[0][:200]
            return row
    row["difference"] = compare_results(subjects)
    if null and name == "scalar add":
        subjects.append(Subject("null", null, function, arguments, donated))
    measure(subjects, options.seconds, options.batch_ms * 1e-3)
    ours, theirs = subjects[:2]
    ratios = [a / b for a, b in zip(ours.samples, theirs.samples)]
    quartiles = statistics.quantiles(ratios, n=4)
    row.update(
        compile_tenon_ms=ours.compile_ms, compile_cpu_ms=theirs.compile_ms,
        compile_ratio=ours.compile_ms / theirs.compile_ms,
        run_tenon_us=1e6 * statistics.median(ours.samples),
        run_cpu_us=1e6 * statistics.median(theirs.samples),
        run_ratio=statistics.median(ratios), ratio_low=quartiles[0], ratio_high=quartiles[2],
        rounds=len(ratios))
    if len(subjects) > 2:
        row["run_null_us"] = 1e6 * statistics.median(subjects[2].samples)
        row["over_null_us"] = 1e6 * statistics.median(
            a - b for a, b in zip(ours.samples, subjects[2].samples))
    return row


def time_text(us):
    for unit, scale in (("us", 1), ("ms", 1e3), ("s", 1e6)):
        if us < 1000 * scale or unit == "s":
            return f"{us / scale:.3g} {unit}" if us / scale < 1000 else f"{us / scale:.0f} {unit}"


HEADINGS = ("program", "compile: Tenon", "built-in", "ratio", "run: Tenon", "built-in", "ratio",
            "middle half")


def cells(row):
    if "error" in row:
        return (row["program"], row["error"]) + ("",) * 6
    return (row["program"], time_text(1e3 * row["compile_tenon_ms"]),
            time_text(1e3 * row["compile_cpu_ms"]), f"{row['compile_ratio']:.2f}",
            time_text(row["run_tenon_us"]), time_text(row["run_cpu_us"]),
            f"{row['run_ratio']:.2f}", f"{row['ratio_low']:.2f} - {row['ratio_high']:.2f}")


def print_row(values):
    name, *rest = values
    if rest[0] and not rest[1]:
        print(f"{name:<30} {rest[0]}", flush=True)
    else:
        print(f"{name:<30}" + "".join(f"{v:>14}" for v in rest), flush=True)


def missed(rows):
    """Results over the limits: 1 or 3 times the built-in CPU; 1 us over the null plugin."""
    for row in rows:
        limit = 1.0 if row["program"].startswith(NEVER_SLOWER) else 3.0
        if "error" in row:
            yield f"{row['program']}: {row['error']}"
        elif row["run_ratio"] > limit:
            yield f"{row['program']}: {row['run_ratio']:.2f} times built-in CPU, allowed {limit}"
        if row.get("over_null_us", 0) > 1.0:
            yield f"scalar call: {row['over_null_us']:.2f} us over the null plugin, allowed 1"


def save(rows, folder, about):
    fields = list(dict.fromkeys(k for row in rows for k in row))
    with open(folder / "bench.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, fields)
        writer.writeheader()
        writer.writerows(rows)
    lines = ["| " + " | ".join(HEADINGS) + " |", "|---" + "|---:" * (len(HEADINGS) - 1) + "|"]
    lines += ["| " + " | ".join(cells(row)) + " |" for row in rows]
    (folder / "bench.md").write_text(
        "\n".join(lines) + f"\n\nRatios are Tenon over built-in CPU: below 1 Tenon is faster. "
        f"{about}\n")
    plot([row for row in rows if "error" not in row], folder / "bench.png", about)


def plot(rows, path, about):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(1, 2, figsize=(11, 0.42 * len(rows) + 1.8), sharey=True,
                                layout="constrained")
    names = [row["program"] for row in rows][::-1]
    for axis, key, title in ((axes[0], "run_ratio", "run time"),
                             (axes[1], "compile_ratio", "compile time")):
        values = [row[key] for row in rows][::-1]
        axis.barh(names, [v - 1 for v in values], left=1, height=0.62,
                  color=["#1f5fbf" if v <= 1 else "#d08770" for v in values])
        axis.set_xscale("log")
        axis.axvline(1, color="black", linewidth=0.8)
        for i, value in enumerate(values):
            axis.annotate(f"{value:.2f}", (value, i), va="center", fontsize=8,
                          ha="left" if value > 1 else "right",
                          xytext=(3 if value > 1 else -3, 0), textcoords="offset points")
        axis.margins(x=0.2)
        axis.set_title(f"{title}, Tenon / built-in CPU")
        axis.spines[["top", "right"]].set_visible(False)
    figure.supxlabel(f"left of 1: Tenon is faster. {about}", fontsize=8)
    figure.savefig(path, dpi=130)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    plugin_env.add_argument(parser)
    parser.add_argument("--null", help="the null plugin (default: beside the plugin)")
    parser.add_argument("--platform", default="tenon", help="platform to compare with cpu")
    parser.add_argument("--only", default="", help="part of a program's name")
    parser.add_argument("--seconds", type=float, default=2, help="time for each program and side")
    parser.add_argument("--batch-ms", type=float, default=10, help="length of a batch")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "bench")
    parser.add_argument("--check", action="store_true", help="fail if a limit is missed")
    options = parser.parse_args()
    beside = options.plugin.parent / "null_plugin.so"
    null_library = options.null or (beside if beside.exists() else None)
    platforms = (options.platform, "cpu")
    plugin_env.set_up(options.plugin, options.platform)
    if null_library:
        os.environ["JAX_PLATFORMS"] += ",null"
    sys.path.insert(0, str(ROOT / "bench"))
    import jax
    from jax._src import xla_bridge
    if null_library:
        xla_bridge._nonexperimental_plugins.add("null")
        xla_bridge.register_plugin("null", library_path=os.path.abspath(null_library))
    null = jax.devices("null")[0] if null_library else None
    for platform in platforms:  # the first compilation sets up each compiler
        jax.jit(lambda x: x * 2, device=None)(
            jax.device_put(1.0, jax.devices(platform)[0])).block_until_ready()

    from programs import PROGRAMS
    options.out.mkdir(parents=True, exist_ok=True)
    about = (f"jax {jax.__version__}, {machine.machine()}, {os.cpu_count()} cores, "
             f"{time.strftime('%Y-%m-%d')}.")
    print_row(HEADINGS)
    rows = []
    for name, program in PROGRAMS.items():
        if options.only in name:
            rows.append(run_program(name, program, platforms, null, options))
            print_row(cells(rows[-1]))
    for row in rows:
        if "over_null_us" in row:
            print(f"\nscalar call: Tenon {row['run_tenon_us']:.2f} us, null plugin "
                  f"{row['run_null_us']:.2f} us: {row['over_null_us']:+.2f} us")
    save(rows, options.out, about)
    print(f"\nratios are Tenon over built-in CPU (below 1: Tenon is faster); "
          f"{os.path.relpath(options.out)}/bench.csv, .md, .png")
    failures = list(missed(rows))
    for failure in failures:
        print("misses the limit: " + failure)
    return 1 if failures and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
