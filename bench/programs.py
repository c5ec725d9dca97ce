"""The programs of the benchmark: name -> (function, arguments, arguments it donates)."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def _floats(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def scalar_add(x, y):
    return x + y


def elementwise_chain(x, y):
    for _ in range(4):
        x = jnp.tanh(x * y) + jnp.exp(-x * x) * 0.5
    return jnp.where(x > 0, x, 0.1 * x)


def softmax(x):
    return jax.nn.softmax(x, axis=-1)


def layernorm(x, scale, shift):
    centred = x - x.mean(-1, keepdims=True)
    return centred * lax.rsqrt((centred ** 2).mean(-1, keepdims=True) + 1e-5) * scale + shift


def matmul(x, y):
    return x @ y


def convolution(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME",
                                    dimension_numbers=("NHWC", "HWIO", "NHWC"))


def sort(x):
    return jnp.sort(x)


def while_loop(n, x):
    """A data-dependent loop over scalars, which cannot be vectorized."""
    def body(state):
        i, x = state
        return i + 1, x * 1.0000001 + jnp.float32(1e-7) * i.astype(jnp.float32)
    return lax.while_loop(lambda s: (s[0] < n) & (s[1] < 1e30), body, (jnp.int32(0), x))[1]


def mlp_train_step(params, x, y):
    def loss_of(params):
        hidden = x
        for w, b in params[:-1]:
            hidden = jax.nn.relu(hidden @ w + b)
        w, b = params[-1]
        log_probabilities = jax.nn.log_softmax(hidden @ w + b)
        return -(log_probabilities * jax.nn.one_hot(y, 10)).sum(-1).mean()
    loss, gradients = jax.value_and_grad(loss_of)(params)
    return jax.tree.map(lambda p, g: p - 0.01 * g, params, gradients), loss


def _mlp_params():
    sizes = (784, 256, 256, 10)
    return [(_floats(m, n, seed=m) / np.float32(m ** 0.5), np.zeros(n, np.float32))
            for m, n in zip(sizes, sizes[1:])]


def transformer_block(x, p):
    def norm(x):
        return layernorm(x, 1.0, 0.0)
    batch, time, width = x.shape
    q, k, v = jnp.split(norm(x) @ p["qkv"], 3, -1)
    q, k, v = (t.reshape(batch, time, 8, width // 8) for t in (q, k, v))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * (width // 8) ** -0.5
    scores = jnp.where(jnp.tri(time, dtype=bool), scores, -1e30)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)
    x = x + mixed.reshape(batch, time, width) @ p["out"]
    return x + jax.nn.gelu(norm(x) @ p["up"]) @ p["down"]


def _block_params(width=256):
    shapes = {"qkv": (width, 3 * width), "out": (width, width), "up": (width, 4 * width),
              "down": (4 * width, width)}
    return {n: _floats(*s, seed=i) / np.float32(s[0] ** 0.5)
            for i, (n, s) in enumerate(shapes.items())}


PROGRAMS = {
    "scalar add": (scalar_add, lambda: (np.float32(1), np.float32(2)), ()),
    "elementwise chain, f32[1e6]": (
        elementwise_chain, lambda: (_floats(1000000), _floats(1000000, seed=1)), ()),
    "softmax, f32[1024,1024]": (softmax, lambda: (_floats(1024, 1024),), ()),
    "layernorm, f32[2048,768]": (
        layernorm, lambda: (_floats(2048, 768), _floats(768, seed=1), _floats(768, seed=2)), ()),
    "matmul, f32 512": (matmul, lambda: (_floats(512, 512), _floats(512, 512, seed=1)), ()),
    "matmul, f32 1024": (matmul, lambda: (_floats(1024, 1024), _floats(1024, 1024, seed=1)), ()),
    "convolution 3x3, 8x56x56x64": (
        convolution, lambda: (_floats(8, 56, 56, 64), _floats(3, 3, 64, 64, seed=1)), ()),
    "sort, f32[1e6]": (sort, lambda: (_floats(1000000),), ()),
    "while loop, 100,000 iterations": (while_loop, lambda: (np.int32(100000), np.float32(1)), ()),
    "MLP train step, batch 128": (
        mlp_train_step, lambda: (_mlp_params(), _floats(128, 784), np.arange(128) % 10), (0,)),
    "transformer block, 4x128x256": (
        transformer_block, lambda: (_floats(4, 128, 256), _block_params()), ()),
}
