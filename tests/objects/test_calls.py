"""What callers of object files may do: donated arguments, the same array twice, arrays of any
alignment, sizes of 0, many arguments. Results are those of JAX's built-in CPU."""
import concurrent.futures
import ctypes
import itertools
import pathlib
import re
import subprocess
import sys

import numpy as np
import plugin_env
import pytest
from test_objects import RUNNER, TOOLS, command

pytestmark = pytest.mark.skipif(not RUNNER.exists(), reason="tenon-compile is not built")

# By name: function, arguments, donated arguments.
CASES = """
import jax, jax.numpy as jnp, numpy as np
from jax import lax
rng = np.random.default_rng(0)
def f32(*shape):
    return rng.standard_normal(shape, np.float32)
def narrow(x, kind):
    return np.asarray(jnp.asarray(x).astype(kind))
def loop(n, state, total):
    def body(carry):
        i, s, t = carry
        return i + 1, jnp.tanh(s @ s) + 1, t + s.sum()
    return lax.while_loop(lambda c: c[0] < n, body, (0, state, total))[1:]
i4 = narrow(np.arange(-8, 8).reshape(2, 8), jnp.int4)
f8 = narrow(f32(3, 5), jnp.float8_e4m3fn)
cases = {
    "swap": (lambda a, b: (b, a), [f32(33), f32(33)], (0, 1)),
    "rotate": (lambda a, b, c: (b, c, a), [f32(5, 7), f32(5, 7), f32(5, 7)], (0, 1, 2)),
    "butterfly": (lambda a, b: (a + b, a - b), [f32(1000), f32(1000)], (0, 1)),
    "cache": (lambda c, x, i: (lax.dynamic_update_slice(c, x, (i, 0)), c.sum()),
              [f32(64, 16), f32(1, 16), np.int32(63)], (0,)),
    "loop": (loop, [np.int32(4), f32(8, 8), np.float32(1)], (1, 2)),
    "reverse": (lambda a: a[::-1], [f32(1001)], (0,)),
    "transpose": (lambda a: a.T, [f32(32, 32)], (0,)),
    "product": (lambda a, b: a @ b, [f32(24, 24), f32(24, 24)], ()),
    "difference": (lambda a, b: a - b.T, [f32(24, 24), f32(24, 24)], ()),
    "empty": (lambda a, b: (jnp.concatenate([a, a]), a.sum(0), b * 2, b[:0]), [f32(0, 3), f32(5)], ()),
    "only_empty": (lambda a: a + 1, [f32(0, 3)], ()),
    "scalars": (lambda a, b: (a * b, a > b, ~(a > b)), [np.float32(3), np.float32(4)], ()),
    "no_arguments": (lambda: (jnp.arange(100, dtype=jnp.float32), jnp.int8(3)), [], ()),
    "no_results": (lambda a: (), [f32(3)], ()),
    "unchanged": (lambda a, b: (a, a, b, jnp.float32(2)), [f32(17), np.array([True, False])], ()),
    "narrow": (lambda a, b: (a + a, b.astype(jnp.float32) * 2, (-b), a.astype(jnp.int32)), [i4, f8], ()),
    "complex": (lambda a, b: (a * b, abs(a)), [f32(9) + 1j * f32(9), f32(9)], ()),
    "many": (lambda *a: (sum(a[1:], a[0]), *[x * 2 for x in a[:30]]), [f32(3) for _ in range(130)], ()),
    "sort": (lambda a: (jnp.sort(a), jnp.argsort(a)), [f32(777)], ()),
}
"""

WRITE = CASES + """
def raw(x):
    x = np.asarray(x)
    # Objects hold i4 as int8_t.
    return np.frombuffer((x.astype(np.int8) if x.dtype.name == "int4" else x).tobytes(), np.uint8)
for name, (f, arguments, donated) in cases.items():
    jitted = jax.jit(f, donate_argnums=donated)
    text = jitted.lower(*arguments).as_text()
    open(name + ".mlir", "w").write(text)
    results = jax.tree.leaves(jax.jit(f)(*arguments))
    np.savez(name + ".npz", **{f"arg{i}": raw(x) for i, x in enumerate(arguments)},
             **{f"result{i}": raw(x) for i, x in enumerate(results)})
"""
NAMES = re.findall(r'^    "(\w+)": ', CASES, re.M)
# Sums may have another order.
CLOSE = {"loop": 1e-5, "cache": 1e-5, "product": 1e-5, "many": 1e-5, "complex": 1e-6}


class Array(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_char_p),
                ("dims", ctypes.POINTER(ctypes.c_int64)), ("bytes", ctypes.c_uint64),
                ("rank", ctypes.c_int32), ("alias", ctypes.c_int32)]


class Info(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("target", ctypes.c_char_p),
                ("args", ctypes.POINTER(Array)), ("results", ctypes.POINTER(Array)),
                ("num_args", ctypes.c_uint64), ("num_results", ctypes.c_uint64),
                ("arena_bytes", ctypes.c_uint64), ("flops", ctypes.c_double)]


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("calls")
    (folder / "write.py").write_text(WRITE)
    subprocess.run([sys.executable, "write.py"], cwd=folder, check=True, timeout=300,
                   env={**plugin_env.clean(), "JAX_PLATFORMS": "cpu"})
    return folder


class Model:
    """A shared library with one model. Arrays are at addresses that are 64 * n + offset."""

    def __init__(self, folder: pathlib.Path, name, *options):
        library = folder / f"{name}{len(options)}.so"
        command(TOOLS / "tenon-compile", f"{name}.mlir", "--emit=shared", "-o", library, *options,
                cwd=folder)
        self.library = ctypes.CDLL(library)
        self.info = Info.in_dll(self.library, "model_info")
        self.kept = []

    def memory(self, size, offset=0):
        block = np.full(size + 192, 0xEE, np.uint8)
        self.kept.append(block)
        start = -block.ctypes.data % 64 + 64 + offset
        return block[start:start + size]

    def call(self, arguments, offset=0):
        """Results as bytes; donated arguments are copied before."""
        args = []
        for value in arguments:
            args.append(self.memory(value.size, offset))
            args[-1][:] = value
        return self.call_on(args, offset)

    def call_on(self, args, offset=0):
        results = [args[r.alias] if r.alias >= 0 else self.memory(r.bytes, offset)
                   for r in self.info.results[:self.info.num_results]]
        arena = self.memory(self.info.arena_bytes)
        before = [x.copy() for x in args]

        def table(arrays):
            return (ctypes.c_void_p * (len(arrays) + 1))(*[x.ctypes.data for x in arrays])
        assert self.library.model_call(None, table(args), table(results),
                                       ctypes.c_void_p(arena.ctypes.data)) == 0
        in_place = {id(x) for x in results}
        for x, y in zip(args, before, strict=True):
            assert id(x) in in_place or np.array_equal(x, y)
        for block in self.kept:  # nothing is written around an array
            assert (block[:64] == 0xEE).all() and (block[-60:] == 0xEE).all()
        return results


def load(folder, name):
    with np.load(folder / f"{name}.npz") as data:
        return tuple([data[f"{kind}{i}"] for i in
                      itertools.takewhile(lambda i: f"{kind}{i}" in data, itertools.count())]
                     for kind in ("arg", "result"))


def check(name, results, expected):
    assert len(results) == len(expected)
    for got, wanted in zip(results, expected, strict=True):
        if name in CLOSE and got.size % 4 == 0:
            np.testing.assert_allclose(got.view(np.float32), wanted.view(np.float32),
                                       rtol=CLOSE[name], atol=CLOSE[name])
        else:
            assert np.array_equal(got, wanted)


@pytest.mark.parametrize("name", NAMES)
def test_results_are_right_at_any_alignment(programs, name):
    """An array needs the alignment of its elements, and no more."""
    model = Model(programs, name)
    arguments, expected = load(programs, name)
    for offset in (0, 4):
        check(name, model.call(arguments, offset), expected)


@pytest.mark.parametrize("name", ["swap", "rotate", "butterfly", "cache", "loop", "reverse",
                                  "transpose"])
def test_donated_arguments_are_updated_in_place(programs, name):
    model = Model(programs, name, "--threads", "callback")
    aliases = [r.alias for r in model.info.results[:model.info.num_results]]
    assert any(alias >= 0 for alias in aliases)
    arguments, expected = load(programs, name)
    for _ in range(2):
        check(name, model.call(arguments), expected)


@pytest.mark.parametrize("name", ["product", "difference"])
def test_an_array_may_be_passed_twice(programs, name):
    model = Model(programs, name)
    (first, _), _ = load(programs, name)
    x = model.memory(first.size)
    x[:] = first
    separate = model.call([first, first])
    assert np.array_equal(model.call_on([x, x])[0], separate[0])


@pytest.mark.parametrize("name", ["loop", "sort", "product"])
def test_calls_may_run_on_several_threads(programs, name):
    model = Model(programs, name)
    arguments, expected = load(programs, name)

    def calls(number):
        own = Model.__new__(Model)  # arrays of its own, on the same code
        own.library, own.info, own.kept = model.library, model.info, []
        for _ in range(20):
            check(name, own.call(arguments), expected)
            own.kept.clear()
        return number
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(calls, range(4))) == [0, 1, 2, 3]
