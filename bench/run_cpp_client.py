#!/usr/bin/env python3
"""Tenon against XLA:CPU through the C API alone, and the cost of the C++ client.

Python only writes the programs of bench.py and their arguments as files; cpp_client_compare runs
them on both plugins in one process, interleaved. XLA:CPU is a build that
scripts/get_foreign_plugins.sh fetches. cpp_client_overhead measures the client on the null plugin.
Build first: ninja -C build/release cpp_client_overhead cpp_client_compare null_plugin.
"""
import argparse
import datetime
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
sys.path.insert(0, str(ROOT / "scripts"))
import plugin_env  # noqa: E402

PAGE = ROOT / "docs" / "cpp_client.md"
TYPES = {"float32": "f32", "float64": "f64", "int32": "s32", "int64": "s64", "bool": "pred",
         "uint32": "u32", "bfloat16": "bf16", "float16": "f16"}


def write_programs(folder, only):
    """The programs of bench.py as StableHLO, with arguments. Returns the manifest."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    import numpy as np
    import programs
    lines = []
    for title, (function, make_arguments, _) in programs.PROGRAMS.items():
        if not re.search(only, title):
            continue
        name, arguments = title.replace(" ", "_"), make_arguments()
        # Without donation: arguments are used again by the next call.
        text = jax.jit(function, keep_unused=True).lower(*arguments).as_text()
        (folder / f"{name}.mlir").write_text(text)
        lines.append(f"program {name} {name}.mlir")
        for number, array in enumerate(map(np.asarray, jax.tree.leaves(arguments))):
            if array.dtype == np.float64 and not jax.config.jax_enable_x64:
                array = array.astype(np.float32)
            if array.dtype == np.int64 and not jax.config.jax_enable_x64:
                array = array.astype(np.int32)
            file = f"{name}.{number}.bin"
            (folder / file).write_bytes(np.ascontiguousarray(array).tobytes())
            dims = ",".join(map(str, array.shape)) or "-"
            lines.append(f"input {TYPES[array.dtype.name]} {dims} {file}")
    manifest = folder / "manifest.txt"
    manifest.write_text("\n".join(lines) + "\n")
    return manifest


def table(rows):
    text = ["| program | compile, ms: Tenon | XLA:CPU | call, us: Tenon | XLA:CPU | "
            "Tenon / XLA:CPU | difference of results |", "|---|---:|---:|---:|---:|---:|---:|"]
    for name, a_compile, b_compile, a_call, b_call, ratio, difference in rows:
        text.append(f"| {name.replace('_', ' ')} | {float(a_compile):.0f} | {float(b_compile):.0f} | "
                    f"{float(a_call):.1f} | {float(b_call):.1f} | {float(ratio):.2f} | "
                    f"{difference} |")
    return "\n".join(text)


def overhead_table(outputs):
    text = ["| | " + " | ".join(f"{name}: C API, ns | C++ client | difference" for name in outputs) +
            " |", "|---|" + "---:|---:|---:|" * len(outputs)]
    rows = {}
    for output in outputs.values():
        for name, *numbers in re.findall(r"^(\S+)\s+raw\s+(\S+)\s+client\s+(\S+)\s+difference"
                                         r"\s+(\S+)", output, re.MULTILINE):
            rows.setdefault(name, []).extend(numbers)
    return "\n".join(text + [f"| `{name}` | {' | '.join(row)} |" for name, row in rows.items()])


def replace(page, mark, content):
    pattern = rf"(<!-- {mark}: [^\n]*-->\n).*?(<!-- /{mark} -->)"
    return re.sub(pattern, lambda m: f"{m.group(1)}\n{content}\n\n{m.group(2)}", page,
                  flags=re.DOTALL)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    plugin_env.add_argument(parser)
    parser.add_argument("--peer", type=pathlib.Path, help="another plugin (default: the newest "
                        "XLA:CPU)", default=ROOT / "build/foreign_plugins/lammps_jax_pjrt_cpu.so")
    parser.add_argument("--only", default="", help="regular expression on programs")
    parser.add_argument("--batches", type=int, default=30)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "bench_cpp_client")
    parser.add_argument("--document", action="store_true", help="write docs/cpp_client.md")
    options = parser.parse_args()
    if not options.peer.exists():
        parser.error(f"{options.peer} does not exist; run scripts/get_foreign_plugins.sh")
    options.out.mkdir(parents=True, exist_ok=True)
    binaries = plugin_env.BUILD / "bin"
    env = {**plugin_env.clean(), "TENON_KERNEL_CACHE": "off", "TF_CPP_MIN_LOG_LEVEL": "3"}
    overhead = {}
    for name, plugin in (("null plugin", plugin_env.BUILD / "lib" / "null_plugin.so"),
                         ("Tenon", options.plugin)):
        overhead[name] = subprocess.run([binaries / "cpp_client_overhead", plugin], env=env,
                                        check=True, capture_output=True, text=True).stdout
    print(overhead_table(overhead))
    manifest = write_programs(options.out, options.only)
    output = subprocess.run(
        [binaries / "cpp_client_compare", options.plugin, options.peer, manifest, "--batches",
         str(options.batches)], env=env, check=True, stdout=subprocess.PIPE, text=True).stdout
    (options.out / "compare.tsv").write_text(output)
    rows = [line.split("\t") for line in output.splitlines() if line.count("\t") == 6]
    print(table(rows))
    if options.document:
        day = datetime.date.today()
        page = replace(PAGE.read_text(), "overhead", overhead_table(overhead))
        page = replace(page, "compare", f"On {day}, {os.cpu_count()} processors, load average "
                       f"{os.getloadavg()[0]:.1f}, peer `{options.peer.stem}`:\n\n{table(rows)}")
        PAGE.write_text(page)


if __name__ == "__main__":
    main()
