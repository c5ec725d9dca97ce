"""Attention, which becomes one kernel if its scores would be a large array."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import only_tenon

SHAPES = [  # batch dimensions, queries, keys, depth, width of values
    ((8,), 256, 256, 64, 64),
    ((1, 8), 128, 256, 40, 40),
    ((2, 2), 197, 197, 64, 48),
    ((), 1000, 77, 16, 100),
    ((3,), 50, 513, 24, 17),
    ((6,), 16, 1024, 32, 16),
    ((2,), 150, 1037, 40, 33),
    ((1, 2), 71, 2051, 17, 144),
]


def operands(batch, queries, keys, depth, width, dtype=np.float32):
    random = np.random.RandomState(0)

    def normal(*shape):
        return random.standard_normal(shape).astype(dtype)
    return (normal(*batch, queries, depth), normal(*batch, keys, depth),
            normal(*batch, keys, width))


def expected(q, k, v, transform=lambda scores: scores):
    """softmax(transform(q k^T)) v in double precision."""
    scores = transform(np.asarray(q, np.float64) @ np.swapaxes(np.asarray(k, np.float64), -1, -2))
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ np.asarray(v, np.float64)


def attention(q, k, v, transform=lambda scores: scores):
    scores = jnp.einsum("...qd,...kd->...qk", q, k)
    return jnp.einsum("...qk,...kd->...qd", jax.nn.softmax(transform(scores)), v)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_shapes(shape):
    q, k, v = operands(*shape)
    result = jax.jit(lambda *x: attention(*x, lambda s: s * 0.25))(q, k, v)
    np.testing.assert_allclose(result, expected(q, k, v, lambda s: s * 0.25), atol=1e-5)


def test_double_precision():
    with jax.enable_x64(True):
        for shape in ((4,), 130, 260, 32, 32), ((2,), 100, 1033, 21, 35):
            q, k, v = operands(*shape, np.float64)
            result = jax.jit(attention)(q, k, v)
            assert result.dtype == np.float64
            np.testing.assert_allclose(result, expected(q, k, v), atol=1e-13)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype, atol", [(jnp.bfloat16, 0.04), (np.float16, 5e-3)])
@pytest.mark.parametrize("scores", [np.float32, None])
def test_narrow_types(shape, dtype, atol, scores):
    """Scores in f32, or in the type of the operands."""
    q, k, v = operands(*shape, dtype)

    def function(q, k, v):
        s = jnp.einsum("...qd,...kd->...qk", q, k, preferred_element_type=scores) * 0.25
        return jnp.einsum("...qk,...kd->...qd", jax.nn.softmax(s).astype(v.dtype), v)
    result = jax.jit(function)(q, k, v)
    assert result.dtype == dtype
    np.testing.assert_allclose(result.astype(np.float64),
                               expected(q, k, v, lambda s: s * 0.25), atol=atol)


@only_tenon("what Tenon rounds")
def test_excess_precision_option_of_narrow_types():
    q, k, v = operands((4,), 128, 160, 32, 32, jnp.bfloat16)
    exact = expected(q, k, v)

    def error(excess):
        compiled = jax.jit(attention).lower(q, k, v).compile(
            compiler_options={"xla_allow_excess_precision": excess})
        return np.square(np.asarray(compiled(q, k, v), np.float64) - exact).mean()
    assert error(True) < error(False) / 2


def test_mask_bias_and_capping():
    q, k, v = operands((2, 4), 192, 192, 32, 32)
    bias = np.random.RandomState(1).standard_normal((4, 192, 192)).astype(np.float32)
    rows = np.random.RandomState(2).standard_normal((192, 1)).astype(np.float32)

    def transform(xp):
        def apply(scores):
            capped = xp.tanh(scores / 5 + bias) * 5 - rows
            return xp.where(np.tril(np.ones((192, 192), bool)), capped, -1e9)
        return apply
    result = jax.jit(lambda *x: attention(*x, transform(jnp)))(q, k, v)
    np.testing.assert_allclose(result, expected(q, k, v, transform(np)), atol=2e-5)


@pytest.mark.parametrize("dtype", [jnp.float64, jnp.bfloat16, jnp.int64, bool])
def test_scores_in_another_type_than_the_weights(x64, dtype):
    """A row of scores is stored in the memory of the weights, which are floats."""
    q, k, v = operands((4,), 128, 160, 32, 32)

    def weights(scores):
        values = (scores > 0 if dtype == bool else scores * 4).astype(dtype)
        most = values.max(-1, keepdims=True)
        return (values.astype(np.float32) - most.astype(np.float32)) / 64
    result = jax.jit(lambda q, k, v: weights(q @ jnp.swapaxes(k, 1, 2)) @ v)(q, k, v)
    # Compilers may omit roundings to bfloat16.
    atol = 0.3 if dtype == jnp.bfloat16 else 1e-4
    np.testing.assert_allclose(result, weights(q @ np.swapaxes(k, 1, 2)) @ v, atol=atol)


@pytest.mark.parametrize("first, second", [(np.float32, np.float64), (np.float64, np.float32)])
def test_products_of_different_types(x64, first, second):
    q, k, v = operands((4,), 128, 160, 32, 32)

    def function(q, k, v):
        scores = jnp.einsum("...qd,...kd->...qk", q.astype(first), k.astype(first))
        return jax.nn.softmax(scores.astype(second)) @ v.astype(second)
    result = jax.jit(function)(q, k, v)
    assert result.dtype == second
    np.testing.assert_allclose(result, expected(q, k, v), atol=1e-5)


def test_bias_that_is_a_log_softmax():
    q, k, v = operands((4,), 128, 160, 32, 32)
    bias = np.random.RandomState(1).standard_normal((4, 128, 160)).astype(np.float32)
    result = jax.jit(lambda q, k, v, b: attention(q, k, v, lambda s: s + jax.nn.log_softmax(b)))(
        q, k, v, bias)
    np.testing.assert_allclose(result, expected(q, k, v, lambda s: s + bias), atol=1e-5)


def test_rows_of_strided_operands():
    """Operands and result have the layout [position, head, element]."""
    q, k, v = (np.swapaxes(x, 0, 1) for x in operands((8,), 160, 160, 64, 64))

    def function(q, k, v):
        scores = jnp.einsum("qhd,khd->hqk", q, k)
        return jnp.einsum("hqk,khd->qhd", jax.nn.softmax(scores), v)
    swapped = (np.swapaxes(x, 0, 1) for x in (q, k, v))
    np.testing.assert_allclose(np.swapaxes(jax.jit(function)(q, k, v), 0, 1), expected(*swapped),
                               atol=5e-5)


def test_elementwise_users_join_attention():
    q, k, v = operands((8,), 256, 128, 32, 32)
    residual = np.random.RandomState(3).standard_normal((8, 256, 32)).astype(np.float32)
    result = jax.jit(lambda q, k, v, r: attention(q, k, v) * 2 + r, donate_argnums=3)(
        q, k, v, residual)
    np.testing.assert_allclose(result, expected(q, k, v) * 2 + residual, atol=5e-5)


def test_weights_with_other_uses():
    q, k, v = operands((4,), 256, 128, 32, 32)

    def function(q, k, v):
        weights = jax.nn.softmax(jnp.einsum("bqd,bkd->bqk", q, k))
        return jnp.einsum("bqk,bkd->bqd", weights, v), weights.max()
    result, most = jax.jit(function)(q, k, v)
    np.testing.assert_allclose(result, expected(q, k, v), atol=5e-5)
    assert 0 < most <= 1


def test_weights_and_their_gradients():
    """The weights are a result, and their sum over rows reads arrays that do not depend on it."""
    q, k, v = operands((4,), 256, 128, 32, 32)
    d = np.random.RandomState(5).standard_normal(q.shape).astype(np.float32)

    def loss(q, k, v):
        weights = jax.nn.softmax(jnp.einsum("bqd,bkd->bqk", q, k))
        return (jnp.einsum("bqk,bkd->bqd", weights, v) * d).sum(), weights
    gradients, weights = jax.jit(jax.grad(loss, (0, 1, 2), has_aux=True))(q, k, v)
    np.testing.assert_allclose(weights @ v, expected(q, k, v), atol=5e-5)
    for gradient, value in zip(gradients, expected_gradients(q, k, v, d, 1)):
        np.testing.assert_allclose(gradient, value, atol=1e-5 * np.abs(value).max())


def test_softmax_over_queries_is_not_attention():
    q, k, v = operands((4,), 128, 160, 32, 32)

    def function(q, k, v):
        weights = jax.nn.softmax(jnp.einsum("bqd,bkd->bqk", q, k), axis=1)
        return jnp.einsum("bqk,bkd->bqd", weights, v)
    scores = q.astype(np.float64) @ np.swapaxes(k.astype(np.float64), 1, 2)
    weights = np.exp(scores - scores.max(1, keepdims=True))
    weights /= weights.sum(1, keepdims=True)
    np.testing.assert_allclose(jax.jit(function)(q, k, v), weights @ v, atol=1e-5)


def expected_gradients(q, k, v, d, scale, bias=0):
    """Gradients of the sum of softmax(scale q k^T + bias) v * d, in double precision."""
    q, k, v, d = (np.asarray(x, np.float64) for x in (q, k, v, d))
    scores = scale * q @ np.swapaxes(k, -1, -2) + bias
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    slope = d @ np.swapaxes(v, -1, -2)
    slope = scale * weights * (slope - (slope * weights).sum(-1, keepdims=True))
    return slope @ k, np.swapaxes(slope, -1, -2) @ q, np.swapaxes(weights, -1, -2) @ d


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype, tolerance",
                         [(np.float32, 2e-6), (jnp.bfloat16, 3e-2), (np.float16, 4e-3)])
def test_gradients(shape, dtype, tolerance):
    q, k, v = operands(*shape, dtype)
    d = np.random.RandomState(5).standard_normal((*q.shape[:-1], v.shape[-1])).astype(dtype)

    def loss(q, k, v):
        s = jnp.einsum("...qd,...kd->...qk", q, k, preferred_element_type=np.float32) * 0.25
        mixed = jnp.einsum("...qk,...kd->...qd", jax.nn.softmax(s).astype(v.dtype), v)
        return (mixed * d).sum(dtype=np.float32)
    gradients = jax.jit(jax.grad(loss, (0, 1, 2)))(q, k, v)
    for gradient, wanted in zip(gradients, expected_gradients(q, k, v, d, 0.25)):
        assert gradient.dtype == dtype
        np.testing.assert_allclose(gradient.astype(np.float64), wanted,
                                   atol=tolerance * np.abs(wanted).max())


def test_gradient_of_a_result_of_attention():
    """The cotangent depends on the result, so the forward pass must be complete."""
    q, k, v = operands((2,), 128, 512, 32, 32)
    gradients = jax.jit(jax.grad(lambda *x: (attention(*x) ** 2).sum(), (0, 1, 2)))(q, k, v)
    wanted = expected_gradients(q, k, v, 2 * expected(q, k, v), 1)
    for gradient, value in zip(gradients, wanted):
        np.testing.assert_allclose(gradient, value, atol=2e-5 * np.abs(value).max())


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("batch", [1, 2])
@pytest.mark.parametrize("dtype, tolerance", [(np.float32, 3e-6), (jnp.bfloat16, 3e-2)])
def test_dot_product_attention(batch, causal, dtype, tolerance):
    """Layout [batch, position, head, element], with unit dimensions in between."""
    q, k, v, d = (np.random.RandomState(n).standard_normal((batch, 160, 4, 32)).astype(dtype)
                  for n in range(4))

    def loss(q, k, v):
        return (jax.nn.dot_product_attention(q, k, v, is_causal=causal) * d).sum(dtype=np.float32)

    def by_heads(x):
        return np.swapaxes(np.asarray(x, np.float64), 1, 2)
    result = jax.jit(functools.partial(jax.nn.dot_product_attention, is_causal=causal))(q, k, v)
    mask = np.where(np.tril(np.ones((160, 160), bool)) | (not causal), 0, -1e9)
    wanted = expected(by_heads(q), by_heads(k), by_heads(v), lambda s: s * 32 ** -0.5 + mask)
    np.testing.assert_allclose(by_heads(result), wanted, atol=tolerance)
    wanted = expected_gradients(*map(by_heads, (q, k, v, d)), 32 ** -0.5, mask)
    for gradient, value in zip(jax.jit(jax.grad(loss, (0, 1, 2)))(q, k, v), wanted):
        np.testing.assert_allclose(by_heads(gradient), value,
                                   atol=tolerance * np.abs(value).max())


@only_tenon("memory of Tenon's programs")
@pytest.mark.parametrize("dtype", [np.float32, jnp.bfloat16])
def test_scores_are_never_there(dtype):
    # At most 32 chunks have scratch memory, however many heads there are. Beside it there may be
    # copies of keys and values.
    q, k, v = operands((32,), 1024, 1024, 64, 64, dtype)
    memory = jax.jit(attention).lower(q, k, v).compile().memory_analysis()
    copies = 2 * 32 * 1024 * 64 * 4
    assert memory.temp_size_in_bytes < copies + 32 * 1024 * 1024 * 4 / 12


@only_tenon("memory of Tenon's programs")
def test_dot_product_attention_does_not_materialize_scores():
    q, k, v = (np.zeros((1, 1024, 8, 64), np.float32) for _ in range(3))
    memory = jax.jit(jax.nn.dot_product_attention).lower(q, k, v).compile().memory_analysis()
    assert memory.temp_size_in_bytes < 8 * 1024 * 1024 * 4 / 2


@only_tenon("memory of Tenon's programs")
@pytest.mark.parametrize("dtype", [np.float32, jnp.bfloat16])
def test_gradient_does_not_materialize_scores(dtype):
    q, k, v = operands((8,), 1024, 1024, 64, 64, dtype)
    gradient = jax.jit(jax.grad(lambda *x: (attention(*x) ** 2).sum(dtype=np.float32), (0, 1, 2)))
    memory = gradient.lower(q, k, v).compile().memory_analysis()
    assert memory.temp_size_in_bytes < 8 * 1024 * 1024 * 4


# Two attention kernels, of which the second reads an array of the first: where it could compute
# the array again from its own block of rows, and where it must load it.
SECOND_READERS = {
    "same_elements": lambda s, a, v: ((s - s.sum(1, keepdims=True)) * a) @ v,
    "transposed": lambda s, a, v: (s - s.sum(1, keepdims=True) + a.T) @ v,
    "reversed_rows": lambda s, a, v: ((s - s.sum(1, keepdims=True)) * a[::-1]) @ v,
    "other_factor": lambda s, a, v: (s - s.sum(1, keepdims=True)) @ a,
    "part_in_the_epilogue": lambda s, a, v: (s - s.sum(1, keepdims=True)) @ v + a[:, :32],
    "epilogue": lambda s, a, v: (s - s.sum(1, keepdims=True)) @ jnp.tile(v, 8) * a,
    "sum_over_rows": lambda s, a, v: ((s - s.sum(1, keepdims=True)) * a).T @ v,
}


@pytest.mark.parametrize("reader", SECOND_READERS)
def test_kernels_that_read_arrays_of_others(reader):
    random = np.random.RandomState(0)
    q, k, g, h, v = (random.standard_normal((256, depth)).astype(np.float32) / 8
                     for depth in (64, 64, 48, 48, 32))

    def both(q, k, g, h, v):
        scores = q @ k.T
        a = scores - scores.sum(1, keepdims=True)
        return a @ v, SECOND_READERS[reader](g @ h.T, a, v)
    results = jax.jit(both)(q, k, g, h, v)
    with jax.enable_x64(True):
        wanted = both(*(jnp.asarray(x, jnp.float64) for x in (q, k, g, h, v)))
    for result, value in zip(results, wanted):
        value = np.asarray(value)
        np.testing.assert_allclose(result, value, atol=3e-6 * np.abs(value).max())


def test_weights_that_a_sum_over_rows_reads_before_its_kernel():
    """The gradient of attention whose weights are also multiplied with their transpose: a sum over
    rows of the weights comes before the row operations that read it."""
    random = np.random.RandomState(2)
    q, k, v = (random.standard_normal((2, 4, 96, 16)).astype(np.float32) for _ in range(3))
    c = random.standard_normal((2, 4, 96, 96)).astype(np.float32)

    def loss(q, k, v, c):
        weights = jax.nn.softmax(q @ jnp.swapaxes(k, 2, 3), axis=-1)
        gram = weights @ jnp.swapaxes(weights, 2, 3)
        return jnp.sin(weights @ v).sum() + (gram * c).sum()
    results = jax.jit(jax.grad(loss, (0, 1, 2)))(q, k, v, c)
    with jax.enable_x64(True):
        wanted = jax.grad(loss, (0, 1, 2))(*(jnp.asarray(x, jnp.float64) for x in (q, k, v, c)))
    for result, value in zip(results, wanted):
        value = np.asarray(value)
        np.testing.assert_allclose(result, value, atol=1e-5 * np.abs(value).max())


def test_gradients_of_a_hidden_layer_between_normalizations():
    """The backward pass of a transformer's last block: a chain whose epilogue reads the hidden
    layer of the forward pass, which has another width than the chain's scores."""
    random = np.random.RandomState(1)
    x, up, down, head = (random.standard_normal(shape).astype(np.float32) / 8 for shape in (
        (1024, 128), (128, 512), (512, 128), (128, 86)))

    def normalize(x):
        return (x - x.mean(1, keepdims=True)) * jax.lax.rsqrt(x.var(1, keepdims=True) + 1e-6)

    def loss(parameters, x):
        up, down, head = parameters
        return jax.nn.logsumexp(
            normalize(x + jax.nn.gelu(normalize(x) @ up) @ down) @ head, axis=-1).mean()
    gradients = jax.jit(jax.grad(loss))((up, down, head), x)
    with jax.enable_x64(True):
        wide = [jnp.asarray(v, jnp.float64) for v in (up, down, head, x)]
        wanted = jax.grad(loss)(tuple(wide[:3]), wide[3])
    for result, value in zip(gradients, wanted):
        value = np.asarray(value)
        np.testing.assert_allclose(result, value, atol=1e-5 * np.abs(value).max())
