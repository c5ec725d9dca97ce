"""Programs for test_determinism.py: they sum, sort or distribute work over threads.

    python tests/jax/determinism_programs.py    # a JSON object: name to digests, run by run
"""
import functools
import hashlib
import json
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def data(*shape, dtype="float32", seed=0, spread=3):
    """Numbers of very different magnitudes, so that the order of a sum changes its bits."""
    random = np.random.default_rng(seed + sum(shape))
    values = random.standard_normal(shape) * np.exp(spread * random.standard_normal(shape))
    return jnp.asarray(values.astype(np.float32)).astype(dtype)


# For exponentials and tanh, where the largest of very different numbers would dominate.
mild = functools.partial(data, spread=0)


def indices(count, below, *shape):
    return jnp.asarray(np.random.default_rng(count).integers(0, below, (count, *shape)), "int32")


def attention(q, k, v):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(q.shape[-1])
    scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e9)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)


def layer_norm(x):
    return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


def convolve(x, w, **options):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME",
                                    dimension_numbers=("NHWC", "HWIO", "NHWC"), **options)


def scan_cell(w, xs):
    return lax.scan(lambda h, x: (jnp.tanh(h @ w + x),) * 2, jnp.zeros_like(xs[0]), xs)[1]


def small_solver(a, b):
    step = lambda _, x: x - 0.01 * (a.T @ (jnp.tanh(a @ x) - b))
    return lax.fori_loop(0, 50, step, jnp.zeros(a.shape[1]))


def mlp_gradient(w1, w2, x):
    def loss(weights):
        return jnp.mean(jnp.tanh(jnp.tanh(x @ weights[0]) @ weights[1]) ** 2)
    return jax.value_and_grad(loss)((w1, w2))


def programs():
    """Name to function and arguments."""
    found = {}

    def add(name, function, *arguments):
        assert name not in found, name
        found[name] = function, arguments

    for shape in ((7,), (1000,), (1_000_003,), (3, 500_000), (500_000, 3), (1000, 1000),
                  (17, 33, 129), (64, 1, 4096)):
        x, name = data(*shape), "x".join(map(str, shape))
        add(f"sum {name}", jnp.sum, x)
        for axis in range(len(shape)) if len(shape) > 1 else ():
            add(f"sum {name} axis {axis}", functools.partial(jnp.sum, axis=axis), x)
    add("sum bf16", jnp.sum, data(700, 1300, dtype="bfloat16"))
    add("product", jnp.prod, 1 + data(100_000) * 1e-6)
    add("variance", jnp.var, data(1000, 777))
    add("norm of columns", lambda x: jnp.linalg.norm(x, axis=0), data(3000, 50))
    add("argmax", lambda x: jnp.argmax(jnp.round(x), -1), data(300, 4000))
    add("log-sum-exp", jax.nn.logsumexp, mild(1_000_000))
    for shape in ((1024, 1024), (5, 100_000), (100_000, 5), (33, 65)):
        add("softmax {}x{}".format(*shape), jax.nn.softmax, mild(*shape))
    add("layer norm", layer_norm, data(512, 768))
    for m, n, k in ((16, 16, 16), (64, 64, 64), (100, 200, 300), (512, 512, 512), (1, 1000, 1000),
                    (1000, 1, 1000), (10, 10, 100_000), (1000, 1000, 3), (777, 33, 1025)):
        add(f"matmul {m}x{k}x{n}", jnp.matmul, data(m, k), data(k, n))
    add("matmul bf16", jnp.matmul, data(300, 400, dtype="bfloat16"),
        data(400, 200, dtype="bfloat16"))
    add("matmul s8", lambda x, y: lax.dot(x, y, preferred_element_type=jnp.int32),
        data(300, 400, dtype="int8"), data(400, 200, dtype="int8"))
    add("matmul batched", jnp.matmul, data(32, 65, 33), data(32, 33, 47))
    add("matmul transposed", lambda x, y: x.T @ y.T, data(300, 200), data(250, 300))
    add("dense layer", lambda x, w, b: jax.nn.gelu(x @ w + b), data(128, 256), data(256, 512),
        data(512))
    add("convolution", convolve, data(4, 28, 28, 32), data(3, 3, 32, 64))
    add("convolution 1x1", convolve, data(4, 28, 28, 32), data(1, 1, 32, 64))
    add("convolution depthwise", functools.partial(convolve, feature_group_count=32),
        data(4, 28, 28, 32), data(3, 3, 1, 32))
    add("convolution gradient", jax.grad(lambda w, x: convolve(x, w).sum(), 0),
        data(3, 3, 16, 16), data(8, 20, 20, 16))
    add("average pooling", lambda x: lax.reduce_window(
        x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"), data(4, 56, 56, 32))
    add("sort", jnp.sort, data(300_001))
    add("sort of rows", functools.partial(jnp.sort, axis=0), data(200, 300))
    add("argsort of ties", jnp.argsort, jnp.round(data(100_000)))
    add("top-k", lambda x: lax.top_k(x, 10), data(100, 5000))
    add("scatter-add of duplicates", lambda x, i, u: x.at[i].add(u), data(1000),
        indices(200_000, 1000), data(200_000))
    add("scatter-add of rows", lambda x, i, u: x.at[i].add(u), data(500, 128),
        indices(8000, 500), data(8000, 128))
    add("segment sum", lambda u, i: jax.ops.segment_sum(u, i, 50), data(100_000),
        indices(100_000, 50))
    add("histogram", functools.partial(jnp.histogram, bins=30), data(200_000))
    add("cumsum", jnp.cumsum, data(1_000_003))
    add("cumsum of rows", functools.partial(jnp.cumsum, axis=1), data(64, 10_000))
    add("cumsum of columns", functools.partial(jnp.cumsum, axis=0), data(10_000, 64))
    add("cumprod", jnp.cumprod, 1 + data(100_000) * 1e-6)
    for length in (1024, 1000, 997):
        add(f"fft {length}", jnp.fft.fft, data(64, length))
    add("fft 2-d", jnp.fft.rfft2, data(128, 128))
    add("attention", attention, *(mild(2, 256, 4, 64, seed=s) for s in range(3)))
    add("attention gradient", jax.grad(lambda *a: attention(*a).sum(), (0, 1, 2)),
        *(mild(2, 128, 4, 32, seed=s) for s in range(3)))
    add("all-pairs distances", lambda x: ((x[:, None] - x[None]) ** 2).sum(-1), data(500, 16))
    add("recurrent cell", scan_cell, 0.05 * mild(128, 128), mild(50, 16, 128))
    add("loop of sums", lambda x: lax.fori_loop(0, 20, lambda _, x: x / (1 + abs(x).sum()), x),
        data(100_000))
    add("loops over points", jax.vmap(small_solver), mild(1003, 6, 4), mild(1003, 6))
    add("MLP gradient", mlp_gradient, 0.05 * mild(256, 512), 0.05 * mild(512, 64),
        mild(128, 256))
    add("random normal", lambda: jax.random.normal(jax.random.key(3), (100_003,)))
    add("cholesky", lambda x: jnp.linalg.cholesky(x @ x.T + 1e4 * jnp.eye(150)), data(150, 150))
    add("solve", lambda a, b: jnp.linalg.solve(a + 1e3 * jnp.eye(100), b), data(100, 100),
        data(100, 7))
    return found


def main(runs):
    digests = {}
    for name, (function, arguments) in programs().items():
        compiled = jax.jit(function).lower(*arguments).compile()
        digests[name] = []
        for _ in range(runs):
            digest = hashlib.sha256()
            for leaf in map(np.asarray, jax.tree.leaves(compiled(*arguments))):
                assert np.isfinite(leaf.astype(np.complex64)).all(), name
                digest.update(leaf.tobytes())
            digests[name].append(digest.hexdigest())
    json.dump(digests, sys.stdout)


if __name__ == "__main__":
    main(3)
