"""Convolutional networks: ResNet-18 and -50, a diffusion model's block."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..registry import add, dense, f32
from .convolutions import convolution
from .models import attention

_REPEATS = {18: (2, 2, 2, 2), 50: (3, 4, 6, 3)}


def _blocks(depth):
    """(convolutions as (window, inputs, outputs, stride), shortcut or None) of each block."""
    blocks, inputs = [], 64
    for stage, repeats in enumerate(_REPEATS[depth]):
        width = 64 << stage
        for index in range(repeats):
            stride = 2 if index == 0 and stage > 0 else 1
            if depth == 18:
                layers = [(3, inputs, width, stride), (3, width, width, 1)]
            else:
                layers = [(1, inputs, width, 1), (3, width, width, stride),
                          (1, width, 4 * width, 1)]
            outputs = layers[-1][2]
            shortcut = stride != 1 or inputs != outputs
            blocks.append((layers, (1, inputs, outputs, stride) if shortcut else None))
            inputs = outputs
    return blocks, inputs


def resnet(depth):
    """Inference with folded batch norm, NHWC: (function, arguments of a batch)."""
    blocks, features = _blocks(depth)

    def layer(x, p, stride, relu=True):
        y = convolution(x, p["w"], stride) * p["scale"] + p["shift"]
        return jax.nn.relu(y) if relu else y

    def function(x, parameters):
        x = layer(x, parameters[0], 2)
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        for (layers, shortcut), p in zip(blocks, parameters[1:-1]):
            y = x
            for i, (shape, q) in enumerate(zip(layers, p["layers"])):
                y = layer(y, q, shape[3], relu=i < len(layers) - 1)
            x = jax.nn.relu(y + (layer(x, p["shortcut"], shortcut[3], False) if shortcut else x))
        return x.mean((1, 2)) @ parameters[-1]

    def make(shape, seed):
        window, inputs, outputs, _ = shape
        return dict(w=f32(window, window, inputs, outputs, seed=seed,
                          scale=float(np.sqrt(2 / (window * window * inputs)))),
                    scale=np.ones(outputs, np.float32), shift=np.zeros(outputs, np.float32))

    def arguments(batch):
        parameters = [make((7, 3, 64, 2), 0)]
        for n, (layers, shortcut) in enumerate(blocks):
            p = dict(layers=[make(shape, 10 * n + i) for i, shape in enumerate(layers)])
            if shortcut:
                p["shortcut"] = make(shortcut, 10 * n + 9)
            parameters.append(p)
        parameters.append(dense(1, features, 1000))
        return f32(batch, 224, 224, 3), parameters
    return function, arguments


for _depth, _flops in ((18, 3.63e9), (50, 8.18e9)):
    _function, _arguments = resnet(_depth)
    for _batch in (1, 8):
        add(f"resnet{_depth}_batch{_batch}", _function, functools.partial(_arguments, _batch),
            "model", flops=_flops * _batch)


def diffusion_block(x, p):
    """A residual block and self-attention over the pixels, of a latent diffusion model."""
    def group_norm(x):
        grouped = x.reshape(*x.shape[:-1], 32, -1)
        mean = grouped.mean((1, 2, 4), keepdims=True)
        variance = grouped.var((1, 2, 4), keepdims=True)
        return ((grouped - mean) * lax.rsqrt(variance + 1e-5)).reshape(x.shape)

    h = convolution(jax.nn.silu(group_norm(x)), p["w1"])
    x = x + convolution(jax.nn.silu(group_norm(h)), p["w2"])
    batch, height, width, features = x.shape
    tokens = group_norm(x).reshape(batch, height * width, features)
    q, k, v = (t.reshape(batch, -1, 8, features // 8).transpose(0, 2, 1, 3)
               for t in jnp.split(tokens @ p["qkv"], 3, -1))
    mixed = attention(q, k, v).transpose(0, 2, 1, 3).reshape(tokens.shape)
    return x + (mixed @ p["proj"]).reshape(x.shape)


add("diffusion_block_32x32x320", diffusion_block,
    lambda: (f32(1, 32, 32, 320),
             dict(w1=f32(3, 3, 320, 320, seed=1, scale=.02),
                  w2=f32(3, 3, 320, 320, seed=2, scale=.02), qkv=dense(3, 320, 960),
                  proj=dense(4, 320, 320))), "model",
    flops=2.0 * 1024 * (2 * 9 * 320 * 320 + 4 * 320 * 320 + 2 * 1024 * 320))
