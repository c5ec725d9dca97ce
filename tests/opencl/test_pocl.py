"""Programs on PoCL, a second OpenCL driver: it has no subgroups, no f16 and takes no SPIR-V."""
import os
import pathlib
import re
import shutil
import subprocess

import plugin_env
import pytest
from opencl_driver import PLUGIN

VENDORS = pathlib.Path("/etc/OpenCL/vendors")
OPS = pathlib.Path(__file__).resolve().parents[1] / "ops"
# One file for each kind of kernel.
FILES = ("case", "cholesky", "clamp", "compare", "concatenate", "convolution", "dot_general", "exponential",
         "fft", "gather", "log", "pad", "power", "reduce", "reduce_window", "rng", "scatter_order",
         "select_and_scatter", "sort", "transpose", "triangular_solve", "while")

pytestmark = pytest.mark.skipif(
    not (PLUGIN.exists() and (VENDORS / "pocl.icd").exists() and shutil.which("llvm-spirv-15")),
    reason="no plugin, or no packages pocl-opencl-icd and llvm-spirv-15")


def check(program, *options):
    env = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    env.update(OCL_ICD_VENDORS=str(VENDORS), TENON_KERNEL_CACHE="off", TENON_OPENCL_DEVICE="Portable")
    done = subprocess.run(
        [plugin_env.BUILD / "bin" / "tenon-run", "--check", "--quiet", "--sum-tolerance", "64",
         "--plugin", PLUGIN, *options, "-"], input=program, text=True, env=env,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    return done.returncode, done.stdout


@pytest.mark.parametrize("name", FILES)
def test_file(name):
    programs = re.split(r"^// -----$", (OPS / f"{name}.mlir").read_text(), flags=re.MULTILINE)
    chosen = [p for p in programs if not re.search(r"\bf16\b|xf16\b", p)]
    code, output = check("// -----\n".join(chosen[:1] + chosen[len(chosen) // 2:][:1]))
    assert code == 0, output


def test_f16_is_refused():
    programs = re.split(r"^// -----$", (OPS / "chlo_sinh.mlir").read_text(), flags=re.MULTILINE)
    code, output = check(next(p for p in programs if "xf16>" in p))
    assert code != 0
    assert re.search(r"FAILED_PRECONDITION: program 'sinh_f16' needs 16-bit floating-point numbers "
                     r"\(cl_khr_fp16\), which OpenCL device '.*' does not have", output), output
