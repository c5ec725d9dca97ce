"""Convolutions with padding, dilation and strides: zeros times infinities, and gradients."""
import itertools

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from compare import check_sum, data, dtype, run_on
from conftest import PLATFORM
from jax import lax

LAYOUTS = {1: ("NWC", "WIO", "NWC"), 2: ("NHWC", "HWIO", "NHWC"), 3: ("NDHWC", "DHWIO", "NDHWC")}
FIRST = {1: ("NCW", "OIW", "NCW"), 2: ("NCHW", "OIHW", "NCHW"), 3: ("NCDHW", "OIDHW", "NCDHW")}


def literal(x, w, strides, padding, lhs_dilation, rhs_dilation, groups=1, batch_groups=1):
    """The literal specification, on channels-last arrays in f64 or c128: zeros are multiplied."""
    rank = x.ndim - 2
    full = np.zeros([x.shape[0], *((n - 1) * d + 1 if n else 0 for n, d in
                                   zip(x.shape[1:-1], lhs_dilation)), x.shape[-1]], x.dtype)
    full[(slice(None), *(slice(None, None, d) for d in lhs_dilation))] = x
    low, high = zip(*padding)
    full = np.pad(full, [(0, 0), *((max(p, 0), max(q, 0)) for p, q in padding), (0, 0)])
    full = full[(slice(None), *(slice(max(-p, 0), n - max(-q, 0)) for p, q, n in
                                zip(low, high, full.shape[1:-1])))]
    taps, features = w.shape[:rank], w.shape[-1]
    out = [(n - (k - 1) * d - 1) // s + 1
           for n, k, d, s in zip(full.shape[1:-1], taps, rhs_dilation, strides)]
    batch, per_group = x.shape[0] // batch_groups, features // (groups * batch_groups)
    result = np.zeros([batch, *out, features], x.dtype)
    with np.errstate(invalid="ignore"):
        for group, tap in itertools.product(range(groups * batch_groups), np.ndindex(*taps)):
            window = full[(slice(None), *(slice(k * d, k * d + (n - 1) * s + 1, s) for k, d, n, s
                                          in zip(tap, rhs_dilation, out, strides)))]
            channels = slice(group * per_group, (group + 1) * per_group)
            if batch_groups > 1:
                window = window[group * batch:(group + 1) * batch]
            else:
                inputs = x.shape[-1] // groups
                window = window[..., group * inputs:(group + 1) * inputs]
            # Element by element, because NumPy's product may skip zeros.
            result[..., channels] += (window[..., None] * w[tap][:, channels]).sum(-2)
    return result


def convolve(x, w, strides, padding, lhs_dilation, rhs_dilation, groups=1, batch_groups=1,
             first=False):
    rank = x.ndim - 2
    if first:
        x, w = jnp.moveaxis(x, -1, 1), jnp.transpose(w, (rank + 1, rank, *range(rank)))
    y = lax.conv_general_dilated(
        x, w, strides, padding, lhs_dilation, rhs_dilation, (FIRST if first else LAYOUTS)[rank],
        feature_group_count=groups, batch_group_count=batch_groups)
    return jnp.moveaxis(y, 1, -1) if first else y


# Strides, paddings, input dilation, filter dilation of the first spatial dimension.
GEOMETRIES = {
    "valid": (1, (0, 0), 1, 1), "same": (1, (1, 1), 1, 1), "uneven": (1, (0, 2), 1, 1),
    "strided": (2, (1, 1), 1, 1), "filter_dilated": (1, (2, 2), 1, 2), "wide": (1, (2, 2), 1, 1),
    "dilated": (1, (0, 0), 2, 1), "transposed": (1, (2, 1), 2, 1), "both_dilated": (1, (2, 2), 3, 2),
    "dilated_and_strided": (2, (1, 1), 2, 1), "cropped": (1, (-1, 1), 2, 1),
    "far_apart": (3, (1, 1), 2, 1),
}
KINDS = {  # input features, output features, groups
    "features": (4, 24, 1), "few": (4, 2, 1), "depthwise": (32, 32, 32), "small_groups": (32, 32, 8),
    "groups": (8, 48, 2)}


@pytest.mark.parametrize("name", ["float32", "bfloat16", "float16", "float64", "complex64",
                                  "float8_e4m3fn", "float8_e5m2"])
@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_zeros_times_infinities(geometry, name, x64):
    """Padding and dilation insert zeros that are multiplied: with an infinity or NaN they make NaN.

    The built-in CPU does so in f32, bf16 and f16, except in its kernel for transposed
    convolutions. In other types, such as f64, it skips padding. Tenon has one rule.
    """
    stride, padding, lhs_dilation, rhs_dilation = GEOMETRIES[geometry]
    element_type = np.dtype(getattr(ml_dtypes, name)) if name.startswith("float8") else dtype(name)
    special = np.nan if name == "float8_e4m3fn" else np.inf
    device = jax.devices(PLATFORM)[0]
    for kind, (inputs, outputs, groups) in KINDS.items():
        for rank, first, row in ((1, False, 0), (2, False, 0), (2, False, 1), (2, True, 1),
                                 (3, False, 1)):
            if name != "float32" and (rank != 2 or row == 0 or first or kind == "few"):
                continue
            def of_row(value, other):
                return tuple(value if d == row else other for d in range(rank))
            sizes = of_row(6, 4)
            x = np.ones((1, *sizes, inputs))
            w = np.ones((*of_row(3, 2), inputs // groups, outputs))
            # One tap of one feature each.
            w[of_row(0, 1) + (0, 0)] = special
            w[of_row(1, 0) + (0, outputs // 2)] = -special
            w[of_row(2, 0) + (inputs // groups - 1, outputs - 1)] = np.nan
            rest = (of_row(stride, 1), of_row(padding, (0, 1)), of_row(lhs_dilation, 1),
                    of_row(rhs_dilation, 1))
            wide = np.complex128 if element_type.kind == "c" else np.float64
            expected = literal(x.astype(wide), w.astype(wide), *rest, groups)
            ours = run_on(device, lambda x, w: convolve(x, w, *rest, groups, first=first),
                          x.astype(element_type), w.astype(element_type)).astype(wide)
            np.testing.assert_array_equal(np.isnan(ours), np.isnan(expected), f"{kind} {rank}")
            if element_type.kind != "c" and name != "float8_e4m3fn":
                np.testing.assert_array_equal(ours, expected, f"{kind} {rank}")
            if lhs_dilation == 1 and name in ("float32", "bfloat16", "float16"):
                theirs = run_on(jax.devices("cpu")[0], lambda x, w: convolve(
                    x, w, *rest, groups, first=first), x.astype(element_type),
                    w.astype(element_type)).astype(wide)
                np.testing.assert_array_equal(ours, theirs, f"{kind} {rank} built-in")


def test_finite_filters_make_no_nan():
    """Zeros of padding and dilation add nothing, also to sums that overflow."""
    x, w = np.full((1, 6, 6, 16), 3e38, "float32"), np.full((3, 3, 16, 32), 3e38, "float32")
    y = run_on(jax.devices(PLATFORM)[0], lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME"), x, w)
    assert np.isposinf(y).all()


@pytest.mark.parametrize("first", [False, True], ids=["last", "first"])
@pytest.mark.parametrize("name", ["float32", "bfloat16", "float64", "int32", "complex64"])
def test_transposed(name, first, x64):
    for taps, stride, size in ((4, 2, 8), (3, 2, 7), (2, 2, 9), (16, 8, 5), (1, 2, 6), (5, 3, 4),
                               (2, 5, 4), (3, 4, 1)):
        for padding in ("SAME", "VALID", ((3, 1),)):
            x, w = data((2, size, 12), name, 1), data((taps, 12, 20), name, 2)
            pads = lax.padtype_to_pads((size * stride,), (taps,), (1,), "SAME")
            pads = {"SAME": pads, "VALID": [(taps - 1, taps - 1)]}.get(padding, padding)
            rest = ((1,), pads, (stride,), (1,))
            wide = np.complex128 if x.dtype.kind == "c" else np.float64
            ours = run_on(jax.devices(PLATFORM)[0],
                          lambda x, w: convolve(x, w, *rest, first=first), x, w)
            expected = literal(x.astype(wide), w.astype(wide), *rest)
            eps = {"bfloat16": 2 ** -8, "float32": 2 ** -20, "complex64": 2 ** -20}
            np.testing.assert_allclose(ours.astype(wide), expected, rtol=eps.get(name, 1e-13),
                                       atol=50 * eps.get(name, 1e-13))


GRADIENTS = [
    # input, filter, strides, padding, filter dilation, groups
    ((2, 14, 14, 16), (3, 3, 16, 24), (2, 2), "SAME", (1, 1), 1),
    ((2, 15, 13, 16), (3, 3, 16, 24), (2, 2), "SAME", (1, 1), 1),
    ((2, 15, 13, 16), (3, 3, 16, 24), (2, 2), ((0, 3), (2, 1)), (1, 1), 1),
    ((2, 13, 14, 20), (1, 1, 20, 40), (2, 2), "SAME", (1, 1), 1),
    ((1, 33, 32, 3), (7, 7, 3, 16), (2, 2), ((3, 3), (3, 3)), (1, 1), 1),
    ((2, 17, 16, 32), (3, 3, 1, 32), (2, 2), "SAME", (1, 1), 32),
    ((2, 17, 16, 32), (3, 3, 4, 32), (2, 2), "SAME", (1, 1), 8),
    ((2, 18, 16, 8), (3, 3, 4, 12), (2, 3), "VALID", (2, 1), 2),
    ((2, 16, 16, 6), (2, 2, 6, 8), (3, 3), "VALID", (1, 1), 1),
    ((2, 16, 1, 6), (3, 3, 6, 8), (2, 2), "SAME", (1, 1), 1),
    ((1, 12, 12, 5), (3, 3, 5, 3), (4, 4), ((-1, 1), (1, -2)), (1, 1), 1),
]


@pytest.mark.parametrize("first", [False, True], ids=["last", "first"])
@pytest.mark.parametrize("case", GRADIENTS, ids=lambda c: "-".join(map(str, c[:4])))
def test_gradients_of_strided(case, first):
    x, w, strides, padding, rhs_dilation, groups = case
    check_sum(jax.grad(lambda x, w: (convolve(x, w, strides, padding, (1, 1), rhs_dilation, groups,
                                              first=first) ** 2).sum(), (0, 1)),
              data(x, "float32", 1), data(w, "float32", 2))


def test_gradients_of_transposed():
    for taps, stride in ((4, 2), (3, 2), (2, 2), (3, 1)):
        check_sum(jax.grad(lambda x, w: (lax.conv_transpose(x, w, (stride, stride), "SAME") ** 2).sum(),
                           (0, 1)),
                  data((2, 7, 8, 12), "float32", 1), data((taps, taps, 12, 20), "float32", 2))


def test_batch_groups_of_dilated():
    x, w = data((6, 5, 4), "float64", 1), data((3, 4, 12), "float64", 2)
    rest = ((1,), ((1, 2),), (2,), (1,))
    ours = run_on(jax.devices(PLATFORM)[0],
                  lambda x, w: convolve(x, w, *rest, batch_groups=3), x.astype("float32"),
                  w.astype("float32"))
    np.testing.assert_allclose(ours, literal(x, w, *rest, batch_groups=3), rtol=1e-5, atol=1e-5)


def same(r):
    return r


def turned(r):
    return r.transpose(0, 2, 1, 3)


def backwards(r):
    return r[:, ::-1]


def repeated(r):
    return jnp.broadcast_to(r[:1], r.shape)


def halved(r):
    return r.astype(jnp.bfloat16).astype(jnp.float32)


@pytest.mark.parametrize("size, taps, stride", [(13, 1, 1), (7, 1, 2), (9, 3, 1), (9, 3, 2)])
def test_residuals(size, taps, stride):
    """A residual of the result's layout is read at the result's offset, others at their own."""
    x = data((3, size, size, 24), "float32", 1)
    w = data((taps, taps, 24, 136), "float32", 2)
    shape = (3, -(-size // stride), -(-size // stride), 136)
    r, large = data(shape, "float32", 3), data((4, 16, 17, 140), "float32", 4)
    device = jax.devices(PLATFORM)[0]

    def plain(x, w):
        return lax.conv_general_dilated(x, w, (stride, stride), "SAME",
                                        dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def part(large):
        return lax.slice(large, (1, 2, 1, 3), tuple(a + b for a, b in zip((1, 2, 1, 3), shape)))
    product = run_on(device, plain, x, w)
    for read in (same, turned, backwards, repeated, halved):
        ours = run_on(device, lambda x, w, r, read=read: plain(x, w) + read(r), x, w, r)
        np.testing.assert_array_equal(ours, product + np.asarray(read(r)), str(read))
    ours = run_on(device, lambda x, w, a: plain(x, w) - part(a), x, w, large)
    np.testing.assert_array_equal(ours, product - np.asarray(part(large)))


@pytest.mark.parametrize("batch, m, k, n", [(1, 130, 40, 129), (3, 65, 7, 300), (2, 9, 300, 64)])
def test_residuals_of_products(batch, m, k, n):
    a, b = data((batch, m, k), "float32", 1), data((batch, k, n), "float32", 2)
    r, t = data((batch, m, n), "float32", 3), data((batch, n, m), "float32", 4)
    flat = data((batch * m * n,), "float32", 5)
    device = jax.devices(PLATFORM)[0]
    product = run_on(device, jnp.matmul, a, b)
    ours = run_on(device, lambda a, b, r, t: (a @ b - r) - t.transpose(0, 2, 1), a, b, r, t)
    np.testing.assert_array_equal(ours, (product - r) - t.transpose(0, 2, 1))
    ours = run_on(device, lambda a, b, f: ((a @ b).reshape(-1) - f) + f[::-1], a, b, flat)
    np.testing.assert_array_equal(ours, (product.reshape(-1) - flat) + flat[::-1])


@pytest.mark.parametrize("m, k, n", [(130, 40, 129), (1, 300, 1000), (1000, 30, 1), (1, 7, 1),
                                     (300, 64, 64)])
def test_residuals_of_matrices(m, k, n):
    """Dimensions of one element do not count when indices are compared."""
    a, b = data((m, k), "float32", 1), data((k, n), "float32", 2)
    r, t, one = data((m, n), "float32", 3), data((n, m), "float32", 4), data((1, 1), "float32", 5)
    large = data((m + 3, n + 5), "float32", 6)
    device = jax.devices(PLATFORM)[0]
    product = run_on(device, jnp.matmul, a, b)
    ours = run_on(device, lambda a, b, r, t, one: ((a @ b - r) - t.T) * one, a, b, r, t, one)
    np.testing.assert_array_equal(ours, ((product - r) - t.T) * one)
    ours = run_on(device, lambda a, b, x: a @ b - x[2:2 + m, 4:4 + n], a, b, large)
    np.testing.assert_array_equal(ours, product - large[2:2 + m, 4:4 + n])
    ours = run_on(device, lambda a, b, r: (a @ b)[None] - r[None, ::-1], a, b, r)
    np.testing.assert_array_equal(ours, (product - r[::-1])[None])


def test_transposed_with_epilogue():
    """Fused operations see each output once, in all phases."""
    for first, shape, taps in ((False, (2, 7, 7, 16), (4, 4, 16, 24)),
                               (True, (2, 9, 9, 16), (3, 3, 16, 3))):
        def decode(x, w, b, y):
            rest = ((1, 1), ((2, 2), (1, 2)), (2, 2), (1, 1))
            return jnp.tanh(convolve(x, w, *rest, first=first) + b) * y
        x, w = data(shape, "float32", 1), data(taps, "float32", 2)
        b = data((taps[-1],), "float32", 3)
        y = data(jax.eval_shape(decode, x, w, b, b).shape, "float32", 4)
        check_sum(decode, x, w, b, y)


# Rows of a tile run along the first dimension, which has padding. Windows of the second dimension
# do not overlap, so their taps are the innermost loop.
@pytest.mark.parametrize("name", ["float32", "float64"])
@pytest.mark.parametrize("x, w, strides, padding, rhs_dilation", [
    ((1, 4, 4, 4), (3, 2), (1, 2), [(2, 2), (0, 0)], (1, 1)),
    ((1, 5, 4, 16), (5, 2), (1, 2), [(2, 2), (0, 0)], (1, 1)),
    ((1, 11, 12, 16), (5, 3), (1, 3), [(2, 2), (0, 0)], (2, 1)),
    ((1, 11, 12, 16), (5, 4), (1, 4), [(2, 2), (0, 0)], (1, 1)),
    ((3, 11, 7, 4), (5, 2), (2, 3), [(1, 2), (-2, 2)], (1, 1)),
    ((2, 6, 4, 3), (3, 2), (1, 2), [(1, 0), (1, 1)], (1, 1)),
])
def test_depthwise_windows_that_do_not_overlap(x, w, strides, padding, rhs_dilation, name, x64):
    features = x[-1]
    x, w = data(x, name, seed=1), data((*w, 1, features), name, seed=2)

    def convolve(x, w):
        return lax.conv_general_dilated(x, w, strides, padding, (1, 1), rhs_dilation,
                                        LAYOUTS[2], features)
    wanted = literal(x.astype(np.float64), w.astype(np.float64), strides, padding, (1, 1),
                     rhs_dilation, features)
    ours = run_on(jax.devices(PLATFORM)[0], convolve, x, w)
    np.testing.assert_allclose(ours, wanted, atol=40 * np.finfo(name).eps * np.abs(wanted).max())
