"""Single layers of the networks as programs, to see where a network's time goes."""
from . import ops, programs


def to_json(layer):
    return [layer.operation, layer.kinds, layer.shapes, layer.keywords, layer.sums]


def from_json(value):
    operation, kinds, shapes, keywords, sums = value
    return ops.Layer(operation, tuple(kinds), tuple(map(tuple, shapes)),
                     tuple((k, v) for k, v in keywords), sums)


def program(value):
    """The forward program of one layer, from to_json's form."""
    layer = from_json(value)

    def function(o, *tensors):
        return getattr(o, layer.operation)("layer", *tensors, **dict(layer.keywords))
    inputs = [programs.position(shape_value(layer)) if kind == "position"
              else programs.normal(kind, *shape, seed=i)
              for i, (kind, shape) in enumerate(zip(layer.kinds, layer.shapes, strict=True))]
    # Results of convolutions, pools and group norms are images.
    result = "image" if layer.kinds[0] == "image" else "array"
    return programs.Program(layer.describe(), function, inputs, result=result,
                            caches=layer.operation == "attend_cached")


def shape_value(layer):
    """The last position of the layer's caches."""
    return layer.shapes[layer.kinds.index("cache")][1] - 1
