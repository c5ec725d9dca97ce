"""Products, convolutions, transforms, factorizations and random bits."""
import math

import numpy as np

from . import types
from .builder import make_data
from .ops_shape import array_attr
from .ranges import EXACT, Range, Reject, product, rounded
from .types import BOOL, F32, F64, I32


def dot_general(b):
    x = b.pick(lambda v: v.type is not BOOL and v.type.bits >= 8 and not v.range.special and
               1 <= len(v.shape) <= 5)
    roles = [b.choose(("batch", "contract", "free", "free")) for _ in x.shape]
    batch = [i for i, r in enumerate(roles) if r == "batch"]
    contract = [i for i, r in enumerate(roles) if r == "contract"]
    free = [i for i, r in enumerate(roles) if r == "free"]
    b.random.shuffle(batch)
    b.random.shuffle(contract)
    extra = [b.choose((1, 2, 3, 5, 8, 17, 33)) for _ in range(b.integer(0, 2))]
    entries = [("batch", i) for i in batch] + [("contract", i) for i in contract] + \
        [("free", size) for size in extra]
    b.random.shuffle(entries)
    entries = [(kind, int(i)) for kind, i in entries]
    right_shape = [i if kind == "free" else x.shape[i] for kind, i in entries]
    shape = [x.shape[i] for i in batch] + [x.shape[i] for i in free] + \
        [i for kind, i in entries if kind == "free"]
    terms = int(np.prod([x.shape[i] for i in contract], dtype=np.int64))
    size = int(np.prod(shape, dtype=np.int64))
    if size > b.max_elements or int(np.prod(right_shape, dtype=np.int64)) > b.max_elements or \
            size * max(terms, 1) > 1000 * b.max_elements:
        raise Reject
    y = b.value(right_shape, x.type)
    etype = x.type
    if etype in (types.BF16, types.F16, types.I8) and b.chance(0.4):
        etype = I32 if etype is types.I8 else F32
    if etype.is_narrow:
        raise Reject
    value_range = EXACT
    if etype.is_inexact:
        value_range = product(etype, x.range, y.range, max(terms, 1))
    places = {kind: [entries.index((kind, int(i))) for i in dims]
              for kind, dims in (("batch", batch), ("contract", contract))}
    fields = (("lhs_batching_dimensions", batch), ("rhs_batching_dimensions", places["batch"]),
              ("lhs_contracting_dimensions", contract),
              ("rhs_contracting_dimensions", places["contract"]))
    text = ", ".join(f"{k} = [{', '.join(map(str, v))}]" for k, v in fields if v)
    b.one("dot_general", [x, y], shape, etype, value_range,
          f"dot_dimension_numbers = #stablehlo.dot<{text}>")


def convolution(b):
    spatial = b.integer(1, 3) if b.chance(0.3) else 2
    etype = b.new_type([F32, F64, types.BF16, types.F16, I32, types.C64])
    groups = b.choose((1, 1, 1, 2, 3))
    batch_groups = b.choose((1, 1, 1, 2)) if groups == 1 else 1
    batch, depth = b.choose((1, 2, 3)) * batch_groups, b.choose((1, 2, 3, 8)) * groups
    features = b.choose((1, 2, 5, 16)) * groups * batch_groups
    sizes, kernel, strides, padding, input_dilation, kernel_dilation, reverse, out = \
        [], [], [], [], [], [], [], []
    for _ in range(spatial):
        k = b.choose((1, 2, 3, 3, 5))
        size = b.choose((4, 5, 7, 12, 16)) if spatial < 3 else b.choose((3, 4, 5))
        stride = b.choose((1, 1, 2, 3))
        di, dk = b.choose((1, 1, 1, 2)), b.choose((1, 1, 1, 2))
        low, high = b.choose(((0, 0), (1, 1), (0, 1), (2, 1), (-1, 0)))
        extent, reach = (size - 1) * di + 1 + low + high, (k - 1) * dk + 1
        if extent < reach:
            raise Reject
        for entry, value in zip((sizes, kernel, strides, padding, input_dilation,
                                 kernel_dilation, reverse, out),
                                (size, k, stride, [low, high], di, dk, b.chance(0.15),
                                 (extent - reach) // stride + 1)):
            entry.append(value)
    terms = int(np.prod(kernel)) * depth // groups

    def arranged(first, second, spatial_sizes, names):
        """A shape in a random order of dimensions, and how that is written."""
        labels = [names[0], names[1], *map(str, range(spatial))]
        extents = [first, second, *spatial_sizes]
        order = b.random.permutation(len(labels)) if b.chance(0.5) else range(len(labels))
        return [extents[i] for i in order], f"[{', '.join(labels[i] for i in order)}]"
    left_shape, left = arranged(batch, depth, sizes, "bf")
    right_shape, right = arranged(depth // groups, features, kernel, "io")
    shape, result = arranged(batch // batch_groups, features, out, "bf")
    if int(np.prod(shape)) * terms > 2000 * b.max_elements:
        raise Reject
    x, y = b.value(left_shape, etype), b.value(right_shape, etype)
    value_range = product(etype, x.range, y.range, terms) if etype.is_inexact else EXACT
    pads = f"dense<{padding}> : tensor<{spatial}x2xi64>"
    b.one("convolution", [x, y], shape, etype, value_range, ", ".join((
        f"batch_group_count = {batch_groups} : i64",
        f"dimension_numbers = #stablehlo.conv<{left}x{right}->{result}>",
        f"feature_group_count = {groups} : i64", array_attr("lhs_dilation", input_dilation),
        f"padding = {pads}", array_attr("rhs_dilation", kernel_dilation),
        f"window_reversal = array<i1: {', '.join(str(r).lower() for r in reverse)}>",
        array_attr("window_strides", strides))))


def fft(b):
    kind = b.choose(("FFT", "IFFT", "RFFT", "IRFFT"))
    real = kind == "RFFT"
    x = b.pick(lambda v: not v.range.special and v.shape and v.count and
               (v.type in (F32, F64) if real else v.type.kind == "complex"))
    rank = b.integer(1, min(3, len(x.shape)))
    lengths = list(x.shape[-rank:])
    if kind == "IRFFT":
        lengths[-1] = 2 * (lengths[-1] - 1) + b.integer(0, 1)
        if lengths[-1] < 1:
            raise Reject
    count = int(np.prod(lengths))
    if count > 4096:
        raise Reject
    shape, etype = list(x.shape), x.type
    if kind == "RFFT":
        shape[-1], etype = lengths[-1] // 2 + 1, types.complex_of(x.type)
    elif kind == "IRFFT":
        shape[-1], etype = lengths[-1], types.part_of(x.type)
    scale = 1.5 if "I" in kind else count
    size = x.range.size * scale
    value_range = rounded(etype, -size, size, x.range.error * scale, None,
                    8 * max(1, math.log2(count)))
    b.one("fft", [x], shape, etype, value_range,
          f"{array_attr('fft_length', lengths)}, fft_type = #stablehlo<fft_type {kind}>")


def cholesky(b):
    """Of a diagonally dominant symmetric argument."""
    etype = b.new_type([F32, F64, types.C64])
    n, batch = b.choose((1, 2, 3, 5, 8, 17, 33)), b.choose(((), (2,), (1, 3)))
    array, _ = make_data(b.random, (*batch, n, n), etype, low=-1, high=1, flavor="real")
    array = (array + np.conj(np.swapaxes(array, -1, -2))) / 2 + (2 * n) * np.eye(n)
    x = b.argument((*batch, n, n), etype)
    b.arguments[-1].data = array.astype(etype.dtype)
    x.range = Range(-2 * n - 2, 2 * n + 2, bits=True)
    lower = b.chance(0.5)
    bound = 2 * math.sqrt(n) + 2
    factor, = b.emit("cholesky", [x], [(x.shape, etype, Range(special=True))],
                     f"lower = {str(lower).lower()}", add=False)
    # The other triangle is not specified.
    rows, columns = (b.one("iota", [], x.shape, I32, EXACT,
                           f"iota_dimension = {len(batch) + i} : i64") for i in range(2))
    kept = b.one("compare", [rows, columns], x.shape, BOOL, EXACT,
                 "comparison_direction = #stablehlo<comparison_direction "
                 f"{'GE' if lower else 'LE'}>")
    zero = b.constant(np.zeros(()), etype)
    zeros = b.one("broadcast_in_dim", [zero], x.shape, etype, Range(0, 0, 0, 0),
                  "broadcast_dimensions = array<i64>")
    b.one("select", [kept, factor, zeros], x.shape, etype, Range(
        -bound, bound, 64 * n * etype.unit * bound))


def triangular_solve(b):
    etype = b.new_type([F32, F64, types.C64])
    n, m = b.choose((1, 2, 3, 5, 8, 17)), b.choose((1, 2, 5, 16))
    batch = b.choose(((), (2,), (1, 3)))
    array, _ = make_data(b.random, (*batch, n, n), etype, low=-1, high=1, flavor="real")
    array = array / n + 2 * np.eye(n)
    a = b.argument((*batch, n, n), etype)
    b.arguments[-1].data = array.astype(etype.dtype)
    a.range = Range(-4, 4, bits=True)
    left = b.chance(0.5)
    x = b.value((*batch, n, m) if left else (*batch, m, n), etype)
    unit = b.chance(0.3)
    bound = 4 * max(x.range.size, 1e-3)
    transposed = b.choose(("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"))
    value_range = Range(-bound, bound, 4 * x.range.error + 64 * n * etype.unit * bound)
    b.one("triangular_solve", [a, x], x.shape, etype, value_range, ", ".join((
        f"left_side = {str(left).lower()}", f"lower = {str(b.chance(0.5)).lower()}",
        f"transpose_a = #stablehlo<transpose {transposed}>",
        f"unit_diagonal = {str(unit).lower()}")))


def rng_bit_generator(b):
    algorithm = b.choose(("THREE_FRY", "PHILOX", "DEFAULT"))
    words = 2 if algorithm == "THREE_FRY" else b.choose((2, 3))
    state = b.value((words,), types.U64)
    etype = b.choose((types.U32, types.U64, types.U32, types.U8, types.U16))
    shape = b.new_shape()
    b.emit("rng_bit_generator", [state], [((words,), types.U64, EXACT), (shape, etype, EXACT)],
           f"rng_algorithm = #stablehlo<rng_algorithm {algorithm}>")


def batch_norm_inference(b):
    x = b.pick(lambda v: v.type in (F32, F64) and len(v.shape) >= 2 and v.count and
               not v.range.special and v.range.size < 1e4)
    axis = b.integer(0, len(x.shape) - 1)
    shape = (x.shape[axis],)
    exact = [b.value(shape, x.type, lambda v: v.range.exact and v.range.size < 100)
             for _ in range(3)]
    variance = b.value(shape, x.type, lambda v: v.range.exact and v.range.low >= 1, low=1, high=4,
                       flavor="whole")
    scale, offset, mean = exact
    bound = scale.range.size * (x.range.size + mean.range.size) + offset.range.size
    value_range = rounded(x.type, -bound, bound, x.range.error * scale.range.size, None, 32)
    b.one("batch_norm_inference", [x, scale, offset, mean, variance], x.shape, x.type, value_range,
          f"epsilon = 1.000000e-03 : f32, feature_index = {axis} : i64")


OPS = {dot_general: 9, convolution: 4, fft: 2, cholesky: 0.7, triangular_solve: 0.8,
       rng_bit_generator: 1.5, batch_norm_inference: 0.7}
