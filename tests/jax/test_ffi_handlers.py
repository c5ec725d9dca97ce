"""jax.ffi with C++ handlers, built in this test against the headers of jaxlib."""
import ctypes
import gc
import os
import pathlib
import shutil
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import PLATFORM, only_tenon
from jax._src import core

F32 = jnp.float32
SOURCE = pathlib.Path(__file__).with_name("ffi_handlers.cc")
HANDLERS = ("axpy", "reversed_sum", "addresses", "double_with_token", "fail", "later", "context", "describe")


def cxx_compiler():
    found = next(filter(None, map(shutil.which, ("clang++", "clang++-22", "g++"))), None)
    if found is None:
        pytest.skip("no C++ compiler: apt-get install clang-22 or g++")
    return found


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The library of handlers, all registered under their names."""
    path = tmp_path_factory.mktemp("ffi") / "libhandlers.so"
    subprocess.run([cxx_compiler(), "-std=c++17", "-O1", "-fPIC", "-shared",
                    f"-I{jax.ffi.include_dir()}", str(SOURCE), "-o", str(path)], check=True)
    library = ctypes.cdll.LoadLibrary(str(path))
    jax.devices(PLATFORM)  # types must be registered before the handlers that use them
    for name in HANDLERS:
        jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(getattr(library, name)),
                                    platform=PLATFORM)
    for function in (library.counter_type_id, library.counter_type_info):
        function.restype = ctypes.c_void_p
    jax.ffi.register_ffi_type(
        "Counter", {"type_id": jax.ffi.pycapsule(library.counter_type_id()),
                    "type_info": jax.ffi.pycapsule(library.counter_type_info())},
        platform=PLATFORM)
    jax.ffi.register_ffi_target(
        "counter", {stage: jax.ffi.pycapsule(getattr(library, f"counter_{stage}"))
                    for stage in ("instantiate", "execute")}, platform=PLATFORM)
    return library


# TENON_JAXLIB_INCLUDE_DIRS: header folders of more jaxlib versions, separated by colons.
@pytest.mark.parametrize("headers", [jax.ffi.include_dir(), *filter(None, os.environ.get(
    "TENON_JAXLIB_INCLUDE_DIRS", "").split(":"))])
def test_sizes_of_the_abi(headers):
    source = pathlib.Path(__file__).with_name("ffi_abi.c")
    subprocess.run([cxx_compiler(), "-x", "c", "-fsyntax-only", f"-I{headers}", str(source)],
                   check=True)


def shape(*dims, dtype=F32):
    return jax.ShapeDtypeStruct(dims, dtype)


def test_values(library):
    call = jax.ffi.ffi_call("axpy", shape(1000))
    x, y = jnp.arange(1000.0), jnp.ones(1000)
    f = jax.jit(lambda x, y: jnp.sum(call(x + 1, y * 2, a=np.float32(3))))
    assert float(f(x, y)) == float(3 * (x + 1).sum() + 2000)


def test_in_loops_and_under_vmap(library):
    call = jax.ffi.ffi_call("axpy", shape(4), vmap_method="sequential")
    step = lambda x, y: call(x, y, a=np.float32(2))
    f = jax.jit(lambda x: jax.lax.fori_loop(0, 10, lambda i, y: step(x, y), x * 0))
    np.testing.assert_array_equal(f(jnp.arange(4.0)), 20 * np.arange(4))
    x = jnp.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(jax.jit(jax.vmap(step))(x, -x), x)


def test_handlers_get_the_buffers_of_the_program(library, x64):
    call = jax.ffi.ffi_call("addresses", (shape(100), shape(2, dtype=np.uint64)))
    x = jnp.arange(100.0, dtype=F32).block_until_ready()
    y, (source, target) = jax.jit(call)(x)
    assert int(source) == x.unsafe_buffer_pointer()
    assert int(target) == y.unsafe_buffer_pointer()
    np.testing.assert_array_equal(x, y)


def test_donated_argument_as_result(library, x64):
    call = jax.ffi.ffi_call("addresses", (shape(100), shape(2, dtype=np.uint64)),
                            input_output_aliases={0: 0})
    x = jnp.arange(100.0, dtype=F32).block_until_ready()
    address = x.unsafe_buffer_pointer()
    y, (source, target) = jax.jit(call, donate_argnums=0)(x)
    assert x.is_deleted()
    assert {int(source), int(target), y.unsafe_buffer_pointer()} == {address}
    np.testing.assert_array_equal(y, np.arange(100))


def test_alias_keeps_an_argument_that_is_not_donated(library, x64):
    call = jax.ffi.ffi_call("addresses", (shape(100), shape(2, dtype=np.uint64)),
                            input_output_aliases={0: 0})
    x = jnp.arange(100.0, dtype=F32).block_until_ready()
    y, (source, target) = jax.jit(call)(x)
    assert int(source) == int(target) != x.unsafe_buffer_pointer()
    np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("view", [lambda x: x, lambda x: x.reshape(2, 50)])
def test_alias_of_an_argument_that_is_passed_twice(library, view):
    call = jax.ffi.ffi_call("reversed_sum", shape(100), input_output_aliases={0: 0})

    def f(x):
        return call(x, view(x)), jnp.sort(view(x), axis=-1)
    x = np.arange(100, dtype=F32)[::-1] ** 2
    y, in_order = jax.jit(f, donate_argnums=0)(jnp.array(x))
    np.testing.assert_array_equal(y, x + x[::-1])
    np.testing.assert_array_equal(in_order, np.sort(view(x), -1))


def test_layouts(library):
    call = jax.ffi.ffi_call("axpy", shape(2, 3), input_layouts=[(0, 1), (0, 1)],
                            output_layouts=(1, 0))  # major to minor
    x = jnp.arange(6.0).reshape(2, 3)
    y = jax.jit(lambda x: call(x, x * 0, a=np.float32(1)))(x)
    np.testing.assert_array_equal(np.ravel(y), [0, 2, 4, 1, 3, 5])


@pytest.mark.parametrize("order", [(2, 0, 1), (1, 2, 0), (2, 1, 0)])
def test_layouts_of_three_dimensions(library, order):
    call = jax.ffi.ffi_call("axpy", shape(2, 3, 4), input_layouts=[order, order],
                            output_layouts=order)
    x = np.arange(24, dtype=F32).reshape(2, 3, 4)
    # Twice: the second call reads the output of the first in its layout.
    y = jax.jit(lambda x: call(call(x + 1, x * 0, a=np.float32(2)), x, a=np.float32(1)))(x)
    np.testing.assert_array_equal(y, 2 * (x + 1) + x)


def test_tokens(library):
    call = jax.ffi.ffi_call("double_with_token", (core.abstract_token, shape(3)))

    @jax.jit
    def f(x):
        token, y = call(jax.lax.create_token(), x)
        return call(token, y)[1]

    np.testing.assert_array_equal(f(jnp.arange(3.0)), [0, 4, 8])


def test_tasks_of_the_thread_pool_and_futures(library):
    call = jax.ffi.ffi_call("later", shape(5))
    x = jnp.arange(5.0)
    results = [jax.jit(lambda x: call(call(x)) + 1)(x + i) for i in range(4)]
    for i, y in enumerate(results):
        np.testing.assert_array_equal(y, 4 * (np.arange(5) + i) + 1)


def test_context(library, x64):
    call = jax.ffi.ffi_call("context", shape(3, dtype=np.int64), has_side_effect=True)
    f = jax.jit(lambda x: call() + x)
    threads, first, device = map(int, f(0))
    assert threads >= 1 and device == jax.devices(PLATFORM)[0].id
    assert int(f(0)[1]) != first


@pytest.mark.parametrize("how, what", [("return", "RESOURCE_EXHAUSTED.*no more of it"),
                                       ("throw", "thrown")])
def test_errors(library, how, what):
    call = jax.ffi.ffi_call("fail", shape(3))
    with pytest.raises(jax.errors.JaxRuntimeError, match=what):
        jax.block_until_ready(jax.jit(lambda x: call(x, how=how) * 2)(jnp.arange(3.0)))
    assert float(jnp.add(1, 1)) == 2


@only_tenon("JAX's own CPU runs small programs before it returns", replacement=True)
def test_an_error_reaches_only_dependent_results(library):
    call = jax.ffi.ffi_call("fail", shape(3))
    x = jnp.arange(3.0)
    failed = jax.jit(lambda x: call(x, how="return"))(x)  # not waited for
    good = [jax.jit(lambda x: x * i)(x) for i in range(3)]
    next_one = jax.jit(lambda x, y: x + y)(failed, good[1])
    for i, y in enumerate(good):
        np.testing.assert_array_equal(y, i * np.arange(3))
    for y in (failed, next_one, jax.device_put(next_one, jax.devices(PLATFORM)[0])):
        with pytest.raises(jax.errors.JaxRuntimeError, match="no more of it"):
            np.asarray(y)


def test_error_of_a_wrong_call(library):
    call = jax.ffi.ffi_call("axpy", shape(3))
    with pytest.raises(jax.errors.JaxRuntimeError, match="INVALID_ARGUMENT.*[Ww]rong"):
        jax.block_until_ready(jax.jit(call)(jnp.arange(3.0)))


def test_state_lives_as_long_as_the_executable(library):
    call = jax.ffi.ffi_call("counter", shape(1, dtype=np.int32), has_side_effect=True)
    made = library.counters_made()
    alive = library.counters_alive()
    f = jax.jit(lambda x: call(start=np.int64(5))[0] + x).lower(0).compile()
    g = jax.jit(lambda x: call(start=np.int64(7))[0] + x + 0 * x).lower(0).compile()
    assert library.counters_made() == made + 2
    assert [int(f(0)) for _ in range(3)] == [5, 6, 7] and int(g(0)) == 7
    loop = jax.jit(lambda n: jax.lax.fori_loop(
        0, n, lambda i, x: call(start=np.int64(0))[0], 0)).lower(0).compile()
    assert int(loop(4)) == 3 and int(loop(4)) == 7
    assert library.counters_made() == made + 3
    del f, g, loop
    gc.collect()
    assert library.counters_alive() == alive


def test_error_while_instantiating(library):
    call = jax.ffi.ffi_call("counter", shape(1, dtype=np.int32))
    with pytest.raises(jax.errors.JaxRuntimeError, match="negative start"):
        jax.jit(lambda: call(start=np.int64(-1))).lower().compile()


def number(value):
    """The handler's description of a scalar or an array."""
    codes = dict(bool=1, int8=2, int16=3, int32=4, int64=5, uint8=6, uint16=7, uint32=8,
                 uint64=9, float16=10, float32=11, float64=12, complex64=15, bfloat16=16,
                 complex128=18)
    value = np.asarray(value)
    size = f"[{value.size}]" if value.ndim else ""
    return f"{codes[value.dtype.name]}{size}:{value.tobytes().hex()}"


@pytest.mark.parametrize("name", ["int8", "int16", "int32", "int64", "uint8", "uint16",
                                  "uint32", "uint64", "float32", "float64"])
def test_numbers_as_attributes(library, name):
    call = jax.ffi.ffi_call("describe", shape(300, dtype=np.uint8))
    scalar, array = np.array([1, 3], name)[1], np.array([0, 1, 1, 0, 7], name)
    text = bytes(jax.jit(lambda: call(scalar=scalar, array=array))()).rstrip(b"\0").decode()
    assert text == f"{{array={number(array)};scalar={number(scalar)};}}"


def test_strings_and_dictionaries_as_attributes(library):
    call = jax.ffi.ffi_call("describe", shape(300, dtype=np.uint8))
    values = dict(zeta="text", flag=True, inner=dict(b=np.int32(1), a="x"), none={})
    text = bytes(jax.jit(lambda: call(**values))()).rstrip(b"\0").decode()
    assert text == (f"{{flag={number(np.bool_(1))};"
                    f"inner={{a='x';b={number(np.int32(1))};}};none={{}};zeta='text';}}")


def test_attributes_of_other_kinds_are_refused(library):
    call = jax.ffi.ffi_call("describe", shape(300, dtype=np.uint8))
    with pytest.raises(jax.errors.JaxRuntimeError, match="several"):
        jax.jit(lambda: call(several=(1, 2)))()
