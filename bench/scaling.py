#!/usr/bin/env python3
"""Compile time and memory against the number of operations, on Tenon and the built-in CPU.

  bench/scaling.py                       # up to 100,000 operations; writes docs/scaling.svg
  bench/scaling.py --sizes 1000,10000 --programs stencil

Three kinds of unrolled programs, generated as StableHLO text of a given size:

  layers       tanh(x @ w + b), the same weights for each layer, x: f32[8,64]
  stencil      steps of the heat equation on a ring of 512 f32, by slices and concatenations
  elementwise  random arithmetic on eight vectors of 1,024 f32

Each program is compiled once in its own process. The results are the processor time of the
compilation on all threads, which load distorts least, and the growth of the maximum resident set. A
compilation longer than --timeout is skipped, with all larger ones of its kind.
"""
import argparse
import json
import pathlib
import random
import resource
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
import plugin_env  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZES = (1000, 3200, 10000, 32000, 100000)


def layers(count):
    yield ("@main(%x0: tensor<8x64xf32>, %w: tensor<64x64xf32>, %b: tensor<8x64xf32>) "
           "-> tensor<8x64xf32>")
    t = "tensor<8x64xf32>"
    for i in range(count // 3):
        yield (f"%p{i} = stablehlo.dot_general %x{i}, %w, contracting_dims = [1] x [0] : "
               f"({t}, tensor<64x64xf32>) -> {t}")
        yield f"%s{i} = stablehlo.add %p{i}, %b : {t}"
        yield f"%x{i + 1} = stablehlo.tanh %s{i} : {t}"
    yield f"return %x{count // 3} : {t}"


def stencil(count):
    t, one, rest = "tensor<512xf32>", "tensor<1xf32>", "tensor<511xf32>"
    yield f"@main(%u0: {t}, %c: {t}) -> {t}"
    for i in range(count // 10):
        yield f"%a{i} = stablehlo.slice %u{i} [0:1] : ({t}) -> {one}"
        yield f"%b{i} = stablehlo.slice %u{i} [1:512] : ({t}) -> {rest}"
        yield f"%l{i} = stablehlo.concatenate %b{i}, %a{i}, dim = 0 : ({rest}, {one}) -> {t}"
        yield f"%d{i} = stablehlo.slice %u{i} [0:511] : ({t}) -> {rest}"
        yield f"%e{i} = stablehlo.slice %u{i} [511:512] : ({t}) -> {one}"
        yield f"%r{i} = stablehlo.concatenate %e{i}, %d{i}, dim = 0 : ({one}, {rest}) -> {t}"
        yield f"%f{i} = stablehlo.add %l{i}, %r{i} : {t}"
        yield f"%g{i} = stablehlo.subtract %f{i}, %u{i} : {t}"
        yield f"%h{i} = stablehlo.multiply %g{i}, %c : {t}"
        yield f"%u{i + 1} = stablehlo.add %u{i}, %h{i} : {t}"
    yield f"return %u{count // 10} : {t}"


def elementwise(count):
    t, draw = "tensor<1024xf32>", random.Random(0)
    yield f"@main({', '.join(f'%v{i}: {t}' for i in range(8))}) -> {t}"
    for i in range(8, 8 + count):
        op = draw.choice(("add", "subtract", "multiply", "maximum"))
        a, b = (draw.randrange(max(0, i - 16), i) for _ in "ab")
        yield f"%v{i} = stablehlo.{op} %v{a}, %v{b} : {t}"
    yield f"return %v{7 + count} : {t}"


PROGRAMS = {"layers": layers, "stencil": stencil, "elementwise": elementwise}


def compile_here(name, count, platform):
    """The output of --one: processor seconds, wall seconds, growth of the process in MiB."""
    import jax
    import numpy as np
    from jax._src.lib import xla_client
    head, *body = PROGRAMS[name](count)
    text = f"func.func {head} {{\n" + "\n".join(body) + "\n}\n"
    device = jax.devices(platform)[0]
    options = xla_client.CompileOptions()
    options.num_replicas = options.num_partitions = 1
    options.device_assignment = xla_client.DeviceAssignment.create(np.array([[device.id]]))
    devices = xla_client.DeviceList((device,))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, processor = time.monotonic(), time.process_time()
    device.client.compile_and_load(text, devices, options)
    return {"cpu": time.process_time() - processor, "wall": time.monotonic() - wall,
            "mib": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024}


def measure(options, name, count, platform):
    """The result of compile_here in a separate process; None if the process fails."""
    command = [sys.executable, __file__, "--one", f"{name},{count},{platform}"]
    env = plugin_env.child(options.plugin, base=plugin_env.clean())
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True,
                              timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        print(f"{name} {count} {platform}: {done.stderr.strip()[-300:]}", file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def plot(results, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    plt.rcParams["svg.hashsalt"] = "tenon"
    names = list(dict.fromkeys(name for name, _, _ in results))
    figure, axes = plt.subplots(2, len(names), figsize=(3.6 * len(names), 5.6), sharex=True,
                                squeeze=False)
    for column, name in enumerate(names):
        for platform, label, color in (("cpu", "built-in CPU", "#9aa0a6"),
                                       ("tenon", "Tenon", "#1a73e8")):
            points = sorted((count, r) for (n, count, p), r in results.items()
                            if n == name and p == platform and r)
            for row, key in enumerate(("cpu", "mib")):
                axes[row][column].loglog([c for c, _ in points], [r[key] for _, r in points],
                                         "o-", label=label, color=color)
        axes[0][column].set_title(name)
        axes[1][column].set_xlabel("operations")
    axes[0][0].set_ylabel("processor time, s")
    axes[1][0].set_ylabel("memory, MiB")
    axes[0][0].legend(frameon=False)
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    plugin_env.add_argument(parser)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="operations")
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--timeout", type=float, default=300, help="seconds of a compilation")
    parser.add_argument("--plot", type=pathlib.Path, default=ROOT / "docs" / "scaling.svg")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        name, count, platform = options.one.split(",")
        print(json.dumps(compile_here(name, int(count), platform)))
        return
    results = {}
    print("| program | operations | built-in CPU | Tenon | built-in CPU | Tenon |\n"
          "|---|---:|---:|---:|---:|---:|")
    for name in options.programs.split(","):
        too_long = set()
        for count in map(int, options.sizes.split(",")):
            for platform in ("cpu", "tenon"):
                result = None if platform in too_long else measure(options, name, count, platform)
                results[name, count, platform] = result
                if not result:
                    too_long.add(platform)
            pair = [results[name, count, platform] for platform in ("cpu", "tenon")]
            print(f"| {name} | {count:,} | " + " | ".join(
                [f"{r['cpu']:.2f} s" if r else "-" for r in pair] +
                [f"{r['mib']:.0f} MiB" if r else "-" for r in pair]) + " |", flush=True)
    plot(results, options.plot)


if __name__ == "__main__":
    main()
