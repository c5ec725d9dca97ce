"""Commands of the tests of libtenon_runtime."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(ROOT / "scripts"), str(HERE)]
import plugin_env  # noqa: E402

BUILD = pathlib.Path(plugin_env.default_plugin()).parents[1]
MLP = """
import sys, jax, jax.numpy as jnp, numpy as np
rng = np.random.default_rng(0)
sizes = [64, 128, 128, 10]
weights = [(rng.standard_normal((a, b), np.float32) / 8, rng.standard_normal(b, np.float32))
           for a, b in zip(sizes, sizes[1:])]
def mlp(x):
    for w, b in weights[:-1]:
        x = jnp.maximum(x @ w + b, 0)
    return x @ weights[-1][0] + weights[-1][1]
x = np.array([(i % 17 - 8) / 8 for i in range(16 * 64)], np.float32).reshape(16, 64)
open(sys.argv[1], "w").write(jax.jit(mlp).lower(x).as_text())
y = np.asarray(mlp(x))
print(y[0, 0], y[0, 1], y.sum(dtype=np.float64))
"""


def command(*args, **options):
    done = subprocess.run(list(map(str, args)), capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, " ".join(map(str, args)) + "\n" + done.stdout + done.stderr
    return done.stdout


def compile_file(source, path, *options):
    command(BUILD / "bin" / "tenon-compile", source, "-o", path, *options)
    return path


def build_c(prefix, source, path, *options):
    command(os.environ.get("CC", "cc"), "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE",
            f"-I{prefix}/include", source, "-o", path, *options)
    return path


def shown(output):
    """What run_program printed, by name."""
    return dict(line.split(" ", 1) for line in output.strip().split("\n"))


def values(output):
    return [float(value) for value in shown(output)["output"].split()[1:]]
