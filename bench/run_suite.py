#!/usr/bin/env python3
"""The benchmark suite: Tenon, JAX's built-in CPU and peers on over 150 workloads.

Each workload runs in its own process, which interleaves Tenon under its own name (`tenon`) and the
built-in CPU (`cpu`). --more adds Tenon under the name `cpu` (`tenon_as_cpu`) and the built-in CPU
with a tuned malloc that keeps freed memory (`cpu_tuned`), each in its own process. --peers adds
NumPy, SciPy, C loops and oneDNN (if onednn-cpu-gomp is installed), --iree adds IREE (from
bench/suite/requirements.txt). They run in other processes, because their thread pools would compete
for the cores. `make suite` runs all of them.

--before compares two builds: the other build is platform `before`, interleaved with the rest.

Results in --out: suite.csv, suite.md, suite.png. --document writes docs/performance.md's tables.

--against compares a device of Tenon with another platform of JAX's, both in one process, and adds
workloads of a GPU's size:

  run_suite.py --plugin build/release/lib/pjrt_plugin_tenon_cuda.so --against cuda --budget 120
  run_suite.py --plugin ... --against cuda --compile-first 12   # on a machine with many processors
  run_suite.py --against cuda --from build/bench/against.json --document

Results in --out: against.json, against.md. --document writes docs/gpu_performance.md's tables.
"""
import argparse
import datetime
import importlib.metadata
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import time

from tqdm import tqdm

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
sys.path.insert(0, str(ROOT / "scripts"))
import plugin_env  # noqa: E402
from suite import against, against_report, limits, onednn, report  # noqa: E402
from suite.registry import WORKLOADS  # noqa: E402

TUNED_MALLOC = ("glibc.malloc.mmap_threshold=4294967296:glibc.malloc.trim_threshold=4294967296:"
                "glibc.malloc.hugetlb=1")
NULL_PLUGIN_WORKLOADS = ("dispatch_scalar_add",)  # the null plugin has one result
MARK = "SUITE-ROWS "


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", type=pathlib.Path)
    parser.add_argument("--null", type=pathlib.Path, help="plugin that does nothing (dispatch)")
    parser.add_argument("--before", type=pathlib.Path, help="another build of the plugin")
    parser.add_argument("--only", default="", help="regular expression on group/name")
    parser.add_argument("--leave-out", metavar="REGEX", help="workloads to leave out, likewise")
    parser.add_argument("--seconds", type=float, default=0.4, help="steady seconds a back end")
    parser.add_argument("--rounds", type=int, default=7, help="minimum repetitions")
    parser.add_argument("--timeout", type=float, default=180, help="seconds a workload")
    parser.add_argument("--more", action="store_true", help="tenon_as_cpu and cpu_tuned as well")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--iree", action="store_true")
    parser.add_argument("--list", action="store_true", help="print the workloads and stop")
    parser.add_argument("--resume", action="store_true", help="keep the rows of --out")
    parser.add_argument("--document", action="store_true", help="update docs/performance.md")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "bench")
    parser.add_argument("--against", metavar="PLATFORM", help="compare with this platform of JAX's")
    parser.add_argument("--budget", type=float, default=3600,
                        help="with --against: seconds for all; small workloads come first")
    parser.add_argument("--jobs", type=int, default=1,
                        help="with --against: workloads that are compiled at a time")
    parser.add_argument("--compile-first", type=int, default=0, metavar="N",
                        help="with --against: compile in N processes before anything is timed")
    parser.add_argument("--from", dest="stored", type=pathlib.Path, metavar="JSON",
                        help="with --against: results of an earlier run, instead of measuring")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.plugin and not options.stored and not options.list:
        parser.error("--plugin is missing")
    if options.stored and not options.against:
        parser.error("--from needs --against: it takes the results of such a comparison")
    return options


def register_before(plugin):
    """A second build of the plugin as platform `before`, with the lowerings of the first."""
    from jax._src import xla_bridge
    from jax_plugins.tenon import _features, _options
    c_api = xla_bridge.register_plugin("before", library_path=str(plugin.resolve()),
                                       options=_options.options())
    _features.register("before", c_api)


def run_child(options):
    from suite import measure
    if options.before:
        register_before(options.before)
    settings = json.loads(options.child)
    rows = measure.measure(settings["workload"], settings["platforms"],
                           json.loads((options.out / "limits.json").read_text()),
                           options.seconds, options.rounds, settings["iree"], settings["peers"])
    print(MARK + json.dumps(rows), flush=True)
    os._exit(0)  # skips the teardown of several runtimes' threads


def environment(options, name, replace=False, tuned=False):
    env = plugin_env.child(options.plugin.resolve(), replace_cpu=replace, TF_CPP_MIN_LOG_LEVEL="3")
    devices = WORKLOADS[name].devices()
    if devices > 1:
        env.update(TENON_DEVICE_COUNT=str(devices), JAX_NUM_CPU_DEVICES=str(devices))
    if tuned:
        return {**env, "GLIBC_TUNABLES": TUNED_MALLOC, "JAX_PLATFORMS": "cpu"}
    if options.null and not replace:
        env["JAX_PLATFORMS"] += ",null"
        env["PJRT_NAMES_AND_LIBRARY_PATHS"] = f"null:{options.null.resolve()}"
    if options.before:
        env["JAX_PLATFORMS"] += ",before"
    return env


def run(options, workload, platforms, env, iree=False, peers=False):
    settings = json.dumps(dict(workload=workload, platforms=platforms, iree=iree, peers=peers))
    command = [sys.executable, __file__, *sys.argv[1:], "--child", settings]
    labels = [label for _, label in platforms] + (["iree"] if iree else [])
    failed = [dict(workload=workload, group=WORKLOADS[workload].group, backend=label)
              for label in labels]
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True,
                              timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return [dict(row, error=f"more than {options.timeout:g} s") for row in failed]
    for line in done.stdout.splitlines():
        if line.startswith(MARK):
            return json.loads(line[len(MARK):])
    return [dict(row, error=f"exit {done.returncode}: {done.stderr[-150:]!r}") for row in failed]


def rows_of(options, name):
    """The rows of one workload on all back ends that the options select."""
    from suite import peers
    platforms = [("cpu", "cpu"), ("tenon", "tenon")]
    if options.null and name in NULL_PLUGIN_WORKLOADS:
        platforms.append(("null", "null"))
    if options.before:
        platforms.append(("before", "before"))
    rows = run(options, name, platforms, environment(options, name))
    # Pins OpenMP's threads; otherwise two share a core for some milliseconds.
    bound = dict(environment(options, name), OMP_PROC_BIND="true")
    # Drops the built-in CPU's row, which is only the reference of the peers.
    if options.peers and name in peers.PEERS:
        rows += run(options, name, platforms[:1], bound, peers=True)[1:]
    if options.iree and not WORKLOADS[name].mesh:
        rows += run(options, name, platforms[:1], bound, iree=True)[1:]
    if options.more:
        rows += run(options, name, [("cpu", "tenon_as_cpu")], environment(options, name, replace=True))
        rows += run(options, name, [("cpu", "cpu_tuned")], environment(options, name, tuned=True))
    return rows


def measure_all(options, names):
    stored = options.out / "suite.csv"
    rows = report.read_csv(stored) if options.resume and stored.exists() else []
    done = {row["workload"] for row in rows}
    with tqdm(total=len(names), unit="workload") as progress:
        for name in names:
            progress.set_postfix_str(name)
            if name not in done:
                rows += rows_of(options, name)
                report.write_csv(rows, stored)
            progress.update()
    return rows


def describe_machine(options):
    with open("/proc/cpuinfo") as file:
        model = next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    return dict(limits.measure(options.out), cpu=model, versions=versions())


def versions():
    return ", ".join(f"{p} {importlib.metadata.version(p)}" for p in ("jax", "jaxlib"))


def update_document(name, text):
    """Replaces the text between the markers of a page in docs."""
    path = ROOT / "docs" / name
    begin, end = "<!-- suite: begin -->\n", "<!-- suite: end -->"
    old = path.read_text()
    head, rest = old.split(begin)
    path.write_text(head + begin + text + "\n" + end + rest.split(end)[1])


def subject(options):
    """The platform of the plugin, by the name of its file."""
    device = re.fullmatch(r"pjrt_plugin_tenon_(\w+)\.so", options.plugin.name)[1]
    return "tenon" if device == "cpu" else f"tenon_{device}"


def measure_against(options, names):
    """The results of the comparison with platform --against; also kept in against.json."""
    stored = options.out / "against.json"
    platforms = [options.against, subject(options)]
    env = plugin_env.child(options.plugin.resolve(), platforms[1], TF_CPP_MIN_LOG_LEVEL="3",
                           XLA_PYTHON_CLIENT_PREALLOCATE="false")
    env["JAX_PLATFORMS"] = ",".join(dict.fromkeys((platforms[1], options.against, "cpu")))
    data = dict(platforms=platforms, date=datetime.date.today().isoformat(), versions=versions(),
                jobs=options.compile_first or options.jobs, devices=[], rows=[], left=[])
    if options.resume and stored.exists():
        data["rows"] = [row for row in json.loads(stored.read_text())["rows"] if "error" not in row]
        done = {row["workload"] for row in data["rows"]}
        names = [name for name in names if name not in done]
    command, begin, compiled = [sys.executable, __file__, *sys.argv[1:], "--child"], time.time(), {}

    def keep(rows):
        for row in rows:  # what is read from the cache was compiled before
            first = compiled.get((row["workload"], row["backend"]), {})
            row.update({key: first[key] for key in ("lower_ms", "compile_ms") if key in first})
        data["rows"] += rows
        stored.write_text(json.dumps(data, indent=1))

    if options.compile_first:
        env.update(JAX_COMPILATION_CACHE_DIR=str((options.out / "cache").resolve()),
                   JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS="0",
                   JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES="-1")
        compiled = against.compile_first(names, platforms, command, env,
                                         processes=options.compile_first,
                                         seconds=0.6 * options.budget)
        print(f"compiled {len(compiled)} programs in {time.time() - begin:.0f} s", flush=True)
    data["devices"], data["left"] = against.compare(
        names, platforms, command, env, seconds=options.seconds,
        budget=options.budget - (time.time() - begin), jobs=options.jobs, timeout=options.timeout,
        on_rows=keep)
    keep([])
    return data


def compare_with(options, names):
    data = json.loads(options.stored.read_text()) if options.stored else \
        measure_against(options, names)
    result = against_report.Report(data)
    (options.out / "against.md").write_text(result.markdown())
    print(result.short())
    print(f"{options.out}/against.json, against.md")
    if options.document:
        update_document("gpu_performance.md", result.markdown())


def selected(options):
    """The names of the workloads that the options ask for."""
    def asked(name):
        workload = WORKLOADS[name]
        path = f"{workload.group}/{name}"
        if options.leave_out and re.search(options.leave_out, path):
            return False
        # One device is compared, and workloads for GPUs are too large for a processor.
        fits = workload.devices() == 1 if options.against else not workload.gpu
        return fits and re.search(options.only, path)
    return list(filter(asked, WORKLOADS))


def main():
    options = parse_arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    import suite.workloads  # noqa: F401  (registers them)
    if options.child:
        return against.child(json.loads(options.child)) if options.against else run_child(options)
    names = selected(options)
    if options.list:
        return print("\n".join(f"{WORKLOADS[n].group:14s} {n}" for n in names))
    if options.against:
        return compare_with(options, names)
    if options.peers and not onednn.library_path():
        print("oneDNN is left out: `pip install onednn-cpu-gomp` adds it")
    if options.iree and not importlib.util.find_spec("iree"):
        print("IREE is left out: `pip install -r bench/suite/requirements.txt` adds it")
    machine = describe_machine(options)
    rows = measure_all(options, names)
    text = report.markdown(rows, machine, datetime.date.today().isoformat())
    (options.out / "suite.md").write_text(text)
    report.plot(rows, options.out / "suite.png")
    print(text[:text.index(f"### {rows[0]['group']}\n")])
    print(f"{options.out}/suite.csv, suite.md, suite.png")
    if options.document:
        update_document("performance.md", "![Ratios by group](performance.svg)\n\n" + text)
        report.plot(rows, ROOT / "docs" / "performance.svg")


if __name__ == "__main__":
    main()
