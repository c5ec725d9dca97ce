#!/usr/bin/env python3
"""Writes docs/aot_sizes.md: code and stack of models as object files, by target.

  aot_sizes.py               # writes the page
  aot_sizes.py --check       # exit status 1 if a figure grew by more than 10 % against the page

The models are those of bench/programs.py and MobileNetV2, with weights as arguments.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

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


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
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
