#!/usr/bin/env python3
"""Whole networks on Tenon, JAX's built-in CPU, torch (eager and compiled), ONNX Runtime and
OpenVINO.

All peers use the same weights. They run in separate processes on --threads cores, interleaved. The
first result (for a training step, the losses of three steps) is compared with torch's in f64.
--layers also times the single layers of forward programs.

The peers come from --peers-python, which --install creates from bench/networks/requirements.txt.
The row of a missing peer says so. Rows are written to OUT/NAME.DTYPE.json; --resume keeps existing
rows. The exit status is 1 if Tenon fails or returns a wrong result.
"""
import argparse
import datetime
import json
import math
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
sys.path.insert(0, str(ROOT / "scripts"))
import environment  # noqa: E402
import plugin_env  # noqa: E402
from networks import interleaved, ops, programs, report  # noqa: E402

REQUIREMENTS = ROOT / "bench" / "networks" / "requirements.txt"
VENV = ROOT / "build" / "networks" / "venv"
DTYPES = ("f32", "bf16")
PACKAGES = ("torch", "onnxruntime", "openvino")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    plugin_env.add_argument(parser)
    parser.add_argument("--only", default="", help="regular expression on name/type")
    parser.add_argument("--peers", default=",".join((interleaved.BUILT_IN, *interleaved.PEERS)),
                        help="besides Tenon (default: %(default)s)")
    parser.add_argument("--peers-python", type=pathlib.Path, default=VENV / "bin" / "python")
    parser.add_argument("--install", action="store_true", help="install missing peers, from PyPI")
    parser.add_argument("--threads", type=int, default=min(2, len(os.sched_getaffinity(0))))
    parser.add_argument("--seconds", type=float, default=2, help="steady seconds a peer")
    parser.add_argument("--rounds", type=int, default=7, help="minimum repetitions")
    parser.add_argument("--timeout", type=float, default=600, help="seconds to load a program")
    parser.add_argument("--layers", action="store_true", help="forward programs by layer as well")
    parser.add_argument("--list", action="store_true", help="print the programs and stop")
    parser.add_argument("--resume", action="store_true", help="keep the rows of --out")
    parser.add_argument("--commit", default="", help="what the plugin was built from")
    parser.add_argument("--document", action="store_true", help="write docs/networks.md")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "networks")
    return parser.parse_args()


def start(options, peer):
    env = plugin_env.clean()
    python = options.peers_python
    if peer in (interleaved.SUBJECT, interleaved.BUILT_IN):
        python = sys.executable
        env = plugin_env.child(options.plugin, base=env, TF_CPP_MIN_LOG_LEVEL="3")
        env["JAX_PLATFORMS"] = peer  # one may work where the other is broken
    elif not python.exists():
        raise interleaved.Failure("not installed")
    return interleaved.Worker(peer, python, options.threads, env, options.out / f"{peer}.stderr")


def needed_bytes(program, dtype, peers):
    """An estimate of the memory that `peers` copies of a program need."""
    from networks.jax_ops import JaxOps
    shapes, _ = ops.collect(JaxOps, program)
    weights = (2 if dtype == "bf16" else 4) * sum(math.prod(s) for s, _ in shapes.values())
    return peers * (4e8 + weights * ({"adam": 5, "sgd": 4}.get(program.trains, 1.5)))


def reference(options, program):
    """torch's result in f64, or None."""
    path = options.out / f"{program.name}.reference.npy"
    try:
        worker = start(options, "torch")
        try:
            return interleaved.load(worker, program.name, "f64", path, options.timeout)[1]
        finally:
            worker.stop()
    except interleaved.Failure as failure:
        print(f"  no reference: {failure}", flush=True)
        return None


def load_all(options, program, dtype, expected, row):
    """The workers that have loaded the program. Failures are recorded in `row`."""
    workers = []
    for peer in (interleaved.SUBJECT, *filter(None, options.peers.split(","))):
        entry = row["peers"][peer] = {}
        worker = None
        try:
            worker = start(options, peer)
            times, result = interleaved.load(worker, program.name, dtype,
                                       options.out / f"{peer}.npy", options.timeout)
        except interleaved.Failure as failure:
            entry["failure"] = report.reason(str(failure))
            if worker:
                worker.stop()
            continue
        entry.update(times)
        if expected is None:
            expected = result  # Tenon's result becomes the reference of the others
        entry["error"] = interleaved.relative_error(result, expected, bool(program.trains))
        entry["right"] = entry["error"] <= row["tolerance"]
        workers.append(worker)
    if program.trains:
        allow_for_condition(row)
    return workers


def allow_for_condition(row):
    """Updates amplify rounding errors, as torch's own error shows: others may have a few times that."""
    torch = row["peers"].get("torch", {}).get("error", 0)
    row["tolerance"] = max(row["tolerance"], 4 * torch)
    for entry in row["peers"].values():
        if "error" in entry:
            entry["right"] = entry["error"] <= row["tolerance"]


def measure(options, program, dtype, expected):
    from networks.jax_ops import JaxOps
    _, layers = ops.collect(JaxOps, program)
    row = {"program": program.name, "dtype": dtype, "trains": program.trains, "note": program.note,
           "tolerance": ops.tolerance(layers, dtype, 3 if program.trains else 1), "peers": {}}
    needed = needed_bytes(program, dtype, sum(
        not (program.trains and peer in interleaved.INFERENCE_ONLY)
        for peer in (interleaved.SUBJECT, *options.peers.split(","))))
    if needed > interleaved.available_bytes():
        return {**row, "failure": f"needs {needed / 2 ** 30:.0f} GiB of memory"}
    workers = load_all(options, program, dtype, expected, row)
    try:
        right = [p for p, e in row["peers"].items() if e.get("right")]
        samples = interleaved.run_interleaved(workers, options.seconds, options.rounds,
                                              options.timeout)
        row.update(interleaved.compare(samples, right), load=os.getloadavg()[0])
    except interleaved.Failure as failure:
        row["failure"] = str(failure)
    finally:
        for worker in workers:
            worker.stop()
    return row


def measure_layers(options, program, dtype):
    """[{"layer", "count", "ms": {peer: ...}}] of a forward program, on Tenon and torch."""
    from networks import layers
    from networks.jax_ops import JaxOps
    _, found = ops.collect(JaxOps, program)
    rows, workers = [], []
    try:
        for peer in (interleaved.SUBJECT, "torch"):
            workers.append(start(options, peer))
        for layer, count in found.items():
            for worker in workers:
                interleaved.load(worker, None, dtype, options.out / f"{worker.peer}.npy",
                           options.timeout, layers.to_json(layer))
            samples = interleaved.run_interleaved(workers, options.seconds / 10, options.rounds)
            row = interleaved.compare(samples, ["torch"])
            rows.append({"layer": layer.describe(), "count": count, "ms": row["ms"],
                         "ratio": row["ratio"]})
    except interleaved.Failure as failure:
        print(f"  layers: {failure}", flush=True)
    finally:
        for worker in workers:
            worker.stop()
    return rows


def describe(options):
    with open("/proc/cpuinfo") as file:
        model = next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    commit = options.commit or subprocess.run(
        ["git", "-C", ROOT, "describe", "--always", "--dirty", "--abbrev=7"],
        capture_output=True, text=True).stdout.strip()
    import importlib.metadata
    versions = ["jaxlib " + importlib.metadata.version("jaxlib")]
    if options.peers_python.exists():
        code = f"import importlib.metadata as m; [print(p, m.version(p)) for p in {PACKAGES}]"
        versions += subprocess.run([options.peers_python, "-c", code], capture_output=True,
                                   text=True).stdout.splitlines()
    return report.Context(datetime.date.today().isoformat(), model, options.threads, commit,
                          versions)


def run_all(options, names, commit):
    """Measures programs without a row (--resume) and writes the rows."""
    expected = {}
    for name, dtype in names:
        path = options.out / f"{name}.{dtype}.json"
        if options.resume and path.exists():
            continue
        program = programs.PROGRAMS[name]
        if name not in expected:
            expected = {name: reference(options, program)}
        row = {**measure(options, program, dtype, expected[name]), "commit": commit}
        if options.layers and not program.trains and "failure" not in row:
            row["layers"] = measure_layers(options, program, dtype)
        path.write_text(json.dumps(row, indent=1) + "\n")
        print(report.line(row), flush=True)


def main():
    options = parse_arguments()
    every = [(n, d) for n in programs.PROGRAMS for d in DTYPES]
    names = [(n, d) for n, d in every if re.search(options.only, f"{n}/{d}")]
    if options.list:
        print("\n".join(f"{n}/{d}" for n, d in names))
        return 0
    if options.install:
        environment.create(REQUIREMENTS, VENV)
    options.out.mkdir(parents=True, exist_ok=True)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:options.threads])
    plugin_env.set_up(options.plugin)
    os.environ["JAX_PLATFORMS"] = "cpu"  # this process only traces
    context = describe(options)
    run_all(options, names, context.commit)
    rows = [json.loads(path.read_text()) for n, d in every
            if (path := options.out / f"{n}.{d}.json").exists()]
    print("\n" + report.summary(rows))
    if options.document:
        (ROOT / "docs" / "networks.md").write_text(report.markdown(rows, context, len(every)))
    return 1 if any(report.is_wrong(row) for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
