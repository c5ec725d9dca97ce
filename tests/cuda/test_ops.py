"""The programs of tests/ops on an emulated GPU, and those of products also on one without
instructions for four warps."""
import os
import pathlib
import subprocess

import plugin_env
import pytest

PLUGIN = plugin_env.library(device="cuda")
pytestmark = pytest.mark.skipif(not PLUGIN.exists(), reason=f"{PLUGIN} has not been built")
FILES = sorted((pathlib.Path(__file__).resolve().parents[1] / "ops").glob("*.mlir"))
TESTS = [(path, "9.0") for path in FILES if path.name != "unsupported.mlir"]
TESTS += [(path, "8.0") for path in FILES if path.stem.startswith(("dot", "convolution"))]


@pytest.mark.parametrize("path,capability", TESTS,
                         ids=[f"{path.stem}-{capability}" for path, capability in TESTS])
def test_file(path, capability, tmp_path):
    done = subprocess.run(
        [plugin_env.BUILD / "bin" / "tenon-run", "--check", "--quiet", "--sum-tolerance", "64",
         "--plugin", PLUGIN, path], text=True, timeout=600, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, **plugin_env.emulated_gpu(tmp_path), "TENON_FAKE_CUDA_CAPABILITY": capability})
    assert done.returncode == 0, done.stdout
