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

from tqdm import tqdm

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
sys.path.insert(0, str(ROOT / "scripts"))
import plugin_env  # noqa: E402
from suite import limits, onednn, report  # noqa: E402
from suite.registry import WORKLOADS  # noqa: E402

TUNED_MALLOC = ("glibc.malloc.mmap_threshold=4294967296:glibc.malloc.trim_threshold=4294967296:"
                "glibc.malloc.hugetlb=1")
NULL_PLUGIN_WORKLOADS = ("dispatch_scalar_add",)  # the null plugin has one result
MARK = "SUITE-ROWS "


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", type=pathlib.Path, required=True)
    parser.add_argument("--null", type=pathlib.Path, help="plugin that does nothing (dispatch)")
    parser.add_argument("--before", type=pathlib.Path, help="another build of the plugin")
    parser.add_argument("--only", default="", help="regular expression on group/name")
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
    parser.add_argument("--child", help=argparse.SUPPRESS)
    return parser.parse_args()


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
    versions = ", ".join(f"{p} {importlib.metadata.version(p)}" for p in ("jax", "jaxlib"))
    return dict(limits.measure(options.out), cpu=model, versions=versions)


def update_document(text):
    """Replaces the text between the markers of docs/performance.md."""
    path = ROOT / "docs" / "performance.md"
    begin, end = "<!-- suite: begin -->\n", "<!-- suite: end -->"
    old = path.read_text()
    head, rest = old.split(begin)
    plot = "![Ratios by group](performance.svg)\n\n"
    path.write_text(head + begin + plot + text + "\n" + end + rest.split(end)[1])


def main():
    options = parse_arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    import suite.workloads  # noqa: F401  (registers them)
    if options.child:
        return run_child(options)
    names = [n for n, w in WORKLOADS.items() if re.search(options.only, f"{w.group}/{n}")]
    if options.list:
        return print("\n".join(f"{WORKLOADS[n].group:14s} {n}" for n in names))
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
        update_document(text)
        report.plot(rows, ROOT / "docs" / "performance.svg")


if __name__ == "__main__":
    main()
