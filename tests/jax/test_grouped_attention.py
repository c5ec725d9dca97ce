"""Grouped-query attention, where query heads share keys and values, is one kernel."""
import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import only_tenon

GROUPS, DEPTH = 3, 16


def operands(batch, heads, queries, keys, dtype=np.float32):
    """q: [batch, position, key head, group, element], k and v: [batch, position, head, element],
    and a cotangent of the result, which has q's shape."""
    random = np.random.RandomState(0)
    of_queries, of_keys = (batch, queries, heads, GROUPS, DEPTH), (batch, keys, heads, DEPTH)
    return [random.standard_normal(shape).astype(dtype)
            for shape in (of_queries, of_keys, of_keys, of_queries)]


# Orders of the scores' dimensions that programs use.
ORDERS = ["bkgts", "bktgs", "gbkts", "btkgs", "tgbks"]


def attention(q, k, v, order="bkgts", transform=lambda scores: scores):
    """`transform` sees scores as [batch, key head, group, query, key]."""
    scores = jnp.einsum(f"btkgh,bskh->{order}", q, k) * 0.25
    scores = jnp.moveaxis(scores, [order.index(dim) for dim in "bkgts"], range(5))
    scores = transform(scores)
    scores = jnp.moveaxis(scores, range(5), [order.index(dim) for dim in "bkgts"])
    weights = jax.nn.softmax(scores, axis=order.index("s")).astype(v.dtype)
    return jnp.einsum(f"{order},bskh->btkgh", weights, v)


def masked(scores):
    rows, columns = (jnp.arange(n) for n in scores.shape[-2:])
    inside = (rows[:, None] >= columns) & (rows[:, None] - columns < 40)
    return jnp.where(inside, jnp.tanh(scores / 3) * 3, -1e9)


def expected(q, k, v, d, is_masked=False):
    """Result and gradients of its sum with `d`, in double precision, head by head."""
    q, k, v, d = (np.asarray(x, np.float64) for x in (q, k, v, d))
    result, slopes = np.zeros_like(q), [np.zeros_like(x) for x in (q, k, v)]
    for b, h, g in itertools.product(range(q.shape[0]), range(q.shape[2]), range(GROUPS)):
        scores = 0.25 * q[b, :, h, g] @ k[b, :, h].T
        capped, rate = scores, np.ones_like(scores)
        if is_masked:
            rows, columns = (np.arange(n) for n in scores.shape)
            inside = (rows[:, None] >= columns) & (rows[:, None] - columns < 40)
            capped = np.where(inside, np.tanh(scores / 3) * 3, -1e9)
            rate = np.where(inside, 1 - np.tanh(scores / 3) ** 2, 0)
        weights = np.exp(capped - capped.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        result[b, :, h, g] = weights @ v[b, :, h]
        slope = d[b, :, h, g] @ v[b, :, h].T
        slope = weights * (slope - (slope * weights).sum(-1, keepdims=True)) * rate * 0.25
        slopes[0][b, :, h, g] = slope @ k[b, :, h]
        slopes[1][b, :, h] += slope.T @ q[b, :, h, g]
        slopes[2][b, :, h] += weights.T @ d[b, :, h, g]
    return result, slopes


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("batch, heads, queries, keys",
                         [(2, 2, 128, 160), (1, 2, 97, 130), (1, 1, 160, 200), (3, 1, 70, 112)])
@pytest.mark.parametrize("is_masked", [False, True])
def test_orders_of_dimensions(order, batch, heads, queries, keys, is_masked):
    q, k, v, d = operands(batch, heads, queries, keys)
    function = functools.partial(attention, order=order,
                                 transform=masked if is_masked else lambda s: s)
    result = jax.jit(function)(q, k, v)
    wanted, slopes = expected(q, k, v, d, is_masked)
    np.testing.assert_allclose(result, wanted, atol=3e-6)
    gradients = jax.jit(jax.grad(lambda *x: (function(*x) * d).sum(), (0, 1, 2)))(q, k, v)
    for gradient, slope in zip(gradients, slopes):
        np.testing.assert_allclose(gradient, slope, atol=5e-6 * np.abs(slope).max())


@pytest.mark.parametrize("dtype, tolerance", [(jnp.bfloat16, 1e-2), (np.float16, 2e-3)])
def test_narrow_types(dtype, tolerance):
    q, k, v, d = operands(2, 2, 128, 160, dtype)

    def function(q, k, v):
        scores = jnp.einsum("btkgh,bskh->bkgts", q, k, preferred_element_type=np.float32) * 0.25
        return jnp.einsum("bkgts,bskh->btkgh", jax.nn.softmax(scores).astype(dtype), v)
    result = jax.jit(function)(q, k, v)
    wanted, _ = expected(q, k, v, d)
    np.testing.assert_allclose(result.astype(np.float64), wanted, atol=tolerance)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("batch, heads", [(1, 2), (2, 2), (2, 1)])
def test_dot_product_attention(batch, heads, causal):
    """vmap over groups, which moves their dimension to different positions."""
    q, k, v, d = operands(batch, heads, 128, 160)
    mask = np.where(np.tril(np.ones((128, 160), bool)) | (not causal), 0, -1e9)

    def function(q, k, v):
        joined = q.reshape(*q.shape[:2], -1, DEPTH)
        mixed = jax.nn.dot_product_attention(joined, k, v, is_causal=causal, scale=0.25)
        return mixed.reshape(q.shape)

    def plain(q, k, v):
        return attention(q, k, v, transform=lambda scores: scores + mask)
    for got, wanted in zip(gradients_and_result(function, d)(q, k, v),
                           gradients_and_result(plain, d)(q, k, v)):
        np.testing.assert_allclose(got, wanted, atol=5e-6 * np.abs(wanted).max())


def gradients_and_result(function, d):
    @jax.jit
    def both(q, k, v):
        result, pull = jax.vjp(function, q, k, v)
        return (result, *pull(d))
    return both


def test_bias_per_group_and_rows_with_other_uses():
    """Arrays as large as the scores keep their dimension order; rows are also a result."""
    q, k, v, _ = operands(2, 2, 128, 160)
    bias = np.random.RandomState(1).standard_normal((GROUPS, 2, 2, 128, 160)).astype(np.float32)

    def function(q, k, v, bias):
        scores = jnp.einsum("btkgh,bskh->bktgs", q, k).transpose(3, 0, 1, 2, 4) + bias
        most = scores.max(-1, keepdims=True)
        weights = jnp.exp(scores - most)
        return jnp.einsum("gbkts,bskh->btkgh", weights, v), weights.sum(-1), scores.min(1)
    mixed, sums, least = jax.jit(function)(q, k, v, bias)
    scores = np.einsum("btkgh,bskh->gbkts", *(x.astype(np.float64) for x in (q, k))) + bias
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    np.testing.assert_allclose(mixed, np.einsum("gbkts,bskh->btkgh", weights, v), atol=1e-4)
    np.testing.assert_allclose(sums, weights.sum(-1), rtol=1e-5)
    np.testing.assert_allclose(least, scores.min(1), atol=1e-5)


def test_sums_over_groups_and_positions():
    """A reduction over another dimension than the last keeps its dimension order."""
    q, k, v, _ = operands(2, 2, 128, 160)

    def function(q, k):
        scores = jnp.einsum("btkgh,bskh->bktgs", q, k).transpose(3, 0, 1, 2, 4)
        return (scores * 2).sum((0, 3)), jnp.flip(scores, 0) + 1, jnp.cumsum(scores, 0)
    scores = np.einsum("btkgh,bskh->gbkts", *(x.astype(np.float64) for x in (q, k)))
    for got, wanted in zip(jax.jit(function)(q, k),
                           ((scores * 2).sum((0, 3)), scores[::-1] + 1, scores.cumsum(0))):
        np.testing.assert_allclose(got, wanted, atol=2e-5 * np.abs(wanted).max())


def temporaries(function, *arguments):
    memory = jax.jit(function).lower(*arguments).compile().memory_analysis()
    return memory.temp_size_in_bytes


@only_tenon("memory of Tenon's programs")
@pytest.mark.parametrize("order", ["bkgts", "bktgs", "gbkts"])
def test_scores_are_never_there(order):
    q, k, v, _ = operands(1, 2, 512, 512)
    scores = 2 * GROUPS * 512 * 512 * 4
    assert temporaries(functools.partial(attention, order=order), q, k, v) < scores


@only_tenon("memory of Tenon's programs")
def test_gradient_does_not_materialize_scores():
    q, k, v, d = operands(1, 2, 1024, 1024)

    def function(q, k, v):
        joined = q.reshape(*q.shape[:2], -1, DEPTH)
        return (jax.nn.dot_product_attention(joined, k, v) ** 2).sum()
    scores = 2 * GROUPS * 1024 * 1024 * 4
    assert temporaries(jax.grad(function, (0, 1, 2)), q, k, v) < scores
    of_rows = gradients_and_result(functools.partial(attention, order="bktgs"), d)
    assert temporaries(of_rows, q, k, v) < scores
