"""Writes golden/NAME.tenon and NAME.txt, as each release does once: make_golden.py RELEASE.

The files stay in the repository, and every later version must run them (test_runtime.py). They are
for x86-64-v2, which every x86-64 machine of today has, and are what PJRT serializes: the same format
as of tenon-compile, without padding.
"""
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "scripts"))
import plugin_env  # noqa: E402

CODE = r"""
import sys, jax, jax.numpy as jnp, numpy as np
rng = np.random.default_rng(1)
sizes = [8, 16, 4]
weights = [(rng.standard_normal((a, b), np.float32), rng.standard_normal(b, np.float32))
           for a, b in zip(sizes, sizes[1:])]
def mlp(x):
    (w0, b0), (w1, b1) = weights
    return jax.nn.softmax(jnp.tanh(x @ w0 + b0) @ w1 + b1)
x = np.array([(i % 17 - 8) / 8 for i in range(3 * 8)], np.float32).reshape(3, 8)
compiled = jax.jit(mlp).lower(x).compile()
y = np.asarray(compiled(x))
data = compiled._executable.xla_executable.serialize()
data = data[data.index(b"\x89Tenon\r\n"):]  # without what JAX puts around it
size = int.from_bytes(data[24:32], "little")
open(sys.argv[1] + ".tenon", "wb").write(data[:size])
print(y[0, 0], y[0, 1], y.sum(dtype=np.float64), file=open(sys.argv[1] + ".txt", "w"))
"""


def main():
    path = HERE / "golden" / f"{sys.argv[1]}-x86_64-mlp"
    subprocess.run([sys.executable, "-c", CODE, path], check=True,
                   env={**plugin_env.child(base=plugin_env.clean()), "TENON_CPU": "x86-64-v2",
                        "HOME": os.environ.get("HOME", "/")})


if __name__ == "__main__":
    main()
