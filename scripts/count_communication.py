#!/usr/bin/env python3
"""Bytes that the devices of a program receive: Tenon's partitioner against XLA's.

  count_communication.py                       # the programs of ../shared/conformance/spmd
  count_communication.py --only 17 --show      # collectives of programs whose name contains 17
  count_communication.py --json FILE           # and the table as JSON

Tenon partitions what JAX sends (dumps/*.mlir) as the compiler does (tenon-compile --stage
partition); a program of which the framework partitions calls is compiled in JAX. XLA compiles the
same functions, of dump.py and dump2.py, for eight devices of JAX's built-in CPU; its collectives
are those of the optimized HLO. For both, a device of a group of n receives

  all_reduce 2 (n-1)/n operand, all_gather (n-1)/n result, reduce_scatter and all_to_all
  (n-1)/n operand, collective_broadcast (n-1)/n operand, collective_permute operand

where permutations count only the devices that receive from another one. What is in a loop counts
once per iteration if the trip count is known; of branches, the most expensive counts. Exit
status 1: a program for which Tenon moves more than XLA.
"""
import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import plugin_env  # noqa: E402

PROGRAMS = ROOT.parent / "shared" / "conformance" / "spmd"
# What a device receives, in units of the operand, for groups of n; of all_gather, of the result.
SHARES = {"all_reduce": lambda n: 2 * (n - 1) / n, "all_gather": lambda n: (n - 1) / n,
          "reduce_scatter": lambda n: (n - 1) / n, "all_to_all": lambda n: (n - 1) / n,
          "collective_broadcast": lambda n: (n - 1) / n}
BITS = {"pred": 8, "bf16": 16, "c64": 64, "c128": 128}


def received(kind, operand, result, group, pairs=(), devices=1):
    """Bytes per device, on average. Sizes are those of one device."""
    if kind == "collective_permute":
        return operand * sum(a != b for a, b in pairs) / devices
    return SHARES[kind](group) * (result if kind == "all_gather" else operand)


class Hlo:
    """Collectives of an HLO module's text, computation by computation."""

    KIND = re.compile(r" (all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute|"
                      r"collective-broadcast)(?:-start)?\(")

    def __init__(self, text, devices):
        self.devices = devices
        self.computations, self.entry, lines = {}, None, None
        for line in text.splitlines():
            header = re.match(r"(ENTRY )?%([\w.\-]+) \(.*\{$", line)
            if header:
                lines = self.computations.setdefault(header.group(2), [])
                if header.group(1):
                    self.entry = header.group(2)
            elif lines is not None and " = " in line:
                lines.append(re.sub(r"/\*.*?\*/", "", line.strip().removeprefix("ROOT ")))
        self.types = {line.split(" = ")[0]: line for lines in self.computations.values()
                      for line in lines}

    @staticmethod
    def bytes_of(text):
        """Of all arrays named in a type."""
        total = 0
        for element, dims in re.findall(r"\b(pred|bf16|[sufc]\d+\w*)\[([\d,]*)\]", text):
            bits = BITS.get(element) or max(8, int(re.match(r"[a-z]+(\d+)", element).group(1)))
            total += math.prod(int(d) for d in dims.split(",") if d) * bits // 8
        return total

    def group_size(self, line):
        if groups := re.search(r"replica_groups=\{\{([\d,]*)\}", line):
            return len(groups.group(1).split(","))
        if groups := re.search(r"replica_groups=\[(\d+),(\d+)\]<=", line):
            return int(groups.group(2))
        if groups := re.search(r"replica_groups=mesh\[(.*?)\]\s*\{(.*?)\}", line):
            sizes = dict(re.findall(r"('\w+')=(\d+)", groups.group(1)))
            used = re.findall(r"('\w+')(?::\(\d+\)(\d+))?", groups.group(2))
            return math.prod(int(part or sizes[axis]) for axis, part in used)
        return self.devices

    def collective(self, line, kind):
        result = self.bytes_of(line.split(" = ", 1)[1].split(f" {kind}", 1)[0])
        operands = re.findall(r"%[\w.\-]+", re.search(rf" {kind}(?:-start)?\((.*?)\)",
                                                     line).group(1))
        operand = sum(self.bytes_of(self.types[name].split(" = ", 1)[1].split("(")[0]
                                    if not self.types[name].split(" = ", 1)[1].startswith("(")
                                    else re.match(r"\(.*?\) ", self.types[name].split(
                                        " = ", 1)[1]).group(0)) for name in operands)
        pairs = re.findall(r"\{(\d+),(\d+)\}", line.split("source_target_pairs=")[-1].split("}}")[0]
                           + "}") if "source_target_pairs" in line else ()
        kind = kind.replace("-", "_")
        return received(kind, operand, result, self.group_size(line), pairs, self.devices)

    def count(self, name=None):
        """[(kind, bytes, times)] of a computation and those that it calls."""
        found = []
        for line in self.computations.get(name or self.entry, ()):
            if kind := self.KIND.search(line):
                found.append((kind.group(1).replace("-", "_"),
                              self.collective(line, kind.group(1)), 1))
            elif " while(" in line:
                trips = re.search(r'known_trip_count":\{"n":"(\d+)"', line)
                body = self.count(re.search(r"body=%([\w.\-]+)", line).group(1))
                found += [(k, b, times * int(trips.group(1) if trips else 1))
                          for k, b, times in body]
            elif " conditional(" in line:
                names = re.search(r"branch_computations=\{(.*?)\}", line)
                branches = (re.findall(r"%([\w.\-]+)", names.group(1)) if names else
                            re.findall(r"(?:true|false)_computation=%([\w.\-]+)", line))
                found += max((self.count(branch) for branch in branches), key=total)
            elif " call(" in line:
                found += self.count(re.search(r"to_apply=%([\w.\-]+)", line).group(1))
        return found


def total(collectives):
    return sum(size * times for _, size, times in collectives)


class StableHlo:
    """Collectives of the program of one device, through jaxlib's bindings."""

    def __init__(self, text):
        from jax._src.interpreters import mlir
        from jaxlib.mlir import ir
        self.ir = ir
        # Their decompositions are not in the program any more.
        text = re.sub(r'"stablehlo.composite"(\([^)]*\)) <\{[^\n]*?\}>',
                      r'"stablehlo.custom_call"\1 <{call_target_name = "composite"}>', text)
        with mlir.make_ir_context() as context, ir.Location.unknown(context):
            self.module = ir.Module.parse(text)
            attributes = self.module.operation.attributes
            self.devices = ir.IntegerAttr(attributes["mhlo.num_partitions"]).value
            main = next(op for op in self.module.body.operations
                        if ir.StringAttr(op.attributes["sym_name"]).value == "main")
            self.found = self.count(main.regions[0])

    def bytes_of(self, values):
        size = 0
        for value in values:
            tensor = self.ir.RankedTensorType(value.type)
            element = str(tensor.element_type)
            bits = 8 if element == "i1" else sum(
                int(n) for n in re.findall(r"\d+", element.split("E")[0])[:1])
            bits *= 2 if element.startswith("complex") else 1
            size += math.prod(tensor.shape) * max(8, bits) // 8
        return size

    def collective(self, op, kind):
        operand, result = self.bytes_of(op.operands), self.bytes_of(op.results)
        if kind == "collective_permute":
            pairs = self.ir.DenseIntElementsAttr(op.attributes["source_target_pairs"])
            numbers = list(pairs)
            return received(kind, operand, result, 1, zip(numbers[::2], numbers[1::2]),
                            self.devices)
        groups = self.ir.DenseIntElementsAttr(op.attributes["replica_groups"])
        return received(kind, operand, result, groups.type.shape[-1])

    def trips(self, loop):
        """Of loops that count from a constant to another one by one; else 1."""
        compare = next((op for op in loop.regions[0].blocks[0].operations
                        if op.operation.name == "stablehlo.compare"), None)
        if compare is None:
            return 1
        def number(value):
            owner = value.owner
            if isinstance(owner, self.ir.Block) or owner.name != "stablehlo.constant":
                return None
            return self.ir.DenseIntElementsAttr(owner.attributes["value"])[0]
        counter, limit = compare.operands
        if not isinstance(counter.owner, self.ir.Block) or number(limit) is None:
            return 1
        start = number(loop.operands[self.ir.BlockArgument(counter).arg_number])
        return number(limit) - (start or 0)

    def count(self, region):
        found = []
        for block in region.blocks:
            for op in block.operations:
                op = op.operation
                kind = op.name.removeprefix("stablehlo.")
                if kind in SHARES or kind == "collective_permute":
                    found.append((kind, self.collective(op, kind), 1))
                elif kind == "while":
                    trips = self.trips(op)
                    found += [(k, b, times * trips) for k, b, times in self.count(op.regions[1])]
                elif kind in ("if", "case"):
                    found += max((self.count(branch) for branch in op.regions), key=total)
        return found


# Compiles the functions of the dump scripts whose names are arguments, for JAX's first platform.
CHILD = """
import pathlib, sys
folder, programs, *names = sys.argv[1:]
sys.argv = sys.argv[:1]
for script in ("dump.py", "dump2.py"):
    source = (pathlib.Path(programs) / script).read_text()
    scope = {}
    exec(compile(source.split("sel=sys.argv")[0], script, "exec"), scope)
    for name, function in scope["cases"].items():
        if name not in names or (pathlib.Path(folder) / name).exists():
            continue
        try:
            text = function().compile().as_text()
        except Exception as error:
            print(name, "is not compiled:", str(error).splitlines()[0][:200], file=sys.stderr)
            continue
        (pathlib.Path(folder) / name).write_text(text)
"""


def compile_with_jax(names, env):
    """HLO text by name. Each failing program is left out."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**env, "TF_CPP_MIN_LOG_LEVEL": "3"}
        subprocess.run([sys.executable, "-c", CHILD, folder, str(PROGRAMS), *names],
                       env=env, check=False, timeout=900)
        return {path.name: path.read_text() for path in pathlib.Path(folder).iterdir()}


def partition(path):
    """Tenon's program of one device, or the error."""
    tool = plugin_env.BUILD / "bin" / "tenon-compile"
    run = subprocess.run([tool, str(path), "--stage", "partition"], capture_output=True,
                         text=True, timeout=120, check=False)
    # A program of one device is not partitioned. Later phases may fail: they need functions of the
    # framework.
    if run.stdout or run.returncode == 0:
        return run.stdout, None
    return None, (run.stderr.splitlines() or [f"exit status {run.returncode}"])[0]


def describe(collectives):
    return ", ".join(f"{kind} {size:g}" + (f" x{times}" if times != 1 else "")
                     for kind, size, times in collectives) or "none"


def compare(path, hlo, tenon_hlo):
    """A row of the table: name, bytes of both or None, the collectives of both."""
    text, error = partition(path)
    tenon = StableHlo(text).found if text else [] if text == "" else None
    if tenon_hlo:
        tenon, error = Hlo(tenon_hlo, 8).count(), None
    xla = Hlo(hlo, 8).count() if hlo else None
    return {"name": path.stem, "tenon": None if tenon is None else total(tenon),
            "xla": None if xla is None else total(xla), "error": error,
            "tenon_count": len(tenon or ()), "xla_count": len(xla or ()),
            "tenon_collectives": tenon, "xla_collectives": xla}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="programs whose name contains this")
    parser.add_argument("--show", action="store_true", help="print each collective")
    parser.add_argument("--json", type=pathlib.Path, help="write the table to this file")
    arguments = parser.parse_args()
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    paths = sorted(path for path in (PROGRAMS / "dumps").glob("*.mlir")
                   if arguments.only in path.name)
    if not paths:
        sys.exit(f"no programs in {PROGRAMS / 'dumps'} have '{arguments.only}' in their name")
    hlo = compile_with_jax([path.stem for path in paths], plugin_env.clean())
    asks = [path.stem for path in paths if "CustomSPMDPartitioning" in path.read_text()]
    tenon = compile_with_jax(asks, plugin_env.child(replace_cpu=True, base=plugin_env.clean()))
    rows = [compare(path, hlo.get(path.stem), tenon.get(path.stem)) for path in paths]
    worse = 0
    print(f"{'bytes received per device':45} {'Tenon':>9} {'XLA':>9}   collectives")
    for row in rows:
        more = None not in (row["tenon"], row["xla"]) and row["tenon"] > row["xla"] + 0.5
        worse += more
        sizes = [f"{row[who]:9.0f}" if row[who] is not None else f"{'-':>9}"
                 for who in ("tenon", "xla")]
        print(f"{row['name']:45} {sizes[0]} {sizes[1]}   {row['tenon_count']} and "
              f"{row['xla_count']}{'   MORE' if more else ''}")
        if row["error"]:
            print("    " + row["error"])
        if arguments.show:
            for who in ("tenon", "xla"):
                if row[f"{who}_collectives"] is not None:
                    print(f"    {who}: {describe(row[f'{who}_collectives'])}")
    print(f"{len(rows)} programs; Tenon moves more than XLA in {worse}")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
