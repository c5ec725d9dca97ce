#!/usr/bin/env python3
"""The suites of small programs, on Tenon and JAX's built-in CPU.

--suite wide: programs in the style of tutorials. --suite operations: each operation alone, for many
types. --suite libraries: programs that use libraries on JAX; `make libraries` installs these, and
this script must run with that Python.

Measures compile time, run time (the platforms are interleaved in one process) and agreement with an
f64 evaluation, relative to the built-in CPU's own error. Rows are written to OUT/NAME.json.
--resume skips programs that have a row. A program that hangs, crashes or compiles for more than
--compile-limit seconds fails, and the suite continues in a new process. The exit status is 1 if a
program fails or disagrees.
"""
import argparse
import datetime
import json
import os
import pathlib
import queue
import re
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
sys.path.insert(0, str(ROOT / "scripts"))
import plugin_env  # noqa: E402

MARK = "WIDE "


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    plugin_env.add_argument(parser)
    parser.add_argument("--suite", choices=("wide", "operations", "libraries"),
                        default="wide")
    parser.add_argument("--only", default="", help="regular expression on domain/name")
    parser.add_argument("--seconds", type=float, default=0.3,
                        help="steady seconds a platform; 0: agreement and compile time alone")
    parser.add_argument("--rounds", type=int, default=7, help="minimum repetitions")
    parser.add_argument("--compile-limit", type=float, default=60, help="seconds")
    parser.add_argument("--limit", type=float, default=120, help="seconds of any other stage")
    parser.add_argument("--stop-after", type=float, default=float("inf"),
                        help="seconds after which no further program is begun")
    parser.add_argument("--list", action="store_true", help="print the programs and stop")
    parser.add_argument("--resume", action="store_true", help="keep the rows of --out")
    parser.add_argument("--commit", default="", help="what the plugin was built from")
    parser.add_argument("--document", action="store_true", help="write docs/SUITE.md")
    parser.add_argument("--out", type=pathlib.Path, help="(default: build/SUITE)")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.out = options.out or ROOT / "build" / options.suite
    return options


def run_child(options):
    """Measures the programs in --child and prints a line for every stage and row."""
    from wide import measure, registry
    programs = registry.load(options.suite)
    if options.suite == "operations":
        import jax
        jax.config.update("jax_enable_x64", True)
    measure.warm_up()
    for name in json.loads(options.child):
        def say(stage, name=name):
            print(MARK + json.dumps(dict(program=name, stage=stage)), flush=True)
        try:
            row = measure.measure(programs[name], options.seconds, options.rounds, say)
        except Exception as error:  # noqa: BLE001: the next program may do better
            row = dict(program=name, domain=programs[name].domain,
                       failure=f"{type(error).__name__}: {error}"[:300])
        print(MARK + json.dumps(dict(row=row)), flush=True)
    os._exit(0)  # skips the teardown of several runtimes' threads


class Child:
    """A process that measures programs one after another."""

    def __init__(self, options, names):
        command = [sys.executable, __file__, *sys.argv[1:], "--child", json.dumps(names)]
        self.errors = options.out / "child.stderr"
        with open(self.errors, "w") as errors:
            self._process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=errors, text=True,
                env=plugin_env.child(options.plugin, TF_CPP_MIN_LOG_LEVEL="3"))
        self._lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self._process.stdout:
            if line.startswith(MARK):
                self._lines.put(json.loads(line[len(MARK):]))
        self._lines.put(None)

    def next(self, seconds):
        """The next message, None at the process's end. Raises queue.Empty after `seconds`."""
        return self._lines.get(timeout=seconds)

    def stop(self):
        self._process.kill()
        self._process.wait()

    def epitaph(self):
        text = " ".join(self.errors.read_text().split())
        return f"exit {self._process.wait()}: {text[-200:]}"


def measure_all(options, programs, names, report_row):
    """Measures `names`, in as few processes as failures allow."""
    begin = time.monotonic()
    left = list(names)
    while left and time.monotonic() - begin < options.stop_after:
        child = Child(options, left)
        stage, current = "start", left[0]
        failure = None
        while left:
            limit = options.compile_limit if stage.startswith("compile") else options.limit
            try:
                message = child.next(limit)
            except queue.Empty:
                failure = f"{stage}: more than {limit:g} s"
                break
            if message is None:
                failure = f"{stage}: {child.epitaph()}"
                break
            if "stage" in message:
                stage, current = message["stage"], message["program"]
                continue
            left.remove(current)
            report_row(message["row"])
            stage = "between programs"
            if time.monotonic() - begin > options.stop_after:
                break
        child.stop()
        if failure and current in left:
            left.remove(current)
            report_row(dict(program=current, domain=programs[current].domain, failure=failure))
        elif failure:
            raise RuntimeError(failure)  # no program is to blame


def commit():
    done = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty", "--abbrev=7"],
                          capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def describe(options, count):
    from wide import report
    with open("/proc/cpuinfo") as file:
        model = next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    return report.Context(date=datetime.date.today().isoformat(), cpu=model,
                          cores=os.cpu_count(), commit=options.commit or commit(),
                          programs=count, suite=options.suite, libraries=libraries(options.suite))


def libraries(suite):
    """The libraries of the suite's requirements.txt, with their versions."""
    path = ROOT / "bench" / suite / "requirements.txt"
    lines = path.read_text().splitlines() if path.exists() else []
    pins = [line.partition("#")[0].strip() for line in lines]
    return tuple(pin.replace("==", " ") for pin in pins if pin)


def main():
    options = parse_arguments()
    if options.child:
        return run_child(options)
    plugin_env.set_up(options.plugin)
    from wide import registry, report
    try:
        programs = registry.load(options.suite)
    except registry.MissingLibrary as error:
        return str(error)
    names = [n for n, p in programs.items() if re.search(options.only, f"{p.domain}/{n}")]
    if options.list:
        print("\n".join(f"{programs[n].domain:16s} {n}" for n in names))
        return 0
    options.out.mkdir(parents=True, exist_ok=True)

    def store(row):
        (options.out / f"{row['program']}.json").write_text(json.dumps(row, indent=1) + "\n")
        print(report.line(row), flush=True)

    missing = [n for n in names
               if not (options.resume and (options.out / f"{n}.json").exists())]
    measure_all(options, programs, missing, store)
    rows = [json.loads((options.out / f"{n}.json").read_text()) for n in names
            if (options.out / f"{n}.json").exists()]
    text = report.markdown(rows, describe(options, len(names)))
    print("\n" + report.summary(rows))
    if options.document:
        (ROOT / "docs" / f"{options.suite}.md").write_text(text)
    return 1 if any(report.is_wrong(row) for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
