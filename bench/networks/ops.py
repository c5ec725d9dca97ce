"""Operations of the networks, independent of the framework.

A network is a function of an `Ops` and its inputs, written once. `Ops` names the parameters and
defines the composite layers. JaxOps and TorchOps implement the methods with an underscore, in the
usual way and layout of the framework. Every parameter and input has one canonical NumPy form
(torch's: images and filters have channels first); `kind` determines the framework's layout.

Without parameters an Ops runs on shapes alone and records the parameters and layers of the network.
"""
import collections
import dataclasses
import functools
import math
import zlib

import numpy as np

NOT_TRAINED = ("mean", "variance")  # kinds of parameters that no gradient reaches


@dataclasses.dataclass(frozen=True)
class Layer:
    """A single layer: its operation, the canonical shapes, and the length of its sums."""
    operation: str
    kinds: tuple
    shapes: tuple
    keywords: tuple
    sums: int

    def describe(self):
        shapes = ["x".join(map(str, s)) for s in self.shapes if s]
        return " ".join([self.operation, *shapes, *(f"{k}={v}" for k, v in self.keywords if v)])


def layer(*kinds, sums):
    """Marks a layer that is timed separately. `sums` maps the tensors' shapes and keywords to the
    number of terms in the longest sum, which bounds the rounding error."""
    def mark(function):
        @functools.wraps(function)
        def run(self, name, *tensors, **keywords):
            if not self.collecting:
                return function(self, name, *tensors, **keywords)
            given = [(k, t) for k, t in zip(kinds, tensors) if t is not None]
            shapes = tuple(self.canonical_shape(k, t) for k, t in given)
            self.layers[Layer(function.__name__, tuple(k for k, _ in given), shapes,
                              tuple(sorted(keywords.items())), sums(shapes, keywords))] += 1
            return function(self, name, *tensors, **keywords)
        return run
    return mark


def make_parameter(name, shape, kind, seed=0):
    """The canonical parameter of that name, the same in every process."""
    generator = np.random.Generator(np.random.PCG64([zlib.crc32(name.encode()), seed]))
    if kind == "variance":
        return generator.uniform(0.5, 1.5, shape).astype(np.float32)
    values = generator.standard_normal(shape, np.float32)
    if kind == "scale":
        return 1 + np.float32(0.1) * values
    inputs = {"filter": math.prod(shape[1:]), "weights": shape[-1]}.get(kind)
    return values * np.float32(0.02 if inputs is None else inputs ** -0.5)


class Ops:
    def __init__(self, parameters=None, train=False):
        self.collecting = parameters is None
        self.train = bool(train)
        self.shapes = {}  # name: (shape, kind)
        self.layers = collections.Counter()
        self._parameters = parameters

    def parameter(self, name, kind, *shape):
        if not self.collecting:
            return self._parameters[name]
        self.shapes[name] = shape, kind
        return self._placeholder(kind, shape)

    @layer("image", "image", sums=lambda shapes, k:
           shapes[0][1] // k.get("groups", 1) * k["size"] ** (len(shapes[0]) - 2))
    def conv(self, name, x, residual=None, *, features, size, stride=1, padding=None, groups=1,
             norm=False, activation=None):
        """A convolution, then a bias or a batch normalisation, `+ residual` and an activation."""
        inputs = self.canonical_shape("image", x)[1]
        padding = size // 2 if padding is None else padding
        filters = self.parameter(f"{name}.w", "filter", features, inputs // groups,
                                 *[size] * (len(x.shape) - 2))
        bias = None if norm else self.parameter(f"{name}.b", "bias", features)
        y = self._conv(x, filters, bias, stride, padding, groups)
        if norm:
            y = self._batch_norm(y, name, *(
                self.parameter(f"{name}.{kind}", kind, features)
                for kind in ("scale", "bias", "mean", "variance")))
        return self.activate(y if residual is None else y + residual, activation)

    @layer("array", "array", sums=lambda shapes, k: shapes[0][-1])
    def dense(self, name, x, residual=None, *, features, bias=True, activation=None):
        """x @ weights + bias, the activation, then + residual."""
        weights = self.parameter(f"{name}.w", "weights", features, x.shape[-1])
        offset = self.parameter(f"{name}.b", "bias", features) if bias else None
        y = self.activate(self._dense(x, weights, offset), activation)
        return y if residual is None else y + residual

    @layer("array", sums=lambda shapes, k: shapes[0][-1])
    def gated(self, name, x, *, features):
        """GEGLU: one half of a product, times GELU of the other."""
        y = self.dense_alone(name, x, features=2 * features)
        values, gate = self.split(y, 2)
        return values * self.activate(gate, "gelu")

    def dense_alone(self, name, x, *, features):
        """A dense layer inside another layer, not counted separately."""
        return Ops.dense.__wrapped__(self, name, x, features=features)

    @layer("array", sums=lambda shapes, k: shapes[0][-1])
    def unembed(self, name, x, *, words):
        """Products with every row of an embedding table."""
        table = self.parameter(f"{name}.table", "table", words, x.shape[-1])
        return self._dense(x, self._table_weights(table), None)

    @layer("array", "array", sums=lambda shapes, k: shapes[0][-1])
    def layer_norm(self, name, x, residual=None):
        """Normalises x (+ residual) over the last dimension."""
        if residual is not None:
            x = x + residual
        return self._layer_norm(x, self.parameter(f"{name}.scale", "scale", x.shape[-1]),
                                self.parameter(f"{name}.bias", "bias", x.shape[-1]))

    @layer("image", sums=lambda shapes, k: math.prod(shapes[0][1:]) // k.get("groups", 32))
    def group_norm(self, name, x, *, groups=32, activation=None):
        features = self.canonical_shape("image", x)[1]
        y = self._group_norm(x, groups, self.parameter(f"{name}.scale", "scale", features),
                             self.parameter(f"{name}.bias", "bias", features))
        return self.activate(y, activation)

    @layer("image", sums=lambda shapes, k: 1)
    def max_pool(self, name, x, *, size, stride):
        return self._max_pool(x, size, stride)

    @layer("array", "array", "array", sums=lambda shapes, k: max(shapes[0][-1] // k["heads"],
                                                                shapes[1][1]))
    def attend(self, name, q, k, v, *, heads, causal=False):
        """Attention; q, k and v are batch x length x features."""
        return self._attend(q, k, v, heads, causal)

    @layer("array", "array", "array", "cache", "cache", "position",
           sums=lambda shapes, k: shapes[3][1])
    def attend_cached(self, name, q, k, v, keys, values, position, *, heads):
        """Attention of one token, whose k and v are put into the caches at `position`.

        Returns (result, keys, values).
        """
        return self._attend_cached(q, k, v, keys, values, position, heads)

    def embed(self, name, ids, *, words, features):
        return self._rows(self.parameter(f"{name}.table", "table", words, features), ids)


def collect(ops, program):
    """(parameters' {name: (shape, kind)}, Counter of layers) of a program, by an Ops class."""
    collector = ops(train=program.trains)
    ops.run_on_shapes(collector, program)
    return collector.shapes, collector.layers


def tolerance(layers, dtype, steps=1):
    """The relative error (rms) that rounding explains.

    Independent roundings add as the root of the sum of squares: one of the result's type for each
    of about four operations per layer, and one of f32 for each term of its sums. The factor 4
    allows for the error growth of later layers. Wrong results have an error of about 1.
    """
    roundoff = {"f32": 2.0 ** -24, "bf16": 2.0 ** -9, "f64": 2.0 ** -53}
    squares = sum(n * (4 * roundoff[dtype] ** 2 + layer.sums * roundoff["f32"] ** 2)
                  for layer, n in layers.items())
    return 4 * steps * math.sqrt(squares)
