"""The runner of JAX's own tests, on a small generated folder of tests, and on a few of JAX's tests
if JAX_TESTS names their folder and pytest is older than 9."""
import json
import os
import pathlib
import subprocess
import sys

import plugin_env
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
PLUGIN = plugin_env.default_plugin()
MADE_HERE = '''
import os, time, unittest
PLUGIN = "TENON_PLUGIN" in os.environ

class T(unittest.TestCase):
    def test_a_passes(self):
        pass

    def test_b_aborts(self):
        if PLUGIN:
            os.abort()

    def test_c_fails(self):
        self.assertFalse(PLUGIN)

    def test_d_hangs(self):
        time.sleep(60 if PLUGIN else 0)

    def test_e_is_skipped(self):
        self.skipTest("for a reason")

    def test_f_fails_everywhere(self):
        self.fail()

    def test_g_raises(self):
        if PLUGIN:
            raise RuntimeError("an error")
'''


def run(tests, out, *arguments):
    process = subprocess.run(
        [sys.executable, ROOT / "scripts" / "run_jax_tests.py", tests, "--plugin", PLUGIN,
         "--out", out, *arguments], capture_output=True, text=True, timeout=300)
    assert process.returncode == 0, process.stderr
    return json.loads(out.read_text()), process.stdout


@pytest.fixture
def tests(tmp_path):
    """A folder as JAX's."""
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "made_test.py").write_text(MADE_HERE)
    (tmp_path / "tests" / "inner").mkdir()
    (tmp_path / "tests" / "inner" / "other_test.py").write_text("def test_other(): pass\n")
    return tmp_path / "tests"


def test_outcomes_are_distinguished(tests, tmp_path):
    result, text = run(tests, tmp_path / "out.json", "--files", "made_test", "--timeout", "2")
    file = result["files"]["made_test"]
    assert file["complete"] and not file["errors"]
    outcomes = {name.rsplit("::", 1)[1]: r["outcome"] for name, r in file["tests"].items()}
    assert outcomes == {
        "test_a_passes": "passed", "test_b_aborts": "crashed", "test_c_fails": "failed",
        "test_d_hangs": "timeout", "test_e_is_skipped": "skipped",
        "test_f_fails_everywhere": "failed", "test_g_raises": "failed"}
    crash = file["tests"]["made_test::T::test_b_aborts"]["message"]
    assert "Aborted" in crash and "test_b_aborts" in crash
    # Tests that also fail on the built-in CPU are not scored.
    assert "| **all** | 1 | 5 | 20.00 % | 1 |" in text
    assert "test_c_fails` failed" in text and "test_f" not in text


def test_every_file_is_run(tests, tmp_path):
    result, _ = run(tests, tmp_path / "out.json", "--only", "a_passes|other")
    passed = [name for file in result["files"].values() for name, test in file["tests"].items()
              if test["outcome"] == "passed"]
    assert sorted(passed) == ["inner/other_test::test_other", "made_test::T::test_a_passes"]


def test_a_run_is_not_resumed_on_another_commit(tests, tmp_path):
    arguments = ("--only", "a_passes", "--resume")
    run(tests, tmp_path / "out.json", *arguments, "--commit", "a")
    with pytest.raises(AssertionError, match="was begun with commit=a"):
        run(tests, tmp_path / "out.json", *arguments, "--commit", "b")


def test_the_page_counts_by_cause(tests, tmp_path):
    run(tests, tmp_path / "out.json", "--timeout", "2", "--commit", "0123456789")
    reasons = tmp_path / "reasons"
    reasons.write_text("made_test::*_b_* | a cause\nmade_test::*_[cd]_* | another\n")
    report = subprocess.run(
        [sys.executable, ROOT / "scripts" / "jax_tests_report.py", "--out", tmp_path / "page.md",
         "--reasons", reasons, tmp_path / "out.json"], capture_output=True, text=True)
    assert report.returncode == 1  # one has no cause
    assert report.stdout.split() == "no reason given for made_test::T::test_g_raises".split()
    page = (tmp_path / "page.md").read_text()
    assert "| a cause | 1 crashed in mode 1 |" in page and "0123456" in page
    assert "| another | 1 failed in mode 1, 1 timeout in mode 1 |" in page
    assert "| 1 others, which pass whole | 1 | 1 | 100.00 % | 0 |" in page


def test_an_interrupted_run_is_resumed(tests, tmp_path):
    out = tmp_path / "out.json"
    arguments = ("--files", "made_test", "--timeout", "2", "--no-builtin", "--only", "_[ac]_")
    run(tests, out, *arguments)
    stored = json.loads(out.read_text())
    stored["files"]["made_test"]["complete"] = False
    del stored["files"]["made_test"]["tests"]["made_test::T::test_a_passes"]
    stored["files"]["made_test"]["tests"]["made_test::T::test_c_fails"]["message"] = "kept"
    out.write_text(json.dumps(stored))
    result, _ = run(tests, out, *arguments, "--resume")
    kept = result["files"]["made_test"]["tests"]
    assert kept["made_test::T::test_a_passes"]["outcome"] == "passed"
    assert kept["made_test::T::test_c_fails"]["message"] == "kept"
    result, _ = run(tests, out, *arguments, "--resume", "--again")
    assert result["files"]["made_test"]["tests"]["made_test::T::test_c_fails"][
        "message"] != "kept"


@pytest.mark.parametrize("mode", ["replace", "own-name"])
def test_some_of_jaxs_tests(mode, tmp_path):
    if "JAX_TESTS" not in os.environ:
        pytest.skip("no sources of JAX: unpack them (github.com/jax-ml/jax, the release that "
                    "pip shows) and set JAX_TESTS to their folder `tests`")
    result, text = run(os.environ["JAX_TESTS"], tmp_path / "out.json", "--mode", mode, "--files",
                       "lax_numpy_ufuncs_test,fft_test", "--sample", "1/2")
    tests = [t for file in result["files"].values() for t in file["tests"].values()]
    assert len(tests) > 10 and all(t["outcome"] in ("passed", "skipped") for t in tests), text
