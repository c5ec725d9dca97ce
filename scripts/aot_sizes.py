#!/usr/bin/env python3
"""Writes docs/aot_sizes.md: code and stack of models as object files, by target.

  aot_sizes.py               # writes the page
  aot_sizes.py --check       # exit status 1 if a figure grew by more than 10 % against the page
  aot_sizes.py --check --target x86-64-v3

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
os.environ.setdefault("JAX_PLATFORMS", "cpu")

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


def table(rows, targets, unit):
    text = "| model | " + " | ".join(targets) + " |\n|---|" + "---:|" * len(targets) + "\n"
    for name, values in rows.items():
        text += f"| {name} | " + " | ".join(unit(v) for v in values) + " |\n"
    return text


def page(figures, targets):
    def column(index):
        return {name: [row[index] for row in rows] for name, rows in figures.items()}
    return f"""# Sizes of object files

Look here for how much code and stack a model takes as an object file (`tenon-compile --emit=object`,
[design](design/0026-object-files.md)). Written by `scripts/aot_sizes.py`; models are those of `bench`,
with weights as arguments.

Code with its constants, in KB:

{table(column(0), targets, lambda v: f"{v / 1000:.1f}")}
The most stack that a call takes, in bytes (on riscv64, with vectors of 1,024 bits):

{table(column(1), targets, lambda v: f"{v:,}")}
Scratch memory of a call (the arena), in KB:

{table(column(2), targets, lambda v: f"{v / 1000:,.1f}")}"""


def numbers(text):
    """The figures of a page: (number of the table, model, target): value."""
    found, table, targets = {}, -1, []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if cells[:1] == ["model"]:
            table, targets = table + 1, cells[1:]
        elif cells and not cells[0].startswith("---"):
            found |= {(table, cells[0], target): float(cell.replace(",", ""))
                      for target, cell in zip(targets, cells[1:], strict=True)}
    return found


def grown(old, new):
    units = ("KB of code", "bytes of stack", "KB of arena")
    return [f"{model} for {target}: {value} {units[table]}, was {old.get((table, model, target))}"
            for (table, model, target), value in new.items()
            if value > 1.1 * old.get((table, model, target), 0) + (64 if table == 1 else 0.2)]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--target", action="append", choices=TARGETS, help="with --check: only these")
    options = parser.parse_args()
    if options.target and not options.check:
        parser.error("--target needs --check")
    targets = {name: more for name, more in TARGETS.items() if name in (options.target or TARGETS)}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        figures = {model: [measure(program, folder, target, more)
                           for target, more in targets.items()]
                   for model, program in write_programs(folder).items()}
    text = page(figures, targets)
    if not options.check:
        PAGE.write_text(text)
        return 0
    wrong = grown(numbers(PAGE.read_text()), numbers(text))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
