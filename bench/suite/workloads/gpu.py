"""Workloads that a GPU needs for its size, and small ones that show the cost of each launch."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..registry import add, bf16, dense, f16, f32
from .models import attention_gradient, block, block_flops, block_parameters
from .reductions import layernorm, rmsnorm

_add = functools.partial(add, gpu=True)


# ---------------------------------------------------------------- launches
def chain(length):
    """Operations that cannot be fused: each is at least a launch."""
    def function(x):
        for i in range(length):
            x = lax.optimization_barrier(x * 1.001 + i)
        return x
    return function


def _mlp_step(parameters, x, y):
    def loss(p):
        return ((jnp.tanh(x @ p[0] + p[1]) @ p[2] - y) ** 2).mean()
    value, gradient = jax.value_and_grad(loss)(parameters)
    return jax.tree.map(lambda p, g: p - 0.01 * g, parameters, gradient), value


def _mlp_arguments():
    parameters = (dense(0, 64, 256), np.zeros(256, np.float32), dense(1, 256, 16))
    return parameters, f32(32, 64, seed=2), f32(32, 16, seed=3)


_add("launch_empty", lambda x: x, lambda: (f32(8),), "launches")
for _length in (1, 10, 100):
    _add(f"launch_chain_{_length}", chain(_length), lambda: (f32(1024),), "launches")
_add("launch_scan_1000", lambda x: lax.scan(lambda c, _: (c * 0.999 + 1, None), x, length=1000)[0],
     lambda: (f32(256),), "launches")
_add("launch_scan_1000_outputs", lambda x: lax.scan(lambda c, v: (c * 0.9 + v, c), jnp.zeros(64), x),
     lambda: (f32(1000, 64),), "launches")
_add("launch_while_on_device_100",
     lambda x: lax.while_loop(lambda v: v.sum() < 100, lambda v: v + 1 / 64, x),
     lambda: (np.zeros(64, np.float32),), "launches")
_add("launch_mlp_step_32x64x256x16", _mlp_step, _mlp_arguments, "launches", carry={0: 0})


# ---------------------------------------------------------------- products
def _product(name, m, k, n, make, size, kind, function=jnp.matmul, batch=()):
    count = int(np.prod(batch, dtype=np.int64))
    _add(name, function, lambda: (make(*batch, m, k), make(*batch, k, n, seed=1)),
         "gpu_products", flops=2.0 * count * m * k * n,
         bytes=float(size) * count * (m * k + k * n + m * n), kind=kind)


for _n in (4096, 8192):
    _product(f"matmul_bf16_{_n}", _n, _n, _n, bf16, 2, "bf16")
_product("matmul_f16_4096", 4096, 4096, 4096, f16, 2, "f32")
_product("matmul_f32_4096", 4096, 4096, 4096, f32, 4, "f32")
_product("matmul_bf16_nt_4096", 4096, 4096, 4096, bf16, 2, "bf16",
         lambda a, b: jnp.einsum("mk,nk->mn", a, b))
_product("matmul_bf16_16x8192x8192", 16, 8192, 8192, bf16, 2, "bf16")
_product("matmul_bf16_512x512x512_batch64", 512, 512, 512, bf16, 2, "bf16", batch=(64,))
_add("mlp_bf16_4096x1024x4096_gelu",
     lambda x, up, b, down: jax.nn.gelu(x @ up + b) @ down,
     lambda: (bf16(4096, 1024), bf16(1024, 4096, seed=1) / 32, bf16(4096, seed=2),
              bf16(4096, 1024, seed=3) / 64),
     "gpu_products", flops=4.0 * 4096 * 1024 * 4096, kind="bf16")


# ---------------------------------------------------------------- attention and models
def _qkv(batch, positions, heads, size):
    return tuple(bf16(batch, positions, heads, size, seed=i) for i in range(3))


for _positions, _causal in ((1024, False), (4096, False), (4096, True)):
    _add(f"attention_bf16_b2_s{_positions}_h16_d128{'_causal' if _causal else ''}",
         functools.partial(jax.nn.dot_product_attention, is_causal=_causal),
         functools.partial(_qkv, 2, _positions, 16, 128), "gpu_attention",
         flops=4.0 * 2 * 16 * _positions**2 * 128, kind="bf16")
_add("attention_bf16_gradient_h32_s2048_d64", attention_gradient,
     lambda: tuple(bf16(32, 2048, 64, seed=i) for i in range(3)), "gpu_attention",
     flops=14.0 * 32 * 2048**2 * 64, kind="bf16")


def _block_step(parameters, x):
    def loss(p):
        return (block(x, p, 16).astype(jnp.float32) ** 2).mean()
    value, gradient = jax.value_and_grad(loss)(parameters)
    return jax.tree.map(lambda p, g: (p - 1e-3 * g).astype(p.dtype), parameters, gradient), value


def _block_arguments(d, positions, batch):
    parameters = jax.tree.map(lambda a: np.asarray(a).astype(jnp.bfloat16), block_parameters(d))
    return parameters, bf16(batch, positions, d)


_add("transformer_block_bf16_d1024_s1024_b4", lambda p, x: block(x, p, 16),
     functools.partial(_block_arguments, 1024, 1024, 4), "gpu_models",
     flops=block_flops(1024, 1024, 4), kind="bf16")
_add("transformer_block_step_bf16_d1024_s1024_b4", _block_step,
     functools.partial(_block_arguments, 1024, 1024, 4), "gpu_models",
     flops=3 * block_flops(1024, 1024, 4), kind="bf16", carry={0: 0})


# ---------------------------------------------------------------- norms
_ROWS = 8192 * 4096
for _name, _make, _size in (("f32", f32, 4), ("bf16", bf16, 2)):
    _add(f"layernorm_8192x4096_{_name}", layernorm,
         lambda make=_make: (make(8192, 4096), make(4096, seed=1), make(4096, seed=2)),
         "gpu_norms", bytes=2.0 * _size * _ROWS)
    _add(f"rmsnorm_8192x4096_{_name}", rmsnorm,
         lambda make=_make: (make(8192, 4096), make(4096, seed=1)),
         "gpu_norms", bytes=2.0 * _size * _ROWS)
    _add(f"softmax_8192x4096_{_name}", lambda x: jax.nn.softmax(x, -1),
         lambda make=_make: (make(8192, 4096),), "gpu_norms", bytes=2.0 * _size * _ROWS)
_add("layernorm_gradient_8192x4096_bf16",
     jax.grad(lambda x, g, b: (layernorm(x, g, b).astype(jnp.float32) ** 2).sum(), (0, 1, 2)),
     lambda: (bf16(8192, 4096), bf16(4096, seed=1), bf16(4096, seed=2)), "gpu_norms",
     bytes=4.0 * _ROWS)
