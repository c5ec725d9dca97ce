"""Stable Diffusion of diffusers: the same picture on Tenon, on OpenCL devices, and on the built-in CPU."""
import re
import subprocess

import numpy as np
import plugin_env
import pytest
from example_tools import ROOT

PYTHON = ROOT / "build" / "stable_diffusion" / "venv" / "bin" / "python"
STEPS = 3
# Values are of 0 to 1, and a picture of random weights has steep slopes. Seen: 5e-6.
TOLERANCE = 1e-3


def environment(platform, plugin):
    return {**plugin_env.clean(), **plugin_env.variables(plugin, platform),
            "PYTHONPATH": str(plugin_env.PACKAGE)}


def generate(folder, platform, *arguments, plugin=None):
    done = subprocess.run(
        [PYTHON, ROOT / "examples" / "stable_diffusion" / "generate.py", "--size", "tiny", "--steps",
         str(STEPS), "--runs", "0", "--out", folder, "--platform", platform, *map(str, arguments)],
        env=environment(platform, plugin), text=True, capture_output=True, timeout=1200)
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The picture of the built-in CPU."""
    if not PYTHON.exists():
        pytest.skip("not installed: examples/stable_diffusion/install.sh")
    folder = tmp_path_factory.mktemp("cpu")
    generate(folder, "cpu")
    picture = np.load(folder / "cpu.npy")
    assert picture.shape == (64, 64, 3)
    assert picture.min() >= 0 and picture.max() <= 1 and picture.std() > 0.1
    return folder / "cpu.npy"


def check(tmp_path, reference, platform, plugin):
    output = generate(tmp_path, platform, "--reference", reference, "--tolerance", TOLERANCE,
                      plugin=plugin)
    assert re.search(rf"^{platform}: compiled in [\d.]+ s, \S+ steps per second", output, re.M), output
    assert (tmp_path / f"{platform}.png").read_bytes().startswith(b"\x89PNG")


def test_on_tenon(tmp_path, reference):
    check(tmp_path, reference, "tenon", plugin_env.default_plugin())


def test_on_an_opencl_device(tmp_path, reference):
    plugin = plugin_env.default_plugin().with_name("pjrt_plugin_tenon_opencl.so")
    if not plugin.exists():
        pytest.skip(f"{plugin} has not been built")
    devices = subprocess.run([PYTHON, "-c", "import jax; jax.devices()"], text=True,
                             capture_output=True, env=environment("tenon_opencl", plugin))
    if "UNAVAILABLE: no OpenCL device" in devices.stderr:
        pytest.skip("no OpenCL device takes SPIR-V: scripts/install_opencl.sh installs a driver")
    assert devices.returncode == 0, devices.stderr[-4000:]
    check(tmp_path, reference, "tenon_opencl", plugin)
