#!/usr/bin/env python3
"""Compiles programs and runs their optimized programs (PJRT's term) again.

  round_trip.py testdata --every 5       # StableHLO's test programs (../shared/conformance)
  round_trip.py ops                      # tests/ops/*.mlir
  round_trip.py chlo                     # CHLO's functions, as JAX sends them
  round_trip.py suite                    # the workloads of bench/suite

jaxlib's MLIR must parse and verify the text of each optimized program, and jaxlib must convert it
to HLO, which `compiled.as_text()` and torch_xla read. On Tenon it must give the same bits as the
program itself, and on the built-in CPU results that agree. Prints a line for each failing program
and a summary; the exit status is 1 if there is any.

The text comes from TENON_DUMP_TO, where the compiler writes the result of
PJRT_Executable_OptimizedProgram.
"""
import argparse
import os
import pathlib
import re
import sys
import tempfile
from functools import partial

import plugin_env

DUMP = tempfile.TemporaryDirectory()
os.environ["TENON_DUMP_TO"] = DUMP.name
plugin_env.set_up()
sys.path.insert(0, str(plugin_env.ROOT / "bench"))

import jax  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
import run_conformance  # noqa: E402
from jax._src.interpreters import mlir as jax_mlir  # noqa: E402
from jax._src.lib import xla_client  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402


# A program of tests/ops whose padding has a start value that is no identity. The built-in CPU drops
# it, unlike the specification's evaluator.
BUILT_IN_DIFFERS = "@first_lane_before_the_start"


def compile_text(device, text):
    options = xla_client.CompileOptions()
    options.num_replicas = options.num_partitions = 1
    options.device_assignment = xla_client.DeviceAssignment.create(np.array([[device.id]]))
    return device.client.compile_and_load(text, xla_client.DeviceList((device,)), options)


def execute(executable, device, inputs):
    arrays = [jax.device_put(x, device) for x in inputs]
    results = executable.execute_sharded(arrays).disassemble_into_single_device_arrays()
    return [np.asarray(shards[0]) for shards in results]


def optimized_text():
    """The optimized program of the last compilation on Tenon."""
    path, = pathlib.Path(DUMP.name).glob("*.optimized.mlir")
    text = path.read_text()
    path.unlink()
    return text


def verify(text):
    with jax_mlir.make_ir_context() as context, ir.Location.unknown(context):
        ir.Module.parse(text).operation.verify()


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def agree(a, b):
    """Whether results agree up to reassociated sums and other elementary functions."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind in "biu" or "int" in a.dtype.name:
        return np.array_equal(a, b)
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    about = ml_dtypes.finfo(a.dtype)
    epsilon, largest = float(about.eps), float(about.max)
    a, b = a.astype(wide), b.astype(wide)
    finite = np.isfinite(a) & np.isfinite(b)
    scale = max(1e-30, float(np.max(np.abs(np.where(finite, b, 0)), initial=0)))
    near = np.abs(np.where(finite, a, 0) - np.where(finite, b, 0)) <= 2000 * epsilon * scale
    # A result next to the largest number may be rounded to infinity.
    overflows = np.minimum(np.abs(a), np.abs(b)) >= largest * max(0.9, 1 - 2000 * epsilon)
    same = (np.isfinite(a) == np.isfinite(b)) | overflows
    return bool(np.all(np.where(finite, near, same)))


def check(text, inputs, on_cpu):
    """Why the round trip of a program fails; None if it succeeds."""
    tenon, cpu = jax.devices("tenon")[0], jax.devices("cpu")[0]
    first = compile_text(tenon, text)
    again = optimized_text()
    if re.search(r"\btenon\.\w|dense_resource", again):
        return "the text has what only Tenon knows"
    try:
        verify(again)
        first.hlo_modules()
        second = compile_text(tenon, again)
        optimized_text()
        if inputs is None:
            return None
        results = execute(first, tenon, inputs)
        for number, (a, b) in enumerate(zip(results, execute(second, tenon, inputs))):
            if not same_bits(a, b):
                return f"result {number} has other bits on Tenon"
        if on_cpu and BUILT_IN_DIFFERS not in text:
            for number, (a, b) in enumerate(zip(results, execute(compile_text(cpu, again), cpu,
                                                                 inputs))):
                if not agree(a, b):
                    return f"result {number} differs on the built-in CPU: {a} {b}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


# ------------------------------------- programs: name, and what makes text and inputs
def testdata():
    if not run_conformance.DATA.exists():
        return
    for name in run_conformance.unpack(run_conformance.DATA):
        if "dynamic" in name or "_qi8" in name:
            continue
        yield name, lambda name=name: prepared(name)


def prepared(name):
    program = run_conformance.load_prepared(name)
    return program["text"], program["inputs"]


def ops():
    """Test programs without their checks; they compute their own inputs."""
    for path in sorted((plugin_env.ROOT / "tests" / "ops").glob("*.mlir")):
        # jaxlib, whose parser reads what the client sends, has no collective_reduce.
        if path.stem in ("unsupported", "collective_reduce"):
            continue
        for number, text in enumerate(path.read_text().split("// -----")):
            values = re.findall(r"@check\.\w+\((%\w+(?:#\d+)?), .*?: \((\S+), ", text)
            lines = [line for line in text.split("\n") if "@check." not in line]
            body = "\n".join(lines)
            inputs = [] if "@main()" in body else None  # a program with arguments is compiled
            if values and inputs is not None:
                names, types = zip(*values)
                body = body.replace("@main() {", f"@main() -> ({', '.join(types)}) {{", 1)
                main = body.index("@main()")
                returned = re.compile(r"\breturn\s*\n").search(body, main)
                if returned:
                    body = (body[:returned.start()] + f"return {', '.join(names)} : "
                            f"{', '.join(types)}\n" + body[returned.end():])
            yield f"{path.stem} {number}", lambda body=body, inputs=inputs: (body, inputs)


def lowered(function, *arguments, **options):
    flat = jax.tree.leaves(arguments)
    low = jax.jit(function, keep_unused=True, **options).trace(*arguments).lower(
        lowering_platforms=("cpu",))
    return str(low.compiler_ir()), [np.asarray(x) for x in flat]


def chlo():
    from jax import lax
    import jax.numpy as jnp
    import jax.scipy.special as special
    functions = {
        "acos": jnp.arccos, "acosh": jnp.arccosh, "asin": jnp.arcsin, "asinh": jnp.arcsinh,
        "atan": jnp.arctan, "atanh": jnp.arctanh, "bessel_i1e": lax.bessel_i1e,
        "cosh": jnp.cosh, "digamma": lax.digamma, "erf": lax.erf, "erf_inv": lax.erf_inv,
        "erfc": lax.erfc, "lgamma": lax.lgamma, "sinh": jnp.sinh, "tan": jnp.tan,
        "next_after": lambda x: jnp.nextafter(x, -x), "top_k": lambda x: lax.top_k(x, 5),
        "zeta": lambda x: special.zeta(x + 2, jnp.abs(x) + 1),
        "polygamma": lambda x: special.polygamma(2, jnp.abs(x) + 1)}
    x = np.concatenate([np.linspace(-4, 4, 41), [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-20, 90]])
    for name, function in functions.items():
        for dtype in (np.float32, np.float64, ml_dtypes.bfloat16, np.float16, np.complex64):
            if dtype is np.complex64 and name not in ("acos", "acosh", "asin", "asinh", "atanh",
                                                      "cosh", "sinh", "tan"):
                continue
            if name in ("zeta", "polygamma", "bessel_i1e") and dtype not in (np.float32,
                                                                             np.float64):
                continue
            argument = x.astype(dtype)
            if dtype is np.complex64:
                argument = (np.linspace(-2, 2, 40) + 1j * np.linspace(-1, 3, 40)).astype(dtype)
            yield (f"{name} {np.dtype(dtype).name}", partial(lowered, function, argument))
    a = np.random.RandomState(0).standard_normal((3, 5, 5)).astype(np.float32)
    positive = a @ a.swapaxes(1, 2) + np.eye(5, dtype=np.float32)
    for dtype in (np.float32, np.float64, np.complex64, np.complex128):
        name = np.dtype(dtype).name
        yield (f"inv {name}", partial(lowered, jnp.linalg.inv, positive.astype(dtype)))
        yield (f"cholesky {name}", partial(lowered, jnp.linalg.cholesky, positive.astype(dtype)))
        yield (f"cholesky of one {name}", partial(lowered, jnp.linalg.cholesky,
                                                   positive[0].astype(dtype)))
        yield (f"cholesky that fails {name}", partial(lowered, jnp.linalg.cholesky,
                                                      -positive.astype(dtype)))
        yield (f"lu {name}", partial(lowered, lax.linalg.lu, a.astype(dtype)[:, :4]))
        yield (f"solve {name}", partial(lowered, jnp.linalg.solve, positive.astype(dtype),
                                         a.astype(dtype)))
    random = np.random.RandomState(1)
    for dtype in ("float32", "float64", "bool", "int8", "uint16", "int32", "complex64", "bfloat16",
                  "int4", "uint4", "float8_e4m3fn"):
        for size in (3, 90, 101, 5000):
            table = jnp.asarray(random.randint(0, 2 if dtype == "bool" else 7, size)).astype(dtype)
            yield (f"constant {dtype} {size}", partial(
                lowered, lambda i, table=np.asarray(table): jnp.asarray(table)[i],
                np.arange(0, size, 2, dtype=np.int32)))


def suite():
    import programs
    import suite.workloads  # noqa: F401
    from suite import registry
    for name, (function, arguments, _) in programs.PROGRAMS.items():
        yield f"bench {name}", lambda f=function, a=arguments: lowered(f, *a())
    for name, workload in registry.WORKLOADS.items():  # only compiled: they run long
        if workload.mesh:
            continue  # its program needs devices
        yield name, lambda w=workload: (lowered(w.function, *w.arguments())[0], None)


SETS = {"testdata": testdata, "ops": ops, "chlo": chlo, "suite": suite}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--every", type=int, default=1, help="every Nth program only")
    parser.add_argument("--only", default="", help="regular expression on names")
    options = parser.parse_args()
    jax.config.update("jax_enable_x64", options.set != "suite")
    count, bad = 0, 0
    for number, (name, make) in enumerate(SETS[options.set]()):
        if number % options.every or not re.search(options.only, name):
            continue
        count += 1
        problem = check(*make(), on_cpu=options.set != "suite")
        if problem:
            bad += 1
            print(f"{name}: {problem[:600]}", flush=True)
    print(f"{count} programs, {bad} bad")
    sys.exit(bad != 0 or count == 0)


if __name__ == "__main__":
    main()
