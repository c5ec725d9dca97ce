#!/usr/bin/env python3
"""Runs every test of the project and prints one total.

GoogleTest programs (all that CTest lists), lit files (*.mlir in tests/ and tenon/**/test/) and
pytest (tests/**/test_*.py). Reports are in BUILD/test_reports. The last line
is `N passed, N failed, N skipped`, after a line for each failed test; the exit status is 0 only if
nothing failed and every runner ran.
"""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

import plugin_env

ROOT = pathlib.Path(__file__).resolve().parent.parent


@dataclasses.dataclass
class Total:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def say(text):
    print(text, flush=True)


def read_junit(path):
    """Counts the test cases of a JUnit XML report and returns (Total, the failed as `name:
    message`, a line each)."""
    total, failures = Total(), []
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        name = ".".join(filter(None, (case.get("classname"), case.get("name"))))
        problems = [*case.findall("failure"), *case.findall("error")]
        if problems:
            total.failed += 1
            message = " ".join((problems[0].get("message") or "").split())
            failures.append(f"{name}: {message[:300]}" if message else name)
        elif case.find("skipped") is not None or case.get("result") == "skipped":
            total.skipped += 1
        else:
            total.passed += 1
    return total, failures


def tail(text, lines=60):
    return "\n".join("    " + line for line in text.splitlines()[-lines:])


class Runner:
    def __init__(self, options):
        self.build = options.build
        self.filter = re.compile(options.filter)
        self.timeout = options.timeout
        self.jobs = options.jobs
        self.failures = []  # a line each, printed once more at the end
        self.reports = self.build / "test_reports"
        self.reports.mkdir(parents=True, exist_ok=True)
        self.env = dict(os.environ, TENON_BUILD=str(self.build))
        self.env.setdefault("TENON_PLUGIN", str(plugin_env.library(self.build)))
        self.env.setdefault("TENON_KERNEL_CACHE", "off")
        # The programs that tests compare with run once on JAX's built-in CPU, so what takes time is
        # compiling them.
        self.env.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 "
                            "--xla_cpu_use_fusion_emitters=false")
        # A compiler cache may give C++ tests relative paths of their sources.
        self.env.setdefault("TENON_SHARED", str(ROOT.parent / "shared"))
        # LLVM's archives are not instrumented, so container checks and the poisoning of its arena
        # allocators would report false errors. Some tests request more memory than there is.
        self.env.setdefault("ASAN_OPTIONS",
                            "detect_container_overflow=0:allow_user_poisoning=0:"
                            "allocator_may_return_null=1")

    def call(self, command, cwd):
        try:
            run = subprocess.run(command, cwd=cwd, env=self.env, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, errors="replace",
                                 timeout=self.timeout)
            return run.returncode, run.stdout
        except subprocess.TimeoutExpired as error:
            output = error.stdout or b""
            if isinstance(output, bytes):
                output = output.decode(errors="replace")
            return -1, output + f"\nstopped after {self.timeout} s"

    def gtest(self):
        """Runs each program that CTest lists, in a process of its own."""
        listing = subprocess.run(
            ["ctest", "--test-dir", str(self.build), "--show-only=json-v1"],
            capture_output=True, text=True, check=True).stdout
        tests = {t["name"]: t for t in json.loads(listing)["tests"] if self.filter.search(t["name"])}
        return self.run_at_once(tests, self.gtest_program)

    def gtest_program(self, test):
        """A program without a report counts as one test."""
        name, start = test["name"], time.monotonic()
        command = test.get("command")
        if not command or not os.path.exists(command[0]):
            self.failures.append(f"{name} (not built)")
            return Total(failed=1), "not built", 0
        report = self.reports / f"{name}.xml"
        report.unlink(missing_ok=True)
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        cwd = properties.get("WORKING_DIRECTORY", str(self.build))
        is_gtest = name.endswith("_test")
        extra = [f"--gtest_output=xml:{report}", "--gtest_brief=1"] if is_gtest else []
        status, output = self.call(command + extra, cwd)
        counted, failures = read_junit(report) if report.exists() else (Total(), [])
        if not report.exists() or (status and not counted.failed):
            failures = [f"{name} (exit status {status})"] if status else []
            counted.add(Total(failed=1) if status else Total(passed=1))
        self.failures += failures
        output += "".join(f"\nFAILED {failure}" for failure in failures)
        return counted, output, time.monotonic() - start

    def lit(self):
        report = self.reports / "lit.xml"
        report.unlink(missing_ok=True)
        command = [sys.executable, "-c", "from lit.main import main; main()",
                   str(ROOT / "tests"), str(ROOT / "tenon"), "--param",
                   f"build={self.build}", f"--xunit-xml-output={report}", "-j2", "-sv",
                   "--allow-empty-runs"]
        if not sys.stdout.isatty():
            command.append("--no-progress-bar")
        subprocess.run(command, cwd=ROOT, env=self.env, timeout=self.timeout)
        if not report.exists():
            raise RuntimeError("lit wrote no report")
        counted, failures = read_junit(report)
        self.failures += failures
        return counted

    def pytest(self):
        """Runs each file in its own process, so that a crash fails only one file."""
        files = {str(f.relative_to(ROOT)): f for f in sorted((ROOT / "tests").rglob("test_*.py"))}
        return self.run_at_once({name: file for name, file in files.items()
                                 if self.filter.search(name)}, self.pytest_file)

    def pytest_file(self, path):
        start = time.monotonic()
        name = str(path.relative_to(ROOT)).replace("/", ".")
        report = self.reports / f"{name}.xml"
        report.unlink(missing_ok=True)
        status, output = self.call(
            [sys.executable, "-m", "pytest", "-q", "--tb=short", "-rs", "-p",
             "no:cacheprovider", "--color=no", f"--junitxml={report}", "-c",
             str(ROOT / "tests" / "pytest.ini"), str(path)], str(ROOT))
        counted, failures = Total(), []
        if report.exists():
            counted, failures = read_junit(report)
        if not report.exists() or (status not in (0, 1, 5) and not counted.failed):
            counted.add(Total(failed=1))  # crashed, or ran out of time
            failures = [f"{name} (exit status {status})"]
            output += f"\n{name}: exit status {status}"
        self.failures += failures
        return counted, output, time.monotonic() - start

    def run_at_once(self, tests, run):
        """Runs `tests`, a dictionary by name, `jobs` at once. `run` returns a Total, the output and
        the seconds."""
        total = Total()
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            runs = {pool.submit(run, test): name for name, test in tests.items()}
            for number, done in enumerate(concurrent.futures.as_completed(runs), 1):
                counted, output, seconds = done.result()
                total.add(counted)
                say(f"  [{number}/{len(tests)}] {runs[done]}: {counted} ({seconds:.1f} s)")
                if counted.failed:
                    say(tail(output, 100))
        return total


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release",
                        help="the build folder (default: build/release)")
    parser.add_argument("--only", default="gtest,lit,pytest",
                        help="runners, comma separated (default: gtest,lit,pytest)")
    parser.add_argument("--filter", default="", help="regular expression on CTest names and pytest files")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)) + 1,
                        help="test programs and pytest files run at once (default: one more than "
                             "there are processors, because some wait)")
    parser.add_argument("--timeout", type=float, default=2400,
                        help="seconds a runner (or a GoogleTest program) may take")
    options = parser.parse_args()
    options.build = options.build.resolve()
    runner = Runner(options)
    total, start = Total(), time.monotonic()
    for name in options.only.split(","):
        say(f"== {name}")
        try:
            counted = getattr(runner, name)()
        except (RuntimeError, subprocess.SubprocessError, OSError) as error:
            runner.failures.append(f"{name} did not run: {error}")
            say(f"  {runner.failures[-1]}")
            counted = Total(failed=1)
        say(f"== {name}: {counted}")
        total.add(counted)
    for failure in runner.failures:
        say(f"FAILED {failure}")
    say(f"all tests: {time.monotonic() - start:.0f} s")
    say(str(total))
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main())
