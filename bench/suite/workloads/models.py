"""Multilayer perceptrons and transformers: training, inference, decoding."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..registry import add, bf16, dense, f32, indices, random_state
from .reductions import layernorm


def _negative_log_likelihood(logits, labels):
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1)
    return -picked.mean()


def mlp_loss(parameters, x, y):
    for w, b in parameters[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = parameters[-1]
    return _negative_log_likelihood(x @ w + b, y)


def mlp_step(parameters, x, y):
    loss, gradient = jax.value_and_grad(mlp_loss)(parameters, x, y)
    return jax.tree.map(lambda p, g: p - 0.01 * g, parameters, gradient), loss


def mlp_arguments():
    sizes = [784, 1024, 1024, 10]
    layers = [(dense(i, sizes[i], sizes[i + 1]), np.zeros(sizes[i + 1], np.float32))
              for i in range(3)]
    return layers, f32(128, 784), indices(128, 10)


add("mlp_train_128x784x1024x1024x10", mlp_step, mlp_arguments, "model",
    flops=6.0 * 128 * (784 * 1024 + 1024 * 1024 + 10240), carry={0: 0})


def attention(q, k, v, causal=False):
    """softmax(q k' / sqrt(d)) v over [..., position, d]."""
    scores = jnp.einsum("...qd,...kd->...qk", q, k).astype(jnp.float32) / q.shape[-1] ** 0.5
    if causal:
        size = q.shape[-2]
        scores = jnp.where(jnp.tril(jnp.ones((size, size), bool)), scores, -1e9)
    return jnp.einsum("...qk,...kd->...qd", jax.nn.softmax(scores, -1).astype(v.dtype), v)


def block(x, p, heads):
    """A pre-norm transformer block."""
    batch, positions, width = x.shape
    h = layernorm(x, p["g1"], p["b1"])
    q, k, v = (t.reshape(batch, positions, heads, width // heads).transpose(0, 2, 1, 3)
               for t in jnp.split(h @ p["qkv"], 3, -1))
    mixed = attention(q, k, v, causal=True).transpose(0, 2, 1, 3)
    x = x + mixed.reshape(batch, positions, width) @ p["proj"]
    h = layernorm(x, p["g2"], p["b2"])
    return x + jax.nn.gelu(h @ p["up"] + p["bu"]) @ p["down"] + p["bd"]


def block_parameters(d, seed=0):
    zeros, ones = (functools.partial(f, dtype=np.float32) for f in (np.zeros, np.ones))
    return dict(qkv=dense(seed, d, 3 * d), proj=dense(seed + 1, d, d),
                up=dense(seed + 2, d, 4 * d), down=dense(seed + 3, 4 * d, d), bu=zeros(4 * d),
                bd=zeros(d), g1=ones(d), b1=zeros(d), g2=ones(d), b2=zeros(d))


def block_flops(d, positions, batch):
    return batch * (24.0 * positions * d * d + 4.0 * positions * positions * d)


add("transformer_block_d512_s256", lambda x, p: block(x, p, 8),
    lambda: (f32(1, 256, 512), block_parameters(512)), "model",
    flops=block_flops(512, 256, 1), bytes=4.0 * 12 * 512 * 512)


def _qkv(*shape):
    return tuple(f32(*shape, seed=i) for i in range(3))


add("attention_h8_s1024_d64", attention, lambda: _qkv(8, 1024, 64), "model",
    flops=4.0 * 8 * 1024 * 1024 * 64)
add("attention_causal_gradient_h8_s512_d64",
    jax.grad(lambda q, k, v: (attention(q, k, v, causal=True) ** 2).sum(), (0, 1, 2)),
    lambda: _qkv(8, 512, 64), "model", flops=14.0 * 8 * 512 * 512 * 64)


def attention_gradient(q, k, v):
    """The gradient of the sum of squares of attention's result for all operands."""
    return jax.grad(lambda *x: (attention(*x).astype(jnp.float32) ** 2).sum(), (0, 1, 2))(q, k, v)


def _bf16_qkv(*shape):
    return tuple(bf16(*shape, seed=i) for i in range(3))


add("attention_h8_s1024_d64_bf16", attention, lambda: _bf16_qkv(8, 1024, 64), "model",
    flops=4.0 * 8 * 1024 * 1024 * 64, kind="bf16")
for _kind, _make in (("f32", _qkv), ("bf16", _bf16_qkv)):
    add(f"attention_gradient_h8_s1024_d64_{_kind}", attention_gradient,
        functools.partial(_make, 8, 1024, 64), "model", flops=14.0 * 8 * 1024 * 1024 * 64,
        kind=_kind)
    add(f"dot_product_attention_b2_s512_h8_d64_{_kind}", jax.nn.dot_product_attention,
        functools.partial(_make, 2, 512, 8, 64), "model", flops=4.0 * 2 * 8 * 512 * 512 * 64,
        kind=_kind)

# GPT-2 of 124M parameters: one token with a cache of 256 positions.
_WIDTH, _LAYERS, _HEADS, _WORDS, _CONTEXT = 768, 12, 12, 50257, 256
_GPT2_WEIGHTS = 12 * _LAYERS * _WIDTH**2 + _WORDS * _WIDTH


def gpt2_decode(cache, token, position, parameters):
    size = _WIDTH // _HEADS
    x = parameters["wte"][token] + parameters["wpe"][position]
    written = []
    for p, (keys, values) in zip(parameters["layers"], cache):
        h = layernorm(x, p["g1"], p["b1"])
        q, k, v = jnp.split(h @ p["qkv"], 3)
        keys = lax.dynamic_update_slice(keys, k.reshape(1, _HEADS, size), (position, 0, 0))
        values = lax.dynamic_update_slice(values, v.reshape(1, _HEADS, size), (position, 0, 0))
        written.append((keys, values))
        scores = jnp.einsum("hd,shd->hs", q.reshape(_HEADS, size), keys).astype(jnp.float32)
        scores = jnp.where(jnp.arange(_CONTEXT)[None] <= position, scores / size**0.5, -1e9)
        weights = jax.nn.softmax(scores, -1).astype(x.dtype)
        x = x + jnp.einsum("hs,shd->hd", weights, values).reshape(_WIDTH) @ p["proj"]
        h = layernorm(x, p["g2"], p["b2"])
        x = x + jax.nn.gelu(h @ p["up"] + p["bu"]) @ p["down"] + p["bd"]
    return written, jnp.argmax(parameters["wte"] @ x).astype(jnp.int32), position


def gpt2_arguments(dtype):
    parameters = dict(wte=f32(_WORDS, _WIDTH, scale=.02), wpe=f32(1024, _WIDTH, scale=.02),
                      layers=[block_parameters(_WIDTH, 10 * i) for i in range(_LAYERS)])
    cache = [tuple(f32(_CONTEXT, _HEADS, _WIDTH // _HEADS, seed=i + s) for s in (0, 50))
             for i in range(_LAYERS)]
    cache, parameters = jax.tree.map(lambda a: np.asarray(a).astype(dtype), (cache, parameters))
    return cache, np.int32(11), np.int32(200), parameters


for _dtype, _bytes, _kind in ((np.float32, 4, "f32"), (jnp.bfloat16, 2, "bf16")):
    add(f"gpt2_124m_decode_{_kind}", gpt2_decode, functools.partial(gpt2_arguments, _dtype),
        "model", flops=2.0 * _GPT2_WEIGHTS, bytes=float(_bytes) * _GPT2_WEIGHTS,
        carry={0: 0, 1: 1}, kind=_kind)


def language_model_loss(p, tokens):
    x = p["embedding"][tokens[:, :-1]]
    for layer in p["layers"]:
        x = block(x, layer, 4)
    return _negative_log_likelihood(x @ p["embedding"].T, tokens[:, 1:])


def adam_step(state, tokens):
    p, m, v, t = state
    loss, gradient = jax.value_and_grad(language_model_loss)(p, tokens)
    t = t + 1
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, gradient)
    v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, gradient)
    rate = 1e-3 * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
    p = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8), p, m, v)
    return (p, m, v, t), loss


def language_model_arguments():
    p = dict(embedding=f32(4096, 256, scale=.02),
             layers=[block_parameters(256, 10 * i) for i in range(4)])
    m, v = (jax.tree.map(np.zeros_like, p) for _ in range(2))
    return (p, m, v, np.float32(0)), random_state(5).randint(0, 4096, (8, 129)).astype(np.int32)


add("transformer_train_4l_d256_b8_s128", adam_step, language_model_arguments, "model",
    carry={0: 0}, flops=3 * (4 * block_flops(256, 128, 8) + 2.0 * 8 * 128 * 256 * 4096))
add("unrolled_200_layers",
    lambda x, w: functools.reduce(lambda a, i: jnp.tanh(a @ w + i), range(200), x),
    lambda: (f32(4, 32), f32(32, 32, seed=1, scale=.1)), "compile",
    flops=200 * 2.0 * 4 * 32 * 32)
