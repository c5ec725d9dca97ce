#!/usr/bin/env python3
"""Speed of object files against the JIT's code, on one thread and on several.

  bench/objects.py                   # the models of docs/aot_sizes.md; about a minute
  bench/objects.py --only matmul --seconds 20

The JIT's code is a .tenon file of the same compiler, run by libtenon_runtime; so neither JAX nor
PJRT is measured. Prints medians in microseconds, and medians of the ratios object / JIT.
Needs gcc, and the targets tenon-compile and tenon_embed_static.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import aot_sizes  # noqa: E402


def build(folder, arguments, target):
    """Compiles m.mlir in all forms, and the program that times them."""
    import jax
    import numpy as np

    def compile(*options):
        subprocess.run([aot_sizes.COMPILER, "m.mlir", "--target", target, *options], cwd=folder,
                       check=True, timeout=600)

    for name, more in (("serial", []), ("callback", ["--threads", "callback"])):
        compile("--emit=object", "-o", f"{name}.o", "--header", f"{name}.h", "--name", name, *more)
    compile("-o", "m.tenon")
    (folder / "inputs.bin").write_bytes(
        b"".join(np.ascontiguousarray(x).tobytes() for x in jax.tree.leaves(arguments)))
    subprocess.run(["gcc", "-O2", f"-I{ROOT}", "-I.", ROOT / "bench" / "object_speed.c",
                    "serial.o", "callback.o", aot_sizes.BUILD / "lib" / "libtenon_runtime.a",
                    "-lpthread", "-o", "speed"], cwd=folder, check=True, timeout=100)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="part of the models' names")
    parser.add_argument("--seconds", default="4", help="time for each model")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--target", default="host")
    options = parser.parse_args()
    import jax
    print(f"{'':34} {'object':>10} {'JIT':>10} {'ratio':>6}   {'object':>10} {'JIT':>10} {'ratio':>6}"
          f"   (us; one thread, {options.threads} threads)")
    for name, (function, arguments) in aot_sizes.models().items():
        if options.only not in name:
            continue
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            (folder / "m.mlir").write_text(jax.jit(function).lower(*arguments).as_text())
            build(folder, arguments, options.target)
            done = subprocess.run(["./speed", "m.tenon", options.seconds, str(options.threads)],
                                  cwd=folder, check=True, capture_output=True, text=True)
        t = [float(word) for word in done.stdout.split()]
        print(f"{name:34} {t[0]:10.2f} {t[1]:10.2f} {t[4]:6.3f}   {t[2]:10.2f} {t[3]:10.2f} {t[5]:6.3f}",
              flush=True)


if __name__ == "__main__":
    main()
