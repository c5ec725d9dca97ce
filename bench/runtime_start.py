#!/usr/bin/env python3
"""Sizes of libtenon_runtime and the plugin without a compiler, and how soon a program runs.

Prints a table: sizes after strip, the time from the start of a process to the first result of an MLP,
and the time and memory to open files with 1 GB of constants. Times are medians.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "runtime"), str(ROOT / "scripts")]
import tenon_file  # noqa: E402
from runtime_tools import BUILD, HERE, MLP, build_c, command, compile_file, plugin_env, shown  # noqa: E402


def stripped_size(path, folder):
    command("strip", "-o", folder / "stripped", pathlib.Path(path).resolve())
    return (folder / "stripped").stat().st_size


def start_times(program, path, runs):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run([program, path], check=True, stdout=subprocess.DEVNULL)
        times.append(1e3 * (time.perf_counter() - start))
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=50)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        command("cmake", "--install", BUILD, "--component", "runtime", "--prefix", folder)
        program = build_c(folder, HERE / "run_program.c", folder / "run_program",
                          folder / "lib" / "libtenon_runtime.a", "-lpthread", "-Wl,--gc-sections")
        command(sys.executable, "-c", MLP, folder / "mlp.mlir",
                env={**plugin_env.clean(), "JAX_PLATFORMS": "cpu"})
        mlp = compile_file(folder / "mlp.mlir", folder / "mlp.tenon")
        tenon_file.enlarge_constants(mlp, folder / "large.tenon", 1 << 30)
        text = command("size", program).split("\n")[1].split()[0]
        times = start_times(program, mlp, runs)
        bare = start_times("/bin/true", mlp, runs)
        large = [shown(command(program, folder / "large.tenon")) for _ in range(runs)]
        print("| what | figure |\n|---|---:|")
        print(f"| libtenon_runtime.so | {stripped_size(folder / 'lib/libtenon_runtime.so', folder):,} bytes |")
        plugin = BUILD / "lib" / "pjrt_plugin_tenon_runtime.so"
        if plugin.exists():
            print(f"| pjrt_plugin_tenon_runtime.so | {stripped_size(plugin, folder):,} bytes |")
        print(f"| text of a C program that runs a file | {int(text):,} bytes |")
        print(f"| start of the process to the first result of an MLP | {statistics.median(times):.2f} ms |")
        print(f"| the same of /bin/true | {statistics.median(bare):.2f} ms |")
        opened = statistics.median(float(run["opened_ms"]) for run in large)
        memory = max(int(run["opened_kb"]) for run in large)
        print(f"| to open 1 GB of constants | {opened:.3f} ms, {memory} KB resident |")


if __name__ == "__main__":
    main()
