"""Calls out of compiled code: LAPACK through the XLA FFI, and Python callbacks."""
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from compare import check_sum, data
from conftest import PLATFORM, only_tenon
from jax.experimental import buffer_callback, io_callback

N = 6


def matrices(seed=0, name="float32"):
    a = data((3, N, N), name, seed)
    return a, (a @ a.swapaxes(1, 2) + N * np.eye(N)).astype(a.dtype)


@pytest.mark.parametrize("name", ["float32", "float64"])
@pytest.mark.parametrize("function", [
    lambda a, s: jnp.linalg.cholesky(s), lambda a, s: jnp.linalg.solve(s, a),
    lambda a, s: jnp.linalg.qr(a), lambda a, s: jnp.linalg.inv(s),
    lambda a, s: jnp.linalg.det(s), lambda a, s: jnp.linalg.svd(a)[1],
    lambda a, s: jnp.linalg.eigh(s)[0], lambda a, s: jax.scipy.linalg.lu(a[0]),
    lambda a, s: jnp.sort_complex(jnp.linalg.eigvals(a)),
    lambda a, s: jax.lax.linalg.triangular_solve(s, a, left_side=True, lower=True),
    lambda a, s: jnp.linalg.lstsq(s[0], a[0])[0], lambda a, s: jnp.linalg.pinv(s[0])],
    ids=["cholesky", "solve", "qr", "inv", "det", "svd", "eigh", "lu", "eigvals",
         "triangular_solve", "lstsq", "pinv"])
def test_linalg(function, name, x64):
    check_sum(function, *matrices(name=name), ulps=64)


def test_gradients_through_linalg():
    a, s = matrices()
    check_sum(jax.grad(lambda s: jnp.linalg.slogdet(s)[1].sum()), s, ulps=64)
    check_sum(jax.grad(lambda s: jnp.linalg.cholesky(s).sum()), s, ulps=64)


def test_linalg_inside_a_fused_program():
    a, s = matrices()
    f = lambda a, s: jnp.tanh(jnp.linalg.solve(s * 2, a + 1)) @ a
    check_sum(f, a, s, ulps=64)


def test_callback_that_raises():
    def fail(x):
        raise ValueError("this went wrong")
    f = jax.jit(lambda x: jax.pure_callback(fail, jax.ShapeDtypeStruct((), jnp.float32), x))
    with pytest.raises(Exception, match="this went wrong"):
        jax.block_until_ready(f(1.0))
    assert int(jnp.add(1, 1)) == 2


def test_callback_of_a_dropped_function():
    x = jax.jit(lambda x: jax.pure_callback(
        lambda v: np.asarray(v) + 1, jax.ShapeDtypeStruct((), jnp.float32), x))(1.0)
    assert float(x) == 2.0


def test_a_call_returns_when_its_callbacks_have_run():
    """As on JAX's CPU: programs may read the effects of a callback without a barrier."""
    seen = []

    def slow(v):
        time.sleep(0.01)
        seen.append(float(v))

    f = jax.jit(lambda x: (jax.debug.callback(slow, x), x + 1)[1])
    g = jax.jit(lambda x: jax.lax.fori_loop(0, 50, lambda _, x: jnp.sin(x @ x), x).sum())
    for i in range(5):
        f(float(i))
        assert len(seen) == i + 1
    f(g(jnp.ones((300, 300))))  # an argument that is not ready
    assert len(seen) == 6


def test_public_name_for_lowering_callbacks():
    """The lowering that extensions of JAX, such as its sparse solvers, use."""
    from jax._src import callback
    from jax.interpreters import mlir
    assert mlir.emit_python_callback is callback.emit_python_callback


@pytest.mark.parametrize("ordered", [False, True])
def test_callback_says_where_it_runs(device, ordered):
    where, seen = jax.sharding.SingleDeviceSharding(device), []

    def f(x):
        io_callback(lambda v: seen.append(float(v)), None, x, sharding=where, ordered=ordered)
        return jax.pure_callback(lambda v: v + 1, x, x, sharding=where)

    mesh = jax.sharding.Mesh(np.array([device]), "x")
    spec = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
    f = jax.jit(f, in_shardings=spec, out_shardings=spec)
    assert "maximal_mesh_0" in f.lower(jnp.float32(2)).as_text()
    assert float(f(jnp.float32(2))) == 3.0
    jax.effects_barrier()
    assert seen == [2.0]


def test_buffer_callback():
    def add(ctx, out, x, y):
        assert not x.writeable and out.writeable and out.shape == x.shape == (3, 4)
        np.asarray(out)[...] = np.asarray(x) + np.from_dlpack(y)

    call = buffer_callback.buffer_callback(add, jax.ShapeDtypeStruct((3, 4), jnp.float32))
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(jax.jit(lambda x: call(x + 1, x * 2) - 1)(x), 3 * x)


def test_buffer_callback_in_place():
    def double(ctx, out, x):
        assert np.asarray(out).ctypes.data == np.asarray(x).ctypes.data
        np.asarray(out)[...] *= 2

    call = buffer_callback.buffer_callback(double, jax.ShapeDtypeStruct((5,), jnp.float32),
                                           input_output_aliases={0: 0})
    np.testing.assert_array_equal(jax.jit(call)(np.ones(5, np.float32)), np.full(5, 2.0))


def test_value_kept_by_dce_sink():
    f = jax.jit(lambda x: (jax.lax.dce_sink(x + 1, prevent_mlir_dce=True), x * 2)[1])
    assert float(f(3.0)) == 6.0 and "dce_sink" in f.lower(3.0).compile().as_text()


def test_ordered_io_callback_in_control_flow():
    seen = []

    def record(x):
        io_callback(lambda v: seen.append(float(v)), None, x, ordered=True)

    @jax.jit
    def f(x):
        def step(i, x):
            record(x)
            jax.lax.cond(x > 2, lambda: record(-x), lambda: None)
            return x + 1

        record(10 + x)
        return jax.lax.fori_loop(0, 3, step, x)

    assert float(f(1.0)) == 4.0
    jax.effects_barrier()
    assert seen == [11.0, 1.0, 2.0, 3.0, -3.0]


@pytest.mark.parametrize("name", ["int2", "uint2", "int4", "uint4", "float8_e4m3",
                                  "float8_e3m4", "float8_e8m0fnu", "float4_e2m1fn"])
def test_callback_of_small_types(name):
    x = np.asarray([0, 1, 1, 0, 1], name) if name != "float8_e8m0fnu" else np.ones(5, name)
    y = jax.jit(lambda x: jax.pure_callback(lambda v: v, jax.ShapeDtypeStruct(x.shape, x.dtype),
                                            x))(x)
    assert y.dtype == name
    np.testing.assert_array_equal(np.asarray(y), x)


@only_tenon("handlers of another platform")
def test_own_ffi_target():
    """A handler that jax.ffi registers for our platform is called by its name."""
    from jaxlib import lapack
    capsule = dict((n, c) for n, c, _ in lapack.registrations()["cpu"])["lapack_spotrf_ffi"]
    jax.ffi.register_ffi_target("my_cholesky", capsule, platform=PLATFORM)
    _, s = matrices()
    call = jax.ffi.ffi_call(
        "my_cholesky", (jax.ShapeDtypeStruct((N, N), jnp.float32),
                        jax.ShapeDtypeStruct((), jnp.int32)),
        input_layouts=[(1, 0)], output_layouts=[(1, 0), ()], input_output_aliases={0: 0})
    factor, info = jax.jit(lambda x: call(x, uplo=np.uint8(ord("L"))))(jnp.asarray(s[0]))
    assert int(info) == 0
    np.testing.assert_allclose(np.tril(factor) @ np.tril(factor).T, s[0], rtol=1e-4, atol=1e-4)
