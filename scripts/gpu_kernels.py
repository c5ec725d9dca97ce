#!/usr/bin/env python3
"""Registers, spills and local memory of the GPU kernels that are planned by hand, from ptxas.

  gpu_kernels.py             # prints the table
  gpu_kernels.py --document  # writes it into docs/gpu_kernels.md

Needs tenon-core-kernels and ptxas (scripts/install_ptxas.sh), and no GPU. Exit status 1 if a
kernel spills registers or uses stack.
"""
import argparse
import json
import pathlib
import re
import sys
import tempfile

import ptx_programs

PAGE = ptx_programs.ROOT / "docs" / "gpu_kernels.md"
PROCESSORS = ptx_programs.PROCESSORS


def write_kernels(folder, processor):
    """Writes the PTX of all kernels. Returns the launch of each, as tenon-core-kernels prints it."""
    lines = ptx_programs.step(ptx_programs.BIN / "tenon-core-kernels", folder, "--processor",
                              processor)
    return [json.loads(line) for line in lines.splitlines()]


def measure(folder):
    """{kernel: {processor: (launch, Use)}}."""
    kernels = {}
    for processor in PROCESSORS:
        for launch in write_kernels(folder, processor):
            [use] = ptx_programs.assemble(launch["file"], processor)
            kernels.setdefault(launch["kernel"], {})[processor] = (launch, use)
    return kernels


def table(kernels):
    rows = ["| kernel | tile | stages | items | local memory | "
            + " | ".join(f"registers, {processor}" for processor in PROCESSORS)
            + " | spills | stack |",
            "|---|---|---:|---:|---:|" + "---:|" * (len(PROCESSORS) + 2)]
    for name, uses in kernels.items():
        launch = next(iter(uses.values()))[0]
        registers = [str(uses[p][1].registers) if p in uses else "-" for p in PROCESSORS]
        spills = sum(use.spills for _, use in uses.values())
        stack = sum(use.stack for _, use in uses.values())
        rows.append(f"| `{name}` | {launch['rows']} x {launch['columns']} x {launch['depth']} | "
                    f"{launch['stages']} | {launch['items']} | {launch['local_bytes'] // 1024} KiB | "
                    f"{' | '.join(registers)} | {spills} | {stack} |")
    return "\n".join(rows) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--document", action="store_true", help="write the table into the page")
    options = parser.parse_args()
    if not ptx_programs.ptxas():
        sys.exit("ptxas is not installed; scripts/install_ptxas.sh installs it")
    with tempfile.TemporaryDirectory() as folder:
        kernels = measure(pathlib.Path(folder))
    text = table(kernels)
    print(text, end="")
    if options.document:
        mark = re.compile(r"(<!-- kernels: [^\n]*-->\n).*(<!-- /kernels -->)", re.DOTALL)
        PAGE.write_text(mark.sub(lambda found: found[1] + text + found[2], PAGE.read_text()))
    return any(use.spills or use.stack for uses in kernels.values() for _, use in uses.values())


if __name__ == "__main__":
    sys.exit(main())
