"""The driver that the tests of this folder use: tests/fake_cuda, which emulates kernels."""
import os

import plugin_env

PLUGIN = plugin_env.library(plugin_env.BUILD, "cuda")
DRIVER = plugin_env.BUILD / "tests" / "fake_cuda" / "libtenon_fake_cuda.so"


def missing():
    """Why the tests cannot run here; empty if they can."""
    absent = [str(path) for path in (PLUGIN, DRIVER) if not path.exists()]
    return f"not built: {', '.join(absent)}" if absent else ""


def variables(folder):
    """The variables of a process that uses the driver. It finds the kernels' IR in `folder`."""
    return {"TENON_CUDA_LIBRARY": str(DRIVER), "TENON_DUMP_TO": str(folder), "TENON_KERNEL_CACHE": "off"}


def environment(folder):
    return {**os.environ, **variables(folder)}
