"""Reductions, softmax and norms; sorts and prefix scans."""
import jax
import jax.numpy as jnp
from jax import lax

from ..registry import add, f32

_ROWS = 4.0 * 4096 * 1024


def layernorm(x, scale, shift, epsilon=1e-5):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + epsilon) * scale + shift


def rmsnorm(x, scale):
    return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * scale


add("sum_1e6", jnp.sum, lambda: (f32(1_000_000),), "reduce", bytes=4e6)
add("sum_1e7", jnp.sum, lambda: (f32(10_000_000),), "reduce", bytes=4e7)
add("sum_rows_4096x1024", lambda x: x.sum(1), lambda: (f32(4096, 1024),), "reduce", bytes=_ROWS)
add("sum_columns_4096x1024", lambda x: x.sum(0), lambda: (f32(4096, 1024),), "reduce",
    bytes=_ROWS)
add("sum_middle_64x256x256", lambda x: x.sum(1), lambda: (f32(64, 256, 256),), "reduce",
    bytes=_ROWS)
add("argmax_4096x1024", lambda x: jnp.argmax(x, -1), lambda: (f32(4096, 1024),), "reduce",
    bytes=_ROWS)
add("logsumexp_4096x1024", lambda x: jax.nn.logsumexp(x, -1), lambda: (f32(4096, 1024),),
    "reduce", flops=4096 * 1024 * 22.0, bytes=_ROWS)
add("variance_1e6", jnp.var, lambda: (f32(1_000_000),), "reduce", bytes=4e6)
add("softmax_2048x1024", lambda x: jax.nn.softmax(x, -1), lambda: (f32(2048, 1024),), "reduce",
    flops=2048 * 1024 * 26.0, bytes=8.0 * 2048 * 1024)
add("softmax_16x64", lambda x: jax.nn.softmax(x, -1), lambda: (f32(16, 64),), "reduce",
    bytes=8.0 * 1024)
add("layernorm_2048x1024", layernorm,
    lambda: (f32(2048, 1024), f32(1024, seed=1), f32(1024, seed=2)), "reduce",
    bytes=8.0 * 2048 * 1024)
add("layernorm_gradient_1024x768",
    jax.grad(lambda x, g, b: (layernorm(x, g, b) ** 2).sum(), (0, 1, 2)),
    lambda: (f32(1024, 768), f32(768, seed=1), f32(768, seed=2)), "reduce",
    bytes=8.0 * 1024 * 768)
add("rmsnorm_512x2048", rmsnorm, lambda: (f32(512, 2048), f32(2048, seed=1)), "reduce",
    bytes=8.0 * 512 * 2048)
add("batchnorm_32x28x28x64",
    lambda x: (x - x.mean((0, 1, 2))) * lax.rsqrt(x.var((0, 1, 2)) + 1e-5),
    lambda: (f32(32, 28, 28, 64),), "reduce", bytes=8.0 * 32 * 28 * 28 * 64)
add("pairwise_distances_500x500x64",
    lambda x, y: ((x[:, None] - y[None]) ** 2).sum(-1),
    lambda: (f32(500, 64), f32(500, 64, seed=1)), "reduce", flops=3.0 * 500 * 500 * 64)

add("cumsum_1e6", jnp.cumsum, lambda: (f32(1_000_000),), "sort_scan", bytes=8e6)
add("cumsum_rows_1000x1000", lambda x: jnp.cumsum(x, -1), lambda: (f32(1000, 1000),),
    "sort_scan", bytes=8e6)
add("cummax_columns_1000x1000", lambda x: lax.cummax(x, 0), lambda: (f32(1000, 1000),),
    "sort_scan", bytes=8e6)
# IREE lowers sort to a quadratic loop: only short rows can be run through it.
add("sort_1e6", jnp.sort, lambda: (f32(1_000_000),), "sort_scan", bytes=8e6, iree=False)
add("sort_i32_1e6", jnp.sort, lambda: (f32(1_000_000).view("i4"),), "sort_scan", bytes=8e6,
    iree=False)
add("sort_rows_1000x1000", lambda x: jnp.sort(x, -1), lambda: (f32(1000, 1000),), "sort_scan",
    bytes=8e6)
add("argsort_1e5", jnp.argsort, lambda: (f32(100_000),), "sort_scan", bytes=8e5, iree=False)
add("topk_64_of_32x32768", lambda x: lax.top_k(x, 64), lambda: (f32(32, 32768),), "sort_scan",
    bytes=4.0 * 32 * 32768, iree=False)
add("median_1e5", jnp.median, lambda: (f32(100_000),), "sort_scan", bytes=4e5, iree=False)
add("searchsorted_1e5_in_1e4", lambda a, v: jnp.searchsorted(jnp.sort(a), v),
    lambda: (f32(10_000), f32(100_000, seed=1)), "sort_scan", bytes=8e5, iree=False)
