#!/usr/bin/env python3
"""Generates a picture with Stable Diffusion 1 (Flax, random weights) on one platform or several.

Each platform runs in a process of its own. Prints the time of compilation, steps per second and
memory, and how far each picture is from that of the first platform, or of --reference.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import time


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platform", nargs="+", default=["tenon"],
                        help="tenon, tenon_opencl, tenon_cuda, cuda, cpu or another platform of JAX's "
                        "(default: tenon)")
    parser.add_argument("--size", choices=("tiny", "v1"), default="v1",
                        help="v1: as published, 512x512; tiny: few channels, 64x64 (default: v1)")
    parser.add_argument("--steps", type=int, default=20, help="of the scheduler (default: 20)")
    parser.add_argument("--runs", type=int, default=2, help="timed runs, the best counts (default: 2)")
    parser.add_argument("--prompt", default="a photograph of an astronaut riding a horse")
    parser.add_argument("--guidance", type=float, default=7.5)
    parser.add_argument("--seed", type=int, default=0, help="of weights and noise")
    parser.add_argument("--reference", type=pathlib.Path, metavar="NPY",
                        help="compare with this picture of an earlier run")
    parser.add_argument("--tolerance", type=float,
                        help="fail if a value, of 0 to 1, differs more than this")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/stable_diffusion"),
                        help="folder for PLATFORM.png and PLATFORM.npy (default: %(default)s)")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def run(options, platform):
    import jax
    import numpy as np
    from models import Models
    from PIL import Image

    device = jax.devices(platform)[0]
    models = Models(options.size)
    weights = models.weights(options.seed)
    arguments = jax.device_put(
        (weights, models.tokens(options.prompt), models.tokens(""), models.noise(options.seed),
         np.float32(options.guidance)), device)
    del weights
    lowered = jax.jit(models.generate, static_argnums=5).lower(*arguments, options.steps)
    start = time.perf_counter()
    compiled = lowered.compile()
    result = {"compile": time.perf_counter() - start}
    times = []
    for _ in range(options.runs + 1):  # the first is not timed: it may allocate, or load code
        start = time.perf_counter()
        image = compiled(*arguments).block_until_ready()
        times.append(time.perf_counter() - start)
    iterations = options.steps + 1  # PNDM takes the second step twice
    result["steps_per_second"] = iterations / min(times[1:] or times)
    sizes = compiled.memory_analysis()
    result["arguments"] = sizes.argument_size_in_bytes
    result["temporaries"] = sizes.temp_size_in_bytes
    result["device_peak"] = (device.memory_stats() or {}).get("peak_bytes_in_use")
    result["process_peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    image = np.asarray(image)[0]
    np.save(options.out / f"{platform}.npy", image)
    Image.fromarray(np.uint8(np.round(image * 255))).save(options.out / f"{platform}.png")
    print(json.dumps(result))


def run_child(platform):
    env = {name: value for name, value in os.environ.items()
           if name not in ("TENON_REPLACE_CPU", "TENON_SIMULATE", "TENON_OPENCL", "TENON_CUDA")}
    env["JAX_PLATFORMS"] = ",".join(dict.fromkeys((platform, "cpu")))
    if platform in ("tenon_opencl", "tenon_cuda"):
        env[platform.upper()] = "1"
    command = [sys.executable, __file__, *sys.argv[1:], "--child", "--platform", platform]
    done = subprocess.run(command, env=env, text=True, stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"generate.py: platform {platform} failed")
    return json.loads(done.stdout.splitlines()[-1])


def megabytes(count):
    return "-" if count is None else f"{count / 2**20:,.0f} MiB"


def main():
    options = parse()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.child:
        return run(options, options.platform[0])
    import numpy as np
    print(f"{options.size}, {options.steps} steps")
    reference = np.load(options.reference) if options.reference else None
    name, worst = options.reference, 0
    for platform in options.platform:
        result = run_child(platform)
        picture = np.load(options.out / f"{platform}.npy")
        print(f"{platform}: compiled in {result['compile']:.1f} s, "
              f"{result['steps_per_second']:.3g} steps per second; "
              f"arguments {megabytes(result['arguments'])}, "
              f"temporaries {megabytes(result['temporaries'])}, "
              f"peak of the device {megabytes(result['device_peak'])}, "
              f"of the process {megabytes(result['process_peak'])}; "
              f"{options.out / platform}.png", flush=True)
        if reference is None:
            reference, name = picture, platform
            continue
        difference = np.abs(picture - reference)
        worst = max(worst, difference.max())
        print(f"{platform} against {name}: values of 0 to 1 differ by at most "
              f"{difference.max():.2e}, on average {difference.mean():.2e}")
    if options.tolerance is not None and not worst <= options.tolerance:
        sys.exit(f"generate.py: pictures differ by more than {options.tolerance}")


if __name__ == "__main__":
    main()
