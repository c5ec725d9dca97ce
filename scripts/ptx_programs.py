#!/usr/bin/env python3
"""Compiles the programs of tests/ops to PTX and assembles it: no GPU is needed.

  ptx_programs.py                       # all programs, for sm_80 and sm_90a
  ptx_programs.py --only 'sort|fft' --processor sm_90a --keep /tmp/ptx

Until kernels are emitted for a grid of groups, a program is what `tenon-compile --emit=object`
writes for one thread, in LLVM IR with vectors of 64 bits, wrapped into one kernel. That is no
useful code for a GPU, but it has every operation that kernels have. Prints what failed and which
kernels spill registers. Exit status 1 if anything failed.
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

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = plugin_env.BUILD / "bin"
PROCESSORS = ("sm_80", "sm_90a")
# What no kernel is made of: programs that call the host, or several devices.
HOST_ONLY = re.compile(r"'(check_\w+|\w*_ffi|lapack_\w+)' does not exist|of several devices")


@dataclasses.dataclass
class Use:
    """What a kernel takes, as ptxas reports it."""
    kernel: str
    registers: int = 0
    spills: int = 0   # bytes stored
    stack: int = 0    # bytes
    shared: int = 0   # bytes


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
    return uses


def programs(only=""):
    """(name, text) of every module in tests/ops, with the checked values as results."""
    for path in sorted((ROOT / "tests" / "ops").glob("*.mlir")):
        if not re.search(only, path.stem):
            continue
        for text in re.split(r"^// -----$", path.read_text(), flags=re.MULTILINE):
            name = re.search(r"^module @(\w+)", text, re.MULTILINE)
            yield f"{path.stem}.{name[1] if name else 'main'}", return_results(text)


def return_results(text):
    """Turns checks of values into results of @main, so that no host function is called."""
    values, types = [], []
    kept = []
    for line in text.splitlines():
        found = re.match(r"\s*stablehlo.custom_call @check\.\w+\((%[\w#]+)(?:,.*)?\).* : \((.+)\) -> \(\)", line)
        if not found:
            kept.append(line)
            continue
        values.append(found[1])
        types.append(first_type(found[2]))
    if not values or text.count("@main()") != 1:
        return text
    text = "\n".join(kept)
    head, main = text.split("func.func @main() {", 1)
    result = f"    return {', '.join(values)} : {', '.join(types)}\n"
    return head + f"func.func @main() -> ({', '.join(types)}) {{" + re.sub(
        r"^    return\n", lambda _: result, main, count=1, flags=re.MULTILINE)


def first_type(types):
    depth = 0
    for at, char in enumerate(types):
        depth += {"<": 1, ">": -1}.get(char, 0)
        if char == "," and depth == 0:
            return types[:at]
    return types


def wrap(ir):
    """The IR of an object as a module with one kernel that runs the program."""
    ir = re.sub(r"^target .*\n", "", ir, flags=re.MULTILINE)
    ir = re.sub(r"^define (?!internal)(?:dso_local |hidden )*", "define internal ", ir,
                flags=re.MULTILINE)
    ir = re.sub(r"^(@\S+ = )dso_local ", r"\1internal ", ir, flags=re.MULTILINE)
    run = re.search(r"^define internal (.+?) @(model\.tenon_entry)\((.*)\)", ir, re.MULTILINE)
    types = [part.split(" ")[0] for part in re.split(r", (?=ptr|i\d)", run[3]) if part]
    kernel, passed = [], []
    for i, kind in enumerate(types):
        if kind == "ptr":
            kernel.append(f"  %g{i} = addrspacecast ptr addrspace(1) %a{i} to ptr")
        passed.append(f"{kind} %{'g' if kind == 'ptr' else 'a'}{i}")
    parameters = ", ".join(f"{'ptr addrspace(1)' if kind == 'ptr' else kind} %a{i}"
                           for i, kind in enumerate(types))
    result = run[1].split()[-1]
    return ir + "\n".join([
        "", f"define void @program({parameters}, ptr addrspace(1) %status) {{", *kernel,
        f"  %r = call {result} @model.tenon_entry({', '.join(passed)})",
        f"  store {result} %r, ptr addrspace(1) %status", "  ret void", "}", ""])


def compile_program(text, folder):
    """Writes the IR of a program's kernel and returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    step(BIN / "tenon-compile", "--target", "riscv64", "--emit", "object", "--threads", "none",
         "--no-fold", "--freestanding", "--dump", folder, "-", "-o", folder / "program.o",
         input=text)
    path = folder / "kernel.ll"
    path.write_text(wrap(next(folder.glob("*.code.ll")).read_text()))
    return path


def write_ptx(ir, processor):
    path = ir.with_suffix(f".{processor}.ptx")
    step(BIN / "tenon-ptx", ir, "--processor", processor, "-o", path)
    return path


def run(name, text, folder, processors):
    """(name, processor, list of Use or error) for each processor."""
    try:
        ir = compile_program(text, folder / name)
    except Refused as error:
        return [(name, "compile", error)]
    results = []
    for processor in processors:
        try:
            results.append((name, processor, assemble(write_ptx(ir, processor), processor)))
        except Refused as error:
            results.append((name, processor, error))
    return results


def run_all(only, processors, folder):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(run, name, text, folder, processors) for name, text in programs(only)]
        for job in jobs:
            yield from job.result()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="regular expression on names of files")
    parser.add_argument("--processor", action="append")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for IR and PTX")
    options = parser.parse_args()
    if not ptxas():
        sys.exit("ptxas is not installed; scripts/install_ptxas.sh installs it")
    assembled = refused = failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        for name, processor, result in run_all(options.only, options.processor or PROCESSORS,
                                               options.keep or pathlib.Path(temporary)):
            if not isinstance(result, Refused):
                assembled += 1
                for use in result:
                    if use.spills:
                        print(f"{name} {processor}: {use}")
            elif HOST_ONLY.search(str(result)):
                refused += 1
            else:
                failed += 1
                print(f"{name} {processor}: {result}", flush=True)
    print(f"{assembled} assembled, {refused} call the host, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
