#!/usr/bin/env python3
"""Runs StableHLO's test programs (../shared/conformance) on a PJRT plugin and scores them.

  run_conformance.py --plugin build/release/lib/pjrt_plugin_tenon_cpu.so
  run_conformance.py --platform cpu                    # JAX's built-in CPU: all pass
  run_conformance.py --only '^sort' --show             # a few, with their messages
  run_conformance.py --platform tenon_opencl --plugin build/release/lib/pjrt_plugin_tenon_opencl.so

Each program's `main` calls `inputs` and `expected` and compares through custom calls @check.*.
Here `main` is rewritten to take the inputs as arguments (so that nothing can be folded away) and
to return what it computed; the comparison is done in NumPy:

  expect_eq          bit for bit (a NaN is equal to a NaN)
  expect_close       at most 3 units in the last place, or the check's own bounds
  expect_almost_eq   absolute and relative tolerance 1e-4
  eq                 equal

Where a sum may have any order (dot_general, convolution, reduce, reduce_window, scatter with add,
cumulative sums, fft, cholesky, triangular_solve) a float result may also differ by
4 * eps * (number of summed terms, at most 1024) * (largest magnitude in the result).

A program is PASS, FAIL (wrong result), ERROR (rejected with a message), CRASH or TIMEOUT; the last
two end the worker process, which is replaced. Programs with dynamic shapes or quantized types are
skipped unless requested. Prepared programs are stored in build/conformance.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import pickle
import re
import sys
import tarfile
import threading
import time

import isolated_worker
import plugin_env

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "conformance" / "stablehlo-testdata.tar.xz"
WORK = ROOT / "build" / "conformance"
REORDERED = re.compile(
    r"stablehlo\.(dot_general|dot\b|convolution|reduce\b|reduce_window|scatter|"
    r"select_and_scatter|fft|cholesky|triangular_solve|rng)|chlo\.")


# ---------------------------------------------------------------- preparing (built-in CPU)
def prepare(name, artifact):
    """The program, its inputs, expected results and checks, or the reason why it is skipped."""
    import jax
    from jax._src.interpreters import mlir as jax_mlir
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    context = jax_mlir.make_ir_context()
    with context, ir.Location.unknown():
        module = stablehlo.deserialize_portable_artifact(context, artifact)
        if not isinstance(module, ir.Module):  # bytes, in some versions of jaxlib
            module = ir.Module.parse(module)
        text = str(module)
        kind = "quantized" if "!quant." in text else \
            "dynamic" if re.search(r"tensor<[^>]*\?", text) or "dynamic" in name else "static"
        if kind != "static":
            return {"kind": kind}
        functions = {op.attributes["sym_name"].value: op for op in module.body.operations}
        values = evaluate_constants(context, functions, ir, jax)
        main = functions["main"]
        block = main.regions[0].blocks[0]
        checks, computed = [], []
        calls = {op.attributes["callee"].value: op for op in block.operations
                 if op.operation.name == "func.call"}
        if "inputs" in calls:
            for result in list(calls["inputs"].results):
                argument = block.add_argument(result.type, ir.Location.unknown())
                result.replace_all_uses_with(argument)
            calls["inputs"].operation.erase()
        for op in list(block.operations):
            if op.operation.name == "stablehlo.custom_call" and \
                    op.attributes["call_target_name"].value.startswith("check."):
                checks.append(read_check(op))
                computed.append(op.operands[0])
                checks[-1]["expected"] = constant_behind(op.operands[1], values)
                op.operation.erase()
        block.operations[len(block.operations) - 1].operation.erase()
        inputs = values.get("inputs", []) if "inputs" in calls else []
        if "expected" in calls and not any(list(r.uses) for r in calls["expected"].results):
            calls["expected"].operation.erase()
            functions["expected"].operation.erase()
        if "inputs" in functions:
            functions["inputs"].operation.erase()
        with ir.InsertionPoint(block):
            ir.Operation.create("func.return", operands=computed)
        main.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(
            [a.type for a in block.arguments], [c.type for c in computed]))
        for attribute in ("arg_attrs", "res_attrs"):
            if attribute in main.attributes:
                del main.attributes[attribute]
        module.operation.verify()
        return {"kind": kind, "text": str(module), "inputs": inputs, "checks": checks,
                "reordered": bool(REORDERED.search(str(module)))}


def evaluate_constants(context, functions, ir, jax):
    """Values of the argument-less functions `inputs` and `expected`, by the built-in CPU."""
    values = {}
    for name in ("inputs", "expected"):
        if name in functions:
            clone = str(functions[name]).replace(f"@{name}(", "@main(", 1) \
                .replace("func.func private", "func.func public", 1)
            values[name] = execute(jax.devices("cpu")[0], f"module @m {{\n{clone}\n}}", [])
    return values


def read_check(op):
    check = {"kind": op.attributes["call_target_name"].value.removeprefix("check.")}
    if "backend_config" in op.attributes:
        text = str(op.attributes["backend_config"])
        for bound in ("min_ulp_difference", "max_ulp_difference", "tolerance"):
            if match := re.search(bound + r"[\" ]*=\s*([-+.\deE]+)", text):
                check[bound] = float(match.group(1))
    return check


def constant_behind(value, values):
    """The expected value: a result of @expected, or a constant in main."""
    from jaxlib.mlir import ir
    owner = value.owner
    if owner.name == "func.call":
        index = [r == value for r in owner.results].index(True)
        return values[owner.attributes["callee"].value][index]
    if owner.name == "stablehlo.constant":
        import jax
        text = str(owner).split("= ", 1)[1]
        return execute(jax.devices("cpu")[0], f"""module @m {{
            func.func public @main() -> {value.type} {{
              %c = {text}
              return %c : {value.type} }} }}""", [])[0]
    raise ValueError(f"expected value made by {owner.name}")


# ---------------------------------------------------------------- executing (any platform)
def execute(device, text, inputs):
    import jax
    import numpy as np
    from jax._src.lib import xla_client
    options = xla_client.CompileOptions()
    options.num_replicas = options.num_partitions = 1
    assignment = np.array([[device.id]])
    options.device_assignment = xla_client.DeviceAssignment.create(assignment)
    executable = device.client.compile_and_load(
        text, xla_client.DeviceList((device,)), options)
    arrays = [jax.device_put(x, device) for x in inputs]
    results = executable.execute_sharded(arrays).disassemble_into_single_device_arrays()
    return [np.asarray(shards[0]) for shards in results]


def compare(check, computed, reordered):
    """None if `computed` passes the check, else the difference."""
    import numpy as np
    expected, kind = check["expected"], check["kind"]
    if computed.shape != expected.shape or computed.dtype != expected.dtype:
        return f"{computed.dtype}{computed.shape}, expected {expected.dtype}{expected.shape}"
    if computed.size == 0:
        return None
    is_float = np.issubdtype(computed.dtype, np.inexact) or computed.dtype.kind == "V" or \
        "float" in computed.dtype.name
    if not is_float:
        wrong = computed != expected
    else:
        parts = [(computed, expected)]
        if computed.dtype.kind == "c":
            parts = [(computed.real, expected.real), (computed.imag, expected.imag)]
        wrong = np.zeros(computed.shape, bool)
        for a, b in parts:
            wrong |= ~floats_agree(check, a, b, reordered)
    if not wrong.any():
        return None
    first = tuple(int(i) for i in np.argwhere(wrong)[0])
    return (f"{kind}: {int(wrong.sum())} of {wrong.size} elements differ; first at "
            f"{list(first)}: {computed[first]!r}, expected {expected[first]!r}")


def floats_agree(check, a, b, reordered):
    import numpy as np
    kind = check["kind"]
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if kind == "expect_eq":
        same &= np.isnan(a) | (np.signbit(a) == np.signbit(b))
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(all="ignore"):
        finite = np.isfinite(wide_a) & np.isfinite(wide_b)
        difference = np.where(finite, np.abs(wide_a - wide_b), np.inf)
        if kind == "expect_close":
            low = check.get("min_ulp_difference", 0)
            high = check.get("max_ulp_difference", 3)
            distance = ulp_distance(a, b)
            same |= finite & (distance >= low) & (distance <= high)
        elif kind == "expect_almost_eq":
            tolerance = check.get("tolerance", 1e-4)
            same |= difference <= tolerance + tolerance * np.abs(wide_b)
        if reordered:
            import ml_dtypes
            eps = float(ml_dtypes.finfo(a.dtype).eps)
            largest = np.max(np.where(np.isfinite(wide_b), np.abs(wide_b), 0))
            same |= difference <= 4 * eps * min(1024, max(8, a.size)) ** 0.5 * largest
    return same


def ulp_distance(a, b):
    import numpy as np
    bits = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}[a.dtype.itemsize]
    minimum = np.iinfo(bits).min

    def ordered(x):
        i = np.ascontiguousarray(x).view(bits).reshape(x.shape).astype(object if
            bits is np.int64 else np.int64)
        return np.where(i < 0, int(minimum) - i, i)

    return np.abs(ordered(a) - ordered(b)).astype(np.float64)


# ---------------------------------------------------------------- worker process
def worker(platform):
    """Reads names of programs and writes their outcomes."""
    import jax
    jax.config.update("jax_enable_x64", True)
    device = jax.devices(platform)[0]

    def run(name):
        result = {"name": name}
        try:
            program = load_prepared(name)
            result["kind"] = program["kind"]
            if "text" not in program:
                return result | {"status": "SKIP",
                                 "message": program.get("why", program["kind"])}
            computed = execute(device, program["text"], program["inputs"])
        except Exception as error:
            return result | {"status": "ERROR", "message": str(error) or repr(error)}
        wrong = [m for c, x in zip(program["checks"], computed)
                 if (m := compare(c, x, program["reordered"]))]
        return result | {"status": "FAIL" if wrong else "PASS", "message": "; ".join(wrong)}

    isolated_worker.serve(run)


def load_prepared(name):
    path = WORK / "prepared" / f"{name}.pickle"
    if path.exists():
        return pickle.loads(path.read_bytes())
    artifact = (WORK / "testdata" / f"{name}.mlir.bc").read_bytes()
    try:
        program = prepare(name, artifact)
    except Exception as error:
        program = {"kind": "static", "why": f"not prepared: {error}"}
        raise RuntimeError(program["why"]) from error
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}")
    partial.write_bytes(pickle.dumps(program))
    partial.rename(path)
    return program


# ---------------------------------------------------------------- parent process
def make_worker(options):
    command = [sys.executable, __file__, "--worker", options.platform]
    return isolated_worker.Worker(
        command, plugin_env.child(options.plugin, options.platform), options.timeout)


def unpack(data):
    folder = WORK / "testdata"
    if not folder.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        partial = WORK / f"unpacking.{os.getpid()}"
        with tarfile.open(data) as archive:
            archive.extractall(partial, filter="data")
        (partial / "testdata").rename(folder)
        partial.rmdir()
    return sorted(f.name.removesuffix(".mlir.bc") for f in folder.glob("*.mlir.bc"))


def run_all(names, options, on_result=None):
    """Runs the programs on `options.jobs` workers; returns the results in order of names."""
    queue, results = collections.deque(names), {}

    def serve():
        worker = make_worker(options)
        try:
            while True:
                try:
                    name = queue.popleft()
                except IndexError:
                    return
                results[name] = {"name": name, "kind": "static"} | worker.ask(name)
                if on_result:
                    on_result(results[name])
        finally:
            worker.close()

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for future in [pool.submit(serve) for _ in range(options.jobs)]:
            future.result()
    return [results[n] for n in names]


def summary(results):
    count = collections.Counter(r["status"] for r in results)
    total = sum(count.values()) - count["SKIP"]
    parts = [f"{count[s]} {s}" for s in ("PASS", "FAIL", "ERROR", "CRASH", "TIMEOUT")]
    return f"{', '.join(parts)}, {count['SKIP']} left out; " \
           f"{100 * count['PASS'] / max(1, total):.1f} % of {total} pass"


def group(message):
    """Groups messages that differ only in names, types and numbers."""
    line = message.splitlines()[0] if message else ""
    line = re.sub(r"tensor<[^>]*>|\([^)]*\)|'[^']*\.py[^']*'|loc\(.*", "_", line)
    return re.sub(r"-?\d+(\.\d+)?(e[-+]?\d+)?", "N", line)[:150]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    plugin_env.add_argument(parser)
    parser.add_argument("--platform", default="tenon", help="JAX platform (default: tenon)")
    parser.add_argument("--only", default="", help="regular expression on program names")
    parser.add_argument("--sample", type=int, default=1, help="every Nth program only")
    parser.add_argument("--data", type=pathlib.Path, default=DATA)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=60, help="seconds a program may take")
    parser.add_argument("--out", type=pathlib.Path, help="JSON file for the results")
    parser.add_argument("--resume", action="store_true", help="keep results in --out")
    parser.add_argument("--show", action="store_true", help="print each that does not pass")
    parser.add_argument("--dump", metavar="PROGRAM", help="print the rewritten program, stop")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return worker(options.worker)
    if not options.data.exists():
        print(f"no test data at {options.data}: nothing is run")
        return 0
    names = [n for n in unpack(options.data) if re.search(options.only, n)][::options.sample]
    if options.dump:
        os.environ.setdefault("JAX_PLATFORMS", "cpu")
        import jax
        jax.config.update("jax_enable_x64", True)
        print(load_prepared(options.dump)["text"])
        return 0

    kept = {}
    if options.resume and options.out and options.out.exists():
        kept = {r["name"]: r for r in json.loads(options.out.read_text())}
    done, lock, start = collections.Counter(), threading.Lock(), time.monotonic()

    def save():
        options.out.parent.mkdir(parents=True, exist_ok=True)
        partial = options.out.with_suffix(".tmp")
        partial.write_text(json.dumps(list(kept.values()), indent=1))
        partial.replace(options.out)

    def progress(result):
        with lock:
            kept[result["name"]] = result
            done[result["status"]] += 1
            number = sum(done.values())
            if options.out and number % 20 == 0:
                save()
            if options.show and result["status"] not in ("PASS", "SKIP"):
                print(f"{result['status']} {result['name']}: {result['message'][:300]}")
            if sys.stdout.isatty() or number % 200 == 0:
                print(f"{number}/{len(names)} {dict(done)} {time.monotonic() - start:.0f} s",
                      end="\r" if sys.stdout.isatty() else "\n", flush=True)

    run_all([name for name in names if name not in kept], options, progress)
    results = [kept[name] for name in names]
    if options.out:
        save()
    print()
    for status in ("CRASH", "TIMEOUT", "FAIL", "ERROR"):
        groups = collections.defaultdict(list)
        for r in results:
            if r["status"] == status:
                groups[group(r["message"])].append(r["name"])
        for message, members in sorted(groups.items(), key=lambda g: -len(g[1]))[:40]:
            print(f"{status} {len(members):4} x {message}   ({members[0]})")
    print(summary(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
