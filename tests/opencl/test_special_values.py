"""Elementary functions on an OpenCL device: within 2 ulp of the CPU plugin's results, also for
infinities, NaN, signed zeros, the largest and smallest numbers and subnormal ones.

Both flush subnormal numbers to zero where a float instruction reads them. KEPT are functions that
also look at them as integers, or round through f32, or return an argument, and do not flush on every
device."""
import subprocess

import ml_dtypes
import numpy as np
import plugin_env
import pytest
from opencl_driver import PLUGIN, environment, missing

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())
UNARY = ["stablehlo." + name for name in (
    "abs", "cbrt", "ceil", "cosine", "exponential", "exponential_minus_one", "floor", "log",
    "log_plus_one", "logistic", "negate", "round_nearest_afz", "round_nearest_even", "rsqrt", "sign",
    "sine", "sqrt", "tan", "tanh")] + ["chlo.erf"]
BINARY = ["stablehlo." + name for name in (
    "add", "atan2", "divide", "maximum", "minimum", "multiply", "power", "remainder", "subtract")]
KEPT = {"stablehlo." + name for name in ("exponential_minus_one", "maximum", "minimum", "power",
                                      "remainder")}
TYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16}


def values(dtype):
    info = ml_dtypes.finfo(dtype)
    smallest, tiny, largest = (float(x) for x in (info.smallest_normal, info.smallest_subnormal,
                                                  info.max))
    positive = [0.0, 0.25, 0.5, 0.9999, 1.0, 1.0001, 1.5, 2.0, 2.5, 3.0, 10.0, 88.5, 104.0, 710.0,
                smallest, smallest / 2, tiny, largest, largest / 2, np.pi / 2, 1e4, np.inf]
    with np.errstate(over="ignore"):
        return np.array([sign * x for x in positive for sign in (1, -1)] + [np.nan]).astype(dtype)


def program(names, element, sizes):
    """All functions of one or two arguments, as results of one program."""
    types = [f"tensor<{size}x{element}>" for size in sizes]
    arguments = ", ".join(f"%a{i}: {t}" for i, t in enumerate(types))
    operands = ", ".join(f"%a{i}" for i in range(len(sizes)))
    lines = [f"    %r{i} = {name} {operands} : "
             + (f"{types[0]} -> {types[0]}" if name.startswith("chlo") else types[0])
             for i, name in enumerate(names)]
    results = ", ".join(f"%r{i}" for i in range(len(names)))
    kinds = ", ".join(types[:1] * len(names))
    return (f"func.func @main({arguments}) -> ({kinds}) {{\n" + "\n".join(lines)
            + f"\n    return {results} : {kinds}\n}}\n")


def run(plugin, folder, arguments, count, dtype, env):
    """The results of the program in `folder`."""
    prefix = folder / f"{plugin.stem}."
    done = subprocess.run([plugin_env.BUILD / "bin" / "tenon-run", "--plugin", plugin, "--quiet",
                           folder / "program.mlir", "--output-prefix", prefix,
                           *(part for path in arguments for part in ("--input", path))],
                          capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    return [np.load(f"{prefix}{i}.npy").view(dtype) for i in range(count)]


def ordered(x):
    """Integers in the order of the floats, one apart for neighbours; -0 and 0 are both 0."""
    bits = x.view(f"i{x.dtype.itemsize}").astype(object)
    return np.where(bits < 0, -(bits & (1 << (8 * x.dtype.itemsize - 1)) - 1), bits)


def differences(name, arguments, found, expected):
    nan = np.isnan(expected)
    agree = (np.isnan(found) == nan) & (nan | (np.signbit(found) == np.signbit(expected)))
    with np.errstate(invalid="ignore"):
        agree &= nan | (np.abs(ordered(found) - ordered(expected)) <= 2).astype(bool)
        agree &= np.isinf(found) == np.isinf(expected)
    if name in KEPT:
        for argument in arguments:
            smallest = ml_dtypes.finfo(argument.dtype).smallest_normal
            agree |= (argument != 0) & (np.abs(argument) < smallest)
    return [f"{name}({', '.join(str(a[i]) for a in arguments)}) = {found[i]}, not {expected[i]}"
            for i in np.nonzero(~agree)[0]]


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("names", [UNARY, BINARY], ids=["unary", "binary"])
def test_functions(names, element, tmp_path):
    dtype = TYPES[element]
    arguments = [values(dtype)]
    if names is BINARY:
        arguments = [a.ravel() for a in np.meshgrid(arguments[0], arguments[0])]
    paths = [tmp_path / f"argument{i}.npy" for i in range(len(arguments))]
    for path, argument in zip(paths, arguments):
        np.save(path, argument)
    (tmp_path / "program.mlir").write_text(program(names, element, [len(a) for a in arguments]))
    results = [run(plugin, tmp_path, paths, len(names), dtype, environment())
               for plugin in (PLUGIN, PLUGIN.with_name("pjrt_plugin_tenon_cpu.so"))]
    failures = [line for name, found, expected in zip(names, *results)
                for line in differences(name, arguments, found, expected)]
    assert not failures, f"{len(failures)} differ:\n" + "\n".join(failures[:100])
