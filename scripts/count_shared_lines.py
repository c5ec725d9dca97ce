#!/usr/bin/env python3
"""Counts which lines of the compiler are shared by code for processors and code for devices (GPUs).

  count_shared_lines.py              # prints the table
  count_shared_lines.py --files      # and the files that are not shared
  count_shared_lines.py --document   # writes the table into docs/gpu.md

A file counts for devices if it is reached through #include from what generates device code, and
for processors if it is reached from what generates machine code. A source file goes with the header
that it includes first. What neither reaches runs before code generation, for both. Tests and
programs are not counted. Exit status 1 if less than 85 % is shared.
"""
import argparse
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMPILER = ROOT / "tenon" / "compiler"
PAGE = ROOT / "docs" / "gpu.md"
GOAL = 0.85

DEVICE_ROOTS = ("compiler/pipeline/generate_device_code.h", "compiler/targets/spirv/",
                "compiler/targets/nvptx/", "compiler/targets/device_target.h",
                "compiler/codegen/matrix/")
PROCESSOR_ROOTS = ("compiler/pipeline/generate_code.h", "compiler/object/",
                   "compiler/targets/more/")
# Reached by both, because one table or plan has rows for all targets, but about one of them.
DEVICE_FILES = re.compile(r"targets/(gpu|device_target|matrix_instructions)|codegen/(grid|matrix)/|"
                          r"codegen/program/program_launches|codegen/kernel/device_launch|"
                          r"analysis/host_scalars|pipeline/generate_device_code")
PROCESSOR_FILES = re.compile(r"compiler/object/|pipeline/generate_code.cc|targets/(more/|x86_|"
                             r"k_group_products|matrix_unit|float_mode|host_caches|processor_check|"
                             r"required_features)|codegen/contract/(k_group|matrix)|plan/k_group")


def sources():
    for path in sorted(COMPILER.rglob("*")):
        if path.suffix not in (".h", ".cc", ".inc", ".td"):
            continue
        if re.search(r"(_test|_fuzz|_main|_benchmark)\.cc$|testing\.h$", path.name):
            continue
        yield path.relative_to(ROOT / "tenon").as_posix(), path.read_text()


class Graph:
    def __init__(self):
        self.lines, includes = {}, {}
        for name, text in sources():
            self.lines[name] = text.count("\n")
            includes[name] = re.findall(r'^ *#? *include "tenon/([^"]+)"', text, re.MULTILINE)
        self.uses = collections.defaultdict(set)
        for name, included in includes.items():
            self.uses[name].update(i for i in included if i in self.lines)
            if name.endswith(".cc") and included:
                self.uses[included[0]].add(name)  # whoever uses the header uses its source file

    def reach(self, roots):
        work = [name for name in self.lines if name.startswith(roots)]
        seen = set(work)
        while work:
            new = self.uses[work.pop()] - seen
            seen |= new
            work.extend(new)
        return seen


def classify(graph):
    """{file: "shared", "devices" or "processors"}."""
    device, processor = graph.reach(DEVICE_ROOTS), graph.reach(PROCESSOR_ROOTS)

    def kind(name):
        if DEVICE_FILES.search(name) or (name in device and name not in processor):
            return "devices"
        if PROCESSOR_FILES.search(name) or (name in processor and name not in device):
            return "processors"
        return "shared"

    return {name: kind(name) for name in graph.lines}


def table(graph, kinds):
    folders = collections.defaultdict(collections.Counter)
    for name, kind in kinds.items():
        parts = name.split("/")[1:-1]
        depth = 2 if parts[:1] in (["codegen"], ["targets"]) else 1
        folders["/".join(parts[:depth]) or "(top)"][kind] += graph.lines[name]
    total = sum(folders.values(), collections.Counter())
    rows = ["| folder | shared | devices only | processors only |", "|---|---:|---:|---:|"]
    for folder, counts in sorted(folders.items()):
        if set(counts) != {"shared"}:
            rows.append(f"| `{folder}` | {counts['shared']:,} | {counts['devices']:,} | "
                        f"{counts['processors']:,} |")
    rest = sum(c["shared"] for c in folders.values() if set(c) == {"shared"})
    rows.append(f"| all others | {rest:,} | 0 | 0 |")
    rows.append(f"| all | {total['shared']:,} | {total['devices']:,} | {total['processors']:,} |")
    return rows, total


def document(text):
    page = PAGE.read_text()
    new, count = re.subn(r"(<!-- shared: [^>]*-->\n).*?(<!-- /shared -->)",
                         lambda m: m[1] + text + m[2], page, flags=re.DOTALL)
    if not count:
        sys.exit(f"count_shared_lines.py: {PAGE} has no place for the table")
    PAGE.write_text(new)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", action="store_true", help="list the files that are not shared")
    parser.add_argument("--document", action="store_true", help="write the table into docs/gpu.md")
    arguments = parser.parse_args()
    graph = Graph()
    kinds = classify(graph)
    if arguments.files:
        for name, kind in kinds.items():
            if kind != "shared":
                print(f"{kind:10} {graph.lines[name]:6} {name}")
    rows, total = table(graph, kinds)
    share = total["shared"] / total.total()
    # Devices run this folder's code only for products of types that tiles do not have.
    loops = sum(graph.lines[name] for name, kind in kinds.items()
                if kind == "shared" and "/codegen/contract/" in name)
    summary = (f"{share:.1%} of {total.total():,} lines are shared, "
               f"{(total['shared'] - loops) / total.total():.1%} without `codegen/contract`.")
    text = "\n".join([summary, "", *rows]) + "\n"
    print(text, end="")
    if arguments.document:
        document(text)
    sys.exit(share < GOAL)


if __name__ == "__main__":
    main()
