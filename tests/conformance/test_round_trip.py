"""PJRT's optimized program is StableHLO that any client can parse: scripts/round_trip.py."""
import os
import subprocess
import sys

import plugin_env
import pytest
import run_conformance

SAMPLE = int(os.environ.get("TENON_CONFORMANCE_SAMPLE", "7"))  # every Nth of the long sets


def round_trip(*arguments):
    env = {**plugin_env.clean(), "TENON_PLUGIN": str(plugin_env.default_plugin()),
           "PYTHONPATH": str(plugin_env.ROOT / "scripts")}
    done = subprocess.run([sys.executable, plugin_env.ROOT / "scripts" / "round_trip.py",
                           *map(str, arguments)], env=env, capture_output=True, text=True,
                          timeout=1200)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]


def test_functions_and_factorizations():
    round_trip("chlo")


def test_operations():
    round_trip("ops", "--every", SAMPLE)


def test_workloads():
    round_trip("suite", "--every", SAMPLE)


@pytest.mark.skipif(not run_conformance.DATA.exists(), reason="no StableHLO test programs")
def test_stablehlo_testdata():
    round_trip("testdata", "--every", SAMPLE)
