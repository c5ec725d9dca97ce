"""Images for other machines run on machines that support them, and are rejected on others.

qemu-user runs AArch64, with the runner that tests/images/CMakeLists.txt builds.
"""
import os
import pathlib
import platform
import shutil
import subprocess
import sys

import ml_dtypes
import numpy as np
import plugin_env
import pytest

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = plugin_env.BUILD / "bin"
RUNNER = TOOLS / "tenon-run-image-aarch64"
QEMU = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
MISSING = [what for what, there in [
    ("qemu-aarch64 (Debian's qemu-user-static)", QEMU),
    (f"{RUNNER.name} (it needs Debian's libstdc++-12-dev-arm64-cross)", RUNNER.exists())]
    if not there]

# Programs whose results have the same bits on every target: each operation rounds once or is exact.
EXACT = ["elementwise", "integers", "dot_s8", "sort", "while", "bf16", "f16", "gather", "windows",
         "random"]
# Other programs: the tolerance in epsilons of the type times the largest result. The order of sums
# depends on the vector width, and functions use other instructions.
CLOSE = {"functions": 4, "reduce": 257, "dot": 130, "dot_bf16": 2, "convolution": 45, "fft": 16,
         "sums_bf16": 2, "solve": 90, "attention": 64, "constants": 64}

pytestmark = pytest.mark.skipif(not (TOOLS / "tenon-run-image").exists(),
                                reason="only the plugin is built")
on_x86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="the targets are for x86-64")


def tool(*command, fails=False):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          timeout=300, env={**os.environ, "TENON_KERNEL_CACHE": "off"})
    assert (done.returncode != 0) == fails, done.stderr
    return done.stderr if fails else done.stdout


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    subprocess.run([sys.executable, HERE / "programs.py", folder], check=True, timeout=300,
                   env={**plugin_env.clean(), "JAX_PLATFORMS": "cpu"})
    return folder


def compile(program, target, image):
    tool(TOOLS / "tenon-compile", program, "--target", target, "-o", image)
    return image


def run(runner, image, prefix):
    tool(*runner, image, "--seed", 1, "--threads", 2, "-o", prefix)
    paths = sorted(prefix.parent.glob(prefix.name + "*.npy"))
    assert paths
    return [np.load(path) for path in paths]


def as_doubles(x):
    return (x.view(ml_dtypes.bfloat16) if x.dtype.str == "|V2" else x).astype(np.complex128)


def epsilon(x):
    if x.dtype.str == "|V2":
        return 2.0**-7
    return np.finfo(x.dtype).eps if x.dtype.kind in "fc" else 0


def compare(name, results, expected):
    assert len(results) == len(expected)
    for result, want in zip(results, expected):
        assert result.dtype == want.dtype and result.shape == want.shape
        if name in EXACT:
            assert result.tobytes() == want.tobytes()
        else:
            difference = np.abs(as_doubles(result) - as_doubles(want)).max()
            assert difference <= CLOSE[name] * epsilon(want) * np.abs(as_doubles(want)).max()


@pytest.fixture(scope="module")
def expected(programs):
    known = {}

    def of(name):
        if name not in known:
            image = compile(programs / f"{name}.mlir", "host", programs / f"{name}.host")
            known[name] = run([TOOLS / "tenon-run-image"], image, programs / f"{name}.host.")
        return known[name]
    return of


@pytest.mark.skipif(bool(MISSING), reason="not found: " + ", ".join(MISSING))
@pytest.mark.parametrize("cpu", ["generic", "neoverse-v1"])
@pytest.mark.parametrize("name", EXACT + list(CLOSE))
def test_aarch64(programs, expected, tmp_path, name, cpu):
    image = compile(programs / f"{name}.mlir", f"aarch64:{cpu}", tmp_path / "image")
    results = run([QEMU, "-cpu", "max", RUNNER], image, tmp_path / "result.")
    compare(name, results, expected(name))


@on_x86
@pytest.mark.parametrize("level", ["x86-64-v2", "x86-64-v3"])
@pytest.mark.parametrize("name", EXACT + list(CLOSE))
def test_levels(programs, expected, tmp_path, name, level):
    image = compile(programs / f"{name}.mlir", level, tmp_path / "image")
    results = run([TOOLS / "tenon-run-image"], image, tmp_path / "result.")
    compare(name, results, expected(name))


@on_x86
def test_the_best_code_object_is_chosen(programs, tmp_path):
    image = compile(programs / "sort.mlir", "x86_64,aarch64,x86-64-v2", tmp_path / "image")
    shown = tool(TOOLS / "tenon-run-image", image, "--show-target")
    assert shown.splitlines()[0] == "x86_64:x86-64-v2"
    if not MISSING:
        shown = tool(QEMU, RUNNER, image, "--show-target")
        assert shown.splitlines()[0] == "aarch64:generic"


@on_x86
def test_code_for_other_targets_is_refused(programs, tmp_path):
    image = compile(programs / "sort.mlir", "aarch64,diamondrapids", tmp_path / "image")
    error = tool(TOOLS / "tenon-run-image", image, fails=True)
    assert "has no code for this machine, which is x86_64" in error
    assert ("it has: aarch64:generic, which is for architecture aarch64; x86_64:diamondrapids, "
            "which needs the processor feature '") in error
    if not MISSING:
        image = compile(programs / "sort.mlir", "x86-64-v2", tmp_path / "image")
        error = tool(QEMU, RUNNER, image, fails=True)
        assert "which is aarch64; it has: x86_64:x86-64-v2, which is for architecture" in error


def test_damaged_and_newer_images_are_refused(programs, tmp_path):
    image = compile(programs / "sort.mlir", "host", tmp_path / "image")
    good = image.read_bytes()
    for position, byte, reason in [(8, 99, "format 99"), (24, None, "truncated"),
                                       (60, None, "checksum of its header"),
                                       (400, None, "checksum of its metadata"),
                                       (0, 0, "not an executable")]:
        bad = bytearray(good)
        bad[position] = bad[position] ^ 1 if byte is None else byte
        image.write_bytes(bad)
        assert reason in tool(TOOLS / "tenon-run-image", image, fails=True)
    image.write_bytes(good[:1000])
    assert "has 1000 bytes" in tool(TOOLS / "tenon-run-image", image, fails=True)
