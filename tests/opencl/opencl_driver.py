"""The OpenCL driver that the tests of this folder use: that of scripts/install_opencl.sh, or what
OCL_ICD_VENDORS names."""
import functools
import os
import subprocess

import plugin_env

PLUGIN = plugin_env.library(plugin_env.BUILD, "opencl")
_NOTHING = "func.func @main() -> tensor<f32> {\n  %x = stablehlo.constant dense<1.0> : tensor<f32>\n" \
    "  return %x : tensor<f32>\n}\n"


def environment():
    variables = plugin_env.variables(PLUGIN, "tenon_opencl")
    env = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    return {**env, **variables}


@functools.cache
def missing():
    """Why the tests cannot run here; empty if they can."""
    if not PLUGIN.exists():
        return f"{PLUGIN} has not been built"
    done = subprocess.run([plugin_env.BUILD / "bin" / "tenon-run", "--plugin", PLUGIN, "--quiet", "-"],
                          input=_NOTHING, capture_output=True, text=True, env=environment())
    if done.returncode == 0:
        return ""
    assert "no OpenCL device" in done.stderr or "OpenCL loader" in done.stderr, done.stderr
    return f"{done.stderr.strip()}; scripts/install_opencl.sh installs a driver"
