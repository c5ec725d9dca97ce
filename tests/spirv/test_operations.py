"""Operations in device code: the same results from LLVM's code of the host for the original IR and
for the legalized IR, and from an OpenCL device, if there is one."""
import ctypes
import pathlib
import platform
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import opencl  # noqa: E402
import plugin_env  # noqa: E402
from operations import CODES, half_operations, module, operations  # noqa: E402

TOOL = plugin_env.BUILD / "bin" / "tenon-test-spirv"
OPERATIONS = {"core": operations(), "half": list(half_operations())}
# Float16 is no part of OpenCL's environment.
ENVIRONMENTS = {"core": "opencl2.2", "half": "spv1.2"}
INTERESTING = {
    "i": [0, 1, 2, 3, 7, 8, 31, 63, 64, 100, 127, 128, 255, -1, -2, -7, -128, 0x7fff, 0x8000,
          2 ** 31 - 1, 2 ** 31, 2 ** 63 - 1, -2 ** 63, 0x123456789abcdef],
    "f": [0.0, -0.0, 0.5, -0.5, 1.0, 1.5, 2.5, -2.5, 3.0, -7.25, 100.0, 127.5, 255.0, 256.0, -129.0,
          65535.0, 65536.0, 8388609.0, -33554433.0, 2147483647.0, 2147483648.0, 4294967296.0,
          9.3e18, 1.9e19, -9.3e18, 1e-30, 1e-38, 1.2e-38, 1e-40, 1e30, 3e38, np.inf, -np.inf,
          np.nan, 149.0, -149.0, 300.0, -300.0, 1080.0, -1080.0],
}


def dtype(t):
    return np.dtype(CODES[t].replace("f", "float").replace("i", "int", 1)
                    if t[0] != "i" else "int" + t[1:])


def inputs(t):
    """Every pair of interesting values, and random ones."""
    kind = dtype(t)
    rng = np.random.default_rng(0)
    if kind.kind == "f":
        with np.errstate(over="ignore", under="ignore"):
            values = np.array(INTERESTING["f"]).astype(kind)
            noise = (rng.standard_normal(500) * np.exp(rng.standard_normal(500) * 8)).astype(kind)
    else:
        values = np.array([v & (2 ** 64 - 1) for v in INTERESTING["i"]], np.uint64).astype(kind)
        noise = rng.integers(0, 2 ** 64, 500, np.uint64).astype(kind)
    x, y = (a.ravel() for a in np.meshgrid(values, values))
    return (np.concatenate([x, noise]), np.concatenate([y, noise[::-1]]))


def host_library(text, path):
    """Code of this machine for kernels, with a function `run` that is called for each."""
    text = re.sub(r"^target .*\n|source_filename.*\n", "", text, flags=re.MULTILINE)
    text = text.replace("_Z13get_global_idj", "global_id")
    path.with_suffix(".ll").write_text(text)
    path.with_suffix(".c").write_text("""
static __thread long id;
__attribute__((visibility("hidden"))) long global_id(int d) { return id; }
void run(void (*kernel)(void*, void*, void*), void* x, void* y, void* out, long n) {
  for (id = 0; id < n; ++id) kernel(x, y, out);
}
""")
    clang = shutil.which("clang-22")
    # LLVM 22 has wrong code for NaN and infinity in conversions of half by AVX512-FP16.
    processor = ["-march=native"]
    if platform.machine() == "x86_64":
        processor.append("-mno-avx512fp16")
    subprocess.run([clang, "-O1", "-shared", "-fPIC", "-ffp-contract=off", *processor,
                    "-Wno-override-module", path.with_suffix(".ll"), path.with_suffix(".c"), "-lm",
                    "-o", path], check=True)
    return ctypes.CDLL(str(path))


def spirv(*arguments):
    done = subprocess.run([TOOL, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module", params=list(OPERATIONS))
def built(request, tmp_path_factory):
    """Libraries of the original and of the legalized IR, and the SPIR-V file."""
    folder = tmp_path_factory.mktemp("operations")
    source = folder / "operations.ll"
    source.write_text(module(OPERATIONS[request.param]))
    legalized = spirv(source, "-S", "--expand-all", "-o", folder / "expanded.spv")
    spirv(source, "-o", folder / "native.spv")
    return (host_library(source.read_text(), folder / "original.so"),
            host_library(legalized, folder / "legalized.so"), folder, request.param)


@pytest.fixture(scope="module")
def device():
    try:
        return opencl.Device()
    except OSError as error:
        pytest.skip(f"{error}; scripts/install_opencl.sh installs one")


def on_host(library, operation, x, y):
    out = np.zeros(len(x), dtype(operation.result))
    library.run(library[operation.name], *(ctypes.c_void_p(a.ctypes.data) for a in (x, y, out)),
                ctypes.c_long(len(x)))
    return out


def wrong(operation, x, y, expected, found):
    bits = expected.dtype.str.replace("f", "u").replace("i", "u")
    differ = expected.view(bits) != found.view(bits)
    if expected.dtype.kind == "f":
        differ &= ~(np.isnan(expected) & np.isnan(found))
        if not operation.zeros:
            differ &= expected != found
    return [f"{operation.name}({x[i]}, {y[i]}): {found[i]}, not {expected[i]}"
            for i in np.nonzero(differ)[0][:3]]


def test_legalized_operations_are_exact(built):
    original, legalized, _, part = built
    failures = []
    for operation in OPERATIONS[part]:
        x, y = inputs(operation.operand)
        failures += wrong(operation, x, y, on_host(original, operation, x, y),
                          on_host(legalized, operation, x, y))
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("name", ["native", "expanded"])
def test_modules_are_valid(built, name):
    _, _, folder, part = built
    subprocess.run(["spirv-val", "--target-env", ENVIRONMENTS[part], folder / f"{name}.spv"],
                   check=True)


@pytest.mark.parametrize("name", ["native", "expanded"])
def test_operations_on_a_device_are_exact(built, device, name):
    original, _, folder, part = built
    program = device.build((folder / f"{name}.spv").read_bytes())
    failures = []
    for operation in OPERATIONS[part]:
        x, y = inputs(operation.operand)
        out = np.zeros(len(x), dtype(operation.result))
        device.run(program, operation.name, [x, y, out], len(x))
        failures += wrong(operation, x, y, on_host(original, operation, x, y), out)
    assert not failures, "\n".join(failures)
