"""The specification's formulas for operations on windows and indices, element by element."""
import itertools

import numpy as np


def indices(shape):
    return itertools.product(*[range(size) for size in shape])


def gather(operand, starts, sizes, offset_dims, collapsed=(), operand_batching=(),
           starts_batching=(), index_map=(), vector_dim=0):
    batch_shape = [s for d, s in enumerate(starts.shape) if d != vector_dim]
    window = [s for d, s in enumerate(sizes) if d not in collapsed and d not in operand_batching]
    rank = len(batch_shape) + len(window)
    batch_dims = [d for d in range(rank) if d not in offset_dims]
    shape = [0] * rank
    for d, size in zip(offset_dims, window):
        shape[d] = size
    for d, size in zip(batch_dims, batch_shape):
        shape[d] = size
    result = np.zeros(shape, operand.dtype)
    for at in indices(shape):
        batch = [at[d] for d in batch_dims]
        full = start_vector(starts, batch, vector_dim, index_map, operand.ndim)
        full = [min(max(f, 0), operand.shape[d] - sizes[d]) for d, f in enumerate(full)]
        add_batching(full, batch, operand_batching, starts_batching, vector_dim)
        offset = iter([at[d] for d in offset_dims])
        for d in range(operand.ndim):
            if d not in collapsed and d not in operand_batching:
                full[d] += next(offset)
        result[at] = operand[tuple(full)]
    return result


def start_vector(starts, batch, vector_dim, index_map, rank):
    index = list(batch)
    full = [0] * rank
    if vector_dim == starts.ndim:
        full[index_map[0]] = int(starts[tuple(index)])
        return full
    for i, d in enumerate(index_map):
        full[d] = int(starts[tuple(index[:vector_dim] + [i] + index[vector_dim:])])
    return full


def add_batching(full, batch, operand_batching, other_batching, vector_dim):
    for d, other in zip(operand_batching, other_batching):
        full[d] = batch[other - (1 if other > vector_dim else 0)]


def scatter(inputs, at, updates, update, update_window_dims, inserted=(), input_batching=(),
            at_batching=(), dims_map=(), vector_dim=0):
    """`update` is on (current values, update values), both lists; in order of the updates.

    A window that is partly out of bounds is skipped as a whole, as in XLA and as JAX expects; the
    formula of the specification would apply the part inside.
    """
    results = [x.copy() for x in inputs]
    shape = results[0].shape
    scatter_dims = [d for d in range(updates[0].ndim) if d not in update_window_dims]
    order = [*scatter_dims, *update_window_dims]  # window by window
    for turned in indices([updates[0].shape[d] for d in order]):
        index = tuple(turned[order.index(d)] for d in range(len(order)))
        batch = [index[d] for d in scatter_dims]
        full = start_vector(at, batch, vector_dim, dims_map, len(shape))
        add_batching(full, batch, input_batching, at_batching, vector_dim)
        window_dims = [d for d in range(len(shape))
                       if d not in inserted and d not in input_batching]
        sizes = [1] * len(shape)
        for d, u in zip(window_dims, update_window_dims):
            sizes[d] = updates[0].shape[u]
        if all(0 <= f <= s - k for f, s, k in zip(full, shape, sizes)):
            for d, u in zip(window_dims, update_window_dims):
                full[d] += index[u]
            where = tuple(full)
            values = update([r[where] for r in results], [u[index] for u in updates])
            for r, v in zip(results, values):
                r[where] = v
    return results


def dilated(x, dilation, padding, fill):
    """With `dilation - 1` fills between elements and fills (or cuts) at the edges."""
    for d, (step, (low, high)) in enumerate(zip(dilation, padding)):
        size = 0 if x.shape[d] == 0 else (x.shape[d] - 1) * step + 1
        spread = np.full(x.shape[:d] + (size,) + x.shape[d + 1:], fill, x.dtype)
        spread[(slice(None),) * d + (slice(None, None, step),)] = x
        full = np.full(x.shape[:d] + (size + low + high,) + x.shape[d + 1:], fill, x.dtype)
        for i in range(full.shape[d]):
            if 0 <= i - low < size:
                here, there = (slice(None),) * d + (i,), (slice(None),) * d + (i - low,)
                full[here] = spread[there]
        x = full
    return x


def window_count(size, window, stride):
    return 0 if size < window else (size - window) // stride + 1


def reduce_window(inputs, starts, combine, window, strides=None, base_dilations=None,
                  window_dilations=None, padding=None):
    rank = inputs[0].ndim
    strides, base_dilations = strides or [1] * rank, base_dilations or [1] * rank
    window_dilations, padding = window_dilations or [1] * rank, padding or [(0, 0)] * rank
    full = [dilated(x, base_dilations, padding, s) for x, s in zip(inputs, starts)]
    shape = [window_count(n, (w - 1) * d + 1, s) for n, w, d, s in
             zip(full[0].shape, window, window_dilations, strides)]
    results = [np.zeros(shape, x.dtype) for x in inputs]
    for at in indices(shape):
        values = list(starts)
        for offset in indices(window):
            where = tuple(a * s + o * d for a, s, o, d in
                          zip(at, strides, offset, window_dilations))
            values = combine(values, [f[where] for f in full])
        for r, v in zip(results, values):
            r[at] = v
    return results


def select_and_scatter(operand, source, start, select, combine, window, strides, padding):
    result = np.full(operand.shape, start, operand.dtype)
    for at in indices(source.shape):
        chosen = None
        for offset in indices(window):
            where = tuple(a * s + o - low for a, s, o, (low, _) in
                          zip(at, strides, offset, padding))
            if all(0 <= w < n for w, n in zip(where, operand.shape)):
                if chosen is None or not select(operand[chosen], operand[where]):
                    chosen = where
        result[chosen] = combine(result[chosen], source[at])
    return result


def convolution(lhs, rhs, layout, strides, padding, lhs_dilation=None, rhs_dilation=None,
                reversal=None, feature_groups=1, batch_groups=1):
    """`layout` names dimensions, as b01f_01io->b01f."""
    left, rest = layout.split("_")
    right, out = rest.split("->")
    space = [c for c in sorted(left) if c.isdigit()]
    count = len(space)
    lhs_dilation, rhs_dilation = lhs_dilation or [1] * count, rhs_dilation or [1] * count
    x = lhs.transpose([left.index(c) for c in ["b", "f", *space]])
    w = rhs.transpose([right.index(c) for c in ["o", "i", *space]])
    for d, turn in enumerate(reversal or [False] * count):
        w = np.flip(w, 2 + d) if turn else w
    x = dilated(x, [1, 1, *lhs_dilation], [(0, 0), (0, 0), *padding], 0)
    w = dilated(w, [1, 1, *rhs_dilation], [(0, 0)] * (2 + count), 0)
    shape = [window_count(n, k, s) for n, k, s in zip(x.shape[2:], w.shape[2:], strides)]
    batch, outputs, inputs = x.shape[0] // batch_groups, w.shape[0], w.shape[1]
    result = np.zeros([batch, outputs, *shape], np.result_type(x, w))
    for b, o in indices((batch, outputs)):
        group = o // (outputs // feature_groups)
        first = b + batch * (o // (outputs // batch_groups))
        for at in indices(shape):
            window = tuple(slice(a * s, a * s + k)
                           for a, s, k in zip(at, strides, w.shape[2:]))
            part = x[(first, slice(group * inputs, (group + 1) * inputs), *window)]
            result[(b, o, *at)] = np.sum(part * w[o])
    return result.transpose([["b", "f", *space].index(c) for c in out])
