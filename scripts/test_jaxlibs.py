#!/usr/bin/env python3
"""Runs the smoke programs of tests/clients on every supported jaxlib, in both modes.

    scripts/test_jaxlibs.py --plugin SO [--versions 0.5.3 newest-py3.13 ...] [--write]

Creates an environment for each version with a Python of pyenv or the system, builds
tests/clients/ffi_handlers.cc with the headers of that jaxlib (which checks that the FFI structs
agree), and runs the programs in isolated processes: as platform `tenon`, and replacing `cpu`.
--write writes the table of all versions in the --work folder to docs/clients.md. The exit status is
1 if any program fails.
"""
import argparse
import collections
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import plugin_env
from isolated_worker import Worker

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLIENTS = ROOT / "tests" / "clients"
PAGE = ROOT / "docs" / "clients.md"
MARKS = ("<!-- jaxlibs: from scripts/test_jaxlibs.py --write -->", "<!-- /jaxlibs -->")
VERSIONS = {version: "3.11" for version in ("0.5.3", "0.6.2", "0.7.2", "0.8.3", "0.9.2",
                                            "0.10.2")}
VERSIONS |= {f"newest-py{python}": python for python in ("3.12", "3.13")}
RESULTS = "results.json"  # beside each environment
MODES = ("own name", "replacement")


@dataclasses.dataclass
class Result:
    """One version in one mode."""
    jaxlib: str
    python: str
    mode: str
    counts: dict  # programs by status
    failures: dict  # program: reason


def find_python(version):
    """A Python of this version: on the path, or one of pyenv's."""
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    candidates = [shutil.which(f"python{version}"),
                  *sorted(map(str, pyenv.glob(f"versions/{version}.*/bin/python")))]
    for candidate in filter(None, candidates):
        check = [candidate, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        done = subprocess.run(check, capture_output=True, text=True)
        if done.stdout.strip() == version:
            return candidate
    raise RuntimeError(f"there is no Python {version}")


def make_environment(version, folder):
    """The Python of an environment with that jaxlib."""
    python = folder / "bin" / "python"
    done = folder / "complete"
    if not done.exists():
        jax = ["jax"] if version.startswith("newest") else [f"jax=={version}",
                                                            f"jaxlib=={version}"]
        subprocess.run([find_python(VERSIONS[version]), "-m", "venv", "--clear", folder],
                       check=True)
        # Required by JAX's export.
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                        *jax, "absl-py", "flatbuffers"], check=True)
        done.touch()
    return python


def build_handlers(python, folder):
    """The FFI handlers, built with the environment's own headers."""
    find = "import jaxlib, os; print(os.path.join(os.path.dirname(jaxlib.__file__), 'include'))"
    include = subprocess.run([python, "-c", find], capture_output=True, text=True, check=True)
    library = folder / "ffi_handlers.so"
    subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-O1", "-w", "-shared", "-fPIC",
                    "-I", ROOT, "-isystem", include.stdout.strip(), CLIENTS / "ffi_handlers.cc",
                    "-o", library], check=True)
    return library


def run_mode(python, library, mode, options):
    """All programs on one version in one mode."""
    env = plugin_env.child(options.plugin, replace_cpu=mode == "replacement",
                           base=plugin_env.clean(), PYTHONDONTWRITEBYTECODE="1")
    worker = Worker([python, CLIENTS / "smoke.py", "--serve", "--ffi-library", library], env,
                    options.timeout)
    hello = worker.hello()
    if "tenon" not in hello["version"]:
        raise RuntimeError(f"the programs would run on {hello['platform']}, not on Tenon")
    counts, failures = collections.Counter(), {}
    for program in filter(re.compile(options.only).search, hello["programs"]):
        answer = worker.ask(program)
        counts[answer["status"]] += 1
        if answer["status"] not in ("PASS", "NONE"):
            failures[program] = f"{answer['status'].lower()}: {answer['message']}"
            print(f"    {program}: {failures[program][:300]}", flush=True)
    worker.close()
    return Result(hello["jaxlib"], hello["python"], mode, dict(counts), failures)


def run_version(version, options):
    folder = options.work / f"jax-{version}"
    python = make_environment(version, folder)
    library = build_handlers(python, folder)
    results = []
    for mode in MODES:
        results.append(run_mode(python, library, mode, options))
        print(f"jaxlib {results[-1].jaxlib}, Python {results[-1].python}, {mode}: "
              f"{results[-1].counts}", flush=True)
    if not options.only:
        (folder / RESULTS).write_text(json.dumps(list(map(dataclasses.asdict, results))))
    return results


def table(folder):
    """The table of all versions whose results are in the folder."""
    files = [folder / f"jax-{version}" / RESULTS for version in VERSIONS]
    results = [Result(**fields) for file in files if file.exists()
               for fields in json.loads(file.read_text())]
    rows = ["| jaxlib | Python | mode | passed | failed | not applicable | reasons |",
            "|---|---|---|---:|---:|---:|---|"]
    for r in results:
        reasons = "; ".join(f"`{name}`: {reason.splitlines()[0][:120]}"
                            for name, reason in r.failures.items()).replace("|", "/")
        rows.append(f"| {r.jaxlib} | {r.python} | {r.mode} | {r.counts.get('PASS', 0)} "
                    f"| {len(r.failures)} | {r.counts.get('NONE', 0)} | {reasons} |")
    return "\n".join(rows)


def write_page(text):
    page = PAGE.read_text()
    begin, end = (page.index(mark) for mark in MARKS)
    PAGE.write_text(f"{page[:begin]}{MARKS[0]}\n\n{text}\n\n{page[end:]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    plugin_env.add_argument(parser)
    parser.add_argument("--versions", nargs="+", choices=VERSIONS, default=list(VERSIONS))
    parser.add_argument("--only", default="", help="regular expression on program names")
    parser.add_argument("--timeout", type=float, default=120, help="seconds a program may take")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/jaxlibs",
                        help="folder for the environments")
    parser.add_argument("--write", action="store_true", help="write the table into the docs")
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    results = [r for version in options.versions for r in run_version(version, options)]
    if options.write:
        write_page(table(options.work))
    return 1 if any(r.failures for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
