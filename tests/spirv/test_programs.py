"""The kernels of real programs are valid SPIR-V, without pointers of unknown kind."""
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import plugin_env  # noqa: E402
from programs import programs  # noqa: E402

BIN = plugin_env.BUILD / "bin"
# Environments of OpenCL have no optional types.
OPTIONAL = ("OpCapability Float16", "OpCapability Int64Atomics")


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command[0]}: {done.stderr}"
    return done.stdout


@pytest.mark.parametrize("name, text", [pytest.param(*p, id=p[0]) for p in programs(per_file=2)])
def test_kernels_are_valid(name, text, tmp_path):
    # As programs for the device, and with the phases of code for a processor without vectors,
    # which have other instructions.
    for target, options, result in [("spirv64", ["-o", "out"], "*.device.ll"),
                                    ("riscv64", ["--emit=object", "-o", "out.o"], "*.code.ll")]:
        folder = tmp_path / target
        folder.mkdir()
        run(BIN / "tenon-compile", "-", "-t", target, "--no-fold", "--dump", ".", *options,
            input=text, cwd=folder)
        phases = ["--phases"] if target == "riscv64" else []
        for source in folder.glob(result):
            run(BIN / "tenon-test-spirv", source, *phases, "-o", folder / "k.spv")
            assembly = run("spirv-dis", folder / "k.spv")
            environment = "spv1.2" if any(c in assembly for c in OPTIONAL) else "opencl2.2"
            run("spirv-val", "--target-env", environment, folder / "k.spv")
            assert target != "spirv64" or "OpCapability GenericPointer" not in assembly
