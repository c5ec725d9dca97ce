"""Convolutions of many layouts, their gradients, and pooling."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..registry import add, bf16, f32


def convolution(x, w, stride=1, groups=1, layout="NHWC"):
    filters = "HWIO" if layout == "NHWC" else "OIHW"
    return lax.conv_general_dilated(x, w, (stride, stride), "SAME", feature_group_count=groups,
                                    dimension_numbers=(layout, filters, layout))


def _add(name, shape, filters, flops, make=f32, kind="f32", **keywords):
    add(name, functools.partial(convolution, **keywords),
        lambda: (make(*shape), make(*filters, seed=1)), "convolution", flops=flops,
        bytes=4.0 * (np.prod(shape) + np.prod(filters)), kind=kind)


_PIXELS = 2.0 * 56 * 56
_add("conv3x3_nhwc_1x56x56x64", (1, 56, 56, 64), (3, 3, 64, 64), _PIXELS * 64 * 64 * 9)
_add("conv3x3_nchw_1x64x56x56", (1, 64, 56, 56), (64, 64, 3, 3), _PIXELS * 64 * 64 * 9,
     layout="NCHW")
_add("conv1x1_nhwc_1x28x28x512to128", (1, 28, 28, 512), (1, 1, 512, 128),
     _PIXELS / 4 * 512 * 128)
_add("conv7x7s2_nhwc_1x224x224x3", (1, 224, 224, 3), (7, 7, 3, 64),
     2.0 * 112 * 112 * 3 * 64 * 49, stride=2)
_add("conv3x3_grouped32_nhwc_1x56x56x128", (1, 56, 56, 128), (3, 3, 4, 128),
     _PIXELS * 4 * 128 * 9, groups=32)
_add("conv3x3_depthwise_nhwc_1x56x56x128", (1, 56, 56, 128), (3, 3, 1, 128), _PIXELS * 128 * 9,
     groups=128)
_add("conv3x3_depthwise_nchw_1x128x56x56", (1, 128, 56, 56), (128, 1, 3, 3),
     _PIXELS * 128 * 9, groups=128, layout="NCHW")
_add("conv3x3_bf16_nhwc_1x56x56x64", (1, 56, 56, 64), (3, 3, 64, 64), _PIXELS * 64 * 64 * 9,
     bf16, "bf16")
add("conv3x3_bias_relu_nhwc_8x56x56x64",
    lambda x, w, b: jax.nn.relu(convolution(x, w) + b),
    lambda: (f32(8, 56, 56, 64), f32(3, 3, 64, 64, seed=1), f32(64, seed=2)), "convolution",
    flops=8 * _PIXELS * 64 * 64 * 9, bytes=8.0 * 8 * 56 * 56 * 64)
add("conv_gradients_nhwc_8x28x28x64",
    jax.grad(lambda x, w: (convolution(x, w) ** 2).sum(), (0, 1)),
    lambda: (f32(8, 28, 28, 64), f32(3, 3, 64, 64, seed=1, scale=.05)), "convolution",
    flops=6.0 * 8 * 28 * 28 * 64 * 64 * 9)
add("conv1d_8x4096x32", lambda x, w: lax.conv_general_dilated(
    x, w, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC")),
    lambda: (f32(8, 4096, 32), f32(5, 32, 32, seed=1)), "convolution",
    flops=2.0 * 8 * 4096 * 32 * 32 * 5)
add("maxpool3x3s2_nhwc_8x112x112x64",
    lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"),
    lambda: (f32(8, 112, 112, 64),), "convolution", bytes=5.0 * 8 * 112 * 112 * 64)
add("avgpool2x2_nhwc_8x112x112x64",
    lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4,
    lambda: (f32(8, 112, 112, 64),), "convolution", bytes=5.0 * 8 * 112 * 112 * 64)
