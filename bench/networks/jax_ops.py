"""The networks' operations in JAX: channels last; attention and norms by plain operators."""
import jax
import jax.numpy as jnp
import numpy as np

from . import ops

TYPES = {"f32": np.float32, "bf16": jnp.bfloat16}


class JaxOps(ops.Ops):
    def __init__(self, parameters=None, train=False):
        super().__init__(parameters, train)
        self.updates = {}  # of running means and variances

    @staticmethod
    def run_on_shapes(collector, program):
        inputs = [JaxOps.lay_out(i.kind, i.make()) for i in program.inputs]
        jax.eval_shape(lambda *x: program.function(collector, *x), *inputs)

    @staticmethod
    def lay_out(kind, array):
        """The canonical `array` in JAX's layout."""
        if kind in ("image", "filter"):
            order = (*range(2, array.ndim), 1, 0) if kind == "filter" else \
                (0, *range(2, array.ndim), 1)
            return np.ascontiguousarray(np.transpose(array, order))
        return np.ascontiguousarray(array.T) if kind == "weights" else array

    @staticmethod
    def canonical(kind, array):
        return np.moveaxis(array, -1, 1) if kind == "image" else array

    def canonical_shape(self, kind, x):
        shape = tuple(x.shape)
        return (shape[0], shape[-1], *shape[1:-1]) if kind == "image" else shape

    def _placeholder(self, kind, shape):
        return jnp.zeros(self.lay_out(kind, np.empty(shape, np.float32)).shape)

    def activate(self, x, name):
        return {None: lambda x: x, "relu": jax.nn.relu, "relu6": jax.nn.relu6,
                "gelu": lambda x: jax.nn.gelu(x, approximate=False),
                "gelu_tanh": jax.nn.gelu, "silu": jax.nn.silu, "tanh": jnp.tanh}[name](x)

    def _conv(self, x, filters, bias, stride, padding, groups):
        rank = x.ndim - 2
        spatial = "HW"[:rank]
        y = jax.lax.conv_general_dilated(
            x, filters, (stride,) * rank, [(padding, padding)] * rank,
            dimension_numbers=(f"N{spatial}C", f"{spatial}IO", f"N{spatial}C"),
            feature_group_count=groups)
        return y if bias is None else y + bias

    def _batch_norm(self, x, name, scale, bias, mean, variance):
        x32 = x.astype(jnp.float32)
        if self.train:
            axes = tuple(range(x.ndim - 1))
            new_mean = x32.mean(axes)
            new_variance = jnp.maximum(0, (x32 * x32).mean(axes) - new_mean * new_mean)
            count = x.size // x.shape[-1]
            for key, old, new in (("mean", mean, new_mean),
                                  ("variance", variance, new_variance * (count / (count - 1)))):
                new = jax.lax.stop_gradient(new).astype(old.dtype)
                self.updates[f"{name}.{key}"] = old + (new - old) * jnp.asarray(0.1, old.dtype)
            mean, variance = new_mean, new_variance
        factor = jax.lax.rsqrt(variance.astype(jnp.float32) + 1e-5) * scale
        return ((x32 - mean) * factor + bias).astype(x.dtype)

    def _layer_norm(self, x, scale, bias):
        x32 = x.astype(jnp.float32)
        mean = x32.mean(-1, keepdims=True)
        variance = ((x32 - mean) ** 2).mean(-1, keepdims=True)
        return ((x32 - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + bias).astype(x.dtype)

    def _group_norm(self, x, groups, scale, bias):
        x32 = x.astype(jnp.float32).reshape(*x.shape[:-1], groups, -1)
        axes = (*range(1, x.ndim - 1), x.ndim)
        mean = x32.mean(axes, keepdims=True)
        variance = ((x32 - mean) ** 2).mean(axes, keepdims=True)
        y = ((x32 - mean) * jax.lax.rsqrt(variance + 1e-5)).reshape(x.shape)
        return (y * scale + bias).astype(x.dtype)

    def _dense(self, x, weights, bias):
        y = x @ weights
        return y if bias is None else y + bias

    def _table_weights(self, table):
        return table.T

    def _max_pool(self, x, size, stride):
        pad = size // 2
        return jax.lax.reduce_window(
            x, -jnp.inf, jax.lax.max, (1, size, size, 1),
            (1, stride, stride, 1), ((0, 0), (pad, pad), (pad, pad), (0, 0)))

    def _heads(self, x, heads):
        return x.reshape(*x.shape[:2], heads, -1)

    def _weigh(self, q, k, v, mask):
        logits = jnp.einsum("bqhd,bkhd->bhqk", q, k, preferred_element_type=jnp.float32)
        logits = logits * q.shape[-1] ** -0.5
        if mask is not None:
            logits = jnp.where(mask, logits, jnp.finfo(jnp.float32).min)
        weights = jax.nn.softmax(logits, axis=-1).astype(q.dtype)
        y = jnp.einsum("bhqk,bkhd->bqhd", weights, v)
        return y.reshape(*y.shape[:2], -1)

    def _attend(self, q, k, v, heads, causal):
        mask = jnp.tril(jnp.ones((q.shape[1], k.shape[1]), bool)) if causal else None
        return self._weigh(*(self._heads(x, heads) for x in (q, k, v)), mask)

    def _attend_cached(self, q, k, v, keys, values, position, heads):
        q, k, v = (self._heads(x, heads) for x in (q, k, v))
        keys, values = (jax.lax.dynamic_update_slice(cache, new, (0, position, 0, 0))
                        for cache, new in ((keys, k), (values, v)))
        mask = jnp.arange(keys.shape[1]) <= position
        return self._weigh(q, keys, values, mask), keys, values

    def _rows(self, table, ids):
        return table[ids]

    def split(self, x, parts):
        return jnp.split(x, parts, axis=-1)

    def concatenate(self, a, b, kind="image"):
        """Along the channels of images, or the length of batch x length x features."""
        return jnp.concatenate([a, b], -1 if kind == "image" else 1)

    def broadcast_first(self, x, batch):
        return jnp.broadcast_to(x, (batch, *x.shape[1:]))

    def tokens(self, x):
        """Images to batch x positions x channels."""
        return x.reshape(x.shape[0], -1, x.shape[-1])

    def image(self, x, like):
        return x.reshape(*like.shape[:-1], x.shape[-1])

    def per_channel(self, x):
        """batch x channels, to be added to images."""
        return x[:, None, None, :]

    def global_mean(self, x):
        return x.mean((1, 2))

    def upsample(self, x):
        """Doubles height and width."""
        return x.repeat(2, 1).repeat(2, 2)

    def keep(self, x):
        """A result in memory of its own."""
        return x

    def cross_entropy(self, logits, labels):
        logits = jax.nn.log_softmax(logits.astype(jnp.float32))
        return -jnp.take_along_axis(logits, labels[..., None], -1).mean()

    def squared_error(self, a, b):
        return ((a.astype(jnp.float32) - b) ** 2).mean()
