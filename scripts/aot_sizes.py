#!/usr/bin/env python3
"""Writes docs/aot_sizes.md: code and stack of models as object files, by target.

  aot_sizes.py               # writes the page
  aot_sizes.py --check       # exit status 1 if a figure grew by more than 10 % against the page
  aot_sizes.py --speed       # times objects and the JIT, each on one thread, and prints ratios

The models are those of bench/programs.py and MobileNetV2, with weights as arguments.
"""
import argparse
import ctypes
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "aot_sizes.md"
BUILD = pathlib.Path(os.environ.get("TENON_BUILD", ROOT / "build" / "release"))
COMPILER = BUILD / "bin" / "tenon-compile"
sys.path.insert(0, str(ROOT / "bench"))

TARGETS = {"x86-64-v2": [], "x86-64-v3": [], "x86-64-v4": [], "aarch64": [],
           "riscv64": ["--features", "+v"], "wasm32": [], "cortex-m4": []}


def models():
    """name: (function, arguments)."""
    import programs
    from networks import ops
    from networks.jax_ops import JaxOps
    from networks.programs import PROGRAMS
    found = {name: (function, make()) for name, (function, make, _) in programs.PROGRAMS.items()}
    net = PROGRAMS["mobilenetv2_b1"]
    shapes, _ = ops.collect(JaxOps, net)
    parameters = {name: JaxOps.lay_out(kind, ops.make_parameter(name, shape, kind))
                  for name, (shape, kind) in shapes.items()}
    inputs = [JaxOps.lay_out(i.kind, i.make()) for i in net.inputs]
    found["MobileNetV2, 1x224x224"] = (lambda p, *x: net.function(JaxOps(p), *x),
                                       (parameters, *inputs))
    return found


def write_programs(folder):
    """The models' names and StableHLO files."""
    import jax
    files = {}
    for number, (name, (function, arguments)) in enumerate(models().items()):
        files[name] = folder / f"m{number}.mlir"
        files[name].write_text(jax.jit(function).lower(*arguments).as_text())
    return files


def compile(program, output, *options):
    header = output.with_suffix(".h")
    subprocess.run([COMPILER, program, "-o", output, "--header", header, *options], check=True,
                   timeout=600)
    return header.read_text()


def measure(program, folder, target, options):
    """Bytes of code with its constants, of stack, and of the arena."""
    output = folder / "model.o"
    header = compile(program, output, "--emit=object", "--target", target, *options)
    size = subprocess.run(["llvm-size-22", output], check=True, capture_output=True, text=True).stdout
    stack, arena = (int(re.search(rf"MODEL_{what}_BYTES (\d+)u", header).group(1))
                    for what in ("STACK", "ARENA"))
    return int(size.splitlines()[1].split()[0]), stack, arena


def table(rows, unit):
    text = "| model | " + " | ".join(TARGETS) + " |\n|---|" + "---:|" * len(TARGETS) + "\n"
    for name, values in rows.items():
        text += f"| {name} | " + " | ".join(unit(v) for v in values) + " |\n"
    return text


def page(figures):
    def column(index):
        return {name: [row[index] for row in rows] for name, rows in figures.items()}
    return f"""# Sizes of object files

Look here for how much code and stack a model takes as an object file (`tenon-compile --emit=object`,
[design](design/0026-object-files.md)). Written by `scripts/aot_sizes.py`; models are those of `bench`,
with weights as arguments.

Code with its constants, in KB:

{table(column(0), lambda v: f"{v / 1000:.1f}")}
The most stack that a call takes, in bytes (on riscv64, with vectors of 1,024 bits):

{table(column(1), lambda v: f"{v:,}")}
Scratch memory of a call (the arena), in KB:

{table(column(2), lambda v: f"{v / 1000:,.1f}")}"""


def numbers(text):
    return [[float(cell.replace(",", "")) for cell in line.split("|")[2:-1]]
            for line in text.splitlines() if re.match(r"\| .* \| [\d.,]+ \|", line)]


def grown(old, new):
    return [f"{b} was {a}" for before, after in zip(numbers(old), numbers(new), strict=True)
            for a, b in zip(before, after, strict=True) if b > 1.1 * a + 1]


def median_time(call):
    call()
    times = []
    end = time.perf_counter() + 1.5
    while time.perf_counter() < end or len(times) < 5:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def speed(folder):
    """Prints the time of each model's object as a multiple of the JIT's."""
    os.environ["TENON_THREADS"] = "1"
    import jax
    import numpy as np
    jax.config.update("jax_platforms", "tenon")
    ratios = []
    for number, (name, (function, arguments)) in enumerate(models().items()):
        jitted = jax.jit(function)
        program, library = folder / f"s{number}.mlir", folder / f"s{number}.so"
        lowered = jitted.lower(*arguments)
        program.write_text(lowered.as_text())
        header = compile(program, library, "--emit=shared", "--target", "native")
        leaves = [np.ascontiguousarray(x) for x in jax.tree.leaves(arguments)]
        results = [np.zeros(x.shape, x.dtype) for x in jax.tree.leaves(
            jax.eval_shape(function, *arguments))]
        arena = np.zeros(int(re.search(r"ARENA_BYTES (\d+)u", header).group(1)) + 64, np.uint8)
        start = arena.ctypes.data + 63 & ~63
        args, outs = ((ctypes.c_void_p * max(1, len(a)))(*[x.ctypes.data for x in a])
                      for a in (leaves, results))
        run = ctypes.CDLL(library).model_call
        run.argtypes = [ctypes.c_void_p] * 4
        device = jax.tree.map(jax.device_put, arguments)
        compiled = lowered.compile()
        ours, jit = [], []
        for _ in range(3):
            ours.append(median_time(lambda: run(None, args, outs, start)))
            jit.append(median_time(lambda: jax.block_until_ready(compiled(*device))))
        ratios.append(min(ours) / min(jit))
        print(f"{name:36} object {1e6 * min(ours):10.1f} us  JIT {1e6 * min(jit):10.1f} us  "
              f"ratio {ratios[-1]:.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--speed", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if options.speed:
            return speed(folder)
        figures = {model: [measure(program, folder, target, more)
                           for target, more in TARGETS.items()]
                   for model, program in write_programs(folder).items()}
    text = page(figures)
    if not options.check:
        PAGE.write_text(text)
        return 0
    wrong = grown(PAGE.read_text(), text)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
