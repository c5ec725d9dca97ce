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
# Programs for the device, also changed for devices without addresses, and the phases of code for a
# processor without vectors, which have other instructions: target, and options of both tools.
KINDS = {"spirv64": ("spirv64", "device.ll", ["-o", "out"], []),
         "buffers": ("spirv64", "device.ll", ["-o", "out"], ["--offsets"]),
         "riscv64": ("riscv64", "code.ll", ["--emit=object", "-o", "out.o"], ["--phases"])}


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command[0]}: {done.stderr}"
    return done.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_kernels_are_valid(kind, tmp_path):
    # In one process, because LLVM's back end keeps data of earlier modules.
    target, code, compile_options, options = KINDS[kind]
    sources = []
    for name, text in programs(per_file=2):
        folder = tmp_path / name
        folder.mkdir()
        run(BIN / "tenon-compile", "-", "-t", target, "--no-fold", "--dump", ".", *compile_options,
            input=text, cwd=folder)
        sources += folder.glob("*." + code)
    assert len(sources) > 150
    run(BIN / "tenon-test-spirv", *sources, *options)
    failures = []
    for source in sources:
        module = f"{source}.spv"
        assembly = run("spirv-dis", module)
        environment = "spv1.2" if any(c in assembly for c in OPTIONAL) else "opencl2.2"
        validated = subprocess.run(["spirv-val", "--target-env", environment, module],
                                   capture_output=True, text=True)
        if validated.returncode != 0:
            failures.append(f"{source.parent.name}: {validated.stderr}")
        if target == "spirv64" and "OpCapability GenericPointer" in assembly:
            failures.append(f"{source.parent.name} has generic pointers")
    assert not failures, "\n".join(failures)
