#!/usr/bin/env python3
"""Runs the programs of JAX's own test harnesses on Tenon and compares with the built-in CPU.

  run_harnesses.py --plugin build/release/lib/pjrt_plugin_tenon_cpu.so
  run_harnesses.py --sample 20                         # the 1/20 that the normal tests run
  run_harnesses.py --only '^sort' --mode own --show    # a few, with their messages

jax._src.internal_test_util.test_harnesses (in JAX's wheel) defines about 7,500 small programs
that use each primitive in all its forms and types. 64-bit types are on.

  own       Tenon is platform `tenon`, beside the built-in CPU in one process: each program is
            lowered for both, compiled and run on both, and the results are compared
  replace   Tenon is platform `cpu`: a program is SAME if its StableHLO is equal to one that passed
            in mode `own` on the same inputs; any other is run and compared with the results of
            the built-in CPU that mode `own` wrote to --out

Results are equal within JAX's test tolerance for their type (see `differs`). A program is PASS,
SAME, FAIL (wrong result), ERROR (not lowered, or rejected with a message), CRASH or TIMEOUT; the
last two end the worker process, which is replaced. NOT_LOWERED are programs that JAX itself does
not lower for the built-in CPU. The exit status is 1 if any program is not PASS, SAME or
NOT_LOWERED.
"""
import argparse
import collections
import hashlib
import json
import os
import pathlib
import pickle
import re
import sys
import time
import zlib

import isolated_worker
import plugin_env

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOOD = ("PASS", "SAME", "NOT_LOWERED")
STATUSES = (*GOOD, "FAIL", "ERROR", "CRASH", "TIMEOUT")


# ---------------------------------------------------------------- comparing
# Groups of harnesses whose sums may have any order: errors are relative to the largest result.
SUMS = re.compile(r"^(conv_general_dilated|dot_general|fft|cumsum|cumlogsumexp|reduce_sum|"
                  r"reduce_window_add|scatter_add|select_and_scatter_add|custom_linear_solve|"
                  r"cholesky|eigh?|lu|qr|svd|triangular_solve|tridiagonal_solve)$")
# Where the built-in CPU itself is farther from the exact value than JAX's tolerance (by 10 to 46
# eps in these programs; f64 and complex): the factor on the tolerance.
FACTORS = {"log1p": 16, "atanh": 4, "log": 4, "tan": 2, "pow": 8}


def differs(harness, args, ours, theirs):
    """None if the results agree, else the first difference.

    Floats agree within JAX's default tolerance for the narrower of the types of arguments and
    results, both absolute and relative; integers and truth values are equal.
    """
    if len(ours) != len(theirs):
        return f"{len(ours)} results, expected {len(theirs)}"
    messages = (array_differs(harness, args, a, b) for a, b in zip(
        comparable(harness, args, ours), comparable(harness, args, theirs)))
    return "; ".join(filter(None, messages)) or None


def comparable(harness, args, results):
    """The results in a comparable form. Equal elements may have any order. Factors of an
    ill-conditioned matrix are sensitive to rounding, so their products are compared."""
    import numpy as np
    params = harness.params
    if harness.group_name == "sort" and not params["is_stable"]:
        axis = params["dimension"]
        order = np.lexsort([x.astype(np.float32) for x in results[::-1]], axis)
        keys = results[:params.get("num_keys", 1)]
        return keys + [np.take_along_axis(x, order, axis) for x in results]
    if harness.group_name == "cholesky":
        factor = np.tril(results[0]).astype(wide(results[0].dtype))
        product = factor @ np.conj(np.swapaxes(factor, -1, -2))
        diagonal = np.diagonal(factor, axis1=-2, axis2=-1)
        positive = (np.real(diagonal) > 0) & (np.imag(diagonal) == 0)
        return [product.astype(results[0].dtype), np.triu(results[0], 1), positive,
                np.isnan(factor)]
    if harness.group_name == "approx_top_k":
        values, indices = results
        repeated = np.diff(np.sort(indices, -1), axis=-1) == 0
        return [values, np.take_along_axis(args[0], indices, -1), repeated]
    return results


def array_differs(harness, args, ours, theirs):
    import numpy as np
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return f"{ours.dtype}{list(ours.shape)}, expected {theirs.dtype}{list(theirs.shape)}"
    if ours.size == 0:
        return None
    if not is_float(ours.dtype):
        wrong = ours != theirs
    else:
        size = np.abs(theirs.astype(wide(theirs.dtype)))
        if SUMS.match(harness.group_name):
            size = np.max(size, where=np.isfinite(size), initial=0.0)
        bound = tolerance(harness, [ours, *args]) * (1 + size)
        wrong = np.zeros(ours.shape, bool)
        for part in (np.real, np.imag):
            a, b = part(ours.astype(wide(ours.dtype))), part(theirs.astype(wide(ours.dtype)))
            with np.errstate(all="ignore"):
                near = np.isfinite(a) & np.isfinite(b) & (np.abs(a - b) <= bound)
            wrong |= ~(near | (a == b) | (np.isnan(a) & np.isnan(b)))
    if not wrong.any():
        return None
    first = tuple(int(i) for i in np.argwhere(wrong)[0])
    return (f"{int(wrong.sum())} of {wrong.size} elements differ; first at {list(first)}: "
            f"{ours[first]!r}, expected {theirs[first]!r}")


def tolerance(harness, arrays):
    import numpy as np
    from jax._src import public_test_util
    tolerances = public_test_util.default_tolerance()
    values = [tolerances[np.asarray(x).dtype] for x in arrays if hasattr(x, "dtype")
              and np.asarray(x).dtype in tolerances]
    is_wide = np.dtype(harness.dtype).name in ("float64", "complex64", "complex128")
    return max(values) * (FACTORS.get(harness.group_name, 1) if is_wide else 1)


def wide(dtype):
    import numpy as np
    return np.complex128 if np.issubdtype(dtype, np.complexfloating) else np.float64


def is_float(dtype):
    import numpy as np
    return np.issubdtype(dtype, np.inexact) or "float" in dtype.name


# ---------------------------------------------------------------- programs
def harnesses():
    """All harnesses by their full names."""
    import numpy as np
    np.random.seed(0)  # some harnesses draw their operands when they are defined
    from jax._src.internal_test_util import test_harnesses
    return {h.fullname: h for h in sorted(test_harnesses.all_harnesses, key=str)}


def in_sample(name, one_of):
    """Whether the program belongs to the fixed 1/`one_of` sample."""
    return zlib.crc32(name.encode()) % one_of == 0


class Programs:
    """Runs harnesses in the mode of this process, for a worker."""

    def __init__(self, options):
        import jax
        self.folder = pathlib.Path(options.out)
        self.harnesses = harnesses()
        self.cpu = jax.devices("cpu")[0]
        self.replace = options.mode == "replace"
        self.device = jax.devices("cpu" if self.replace else "tenon")[0]
        version = self.device.client.platform_version
        assert "tenon" in version.lower(), f"the device's platform is {version!r}"
        self.own = json.loads(results_path(options, "own").read_text()) \
            if self.replace else {}
        self.passed_keys = {r["key"] for r in self.own.values() if r["status"] == "PASS"}

    def run(self, name):
        """The result of one program: status, message, and the keys of program and reference."""
        import numpy as np
        harness = self.harnesses[name]
        args = harness.dyn_args_maker(np.random.RandomState(0))
        if self.replace:
            if name not in self.own:
                raise RuntimeError("not run in mode own")
            reference = self.own[name].get("reference")
            if reference is None:
                return {"status": self.own[name]["status"], "message": "as in mode own"}
        else:
            try:
                program = lower(harness, args, self.cpu)
            except Exception as error:
                return {"status": "NOT_LOWERED", "message": repr(error)}
            reference = program_key(program, args)
            if not self.path(reference).exists():
                write(self.path(reference), pickle.dumps(execute(program, args)))
        result = {"status": "ERROR", "message": "", "reference": reference}
        try:
            program = lower(harness, args, self.device)
            result["key"] = program_key(program, args)
            if result["key"] in self.passed_keys:
                return result | {"status": "SAME"}
            computed = execute(program, args)
        except Exception as error:
            return result | {"message": str(error) or repr(error)}
        expected = pickle.loads(self.path(reference).read_bytes())
        wrong = differs(harness, args, computed, expected)
        return result | {"status": "FAIL" if wrong else "PASS", "message": wrong or ""}

    def path(self, key):
        """The file with the built-in CPU's results of a program."""
        return self.folder / "reference" / f"{key}.pickle"


def lower(harness, args, device):
    import jax
    with jax.default_device(device):
        return jax.jit(harness.dyn_fun).lower(*args)


def execute(lowered, args):
    """The results' leaves as NumPy arrays; keys of random generators as their numbers."""
    import jax
    import numpy as np
    results = jax.tree.leaves(lowered.compile()(*args))
    return [np.asarray(jax.random.key_data(x) if jax.dtypes.issubdtype(
        x.dtype, jax.dtypes.prng_key) else x) for x in results]


def program_key(lowered, args):
    """A key for a program together with its inputs."""
    import jax
    import numpy as np
    key = hashlib.sha256(f"jax {jax.__version__} {lowered.as_text()}".encode())
    for x in jax.tree.leaves(args):
        if hasattr(x, "dtype") and jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key):
            x = jax.random.key_data(x)
        array = np.asarray(x)
        key.update(f"{array.dtype}{array.shape}".encode() + array.tobytes())
    return key.hexdigest()


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}")
    partial.write_bytes(data)
    partial.rename(path)


# ---------------------------------------------------------------- parent process
def environment(options, mode):
    return plugin_env.child(options.plugin, replace_cpu=mode == "replace",
                            JAX_ENABLE_X64="1", PYTHONHASHSEED="0")


def results_path(options, mode):
    """The results of this shard's programs in one mode."""
    shard = options.shard.replace("/", "_of_")
    return pathlib.Path(options.out) / f"{mode}_{shard}.json"


def run_mode(options, mode):
    """Runs the chosen programs in one mode; their results by name."""
    command = [sys.executable, __file__, "--worker", "--mode", mode, "--out", options.out,
               "--shard", options.shard]
    worker = isolated_worker.Worker(command, environment(options, mode), options.timeout)
    names = [n for n in worker.hello()["names"]
             if re.search(options.only, n) and in_sample(n, options.sample)]
    shard, num_shards = (int(part) for part in options.shard.split("/"))
    names = names[shard - 1::num_shards]
    results, start = {}, time.monotonic()
    for i, name in enumerate(names, 1):
        result = results[name] = worker.ask(name)
        if options.show and result["status"] not in GOOD:
            print(f"{result['status']} {name}: {result['message'][:400]}", flush=True)
        if i % 500 == 0 or i == len(names):
            count = collections.Counter(r["status"] for r in results.values())
            print(f"{mode}: {i}/{len(names)} {dict(count)} {time.monotonic() - start:.0f} s",
                  flush=True)
    worker.close()
    return results


def report(mode, results):
    """Prints failing programs and a line of totals. Returns whether all passed."""
    count = collections.Counter(r["status"] for r in results.values())
    for name, result in results.items():
        if result["status"] not in GOOD:
            print(f"{mode}: {result['status']} {name}: {result['message'][:2000]}")
    parts = ", ".join(f"{count[s]} {s}" for s in STATUSES if count[s])
    print(f"mode {mode}: {len(results)} programs: {parts}")
    return not set(count) - set(GOOD)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    plugin_env.add_argument(parser)
    parser.add_argument("--mode", choices=("own", "replace", "both"), default="both")
    parser.add_argument("--only", default="", help="regular expression on program names")
    parser.add_argument("--sample", type=int, default=1, metavar="N",
                        help="the fixed 1/N sample, chosen by the hash of the name")
    parser.add_argument("--shard", default="1/1", metavar="I/N", help="every Nth program")
    parser.add_argument("--timeout", type=float, default=60, help="seconds a program may take")
    parser.add_argument("--out", default=str(ROOT / "build" / "harnesses"),
                        help="folder for results (default: build/harnesses)")
    parser.add_argument("--show", action="store_true", help="print failures as they come")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        programs = Programs(options)
        isolated_worker.serve(programs.run, names=list(programs.harnesses))
    passed = True
    for mode in ("own", "replace") if options.mode == "both" else (options.mode,):
        results = run_mode(options, mode)
        passed &= report(mode, results)
        write(results_path(options, mode), json.dumps(results, indent=1).encode())
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
