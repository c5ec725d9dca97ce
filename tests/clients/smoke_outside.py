"""Smoke programs about calls out of compiled code: callbacks, and FFI handlers in C++."""
import contextlib
import ctypes
import io

import jax
import jax.numpy as jnp
import numpy as np
import smoke_tools
from jax.experimental import checkify, io_callback
from smoke_tools import NotApplicable, equal, platform, raises


def shape_of(x):
    return jax.ShapeDtypeStruct(x.shape, x.dtype)


def check_pure_callback():
    def f(x, n):
        shapes = (jax.ShapeDtypeStruct((3, 2), jnp.float32), jax.ShapeDtypeStruct((), jnp.int32))
        return jax.pure_callback(lambda x, n: (np.asarray(x).T * 2, np.int32(n + 1)), shapes,
                                 x + 1, n)
    x, n = jax.jit(f)(jnp.arange(6.0).reshape(2, 3), 41)
    equal(x, 2 * (np.arange(6).reshape(2, 3).T + 1))
    assert int(n) == 42


def check_callback_in_a_loop_and_under_vmap():
    one = lambda x: jax.pure_callback(lambda v: np.asarray(v) + 1, shape_of(x), x,
                                      vmap_method="sequential")
    assert float(jax.jit(lambda x: jax.lax.fori_loop(0, 5, lambda _, y: one(y), x))(1.0)) == 6
    equal(jax.jit(jax.vmap(one))(jnp.arange(4.0)), [1, 2, 3, 4])


def check_callback_that_runs_jax():
    inner = jax.jit(lambda x: jnp.sin(x).sum())
    f = jax.jit(lambda x: jax.pure_callback(
        lambda v: np.float32(inner(np.asarray(v))), jax.ShapeDtypeStruct((), jnp.float32), x) * 2)
    np.testing.assert_allclose(f(jnp.arange(4.0)), 2 * np.sin(np.arange(4)).sum(), 1e-5)


def check_ordered_io_callback():
    seen = []

    @jax.jit
    def f(x):
        io_callback(lambda v: seen.append(float(v)), None, x, ordered=True)
        io_callback(lambda v: seen.append(float(v)), None, x + 1, ordered=True)
        return x

    f(1.0)
    f(5.0)
    jax.effects_barrier()
    assert seen == [1.0, 2.0, 5.0, 6.0], seen


def check_debug_print():
    seen, out = [], io.StringIO()

    @jax.jit
    def f(x):
        jax.debug.print("x is {x}", x=x)
        jax.debug.callback(lambda v: seen.append(float(v)), x * 2)
        return x + 1

    with contextlib.redirect_stdout(out):
        assert float(f(3.0)) == 4
        jax.effects_barrier()
    assert seen == [6.0] and "x is 3.0" in out.getvalue()


def check_callback_error():
    def fail(x):
        raise ValueError("this went wrong")
    raises(lambda: jax.jit(lambda x: jax.pure_callback(fail, shape_of(x), x))(jnp.ones(2)),
           "this went wrong")


def check_checkify():
    checked = checkify.checkify(jax.jit(lambda x, i: x[i]), errors=checkify.index_checks)
    error, value = checked(jnp.arange(5.0), 2)
    assert error.get() is None and float(value) == 2
    error, _ = checked(jnp.arange(5.0), 9)
    assert "out-of-bounds" in error.get()


def library():
    """The handlers of ffi_handlers.cc, registered."""
    if smoke_tools.ffi_library is None:
        raise NotApplicable("no --ffi-library")
    if not handlers:
        handlers.append(ctypes.cdll.LoadLibrary(str(smoke_tools.ffi_library)))
        symbol = lambda name: jax.ffi.pycapsule(getattr(handlers[0], name))
        for name in ("Scale", "Describe"):
            jax.ffi.register_ffi_target(name, symbol(f"{name}Handler"), platform=platform())
        register_counter(handlers[0], symbol)


def register_counter(functions, symbol):
    """The handler with a state, and the type of that state."""
    type_of = lambda name: jax.ffi.pycapsule(pointer_of(getattr(functions, name)))
    if hasattr(functions, "CounterTypeInfo"):  # since FFI 0.2, jaxlib 0.8
        jax.ffi.register_ffi_type("Counter", {
            "type_id": type_of("CounterTypeId"), "type_info": type_of("CounterTypeInfo")},
            platform=platform())
    else:
        jax.ffi.register_ffi_type_id("Counter", type_of("CounterTypeId"), platform=platform())
    jax.ffi.register_ffi_target("Count", {
        "instantiate": symbol("CountInstantiateHandler"), "execute": symbol("CountHandler")},
        platform=platform())


def pointer_of(function):
    function.restype = ctypes.c_void_p
    return ctypes.c_void_p(function())


def ffi_call(target, result, *args, **attributes):
    library()
    return jax.ffi.ffi_call(target, result, vmap_method="broadcast_all")(*args, **attributes)


handlers = []


def check_ffi():
    x = np.arange(5, dtype=np.float32)
    f = jax.jit(lambda x: ffi_call("Scale", shape_of(x), x + 1, factor=np.float32(3),
                                   label="by three") * 2)
    equal(f(x), 6 * (x + 1))
    equal(jax.vmap(f)(x[:, None]), (6 * (x + 1))[:, None])


def check_ffi_error():
    wanted = jax.ShapeDtypeStruct((2,), jnp.float32)
    raises(lambda: ffi_call("Scale", wanted, np.ones(3, np.float32), factor=np.float32(1),
                            label="x"), "same number of elements", "INVALID_ARGUMENT")
    raises(lambda: ffi_call("Unheard", wanted, np.ones(2, np.float32)), "Unheard")


def check_ffi_attributes():
    out = ffi_call("Describe", jax.ShapeDtypeStruct((4,), jnp.int32), np.ones((2, 3), np.float32),
                   flag=True, numbers=np.array([5, 6, 7], np.int64), text="abcd")
    equal(out, [2, 1, 18, 4])


def check_ffi_state():
    def count(start):
        return jax.jit(lambda x: ffi_call("Count", jax.ShapeDtypeStruct((), jnp.int32), x,
                                          start=np.int32(start)))
    x, f, g = jnp.zeros(1), count(0), count(10)
    assert [int(h(x)) for h in (f, f, g, f, g)] == [1, 2, 11, 3, 12]
    raises(lambda: count(-1)(x), "does not start below 0")
