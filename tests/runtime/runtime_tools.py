"""Commands of the tests of libtenon_runtime."""
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys

import pytest

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


def safetensors_header(shapes):
    """The start of a safetensors file of f32 tensors, as other programs write it."""
    entries, end = {}, 0
    for name, shape in shapes.items():
        start, end = end, end + 4 * math.prod(shape)
        entries[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [start, end]}
    text = json.dumps(entries).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text


def write_safetensors(path, tensors):
    """Writes f32 arrays by name."""
    path.write_bytes(safetensors_header({name: array.shape for name, array in tensors.items()})
                     + b"".join(array.tobytes() for array in tensors.values()))


def same(got, wanted):
    assert got == pytest.approx(wanted, rel=1e-4, abs=1e-4)


def mappings(pid, path):
    """(permissions, field -> kB) of each mapping of the file in the process."""
    found = []
    current = None
    for line in pathlib.Path(f"/proc/{pid}/smaps").read_text().split("\n"):
        if match := re.match(r"[0-9a-f]+-[0-9a-f]+ (\S+) .*?(/.*)?$", line):
            current = {} if match[2] == str(path) else None
            if current is not None:
                found.append((match[1], current))
        elif current is not None and (match := re.match(r"(\w+): +(\d+) kB", line)):
            current[match[1]] = int(match[2])
    return found


def check_shared(run_program, program, path):
    """Runs the program in two processes, which must share `path`. The permissions of its mappings."""
    processes = [subprocess.Popen([run_program, program, "--wait"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        for process in processes:
            while not process.stdout.readline().startswith("output 0"):
                assert process.poll() is None
        found = [mapping for process in processes for mapping in mappings(process.pid, path)]
        for permissions, fields in found:
            assert fields["Rss"] > 0, permissions
            assert fields["Anonymous"] == 0, f"{permissions}: a page was copied"
            assert fields["Shared_Clean"] + fields["Shared_Dirty"] > 0, permissions
            # Linux maps pages around a fault, not always the same in both processes.
            assert fields["Pss"] <= fields["Rss"] / 2 + 64, permissions
        return {permissions for permissions, _ in found}
    finally:
        for process in processes:
            process.communicate("\n")
