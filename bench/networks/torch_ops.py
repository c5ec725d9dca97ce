"""The networks' operations in torch, by torch.nn.functional."""
import numpy as np
import torch
import torch.nn.functional as F

from . import ops

TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f64": torch.float64}


class TorchOps(ops.Ops):
    exporting = False  # caches grow by concatenation in exported graphs, in place otherwise

    @staticmethod
    def run_on_shapes(collector, program):
        program.function(collector, *(
            i.make() if i.kind == "position" else
            torch.from_numpy(TorchOps.lay_out(i.kind, i.make())).to("meta")
            for i in program.inputs))

    @staticmethod
    def lay_out(kind, array):
        if kind == "cache":
            return np.ascontiguousarray(np.swapaxes(array, 1, 2))
        return array.astype(np.int64) if array.dtype == np.int32 else array

    @staticmethod
    def canonical(kind, array):
        return np.swapaxes(array, 1, 2) if kind == "cache" else array

    def canonical_shape(self, kind, x):
        shape = tuple(getattr(x, "shape", ()))
        return (shape[0], shape[2], shape[1], shape[3]) if kind == "cache" else shape

    def _placeholder(self, kind, shape):
        return torch.empty(shape, device="meta")

    def activate(self, x, name):
        return {None: lambda x: x, "relu": F.relu, "relu6": F.relu6, "gelu": F.gelu,
                "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"), "silu": F.silu,
                "tanh": torch.tanh}[name](x)

    def _conv(self, x, filters, bias, stride, padding, groups):
        conv = F.conv1d if x.ndim == 3 else F.conv2d
        return conv(x, filters, bias, stride, padding, 1, groups)

    def _batch_norm(self, x, name, scale, bias, mean, variance):
        return F.batch_norm(x, mean, variance, scale, bias, self.train, 0.1, 1e-5)

    def _layer_norm(self, x, scale, bias):
        return F.layer_norm(x, x.shape[-1:], scale, bias, 1e-5)

    def _group_norm(self, x, groups, scale, bias):
        return F.group_norm(x, groups, scale, bias, 1e-5)

    def _dense(self, x, weights, bias):
        return F.linear(x, weights, bias)

    def _table_weights(self, table):
        return table

    def _max_pool(self, x, size, stride):
        return F.max_pool2d(x, size, stride, size // 2)

    def _heads(self, x, heads):
        return x.reshape(*x.shape[:2], heads, -1).transpose(1, 2)

    def _joined(self, x):
        return x.transpose(1, 2).flatten(2)

    def _attend(self, q, k, v, heads, causal):
        q, k, v = (self._heads(x, heads) for x in (q, k, v))
        return self._joined(F.scaled_dot_product_attention(q, k, v, is_causal=causal))

    def _attend_cached(self, q, k, v, keys, values, position, heads):
        q, k, v = (self._heads(x, heads) for x in (q, k, v))
        if self.exporting or self.collecting:
            keys, values = (torch.cat([cache[:, :, :-1], new], 2)
                            for cache, new in ((keys, k), (values, v)))
        else:
            keys[:, :, position:position + 1] = k
            values[:, :, position:position + 1] = v
        return self._joined(F.scaled_dot_product_attention(q, keys, values)), keys, values

    def _rows(self, table, ids):
        return F.embedding(ids, table)

    def split(self, x, parts):
        return x.chunk(parts, -1)

    def concatenate(self, a, b, kind="image"):
        return torch.cat([a, b], 1)

    def broadcast_first(self, x, batch):
        return x.expand(batch, *x.shape[1:])

    def tokens(self, x):
        return x.flatten(2).transpose(1, 2)

    def image(self, x, like):
        return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], *like.shape[2:])

    def per_channel(self, x):
        return x[:, :, None, None]

    def global_mean(self, x):
        return x.mean((2, 3))

    def upsample(self, x):
        return F.interpolate(x, scale_factor=2, mode="nearest")

    def keep(self, x):
        return x.contiguous()

    def cross_entropy(self, logits, labels):
        wide = logits if logits.dtype == torch.float64 else logits.float()
        return F.cross_entropy(wide.reshape(-1, logits.shape[-1]), labels.reshape(-1))

    def squared_error(self, a, b):
        wide = a if a.dtype == torch.float64 else a.float()
        return ((wide - b) ** 2).mean()
