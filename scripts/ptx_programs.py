#!/usr/bin/env python3
"""Compiles test programs to PTX and assembles every kernel: no GPU is needed.

  ptx_programs.py                       # tests/ops, for sm_80 and sm_90a: some minutes
  ptx_programs.py --set conformance --every 10 --processor sm_90a
  ptx_programs.py --only 'sort|fft' --keep /tmp/ptx

Sets: `ops`, the programs of tests/ops; `conformance`, those of StableHLO's test data
(../shared/conformance) that are neither dynamic nor quantized. Prints what failed, which kernels
spill registers, and the stack of elementwise kernels, if they have any. Exit status 1 if anything
failed.
"""
import argparse
import concurrent.futures
import dataclasses
import pathlib
import re
import subprocess
import sys
import tempfile

import plugin_env
import run_conformance

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = plugin_env.BUILD / "bin"
PROCESSORS = ("sm_80", "sm_90a")
# What is not for one device, and what an expected failure of a program is.
EXPECTED = re.compile(r"of several devices|of \d+ devices|num_partitions|!quant|uniform_(de)?quantize|"
                      r"dynamic")


@dataclasses.dataclass
class Use:
    """What a kernel takes, as ptxas reports it."""
    kernel: str
    registers: int = 0
    spills: int = 0   # bytes stored
    stack: int = 0    # bytes
    shared: int = 0   # bytes
    serialized: bool = False  # ptxas added waits for wgmma, because registers are moved


def ptxas():
    """The assembler's path, or None. scripts/install_ptxas.sh installs it."""
    found = sorted(ROOT.glob("build/ptxas/*/nvidia/cu13/bin/ptxas"))
    return found[-1] if found else None


def call(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)


class Refused(Exception):
    """A step that ended with an error, and its text."""


def step(*command, **options):
    done = call(*command, **options)
    if done.returncode:
        raise Refused((done.stderr or done.stdout).strip()[:2000] or f"status {done.returncode}")
    return done.stdout


def assemble(ptx, processor, cubin="/dev/null"):
    """Assembles PTX (a path) and returns the Use of each kernel."""
    report = call(ptxas(), f"-arch={processor}", "-v", "--warn-on-spills", ptx, "-o", cubin)
    if report.returncode:
        raise Refused("ptxas: " + (report.stderr + report.stdout).strip()[:2000])
    uses = []
    for line in report.stderr.splitlines():
        if found := re.search(r"Compiling entry function '(.+)' for", line):
            uses.append(Use(found[1]))
        elif not uses:
            continue
        elif found := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores", line):
            # Also of functions that the kernel calls.
            uses[-1].stack += int(found[1])
            uses[-1].spills += int(found[2])
        elif found := re.search(r"Used (\d+) registers", line):
            uses[-1].registers = int(found[1])
            shared = re.search(r"(\d+) bytes smem", line)
            uses[-1].shared = int(shared[1]) if shared else 0
    for use in uses:
        use.serialized = any(
            ("are serialized" in line or "wait is injected" in line) and f"'{use.kernel}'" in line
            for line in report.stderr.splitlines())
    return uses


def programs(only=""):
    """(name, program) of every module in tests/ops, with the checked values as results."""
    for path in sorted((ROOT / "tests" / "ops").glob("*.mlir")):
        if not re.search(only, path.stem):
            continue
        text = path.read_text()
        if "expected-error" in text or "%main" in text or path.stem == "unsupported":
            continue
        parts = re.split(r"^// -----$", text, flags=re.MULTILINE)
        for number, part in enumerate(parts):
            name = re.search(r"^module @(\w+)", part, re.MULTILINE)
            yield f"{path.stem}.{name[1] if name else number}", return_results(part)


def return_results(text):
    """Turns checks of values into results of @main, so that no host function is called.

    A program whose @main has results, or several checks in its control flow, only loses them.
    """
    check = re.compile(r"\s*stablehlo.custom_call @check\.\w+\((%[\w#]+)(?:,.*)?\).* : "
                       r"\((.+)\) -> (?:\(\)|tuple<>)")
    lines = text.splitlines(keepends=True)
    checks = [found for line in lines if (found := check.match(line))]
    text = "".join(line for line in lines if not check.match(line))
    if not checks or text.count("@main() {") != 1:
        return text
    values = ", ".join(found[1] for found in checks)
    types = ", ".join(first_type(found[2]) for found in checks)
    head, main = text.split("@main() {", 1)
    return f"{head}@main() -> ({types}) {{" + re.sub(
        r"^( *)return\n", lambda found: f"{found[1]}return {values} : {types}\n", main, count=1,
        flags=re.MULTILINE)


def first_type(types):
    depth = 0
    for at, char in enumerate(types):
        depth += {"<": 1, ">": -1}.get(char, 0)
        if char == "," and depth == 0:
            return types[:at]
    return types


def conformance_programs(only=""):
    """(name, program) of StableHLO's test data."""
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo
    names = run_conformance.unpack(run_conformance.DATA)
    with mlir.make_ir_context(), ir.Location.unknown():
        for name in names:
            if not re.search(only, name) or re.search("dynamic|quantized", name):
                continue
            artifact = (run_conformance.WORK / "testdata" / f"{name}.mlir.bc").read_bytes()
            module = stablehlo.deserialize_portable_artifact(mlir.ir.Context.current, artifact)
            yield name, return_results(str(module))


def compile_program(program, processor, folder):
    """Returns the path of a program's PTX, or None if it has no kernels."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "program.mlir"
    source.write_text(program)
    step(BIN / "tenon-compile", "--target", processor, "--no-fold", "--threads", "1", "--dump",
         folder, source, "-o", folder / "image")
    return next(folder.glob("*.device.ptx"), None)


def write_ptx(ir, processor):
    path = ir.with_suffix(f".{processor}.ptx")
    step(BIN / "tenon-ptx", ir, "--processor", processor, "-o", path)
    return path


def run(name, program, folder, processors):
    """(name, processor, list of Use or error) for each processor."""
    results = []
    for processor in processors:
        place = folder / f"{name}.{processor}"
        try:
            ptx = compile_program(program, processor, place)
            results.append((name, processor, assemble(ptx, processor) if ptx else []))
        except Refused as error:
            results.append((name, processor, error))
    return results


def run_all(cases, processors, folder):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(run, *case, folder, processors) for case in cases]
        for job in jobs:
            yield from job.result()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", default="ops", choices=["ops", "conformance"])
    parser.add_argument("--only", default="", help="regular expression on names of programs")
    parser.add_argument("--every", type=int, default=1, help="take only every Nth program")
    parser.add_argument("--processor", action="append")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for dumps and PTX")
    options = parser.parse_args()
    if not ptxas():
        sys.exit("ptxas is not installed; scripts/install_ptxas.sh installs it")
    named = programs if options.set == "ops" else conformance_programs
    cases = list(named(options.only))[::options.every]
    counts = dict.fromkeys(("programs", "kernels", "kernels that spill", "elementwise kernels with stack",
                            "refused", "failed"), 0)
    with tempfile.TemporaryDirectory() as temporary:
        for name, processor, result in run_all(cases, options.processor or PROCESSORS,
                                               options.keep or pathlib.Path(temporary)):
            if isinstance(result, Refused):
                counts["refused" if EXPECTED.search(str(result)) else "failed"] += 1
                if not EXPECTED.search(str(result)):
                    print(f"{name} {processor}: {result}", flush=True)
                continue
            counts["programs"] += 1
            counts["kernels"] += len(result)
            for use in result:
                counts["kernels that spill"] += use.spills > 0
                elementwise = use.kernel.startswith("loop_")
                counts["elementwise kernels with stack"] += elementwise and use.stack > 0
                if use.spills or (elementwise and use.stack):
                    print(f"{name} {processor}: {use}", flush=True)
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
