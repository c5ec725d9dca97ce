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


def transposed(x, w, stride=2, layout="NHWC"):
    filters = "HWIO" if layout == "NHWC" else "OIHW"
    return lax.conv_transpose(x, w, (stride, stride), "SAME",
                              dimension_numbers=(layout, filters, layout))


def input_gradient(w, dy, shape, **keywords):
    x = jnp.zeros(shape, w.dtype)
    return jax.vjp(lambda x: convolution(x, w, **keywords), x)[1](dy)[0]


def filter_gradient(x, dy, shape, **keywords):
    w = jnp.zeros(shape, x.dtype)
    return jax.vjp(lambda w: convolution(x, w, **keywords), w)[1](dy)[0]


def _add_training(name, batch, size, inputs, outputs, taps, stride, layout="NHWC", make=f32,
                  kind="f32", groups=1):
    """The two gradients of a convolution."""
    def shape(pixels, features):
        return ((batch, pixels, pixels, features) if layout == "NHWC" else
                (batch, features, pixels, pixels))
    x, dy = shape(size, inputs), shape(-(-size // stride), outputs)
    group = inputs // groups
    w = (taps, taps, group, outputs) if layout == "NHWC" else (outputs, group, taps, taps)
    keywords = dict(stride=stride, layout=layout, groups=groups)
    flops = 2.0 * np.prod(dy) * group * taps * taps
    add(f"conv{name}_input_gradient", functools.partial(input_gradient, shape=x, **keywords),
        lambda: (make(*w), make(*dy, seed=1)), "convolution", flops=flops, kind=kind)
    add(f"conv{name}_filter_gradient", functools.partial(filter_gradient, shape=w, **keywords),
        lambda: (make(*x), make(*dy, seed=1)), "convolution", flops=flops, kind=kind)


def _add_transposed(name, batch, size, inputs, outputs, taps, stride, layout="NHWC", make=f32,
                    kind="f32"):
    last = layout == "NHWC"
    x = (batch, size, size, inputs) if last else (batch, inputs, size, size)
    w = (taps, taps, inputs, outputs) if last else (outputs, inputs, taps, taps)
    add(f"transposed{name}", functools.partial(transposed, stride=stride, layout=layout),
        lambda: (make(*x), make(*w, seed=1)), "convolution",
        flops=2.0 * batch * size * size * inputs * outputs * taps * taps, kind=kind)


_add_training("3x3s2_nhwc_8x56x56x64", 8, 56, 64, 128, 3, 2)
_add_training("3x3s2_nhwc_1x14x14x256", 1, 14, 256, 512, 3, 2)
_add_training("3x3s2_nchw_8x64x56x56", 8, 56, 64, 128, 3, 2, layout="NCHW")
_add_training("3x3s2_bf16_nhwc_1x56x56x64", 1, 56, 64, 128, 3, 2, make=bf16, kind="bf16")
_add_training("1x1s2_nhwc_8x28x28x256", 8, 28, 256, 512, 1, 2)
_add_training("7x7s2_nhwc_2x224x224x3", 2, 224, 3, 64, 7, 2)
_add_training("3x3_nhwc_8x14x14x256", 8, 14, 256, 256, 3, 1)
_add_training("3x3_nchw_8x256x14x14", 8, 14, 256, 256, 3, 1, layout="NCHW")
_add_training("1x1s2_nhwc_8x28x28x512to1024", 8, 28, 512, 1024, 1, 2)
_add_training("1x1s2_nchw_8x256x28x28", 8, 28, 256, 512, 1, 2, layout="NCHW")
_add_training("7x7s2_nchw_2x3x224x224", 2, 224, 3, 64, 7, 2, layout="NCHW")
_add_training("3x3_depthwise_nhwc_8x14x14x512", 8, 14, 512, 512, 3, 1, groups=512)
_add_training("3x3s2_depthwise_nchw_8x128x56x56", 8, 56, 128, 128, 3, 2, layout="NCHW",
              groups=128)
_add_transposed("4x4s2_nhwc_8x8x8x512", 8, 8, 512, 256, 4, 2)
_add_transposed("4x4s2_nhwc_8x4x4x512", 8, 4, 512, 256, 4, 2)
_add_transposed("4x4s2_nhwc_8x32x32x64to3", 8, 32, 64, 3, 4, 2)
_add_transposed("4x4s2_nchw_8x256x8x8", 8, 8, 256, 128, 4, 2, layout="NCHW")
_add_transposed("2x2s2_nchw_1x256x32x32", 1, 32, 256, 128, 2, 2, layout="NCHW")
_add_transposed("16x16s8_nhwc_1x28x28x21", 1, 28, 21, 21, 16, 8)
_add_transposed("4x4s2_nhwc_1x32x32x128to3", 1, 32, 128, 3, 4, 2)
_add_transposed("4x4s2_nchw_8x128x32x32to3", 8, 32, 128, 3, 4, 2, layout="NCHW")
_add_transposed("2x2s2_nhwc_8x32x32x128", 8, 32, 128, 64, 2, 2)
_add_transposed("3x3s2_nhwc_1x28x28x64", 1, 28, 64, 64, 3, 2)
_add_transposed("3x3s2_bf16_nhwc_1x28x28x64", 1, 28, 64, 64, 3, 2, make=bf16, kind="bf16")
add("transposed1d_16s8_8x128x256", lambda x, w: lax.conv_transpose(
    x, w, (8,), "SAME", dimension_numbers=("NWC", "WIO", "NWC")),
    lambda: (f32(8, 128, 256), f32(16, 256, 128, seed=1)), "convolution",
    flops=2.0 * 8 * 128 * 256 * 128 * 16)
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
