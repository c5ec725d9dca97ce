"""Packed forms of arguments, kept beside their buffers: what runs two, three and later give, and
when the packed forms must not be used or go away.

The first run with an argument packs it for itself, the second one packs it into memory that is
kept, later ones read that. All must give the same bits.
"""
import gc
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import only_tenon
from own_process import run

pytestmark = only_tenon("about memory that Tenon keeps")
RUNS = 5


def array(device, *shape, dtype=np.float32, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.integers(-9, 9, shape) if np.dtype(dtype).kind == "i" else rng.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.normal(size=shape)
    return jax.device_put(values.astype(dtype), device)


def in_use(device):
    gc.collect()
    return device.memory_stats()["bytes_in_use"]


def packed_bytes(device, function, *args):
    """What a second run of `function` keeps."""
    results = [np.array(function(*args))]
    before = in_use(device)
    results += [np.array(function(*args)) for _ in range(RUNS - 1)]
    kept = in_use(device) - before
    for result in results[1:]:
        np.testing.assert_array_equal(result.view(np.uint8), results[0].view(np.uint8))
    return kept


PRODUCTS = [
    ((128, 768), (768, 3072), "mk,kn->mn"), ((128, 768), (3072, 768), "mk,nk->mn"),
    ((7, 300), (300, 700), "mk,kn->mn"), ((33, 257), (257, 1031), "mk,kn->mn"),
    ((768, 60), (768, 1536), "km,kn->mn"), ((5, 20, 200), (5, 200, 300), "bmk,bkn->bmn"),
    ((1, 2048), (2048, 2048), "mk,kn->mn"), ((200, 3000), (3000, 40), "mk,kn->mn"),
]


@pytest.mark.parametrize("dtype", ["f4", "f8", "bfloat16", "f2", "i1", "i4", "c8"])
@pytest.mark.parametrize("lhs, rhs, dims", PRODUCTS)
def test_products_give_the_same_bits_in_every_run(device, x64, lhs, rhs, dims, dtype):
    dtype = jnp.bfloat16 if dtype == "bfloat16" else np.dtype(dtype)
    x, w = array(device, *lhs, dtype=dtype), array(device, *rhs, dtype=dtype, seed=1)
    function = jax.jit(lambda x, w: jnp.einsum(dims, x, w))
    packed_bytes(device, function, x, w)
    wide = np.complex128 if np.dtype(dtype).kind == "c" else np.float64
    expected = np.einsum(dims, np.asarray(x).astype(wide), np.asarray(w).astype(wide))
    if np.dtype(dtype).kind == "i":
        expected = expected.astype(np.int64).astype(dtype)
    tolerance = {1: 0, 2: 0.05, 4: 1e-4, 8: 1e-4 if np.dtype(dtype).kind == "c" else 1e-12}
    error = np.abs(np.asarray(function(x, w)).astype(wide) - expected).max()
    assert error <= tolerance[np.dtype(dtype).itemsize] * np.abs(expected).max()


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("spec", ["NHWC HWIO", "NCHW OIHW"])
@pytest.mark.parametrize("size, features, filters, window", [(7, 256, 512, 1), (14, 64, 96, 3),
                                                             (9, 40, 72, 3)])
def test_convolutions_give_the_same_bits_in_every_run(device, size, features, filters, window,
                                                      spec, stride):
    first, second = spec.split()
    sizes = {"N": 1, "H": size, "W": size, "C": features, "I": features, "O": filters}
    x = array(device, *(sizes[d] for d in first))
    sizes |= {"H": window, "W": window}
    w = array(device, *(sizes[d] for d in second), seed=1)
    packed_bytes(device, jax.jit(lambda x, w: jax.lax.conv_general_dilated(
        x, w, (stride, stride), "SAME", dimension_numbers=(first, second, first))), x, w)


def test_the_second_run_keeps_the_packed_form_as_long_as_the_buffer(device):
    x, w = array(device, 64, 512), array(device, 512, 2048, seed=1) + 0  # not NumPy's memory
    start = in_use(device)
    kept = packed_bytes(device, jax.jit(lambda x, w: x @ w), x, w)
    assert w.nbytes <= kept <= 1.2 * w.nbytes  # blocks have sizes of classes
    # A program with other rows reads the same packed form.
    assert packed_bytes(device, jax.jit(lambda x, w: jnp.tanh(x[:48] @ w)), x, w) == 0
    size = w.nbytes
    del w
    assert abs(in_use(device) - (start - size)) < 1024
    x.delete()


def test_what_is_used_once_or_is_no_argument_is_not_kept(device):
    x = array(device, 64, 512)
    function = jax.jit(lambda x, w: x @ w)
    weights = [array(device, 512, 2048, seed=seed) for seed in range(3)]
    before = in_use(device)
    for w in weights:
        function(x, w).block_until_ready()
    assert in_use(device) == before
    # The rhs is computed; many rows; a small operand.
    assert packed_bytes(device, jax.jit(lambda x, w: x @ jnp.sin(w)), x, weights[0]) == 0
    assert packed_bytes(device, function, array(device, 4096, 512), weights[0]) == 0
    assert packed_bytes(device, function, array(device, 64, 32), array(device, 32, 64)) == 0


def test_a_donated_argument_has_no_packed_form_after_its_update(device):
    x = array(device, 64, 512)
    function = jax.jit(lambda x, w: x @ w)
    step = jax.jit(lambda w: w * 2, donate_argnums=0)
    w = array(device, 512, 2048, seed=1) + 0  # not NumPy's memory
    expected = np.asarray(function(x, w))
    for _ in range(4):
        for _ in range(3):
            np.testing.assert_array_equal(np.asarray(function(x, w)), expected)
        before = w.unsafe_buffer_pointer()
        w = step(w)
        assert w.unsafe_buffer_pointer() == before  # updated in place
        expected = expected * 2


def test_a_donated_argument_of_the_product_itself(device):
    x = array(device, 512, 512)

    @jax.jit
    def step(x, w):
        return x @ w, w + 1
    step = jax.jit(step, donate_argnums=1)
    w = array(device, 512, 512, seed=1)
    for _ in range(5):
        expected = np.asarray(x, np.float64) @ np.asarray(w, np.float64)
        product, w = step(x, w)
        np.testing.assert_allclose(product, expected, atol=1e-3)


def test_a_new_buffer_at_the_same_address(device):
    x = array(device, 64, 512)
    function = jax.jit(lambda x, w: x @ w)
    addresses = set()
    for seed in range(6):
        w = array(device, 512, 2048, seed=seed) + 0
        addresses.add(w.unsafe_buffer_pointer())
        expected = np.asarray(x, np.float64) @ np.asarray(w, np.float64)
        for _ in range(3):
            np.testing.assert_allclose(function(x, w), expected, atol=1e-3)
        del w
    assert len(addresses) < 6  # otherwise nothing was tested


def test_products_that_some_runs_skip(device):
    @jax.jit
    def function(x, w, n, taken):
        y = jax.lax.fori_loop(0, n, lambda i, y: jnp.tanh(y @ w), x)
        return jax.lax.cond(taken, lambda y: y @ (w + 0) + y @ w, lambda y: y, y)
    x, w = array(device, 64, 512), array(device, 512, 512, seed=1)
    for n, taken in [(0, False)] * 3 + [(2, False), (0, True), (3, True)] * 2:
        y = np.asarray(x, np.float64)
        wide = np.asarray(w, np.float64)
        for _ in range(n):
            y = np.tanh(y @ wide)
        expected = 2 * (y @ wide) if taken else y
        np.testing.assert_allclose(function(x, w, n, taken), expected, atol=1e-3 * 2**n)


def test_two_layouts_of_one_argument(device):
    x, w = array(device, 64, 512), array(device, 512, 512, seed=1)
    both = jax.jit(lambda x, w: (x @ w, x @ w.T, x @ w))
    for _ in range(RUNS):
        first, second, third = both(x, w)
        wide = np.asarray(x, np.float64), np.asarray(w, np.float64)
        np.testing.assert_allclose(first, wide[0] @ wide[1], atol=1e-3)
        np.testing.assert_allclose(second, wide[0] @ wide[1].T, atol=1e-3)
        np.testing.assert_array_equal(first, third)


def test_threads_that_run_products_of_one_argument(device):
    function = jax.jit(lambda x, w: x @ w)
    inputs = [array(device, 64, 512, seed=seed) for seed in range(4)]
    for repetition in range(5):
        w = array(device, 512, 2048, seed=10 + repetition)
        expected = [np.asarray(x, np.float64) @ np.asarray(w, np.float64) for x in inputs]
        wrong = []

        def work(i, w=w, expected=expected, wrong=wrong):
            for _ in range(6):
                if np.abs(function(inputs[i], w) - expected[i]).max() > 1e-3:
                    wrong.append(i)
        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong


LIMITED = """
    import jax, jax.numpy as jnp
    device = jax.devices()[0]
    x, w = jnp.ones((64, 512)), [jnp.full((512, 2048), float(i)) for i in range(3)]
    function = jax.jit(lambda x, w: x @ w)
    def run():
        for v in w:
            function(x, v).block_until_ready()
    run()
    before = device.memory_stats()["bytes_in_use"]
    for _ in range(3):
        run()
    print((device.memory_stats()["bytes_in_use"] - before) // w[0].nbytes,
          [float(function(x, v)[3, 5]) for v in w])
    """


@pytest.mark.parametrize("limit, kept", [("0", 0), ("9000000", 2), ("-1", 3)])
def test_the_limit(limit, kept):
    assert run(LIMITED, JAX_PLATFORMS="tenon",
               TENON_PACKED_LIMIT=limit) == f"{kept} [0.0, 512.0, 1024.0]"


def test_packed_forms_leave_half_of_the_memory_free():
    out = run(LIMITED, JAX_PLATFORMS="tenon", TENON_PACKED_LIMIT="1000000000",
              TENON_MEMORY_LIMIT="46000000")
    assert out == "1 [0.0, 512.0, 1024.0]"


def test_several_devices():
    out = run("""
    import jax, jax.numpy as jnp, numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
    mesh = Mesh(jax.devices(), "d")
    rng = np.random.default_rng(0)
    x, w, v = (rng.normal(size=s).astype("f") for s in [(64, 512), (512, 1024), (1024, 512)])
    put = lambda a, *spec: jax.device_put(a, NamedSharding(mesh, P(*spec)))
    arrays = put(x), put(w, None, "d"), put(v, "d", None)
    function = jax.jit(lambda x, w, v: jnp.tanh(x @ w / 20) @ v,
                       out_shardings=NamedSharding(mesh, P()))
    expected = np.tanh(x.astype("d") @ w / 20) @ v
    results = [np.asarray(function(*arrays)) for _ in range(5)]
    print(all((r == results[0]).all() for r in results),
          np.abs(results[0] - expected).max() < 1e-3)
    """, JAX_PLATFORMS="tenon", TENON_DEVICE_COUNT="2")
    assert out == "True True"


def test_a_serialized_executable(device):
    x, w = array(device, 64, 512), array(device, 512, 2048, seed=1)
    from jax.experimental import serialize_executable
    compiled = jax.jit(lambda x, w: x @ w).lower(x, w).compile()
    loaded = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled))
    start = in_use(device)
    packed_bytes(device, loaded, x, w)
    assert in_use(device) > start
