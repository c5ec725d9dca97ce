"""StableHLO's static test programs on an emulated GPU: every fifth, and all with
TENON_CONFORMANCE_SAMPLE=1."""
import argparse
import os

import plugin_env
import pytest
import run_conformance

PLUGIN = plugin_env.library(device="cuda")
SAMPLE = int(os.environ.get("TENON_CONFORMANCE_SAMPLE", "5"))
pytestmark = pytest.mark.skipif(not PLUGIN.exists(), reason=f"{PLUGIN} has not been built")


@pytest.mark.skipif(not run_conformance.DATA.exists(),
                    reason=f"no test programs in {run_conformance.DATA}")
@pytest.mark.parametrize("capability", ("8.0", "9.0"))
def test_programs(capability, tmp_path, monkeypatch):
    for name, value in plugin_env.emulated_gpu(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TENON_FAKE_CUDA_CAPABILITY", capability)
    names = [name for name in run_conformance.unpack(run_conformance.DATA)
             if "dynamic" not in name and "_qi8" not in name]
    # The emulator finds the kernels of one process.
    options = argparse.Namespace(platform="tenon_cuda", plugin=PLUGIN, jobs=1, timeout=120)
    results = run_conformance.run_all(names[::SAMPLE], options)
    assert results and [r for r in results if r["status"] != "PASS"] == []
