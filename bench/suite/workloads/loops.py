"""Loops and scans: scalar, vector, recurrent cells and gradients of them."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..registry import add, f32

add("fori_scalar_10000",
    lambda x: lax.fori_loop(0, 10_000, lambda i, v: v * 0.999 + jnp.sin(v) * 0.001, x),
    lambda: (np.float32(1),), "loops")
add("fori_collatz_10000",
    lambda n: lax.fori_loop(0, 10_000, lambda i, v: jnp.where(v % 2 == 0, v // 2, 3 * v + 1), n),
    lambda: (np.int32(27),), "loops")
add("while_newton_1000",
    lambda x: lax.while_loop(lambda s: s[1] < 200,
                             lambda s: (0.5 * (s[0] + 2.0 / s[0]), s[1] + 1), (x, 0))[0],
    lambda: (np.abs(f32(1000)) + 1,), "loops", flops=8e5)
add("while_maximum_2^20",
    lambda x: lax.while_loop(lambda s: s[1] < (1 << 20) - 1,
                             lambda s: (jnp.maximum(s[0], x[s[1]]), s[1] + 1),
                             (jnp.float32(-1e9), 0))[0],
    lambda: (f32(1 << 20),), "loops", bytes=4.0 * 2**20, iree=False)
add("scan_decay_10000x16",
    lambda x: lax.scan(lambda c, v: (jnp.maximum(c * 0.9, v), c), jnp.zeros(16), x),
    lambda: (f32(10000, 16),), "loops", bytes=8.0 * 160_000)


def recurrent(x, h, wx, wh, b):
    def step(h, xt):
        h = jnp.tanh(xt @ wx + h @ wh + b)
        return h, h
    return lax.scan(step, h, x)


def recurrent_arguments():
    return (f32(100, 8, 128), f32(8, 128), f32(128, 128, scale=.05),
            f32(128, 128, seed=1, scale=.05), f32(128))


def lstm(x, state, wx, wh):
    def step(state, xt):
        h, c = state
        i, f, g, o = jnp.split(xt @ wx + h @ wh, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h
    return lax.scan(step, state, x)[1]


_FLOPS = 100 * 4.0 * 8 * 128 * 128
add("scan_rnn_100x8x128", recurrent, recurrent_arguments, "loops", flops=_FLOPS)
add("scan_rnn_gradient_100x8x128",
    lambda x, h, wx, wh, b: jax.grad(
        lambda wx, wh: (recurrent(x, h, wx, wh, b)[1] ** 2).sum(), (0, 1))(wx, wh),
    recurrent_arguments, "loops", flops=3 * _FLOPS)
add("scan_lstm_100x8x128", lstm,
    lambda: (f32(100, 8, 128), (f32(8, 128), f32(8, 128, seed=1)),
             f32(128, 512, seed=2, scale=.05), f32(128, 512, seed=3, scale=.05)), "loops",
    flops=4 * _FLOPS)


def _many_scalars(leaves, length):
    """A scan whose carry has many scalars: the cost of an operation in a loop body."""
    def loss(p):
        def step(s, t):
            return {k: v + 0.01 * (jnp.tanh(s[f"v{(i + 1) % leaves}"]) - v) + 1e-3 * t
                    for i, (k, v) in enumerate(s.items())}, None
        s, _ = lax.scan(step, p, jnp.arange(length, dtype=jnp.float32))
        return sum(v * v for v in s.values())
    return loss, lambda: ({f"v{i}": np.float32(0.1 * i) for i in range(leaves)},)


_loss, _arguments = _many_scalars(40, 300)
add("scan_40_scalars_300", _loss, _arguments, "loops", flops=300 * 40 * 30.0)
add("scan_40_scalars_300_gradient", jax.grad(_loss), _arguments, "loops",
    flops=3 * 300 * 40 * 30.0)
