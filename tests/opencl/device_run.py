"""Runs StableHLO programs on tenon_opencl and compares the results with the reference evaluator's."""
import os
import subprocess

import plugin_env
import pytest

RUN = plugin_env.BUILD / "bin" / "tenon-run"
PLUGIN = plugin_env.BUILD / "lib" / "pjrt_plugin_tenon_opencl.so"
VENDORS = plugin_env.ROOT / "build" / "opencl" / "vendors"

needs_device = pytest.mark.skipif(not (PLUGIN.exists() and VENDORS.exists()),
                                  reason="no plugin, or run scripts/install_opencl.sh")


def call(*arguments):
    env = dict(os.environ, TENON_KERNEL_CACHE="off")
    env.setdefault("OCL_ICD_VENDORS", str(VENDORS))
    run = subprocess.run([RUN, "-q", *map(str, arguments)], capture_output=True, text=True,
                         env=env, timeout=600)
    assert run.returncode == 0, run.stdout + run.stderr


def compare(folder, program, results=1, rtol=None, atol=None):
    """All results must be equal, unless there is a tolerance."""
    path = folder / "program.mlir"
    path.write_text(program)
    call("--reference", path, "-o", folder / "expected")
    tolerance = [] if rtol is None else ["--rtol", rtol, "--atol", atol]
    expected = [folder / f"expected{i}.npy" for i in range(results)]
    call("--plugin", PLUGIN, path, *tolerance, *(a for file in expected for a in ("-e", file)))
