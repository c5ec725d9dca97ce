#!/usr/bin/env python3
"""Runs JAX's own tests on Tenon and scores them against JAX's built-in CPU.

  run_jax_tests.py /path/to/jax/tests --plugin build/release/lib/pjrt_plugin_tenon_cpu.so \\
      --baseline ../shared/conformance/jax-baseline-cpu.json --all --out replace.json
  run_jax_tests.py /path/to/jax/tests --mode own-name --sample 1/4 --out own.json
  run_jax_tests.py /path/to/jax/tests --mode own-name --platform tenon_opencl --sample 1/20 \\
      --plugin build/release/lib/pjrt_plugin_tenon_opencl.so --out opencl.json
  run_jax_tests.py /path/to/jax/tests --x64 --sample 1/4 --out x64.json --resume
  run_jax_tests.py /path/to/jax/tests --files lax_test --cases 10 --only 'Conv' --out conv.json

The tests must be those of the installed JAX's tag (its wheel has none). Needs pytest before 9.

Modes:
  replace   the plugin takes the place of the built-in CPU and is called `cpu`
  own-name  platform `tenon` (or --platform); JAX's tests are told (--label) to treat it as they
            treat a CPU
  builtin   the built-in CPU itself, which gives a baseline

Each file of tests runs in its own process. A test that takes too long is killed, a death is
charged to the test in flight, and the rest of the file is run in a new process. The score is the
part that passes of what passes on the built-in CPU: by --baseline if that covers the test, else
what did not pass is run there afterwards.

With --resume results already in --out are kept; --time-limit stops a run that is to be resumed.
The exit status is 0 if every test that was asked for has an outcome, whichever.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import jax_tests_report
import plugin_env

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The settings that generated the tests of a baseline. With other settings, tests of the same names
# have other contents.
GENERATED_BY = ("cases", "x64", "case_seed")


class FileRun:
    """One file of tests in one mode: runs processes until each selected test has an outcome."""

    def __init__(self, options, name, mode, only=None, done=None):
        self.options, self.name, self.mode, self.only = options, name, mode, only
        self.tests = dict(done or {})
        self.selected, self.errors, self.complete = [], [], False
        self.folder = None

    def run(self, deadline):
        with tempfile.TemporaryDirectory(prefix="jax_tests_") as folder:
            self.folder = pathlib.Path(folder)
            while not self.complete and time.monotonic() < deadline:
                if not self.run_process(deadline):
                    break
        return self

    def environment(self):
        options = self.options
        env, scripts = plugin_env.clean(), str(ROOT / "scripts")
        if self.mode == "builtin":
            env.update(JAX_PLATFORMS="cpu", PYTHONPATH=scripts)
        else:
            # The tests' tolerances are those of f32 on other devices.
            env["TENON_TF32"] = "0"
            env = plugin_env.child(options.plugin, options.platform,
                                   replace_cpu=self.mode == "replace", base=env, path=[scripts],
                                   TENON_DEVICE_COUNT=str(options.devices))
        settings = {
            "tests": str(options.tests), "journal": str(self.folder / "journal"),
            "label": options.label if self.mode == "own-name" else "",
            "case_seed": options.case_seed, "sample": options.sample,
            "sample_seed": options.sample_seed, "pattern": options.only, "only": self.only,
            "done": list(self.tests)}
        (self.folder / "settings").write_text(json.dumps(settings))
        env.update(PYTHONDONTWRITEBYTECODE="1",
                   TENON_JAX_TESTS=str(self.folder / "settings"),
                   JAX_NUM_GENERATED_CASES=str(options.cases), JAX_SKIP_SLOW_TESTS="1",
                   JAX_ENABLE_X64=str(int(options.x64)))
        return env

    def run_process(self, deadline):
        """Runs one process to its end; false if there is no use in another."""
        journal, log = self.folder / "journal", self.folder / "log"
        journal.write_text("")
        root = self.options.tests.parent
        command = [sys.executable, "-m", "pytest", "-p", "jax_tests_worker", "-q", "--tb=no",
                   "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:timeout",
                   "--rootdir", root, "-c", root / "pyproject.toml", "-o", "addopts=",
                   "--import-mode=importlib", "-W", "default",
                   *self.options.pytest, self.options.tests / f"{self.name}.py"]
        with open(log, "wb") as output:
            process = subprocess.Popen(command, cwd=self.folder, env=self.environment(),
                                       stdout=output, stderr=subprocess.STDOUT,
                                       start_new_session=True)
        killed, self.running, self.since, self.partial = None, None, time.monotonic(), ""
        with open(journal) as events:
            while True:
                ended = process.poll() is not None
                self.read(events)
                if ended:
                    break
                allowed = self.options.timeout if self.running else 300
                if time.monotonic() > min(deadline, self.since + allowed):
                    killed = "deadline" if time.monotonic() > deadline else "timeout"
                    self.kill(process)
                    break
                time.sleep(0.1)
        self.kill(process)  # what the tests left running
        text = log.read_text(errors="replace")
        fatal = text.rfind("Fatal Python error")  # and where, from faulthandler
        text = text[fatal:][:1500] if fatal >= 0 else text[-1500:]
        return self.conclude(process.wait(), killed, text)

    def read(self, events):
        *lines, self.partial = (self.partial + events.read()).split("\n")
        for event in map(json.loads, lines):
            if "selected" in event:
                self.selected = event["selected"]
            elif "start" in event:
                self.running, self.since = event["start"], time.monotonic()
            elif "end" in event:
                name = event.pop("end")
                self.tests[name] = event
                self.running, self.since = None, time.monotonic()
            else:
                self.errors.append(event["error"])

    def conclude(self, status, killed, tail):
        seconds = round(time.monotonic() - self.since, 2)
        if killed == "deadline":
            return False
        if self.running:
            outcome = "timeout" if killed else "crashed"
            self.tests[self.running] = {
                "outcome": outcome, "seconds": seconds,
                "message": "" if killed else f"exit status {status}: {tail}"}
        elif killed:
            self.errors.append(f"collection took over 300 s: {tail}")
            return False
        self.complete = bool(self.selected) and not set(self.selected) - set(self.tests)
        if not self.running and not self.complete:
            # Nothing is left to run (an empty selection), or it dies outside of the tests.
            self.complete = status == 5 or (status == 0 and not self.selected)
            if not self.complete:
                self.errors.append(f"ended outside of a test, exit status {status}: {tail}")
            return False
        return True

    @staticmethod
    def kill(process):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def builtin_outcomes(options, files, deadline):
    """Outcomes on the built-in CPU of the tests that did not pass and are in no baseline."""
    def check(name):
        file = files[name]
        only = [test for test, result in file["tests"].items()
                if result["outcome"] != "passed" and test not in file["builtin"]]
        if only:
            run = FileRun(options, name, "builtin", only).run(deadline)
            file["builtin"].update({t: r["outcome"] for t, r in run.tests.items()})

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(check, [name for name in options.files.split(",") if name in files]))


def read_baseline(path, options):
    """Outcomes on the built-in CPU by file, from a result of this runner or jaxconf.py's."""
    if not path:
        return {}
    data = json.loads(path.read_text())
    arguments = {"case_seed": None, **data["args"]}
    for key in GENERATED_BY:
        if int(arguments[key] or 0) != int(getattr(options, key) or 0):
            sys.exit(f"{path} has {key}={arguments[key]}, this run {getattr(options, key)}: "
                     "its tests are others of the same names")
    return {name: {test: result["outcome"] for test, result in file["tests"].items()}
            for name, file in data["files"].items()}


def fraction(text):
    numerator, _, denominator = text.partition("/")
    return [int(numerator), int(denominator or 1)]


def every_file(tests):
    """The names of all files of tests: `lax_test`, `pallas/ops_test`."""
    return sorted(path.relative_to(tests).with_suffix("").as_posix()
                  for path in tests.rglob("*_test.py"))


def head():
    return subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True,
                          check=True).stdout.strip()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", type=pathlib.Path, help="the folder `tests` of JAX's sources")
    plugin_env.add_argument(parser)
    parser.add_argument("--mode", choices=("replace", "own-name", "builtin"), default="replace")
    parser.add_argument("--platform", default="tenon",
                        help="the name in own-name mode; tenon_opencl, tenon_cuda: with one device")
    parser.add_argument("--label", default="cpu",
                        help="what own-name mode tells the tests the platform is")
    parser.add_argument("--devices", type=int, default=8, help="devices of the plugin's client")
    parser.add_argument("--files", help="comma list of files below the folder, without .py "
                        "(default: all of them)")
    parser.add_argument("--only", help="regular expression on ids, file::Class::test")
    parser.add_argument("--cases", type=int, default=1, help="generated cases a test")
    parser.add_argument("--case-seed", type=int, help="another seed of the generated cases")
    parser.add_argument("--x64", action="store_true", help="with 64-bit types")
    parser.add_argument("--sample", type=fraction, default=[1, 1], help="1/5: a fixed fifth")
    parser.add_argument("--commit", help="what the plugin was built from (default: HEAD)")
    parser.add_argument("--sample-seed", help="which fifth (default: the commit's hash)")
    parser.add_argument("--baseline", type=pathlib.Path,
                        help="outcomes on the built-in CPU; only its tests are run")
    parser.add_argument("--all", action="store_true", help="also tests that --baseline lacks")
    parser.add_argument("--no-builtin", action="store_true",
                        help="do not run on the built-in CPU what did not pass")
    parser.add_argument("--timeout", type=float, default=120, help="seconds a test may take")
    parser.add_argument("--time-limit", type=float, default=1e9, help="seconds for all")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once")
    parser.add_argument("--resume", action="store_true", help="keep results in --out")
    parser.add_argument("--again", action="store_true",
                        help="with --resume: run again what did not pass")
    parser.add_argument("--pytest", action="append", default=[], help="an argument for pytest")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="JSON of the results")
    parser.add_argument("--markdown", type=pathlib.Path, help="the summary, also printed")
    options = parser.parse_args()
    options.tests = options.tests.resolve()
    if not (options.tests.parent / "pyproject.toml").exists():
        parser.error(f"{options.tests.parent} has no pyproject.toml: not JAX's sources")
    options.files = options.files or ",".join(every_file(options.tests))
    options.commit = options.commit or head()
    options.sample_seed = options.sample_seed or options.commit
    if options.platform in ("tenon_opencl", "tenon_cuda"):
        options.devices = 1
    return options


def selection(options, baseline, name, previous):
    """Ids to run (None: the whole file) and earlier results to keep."""
    only = None
    if name in baseline and not options.all:
        only = list(baseline[name])
    done = {}
    for test, result in previous.get(name, {}).get("tests", {}).items():
        again = options.again and result["outcome"] not in ("passed", "skipped") and \
            (not options.only or re.search(options.only, test))
        if not again:
            done[test] = result
    return only, done


def main():
    options = parse_arguments()
    deadline = time.monotonic() + options.time_limit
    baseline = read_baseline(options.baseline, options)
    previous = {}
    if options.resume and options.out.exists():
        stored = json.loads(options.out.read_text())
        for key in ("commit", *GENERATED_BY, "sample", "sample_seed"):
            if stored["args"][key] != getattr(options, key):
                sys.exit(f"{options.out} was begun with {key}={stored['args'][key]}, this run "
                         f"has {getattr(options, key)}")
        previous = stored["files"]
    arguments = {k: str(v) if isinstance(v, pathlib.Path) else v
                 for k, v in vars(options).items()}
    result = {"args": arguments, "files": dict(previous)}
    lock = threading.Lock()
    options.out.parent.mkdir(parents=True, exist_ok=True)

    def save():
        temporary = options.out.with_suffix(".tmp")
        temporary.write_text(json.dumps(result, indent=1))
        temporary.replace(options.out)

    def run(name):
        old = previous.get(name, {})
        if old.get("complete") and not options.again:
            return
        only, done = selection(options, baseline, name, previous)
        file = FileRun(options, name, options.mode, only, done).run(deadline)
        with lock:
            # All of the baseline's if not even the names of the tests are known.
            known = {*file.tests, *file.selected}
            builtin = {test: outcome for test, outcome in baseline.get(name, {}).items()
                       if test in known or not (known or file.complete)}
            result["files"][name] = {
                "complete": file.complete, "errors": file.errors, "tests": file.tests,
                "selected": sorted({*old.get("selected", ()), *file.selected}),
                "builtin": {**old.get("builtin", {}), **builtin}}
            save()
            print(jax_tests_report.line(name, result["files"][name]), flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(run, options.files.split(",")))
    if options.mode != "builtin" and not options.no_builtin:
        builtin_outcomes(options, result["files"], deadline)
        save()
    summary = jax_tests_report.summary(result)
    print(summary)
    if options.markdown:
        options.markdown.write_text(summary)
    return int(not all(file["complete"] for file in result["files"].values()))


if __name__ == "__main__":
    sys.exit(main())
