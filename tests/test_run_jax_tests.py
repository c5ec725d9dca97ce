"""The runner of JAX's own tests: on a small folder of tests made here, and on a few of JAX's if
JAX_TESTS names their folder and the Python that runs this has a pytest before 9."""
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

    def test_f_needs_devices(self):
        try:
            if PLUGIN:
                raise RuntimeError("UNIMPLEMENTED: programs over several devices are not "
                                   "supported yet: 1 replicas x 8 partitions")
        except RuntimeError as error:
            raise ValueError("in between") from error

    def test_g_fails_everywhere(self):
        self.fail()
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
    return tmp_path / "tests"


def test_every_outcome_is_told_apart(tests, tmp_path):
    result, text = run(tests, tmp_path / "out.json", "--files", "made_test", "--timeout", "2")
    file = result["files"]["made_test"]
    assert file["complete"] and not file["errors"]
    outcomes = {name.rsplit("::", 1)[1]: r["outcome"] for name, r in file["tests"].items()}
    assert outcomes == {
        "test_a_passes": "passed", "test_b_aborts": "crashed", "test_c_fails": "failed",
        "test_d_hangs": "timeout", "test_e_is_skipped": "skipped",
        "test_f_needs_devices": "set_aside", "test_g_fails_everywhere": "failed"}
    crash = file["tests"]["made_test::T::test_b_aborts"]["message"]
    assert "Aborted" in crash and "test_b_aborts" in crash
    # What fails on the built-in CPU too is not asked for, what was set aside not scored.
    assert "| **all** | 1 | 5 | 25.00 % | 1 |" in text
    assert "test_c_fails` failed" in text and "test_g" not in text


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
