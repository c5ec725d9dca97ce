"""Matrix products, einsum and convolutions."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from compare import ALL, check, check_sum, data, dtype, epsilon, run_on
from conftest import PLATFORM
from jax import lax


@pytest.mark.parametrize("m, k, n", [(1, 1, 1), (1, 7, 1), (3, 5, 7), (16, 16, 16),
                                     (1, 300, 17), (129, 65, 33), (64, 128, 256), (5, 0, 4),
                                     (0, 5, 4), (200, 3, 2), (2, 1000, 2), (257, 255, 31)])
def test_matmul_shapes(m, k, n):
    check_sum(jnp.matmul, data((m, k), "float32", 1), data((k, n), "float32", 2))


@pytest.mark.parametrize("name", ["float32", "float64", "bfloat16", "float16", "complex64", "int32",
                                  "uint8", "bool"])
@pytest.mark.parametrize("m, k, n", [(1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 4, 4), (2, 3, 4),
                                     (4, 1, 2), (3, 5, 2), (5, 2, 2)])
def test_many_tiny_matrices(m, k, n, name, x64):
    x, y = data((7, 11, m, k), name, 1), data((7, 11, k, n), name, 2)
    is_real = "float" in name
    if is_real:
        x[3, 4, 0, 0] = np.inf
        y[5, 6, 0, 0] = np.nan
        y[1, 2] = -0.0
    check_sum(jnp.matmul, x, y)
    check_sum(lambda x, y: jnp.einsum("abki,abjk->abij", x, y), x.swapaxes(2, 3),
              y.swapaxes(2, 3))
    check_sum(lambda x, y: jnp.einsum("abij,abj->abi", x, y), x, y[..., 0])
    check_sum(lambda x, y: jnp.einsum("bmka,bkna->bamn", x, y), np.moveaxis(x, 0, 3),
              np.moveaxis(y, 0, 3))
    if is_real:
        results = jax.jit(jnp.matmul)(np.zeros_like(x), -np.ones_like(y))
        assert not np.signbit(results).any()


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("equation, x_shape, y_shape",
                         [("nk,n->nk", (50, 3), (50,)), ("n,n->n", (1000,), (1000,)),
                          ("i,j->ij", (70,), (33,)), ("ni,mnj->nijm", (20, 3), (4, 20, 5)),
                          ("nak,bkn->bna", (9, 5, 1), (4, 1, 9)), (",ij->ji", (), (5, 7)),
                          ("ij,jk->ik", (40, 1), (1, 0))])
def test_single_terms(equation, x_shape, y_shape, name, x64):
    check_sum(lambda x, y: jnp.einsum(equation, x, y), data(x_shape, name, 1),
              data(y_shape, name, 2))


@pytest.mark.parametrize("x_type, y_type, result",
                         [("bfloat16", "bfloat16", "float32"), ("float32", "float32", "bfloat16"),
                          ("float64", "float64", "float32"), ("int8", "int8", "int32"),
                          ("uint8", "uint8", "int32"), ("float16", "float32", "float32")])
def test_types_of_single_terms(x_type, y_type, result, x64):
    # Of f64, products with an error in the 25th bit would differ in f32.
    x, y = data((50, 3), x_type, 1), data((50, 4), y_type, 2)
    product = lambda x, y: lax.dot_general(  # noqa: E731
        x, y, (((), ()), ((0,), (0,))), preferred_element_type=dtype(result))
    check(product, x, y)
    assert np.array_equal(
        jax.jit(product)(x, y).astype("float64"),
        (x[:, :, None].astype("float64") * y[:, None, :].astype("float64")).astype(
            dtype(result)).astype("float64"))


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64", "complex64",
                                  "complex128", "int8", "uint8", "int32", "int64", "uint16",
                                  "bool"])
def test_matmul_types(name, x64):
    check_sum(jnp.matmul, data((17, 33), name, 1), data((33, 19), name, 2))


@pytest.mark.parametrize("name", ["bfloat16", "float16", "int8"])
def test_matmul_preferred_type(name):
    wide = "int32" if name == "int8" else "float32"
    check_sum(lambda x, y: jnp.matmul(x, y, preferred_element_type=wide),
              data((17, 65), name, 1), data((65, 19), name, 2))


@pytest.mark.parametrize("left, right, result", [
    ("float32", "bfloat16", "float32"), ("bfloat16", "float16", "float32"),
    ("int8", "uint8", "int32"), ("int16", "int8", "int32"), ("float64", "float32", "float32")])
def test_dot_general_of_two_types(left, right, result, x64):
    check_sum(lambda x, y: lax.dot_general(x, y, (((1,), (0,)), ((), ())),
                                           preferred_element_type=result),
              data((17, 65), left, 1), data((65, 19), right, 2))


@pytest.mark.parametrize("left, right", [
    ("int32", "float32"), ("float32", "int8"), ("bfloat16", "int32"), ("bool", "float32"),
    ("bool", "uint8"), ("uint8", "complex64"), ("complex64", "float64"), ("int64", "float16")])
@pytest.mark.parametrize("k", [1, 3, 65])
def test_dot_general_of_two_kinds(left, right, k, x64):
    # With a preset, JAX leaves the operands as they are.
    check_sum(lambda x, y: lax.dot_general(x, y, (((1,), (0,)), ((), ())),
                                           precision=lax.DotAlgorithmPreset.DEFAULT),
              data((17, k), left, 1), data((k, 19), right, 2))


@pytest.mark.parametrize("left, right, result", [
    ("int8", "int8", "complex64"), ("uint16", "uint16", "complex128"),
    ("int8", "uint16", "float64"), ("uint32", "int8", "float32"), ("int32", "uint64", "float64"),
    ("float32", "float32", "complex128"), ("int32", "bfloat16", "complex128")])
def test_dot_general_with_wider_kind(left, right, result, x64):
    # Neither the factors nor the sum wrap around, or are rounded, in the operands' types.
    x, y = data((5, 3), left, 1), data((3, 4), right, 2)
    if np.dtype(dtype(left)).kind in "iu":
        x[0] = np.iinfo(left).max if left != "uint64" else 3
        x[1] = -1 if left.startswith("int") else 1
    expected = x.astype("float64") @ y.astype("float64")
    product = jax.jit(lambda x, y: lax.dot_general(
        x, y, (((1,), (0,)), ((), ())), precision=lax.DotAlgorithmPreset.DEFAULT,
        preferred_element_type=result))(*jax.device_put((x, y), jax.devices(PLATFORM)[0]))
    assert product.dtype == result
    np.testing.assert_allclose(np.asarray(product), expected, rtol=4 * epsilon(result))


@pytest.mark.parametrize("name", ["float32", "float64", "complex64"])
def test_dot_general_with_integer_result(name, x64):
    # The sum is converted, not the operands. It is exact: all values are multiples of 1/4.
    x, y = (np.round(4 * data(shape, name, seed)) / 4 for shape, seed in (((17, 12), 1),
                                                                          ((12, 19), 2)))
    product = run_on(jax.devices(PLATFORM)[0], lambda x, y: lax.dot_general(
        x, y, (((1,), (0,)), ((), ())), preferred_element_type="int32"), x, y)
    assert product.dtype == "int32"
    np.testing.assert_array_equal(product, np.real(x @ y).astype("int32"))


@pytest.mark.parametrize("spec, a, b", [
    ("ij,kj->ik", (13, 21), (9, 21)), ("ji,jk->ik", (21, 13), (21, 9)),
    ("bij,bjk->bik", (4, 5, 6), (4, 6, 7)), ("bhqd,bhkd->bhqk", (2, 3, 8, 5), (2, 3, 9, 5)),
    ("bhqk,bkhd->bqhd", (2, 3, 8, 9), (2, 9, 3, 5)), ("i,i->", (50,), (50,)),
    ("i,j->ij", (5,), (6,)), ("ij,j->i", (31, 40), (40,)), ("i,ij->j", (31,), (31, 40)),
    ("abc,cd->abd", (3, 4, 5), (5, 6)), ("abc,bad->cd", (3, 4, 5), (4, 3, 6)),
    ("btd,dhk->bthk", (2, 7, 12), (12, 3, 4))])
def test_einsum(spec, a, b):
    check_sum(lambda x, y: jnp.einsum(spec, x, y), data(a, "float32", 1), data(b, "float32", 2))


@pytest.mark.parametrize("m, k, n", [(37, 20, 9), (64, 64, 33), (50, 30, 100), (65, 100, 101)])
def test_epilogues_of_partial_tiles(m, k, n):
    """The last vector of a row has lanes without a column, the others have not."""
    x, w = data((m, k), "float32", 1), data((k, n), "float32", 2)
    bias, residual = data((n,), "float32", 3), data((m, n), "float32", 4)
    check_sum(lambda x, w, b: jax.nn.relu(x @ w + b), x, w, bias)
    check_sum(lambda x, w, b: jnp.tanh((x @ w) * 0.01 + b), x, w, bias)
    check_sum(lambda x, w, r: x @ w + r, x, w, residual)
    # Results between other numbers: the masked lanes must not be stored.
    around = data((m, n + 20), "float32", 5)
    check_sum(lambda x, w, a: a.at[:, 7:7 + n].set(jnp.sin((x @ w) * 0.01)), x, w, around)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("m, k, n", [(40, 30, 9), (64, 64, 33), (50, 30, 100), (300, 100, 1001)])
def test_special_values_and_partial_tiles(m, k, n, value):
    """The last micro-panel is filled up with zeros, whose products must reach no result."""
    x, w = data((m, k), "float32", 1), data((k, n), "float32", 2)
    x[m // 2, 3] = w[5, n - 1] = value
    result = np.asarray(jax.jit(jnp.matmul)(*jax.device_put((x, w), jax.devices(PLATFORM)[0])))
    finite = np.ones((m, n), bool)
    finite[m // 2] = finite[:, n - 1] = False
    np.testing.assert_array_equal(np.isfinite(result), finite)


def test_matmul_with_epilogue():
    x, w, b = data((33, 47), "float32", 1), data((47, 65), "float32", 2), data((65,), "float32")
    check_sum(lambda x, w, b: jax.nn.relu(x @ w + b), x, w, b)
    check_sum(lambda x, w, b: (jax.nn.gelu(2 * x @ w + b) * 3).sum(0), x, w, b)
    check_sum(lambda x, w, b: jnp.tanh(x) @ jnp.exp(w), x, w, b)


@pytest.mark.parametrize("name", ["complex64", "complex128"])
@pytest.mark.parametrize("rows, k, columns", [(1, 8, 1), (1, 1001, 33), (2, 31, 7), (2, 100, 2),
                                              (1, 9001, 3), (3, 64, 5)])
def test_few_complex_rows(rows, k, columns, name, x64):
    """Exact sums: parts of numbers are small integers."""
    integers = np.random.default_rng(0).integers
    a, b = [(integers(-5, 6, (n, k)) + 1j * integers(-5, 6, (n, k))).astype(name)
            for n in (rows, columns)]
    for function in (lambda a, b: a @ b.T, lambda a, b: b @ a[0], lambda a, b: jnp.conj(a) @ b.T,
                     lambda a, b: (b[:, 1:] @ a[-1, :-1]).imag):
        check(function, a, b, ulps=0)


@pytest.mark.parametrize("precision", ["default", "high", "highest"])
def test_precision(precision):
    check_sum(lambda x, y: jnp.matmul(x, y, precision=precision), data((30, 40), "float32", 1),
              data((40, 20), "float32", 2))


def test_large_matmul_is_accurate():
    x, y = data((300, 500), "float32", 1), data((500, 200), "float32", 2)
    ours = check_sum(jnp.matmul, x, y)
    exact = x.astype(np.float64) @ y.astype(np.float64)
    assert np.abs(ours - exact).max() < 2e-5 * np.abs(exact).max()


CONVOLUTIONS = [
    # input, filter, strides, padding, input dilation, filter dilation, groups
    ((2, 9, 9, 1), (4, 4, 1, 1), (1, 1), "VALID", (1, 1), (1, 1), 1),
    ((1, 8, 8, 3), (3, 3, 3, 8), (1, 1), "SAME", (1, 1), (1, 1), 1),
    ((2, 14, 14, 16), (3, 3, 16, 32), (1, 1), "SAME", (1, 1), (1, 1), 1),
    ((2, 15, 15, 4), (3, 3, 4, 6), (2, 2), "SAME", (1, 1), (1, 1), 1),
    ((2, 8, 8, 5), (1, 1, 5, 7), (1, 1), "VALID", (1, 1), (1, 1), 1),
    ((2, 8, 8, 6), (3, 3, 1, 6), (1, 1), "SAME", (1, 1), (1, 1), 6),
    ((2, 8, 8, 6), (3, 3, 1, 12), (2, 1), "SAME", (1, 1), (1, 1), 6),
    ((1, 10, 9, 8), (3, 2, 4, 6), (1, 1), ((2, 1), (0, 3)), (1, 1), (1, 1), 2),
    ((1, 12, 12, 2), (3, 3, 2, 3), (1, 1), "VALID", (1, 1), (2, 3), 1),
    ((1, 6, 6, 2), (3, 3, 2, 3), (1, 1), ((2, 2), (2, 2)), (2, 2), (1, 1), 1),
    ((1, 9, 9, 3), (7, 7, 3, 4), (2, 2), ((3, 3), (3, 3)), (1, 1), (1, 1), 1),
    ((2, 5, 5, 3), (5, 5, 3, 4), (1, 1), "VALID", (1, 1), (1, 1), 1),
]


def convolve(x, w, strides, padding, lhs_dilation, rhs_dilation, groups):
    return lax.conv_general_dilated(x, w, strides, padding, lhs_dilation, rhs_dilation,
                                    ("NHWC", "HWIO", "NHWC"), feature_group_count=groups)


@pytest.mark.parametrize("case", CONVOLUTIONS, ids=lambda c: "-".join(map(str, c[:3])))
def test_convolution(case):
    x, w, *rest = case
    check_sum(lambda x, w: convolve(x, w, *rest), data(x, "float32", 1), data(w, "float32", 2))


@pytest.mark.parametrize("case", CONVOLUTIONS, ids=lambda c: "-".join(map(str, c[:3])))
def test_convolution_gradients(case):
    x, w, *rest = case
    check_sum(jax.grad(lambda x, w: (convolve(x, w, *rest) ** 2).sum(), (0, 1)),
              data(x, "float32", 1), data(w, "float32", 2))


def test_convolution_other_layouts_and_ranks():
    check_sum(lambda x, w: lax.conv(x, w, (1, 1), "SAME"), data((2, 3, 9, 8), "float32", 1),
              data((4, 3, 3, 3), "float32", 2))
    check_sum(lambda x, w: lax.conv_general_dilated(
        x, w, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC")),
        data((2, 20, 3), "float32", 1), data((5, 3, 4), "float32", 2))
    check_sum(lambda x, w: lax.conv_general_dilated(
        x, w, (1, 1, 1), "VALID", dimension_numbers=("NDHWC", "DHWIO", "NDHWC")),
        data((1, 5, 6, 7, 2), "float32", 1), data((2, 3, 3, 2, 4), "float32", 2))
    check_sum(lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME"),
              data((1, 5, 5, 3), "float32", 1), data((3, 3, 3, 4), "float32", 2))


@pytest.mark.parametrize("name", ["bfloat16", "float16", "float64", "int32"])
def test_convolution_types(name, x64):
    check_sum(lambda x, w: convolve(x, w, (1, 1), "SAME", (1, 1), (1, 1), 1),
              data((2, 7, 7, 3), name, 1), data((3, 3, 3, 5), name, 2))


def test_attention():
    q, k, v = (data((2, 3, 40, 16), "float32", i) for i in range(3))

    def attention(q, k, v):
        scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / 4
        scores = jnp.where(jnp.tril(jnp.ones((40, 40), bool)), scores, -1e30)
        return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores), v)

    check_sum(attention, q, k, v)
    check_sum(jax.grad(lambda *a: (attention(*a) ** 2).sum(), (0, 1, 2)), q, k, v)


@pytest.mark.parametrize("shape", ((24, 4, 8), (33, 127, 65), (100, 70, 9), (64, 256, 64)))
def test_extreme_bytes(shape):
    """The lowest byte squared, twice, does not fit 16 bits."""
    rows, depth, columns = shape
    random = np.random.default_rng(0)
    for a, b in ((np.full((rows, depth), -128), np.full((depth, columns), -128)),
                 (random.choice((-128, 127), (rows, depth)), random.choice((-128, 127), (depth, columns))),
                 (random.integers(-128, 128, (rows, depth)), random.integers(-128, 128, (depth, columns)))):
        product = jax.jit(lambda a, b: jax.lax.dot(a, b, preferred_element_type=np.int32))
        np.testing.assert_array_equal(product(a.astype(np.int8), b.astype(np.int8)), a @ b)
