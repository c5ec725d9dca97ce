"""StableHLO's static test programs; scripts/run_conformance.py runs them for any plugin.

All must pass, and passing.txt lists them. Programs with quantized types are rejected with one clear
error.
"""
import argparse
import os
import pathlib
import subprocess

import plugin_env
import pytest
import run_conformance

SAMPLE = int(os.environ.get("TENON_CONFORMANCE_SAMPLE", "1"))  # every Nth program
PASSING = pathlib.Path(__file__).with_name("passing.txt")
AVAILABLE = run_conformance.DATA.exists()
STATIC = [n for n in run_conformance.unpack(run_conformance.DATA)
          if "dynamic" not in n] if AVAILABLE else []
QUANTIZED = [n for n in STATIC if "_qi8" in n]
NAMES = [n for n in STATIC if n not in QUANTIZED][::SAMPLE]


@pytest.fixture(scope="module")
def results():
    options = argparse.Namespace(
        platform=os.environ.get("TENON_TEST_PLATFORM", "tenon"), jobs=2, timeout=60,
        plugin=plugin_env.default_plugin())
    return {r["name"]: r for r in run_conformance.run_all(NAMES, options)}


def test_data_is_there():
    if not AVAILABLE:
        pytest.skip(f"no test programs: put StableHLO's testdata/*.mlir.bc into "
                    f"{run_conformance.DATA}, in a folder `testdata`")
    assert sorted(PASSING.read_text().split()) == sorted(set(STATIC) - set(QUANTIZED))


@pytest.mark.parametrize("name", NAMES)
def test_program(name, results):
    assert results[name]["status"] == "PASS", results[name].get("message", "")


def test_quantized_programs_are_refused():
    if not QUANTIZED:
        pytest.skip("no test programs: test_data_is_there says where they come from")
    compiler = plugin_env.default_plugin().parent.parent / "bin" / "tenon-compile"
    for name in QUANTIZED:
        program = run_conformance.WORK / "testdata" / f"{name}.mlir.bc"
        run = subprocess.run([compiler, program, "-o", os.devnull], capture_output=True, text=True)
        assert run.returncode == 1, name
        assert "UNIMPLEMENTED" in run.stderr and "!quant.uniform" in run.stderr, run.stderr


def test_comparison_can_fail():
    """The comparison finds one wrong element, and tells units in the last place apart."""
    import numpy as np
    right = np.linspace(1, 2, 50, dtype=np.float32)
    for steps, kind, fails in ((1, "expect_eq", True), (3, "expect_close", False),
                               (4, "expect_close", True), (0, "expect_eq", False)):
        got = right.copy()
        for _ in range(steps):
            got[7] = np.nextafter(got[7], np.float32(9))
        message = run_conformance.compare({"kind": kind, "expected": right}, got, False)
        assert (message is not None) == fails
        assert not fails or "[7]" in message
    wrong = right.copy()
    wrong[3] += 0.01
    assert run_conformance.compare({"kind": "expect_close", "expected": right}, wrong, True)
    assert run_conformance.compare({"kind": "expect_eq", "expected": np.arange(3)},
                                   np.array([0, 1, 3]), False)
