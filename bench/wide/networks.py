"""Small networks on images: training steps, decoders, normalisation, blocks."""
import jax
import jax.numpy as jnp
from jax import lax

from .registry import integers, normal, program, uniform, weights


def conv(x, w, stride=1, padding="SAME", groups=1, dilation=1):
    return lax.conv_general_dilated(x, w, (stride, stride), padding, rhs_dilation=(dilation,) * 2,
                                    dimension_numbers=("NHWC", "HWIO", "NHWC"),
                                    feature_group_count=groups)


def deconv(x, w, stride=2):
    return lax.conv_transpose(x, w, (stride, stride), "SAME",
                              dimension_numbers=("NHWC", "HWIO", "NHWC"))


def cross_entropy(logits, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1))


def max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


@program(lambda: (normal(16, 28, 28, 1), integers(16, high=10), weights(5, 5, 1, 8, seed=1),
                  weights(5, 5, 8, 16, seed=2), weights(784, 10, seed=3)))
def mnist_cnn_training_step(x, y, k1, k2, w):
    def loss(p):
        h = max_pool(jax.nn.relu(conv(x, p[0])))
        h = max_pool(jax.nn.relu(conv(h, p[1])))
        return cross_entropy(h.reshape(16, -1) @ p[2], y)
    value, g = jax.value_and_grad(loss)((k1, k2, w))
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, (k1, k2, w), g)


@program(lambda: (normal(8, 32, 32, 16), weights(3, 3, 16, 32, seed=1),
                  weights(3, 3, 32, 32, seed=2), weights(1, 1, 16, 32, seed=3)))
def strided_residual_block_gradient(x, a, b, c):
    def loss(x, p):
        h = conv(jax.nn.relu(conv(x, p[0], 2)), p[1])
        return jnp.mean(jax.nn.relu(h + conv(x, p[2], 2)) ** 2)
    return jax.grad(loss, (0, 1))(x, (a, b, c))


@program(lambda: (normal(16, 64), weights(64, 4 * 4 * 32, seed=1), weights(4, 4, 32, 32, seed=2),
                  weights(4, 4, 32, 16, seed=3), weights(4, 4, 16, 3, seed=4)))
def dcgan_generator(z, w, a, b, c):
    h = jax.nn.relu(z @ w).reshape(16, 4, 4, 32)
    return jnp.tanh(deconv(jax.nn.relu(deconv(jax.nn.relu(deconv(h, a)), b)), c))


@program(lambda: (normal(8, 64), weights(64, 4 * 4 * 32, seed=1), weights(4, 4, 32, 32, seed=2),
                  weights(4, 4, 32, 1, seed=3)))
def dcgan_generator_gradient(z, w, a, b):
    def loss(p):
        h = jax.nn.relu(z @ p[0]).reshape(8, 4, 4, 32)
        return jnp.mean(jnp.tanh(deconv(jax.nn.relu(deconv(h, p[1])), p[2])) ** 2)
    return jax.grad(loss)((w, a, b))


@program(lambda: (normal(2, 32, 32, 3), weights(3, 3, 3, 16, seed=1), weights(3, 3, 16, 32, seed=2),
                  weights(2, 2, 32, 16, seed=3), weights(3, 3, 32, 4, seed=4)))
def unet_small(x, down, mid, up, out):
    skip = jax.nn.relu(conv(x, down))
    h = jax.nn.relu(conv(max_pool(skip), mid))
    h = jnp.concatenate([skip, deconv(h, up)], -1)
    return jax.nn.softmax(conv(h, out))


@program(lambda: (uniform(64, 196), normal(64, 8, seed=1), weights(196, 128, seed=2),
                  weights(128, 16, seed=3), weights(8, 128, seed=4), weights(128, 196, seed=5)))
def vae_step(x, noise, e1, e2, d1, d2):
    def loss(p):
        mean, logvar = jnp.split(jax.nn.relu(x @ p[0]) @ p[1], 2, axis=1)
        z = mean + jnp.exp(0.5 * logvar) * noise
        logits = jax.nn.relu(z @ p[2]) @ p[3]
        bce = jnp.sum(jnp.logaddexp(0.0, logits) - x * logits, 1)
        kl = -0.5 * jnp.sum(1 + logvar - mean ** 2 - jnp.exp(logvar), 1)
        return jnp.mean(bce + kl)
    return jax.value_and_grad(loss)((e1, e2, d1, d2))


@program(lambda: (normal(16, 16, 16, 32), normal(32, seed=1), normal(32, seed=2)))
def batch_norm_training_gradient(x, gamma, beta):
    def loss(x, gamma, beta):
        mean, var = x.mean((0, 1, 2)), x.var((0, 1, 2))
        y = (x - mean) * lax.rsqrt(var + 1e-5) * gamma + beta
        return jnp.sum(jax.nn.gelu(y)), (0.9 * mean, 0.9 * var)
    return jax.grad(loss, (0, 1, 2), has_aux=True)(x, gamma, beta)


@program(lambda: (normal(4, 16, 16, 64), normal(64, seed=1)))
def group_norm_silu(x, gamma):
    g = x.reshape(4, 256, 8, 8)
    mean, var = g.mean((1, 3), keepdims=True), g.var((1, 3), keepdims=True)
    return jax.nn.silu(((g - mean) / jnp.sqrt(var + 1e-6)).reshape(x.shape) * gamma)


@program(lambda: (normal(1, 28, 28, 32), weights(3, 3, 1, 64, seed=1),
                  weights(1, 1, 32, 64, seed=2), weights(1, 1, 64, 32, seed=3),
                  weights(64, 8, seed=4), weights(8, 64, seed=5)))
def mobilenet_block_squeeze_excite(x, depth, expand, project, down, up):
    h = jax.nn.hard_swish(conv(x, expand))
    h = jax.nn.hard_swish(conv(h, depth, groups=64))
    gate = jax.nn.hard_sigmoid(jax.nn.relu(h.mean((1, 2)) @ down) @ up)
    return x + conv(h * gate[:, None, None], project)


@program(lambda: (normal(2, 24, 24, 32), weights(3, 3, 1, 32, seed=1)))
def depthwise_strided_gradient(x, w):
    return jax.grad(lambda x, w: jnp.sum(conv(x, w, 2, groups=32) ** 2), (0, 1))(x, w)


@program(lambda: (normal(8, 32, 32, 16),))
def max_and_mean_pool_gradient(x):
    def f(x):
        top = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        mean = lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") / 9
        return jnp.sum(top * mean)
    return jax.grad(f)(x)


@program(lambda: (normal(8, 24, 24, 3), normal(8, 6, seed=1, scale=0.1)))
def spatial_transformer_gradient(x, theta):
    def warp(image, t):
        u, v = jnp.meshgrid(jnp.linspace(-0.8, 0.8, 24), jnp.linspace(-0.8, 0.8, 24))
        a = u * (1 + t[0]) + v * t[1] + t[2]
        b = u * t[3] + v * (1 + t[4]) + t[5]
        i, j = jnp.clip((b + 1) * 11.5, 0, 22.99), jnp.clip((a + 1) * 11.5, 0, 22.99)
        i0, j0 = jnp.floor(i).astype(jnp.int32), jnp.floor(j).astype(jnp.int32)
        fi, fj = (i - i0)[..., None], (j - j0)[..., None]
        return ((1 - fi) * (1 - fj) * image[i0, j0] + fi * (1 - fj) * image[i0 + 1, j0]
                + (1 - fi) * fj * image[i0, j0 + 1] + fi * fj * image[i0 + 1, j0 + 1])
    return jax.grad(lambda x, t: jnp.sum(jax.vmap(warp)(x, t) ** 2), (0, 1))(x, theta)


@program(lambda: (normal(8, 32, 32, 3), weights(48, 64, seed=1), normal(65, 64, seed=2),
                  weights(64, 192, seed=3), weights(64, 64, seed=4), weights(64, 10, seed=5)))
def vision_transformer_patches(x, embed, position, qkv, out, head):
    p = x.reshape(8, 8, 4, 8, 4, 3).transpose(0, 1, 3, 2, 4, 5).reshape(8, 64, 48) @ embed
    h = jnp.concatenate([jnp.zeros((8, 1, 64)), p], 1) + position
    q, k, v = jnp.split((h @ qkv).reshape(8, 65, 4, 48), 3, -1)
    a = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) / 4)
    h = h + jnp.einsum("bhqk,bkhd->bqhd", a, v).reshape(8, 65, 64) @ out
    return h[:, 0] @ head


@program(lambda: (normal(4, 1000, 16), weights(2, 16, 32, seed=1), weights(2, 16, 32, seed=2),
                  weights(16, 16, seed=3)))
def wavenet_dilated_causal(x, f, g, mix):
    def causal(x, w, d):
        return lax.conv_general_dilated(x, w, (1,), [(d, 0)], rhs_dilation=(d,),
                                        dimension_numbers=("NWC", "WIO", "NWC"))
    for d in (1, 2, 4, 8, 16):
        h = jnp.tanh(causal(x, f, d)) * jax.nn.sigmoid(causal(x, g, d))
        x = x + h[..., :16] @ mix
    return x


@program(lambda: (normal(2, 24, 24, 16), weights(3, 3, 16, 36, seed=1)))
def pixel_shuffle_upsampling(x, w):
    h = conv(x, w).reshape(2, 24, 24, 3, 3, 4)
    return h.transpose(0, 1, 3, 2, 4, 5).reshape(2, 72, 72, 4)


@program(lambda: (normal(2, 20, 20, 16), weights(3, 3, 16, 16, seed=1)))
def atrous_pyramid_gradient(x, w):
    def f(w):
        return sum(jnp.mean(jax.nn.relu(conv(x, w, dilation=d)) ** 2) for d in (1, 2, 4))
    return jax.grad(f)(w)


@program(lambda: (normal(64, 20), integers(64, high=5), weights(20, 64, seed=1),
                  weights(64, 5, seed=2)))
def per_example_gradients_clipped(x, y, w1, w2):
    """Differentially private descent: vmap of grad, clipped norms."""
    def loss(p, x, y):
        return -jax.nn.log_softmax(jnp.tanh(x @ p[0]) @ p[1])[y]
    g = jax.vmap(jax.grad(loss), (None, 0, 0))((w1, w2), x, y)
    norm = jnp.sqrt(sum(jnp.sum(a ** 2, (1, 2)) for a in g))
    scale = jnp.minimum(1, 0.5 / norm)
    return jax.tree.map(lambda a: jnp.einsum("bij,b->ij", a, scale) / 64, g)


@program(lambda: (normal(32, 128, 7, 7), normal(128, seed=1), normal(128, seed=2)))
def batch_norm_nchw_short_rows(x, scale, offset):
    mean = jnp.mean(x, (0, 2, 3))
    variance = jnp.mean(x ** 2, (0, 2, 3)) - mean ** 2
    k = scale * jax.lax.rsqrt(variance + 1e-5)
    return x * k[:, None, None] + (offset - mean * k)[:, None, None], mean, variance
