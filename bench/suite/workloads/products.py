"""Matrix products: f32 of many shapes, and narrow types."""
import functools

import jax
import jax.numpy as jnp
from jax import lax

from ..registry import add, bf16, f16, f32, i8


def _product(a, b):
    return a @ b


def _add_product(name, m, k, n, group="matmul", make=f32, size=4, kind="f32", function=_product):
    add(name, function,
        functools.partial(lambda make, m, k, n: (make(m, k), make(k, n, seed=1)), make, m, k, n),
        group, flops=2.0 * m * k * n, bytes=float(size) * (m * k + k * n + m * n), kind=kind)


for _n in (16, 64, 128, 256, 512, 1024, 2048):
    _add_product(f"matmul_f32_{_n}", _n, _n, _n)
_add_product("matmul_f32_333x555x777", 333, 555, 777)
_add_product("matmul_f32_nt_1024", 1024, 1024, 1024, function=lambda a, b: a @ b.T)
_add_product("matmul_f32_tn_1024", 1024, 1024, 1024, function=lambda a, b: a.T @ b)
_add_product("matmul_f32_tall_65536x64x64", 65536, 64, 64)
_add_product("matmul_f32_skinny_8x4096x4096", 8, 4096, 4096)
add("matmul_f32_batched_512x32x32", jnp.matmul,
    lambda: (f32(512, 32, 32), f32(512, 32, 32, seed=1)), "matmul", flops=2.0 * 512 * 32**3,
    bytes=12.0 * 512 * 1024)
add("einsum_bij_bkj_bik_16x128", lambda a, b: jnp.einsum("bij,bkj->bik", a, b),
    lambda: (f32(16, 128, 128), f32(16, 128, 128, seed=1)), "matmul",
    flops=2.0 * 16 * 128**3, bytes=12.0 * 16 * 128 * 128)
add("matvec_f32_4096", _product, lambda: (f32(4096, 4096), f32(4096, seed=1)), "matmul",
    flops=2.0 * 4096**2, bytes=4.0 * 4096**2)
add("matvec_f32_512", _product, lambda: (f32(512, 512), f32(512, seed=1)), "matmul",
    flops=2.0 * 512**2, bytes=4.0 * 512**2)
add("matmul_bias_gelu_512x768x3072", lambda x, w, b: jax.nn.gelu(x @ w + b),
    lambda: (f32(512, 768), f32(768, 3072, seed=1, scale=.02), f32(3072, seed=2)), "matmul",
    flops=2.0 * 512 * 768 * 3072, bytes=4.0 * (512 * 768 + 768 * 3072 + 512 * 3072))

for _n in (256, 1024, 2048):
    _add_product(f"matmul_bf16_{_n}", _n, _n, _n, "matmul_narrow", bf16, 2, "bf16")
_add_product("matmul_bf16_to_f32_1024", 1024, 1024, 1024, "matmul_narrow", bf16, 2, "bf16",
             lambda a, b: lax.dot(a, b, preferred_element_type=jnp.float32))
_add_product("matmul_bf16_nt_1024", 1024, 1024, 1024, "matmul_narrow", bf16, 2, "bf16",
             lambda a, b: a @ b.T)
_add_product("matmul_bf16_64x4096x4096", 64, 4096, 4096, "matmul_narrow", bf16, 2, "bf16")
add("matvec_bf16_4096", _product, lambda: (bf16(4096, 4096), bf16(4096, seed=1)),
    "matmul_narrow", flops=2.0 * 4096**2, bytes=2.0 * 4096**2, kind="bf16")
_add_product("matmul_i8_to_i32_1024", 1024, 1024, 1024, "matmul_narrow", i8, 1, "i8",
             lambda a, b: lax.dot(a, b, preferred_element_type=jnp.int32))
_add_product("matmul_f16_1024", 1024, 1024, 1024, "matmul_narrow", f16, 2, "f32")
