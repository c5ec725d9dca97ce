"""Programs for test_collectives.py: shard_map and pmap over the eight devices of the process.

    TENON_DEVICE_COUNT=8 python tests/jax/collective_programs.py    # a JSON object of digests

Each program's result is compared with NumPy here. The digests show whether the bits depend on the
number of threads.
"""
import functools
import hashlib
import json

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

jax.config.update("jax_enable_x64", True)
DEVICES = np.array(jax.devices()[:8])
LINE = Mesh(DEVICES, ("x",))
GRID = Mesh(DEVICES.reshape(4, 2), ("x", "y"))
NUMBERS = ["float32", "float64", "bfloat16", "float16", "int8", "int32", "int64", "uint8", "uint16",
           "complex64", "complex128"]
ORDERED = [t for t in NUMBERS if "complex" not in t]
TYPES = NUMBERS + ["bool", "uint32"]


def data(shape, dtype, seed=0):
    random = np.random.default_rng(seed)
    if dtype == "bool":
        return random.integers(0, 2, shape).astype(bool)
    if "int" in dtype:
        return random.integers(0, 10, shape).astype(dtype)
    values = random.standard_normal(shape) * np.exp(random.standard_normal(shape))
    if "complex" in dtype:
        values = values + 1j * random.standard_normal(shape)
    return np.asarray(jnp.asarray(values).astype(dtype))


def sharded(function, mesh=LINE, in_specs=P("x"), out_specs=P("x")):
    return jax.jit(jax.shard_map(function, mesh=mesh, in_specs=in_specs, out_specs=out_specs,
                                 check_vma=False))


def exact(dtype):
    return "float" not in dtype and "complex" not in dtype


def tolerance(dtype):
    if exact(dtype):
        return 0
    return {"bfloat16": 3e-2, "float16": 3e-3, "float32": 1e-5,
            "complex64": 1e-5}.get(dtype, 1e-12)


def wide(x):
    if x.dtype.kind in "c":
        return x.astype(np.complex128)
    return x.astype(np.float64) if exact(str(x.dtype)) is False else x.astype(np.int64)


ROWS = (np.arange(8)[:, None] * 3 + np.arange(8) * 5) % 4  # that each device sends to each


def ragged(a):
    """Sends ROWS of the local rows, one part after another, behind one row of zeros."""
    device = lax.axis_index("x")
    sizes = jnp.asarray(ROWS, jnp.int32)[device]
    before = jnp.asarray(np.cumsum(ROWS, 0) - ROWS, jnp.int32)[device] + 1
    received = jnp.asarray(ROWS.T, jnp.int32)[device]
    return lax.ragged_all_to_all(a[0], jnp.zeros((20, *a.shape[2:]), a.dtype),
                                 jnp.cumsum(sizes, dtype=jnp.int32) - sizes, sizes, before,
                                 received, axis_name="x")[None]


def expected_ragged(parts):
    result = np.zeros((8, 20, *parts.shape[2:]), parts.dtype)
    starts = np.cumsum(ROWS, 1) - ROWS
    for to in range(8):
        row = 1
        for source in range(8):
            start, rows = starts[source, to], ROWS[source, to]
            result[to, row:row + rows] = parts[source, start:start + rows]
            row += rows
    return result


def typed_programs():
    """(name, function of the local part, expected of the parts) for every type."""
    for dtype in NUMBERS:
        parts = data((8, 5, 3), dtype)

        def total(p):
            return np.tile(wide(p).sum(0, keepdims=True), (8, 1, 1))
        if dtype not in ("int8", "uint8"):
            yield f"psum {dtype}", lambda a: lax.psum(a, "x"), parts, total(parts)
    for dtype in ORDERED:
        parts = data((8, 5, 3), dtype, 1)
        yield (f"pmax {dtype}", lambda a: lax.pmax(a, "x"), parts,
               np.tile(wide(parts).max(0, keepdims=True), (8, 1, 1)))
        yield (f"pmin {dtype}", lambda a: lax.pmin(a, "x"), parts,
               np.tile(wide(parts).min(0, keepdims=True), (8, 1, 1)))
    for dtype in TYPES:
        parts = data((8, 16, 3), dtype, 2)
        yield (f"all_gather {dtype}", lambda a: lax.all_gather(a, "x", axis=1, tiled=True), parts,
               np.tile(parts.reshape(1, 128, 3), (8, 1, 1)))
        yield (f"all_to_all {dtype}",
               lambda a: lax.all_to_all(a, "x", split_axis=1, concat_axis=2, tiled=True), parts,
               parts.reshape(8, 8, 2, 3).transpose(1, 2, 0, 3).reshape(8, 2, 24))
        yield f"ragged_all_to_all {dtype}", ragged, parts, expected_ragged(parts)
        moved = np.zeros_like(parts)
        for source in range(7):
            moved[source + 1] = parts[source]
        yield (f"ppermute {dtype}",
               lambda a: lax.ppermute(a, "x", [(i, i + 1) for i in range(7)]), parts, moved)
    for dtype in NUMBERS:
        if dtype in ("int8", "uint8"):
            continue
        parts = data((8, 16, 3), dtype, 3)
        yield (f"psum_scatter {dtype}",
               lambda a: lax.psum_scatter(a, "x", scatter_dimension=1, tiled=True), parts,
               wide(parts).sum(0).reshape(8, 2, 3))


def loop(a):
    def step(i, carried):
        x, count = carried
        x = lax.ppermute(x, "x", [(k, (k + 1) % 8) for k in range(8)])
        return x + i.astype(x.dtype), count + lax.psum(jnp.int32(1), "x")
    x, count = lax.fori_loop(0, 5, step, (a, jnp.int32(0)))
    return x + count.astype(a.dtype)


def until(a):
    """The trip count depends on the data of all devices."""
    def goes_on(carried):
        return lax.pmax(carried.max(), "x") < 100
    return lax.while_loop(goes_on, lambda x: x * 2 + lax.axis_index("x").astype(x.dtype), a)


def branches(a):
    big = lax.psum(a.sum(), "x") > 0
    return lax.cond(big, lambda x: x - lax.pmean(x, "x"), lambda x: lax.pmax(x, "x"), a)


def scalars(a):
    s = a.sum()
    t = lax.psum(s, "x")
    u = lax.pmax(s * t, "x")
    i = lax.axis_index("x").astype(a.dtype)
    return (a * t + u + i * s) / (1 + jnp.abs(t))


def long(a):
    for i in range(150):
        a = jnp.sort(a, axis=1) + lax.psum(a, "x") / 16 + jnp.cumsum(a, 1)[:, ::-1] * 1e-3 + i
    return a


def in_groups(a):
    groups = [[0, 3], [1, 2], [4, 7], [5, 6]]
    return lax.psum(a, "x", axis_index_groups=groups)


def grid_programs():
    a = data((16, 8), "float32", 4)
    spec = P("x", "y")
    blocks = a.reshape(4, 4, 2, 4)
    yield ("psum x", sharded(lambda v: lax.psum(v, "x"), GRID, spec, P(None, "y")), a,
           blocks.sum(0).reshape(4, 8))
    yield ("psum y", sharded(lambda v: lax.psum(v, "y"), GRID, spec, P("x", None)), a,
           blocks.sum(2).reshape(16, 4))
    yield ("psum xy", sharded(lambda v: lax.psum(v, ("x", "y")), GRID, spec, P(None, None)), a,
           blocks.sum((0, 2)))
    yield ("gather yx", sharded(lambda v: lax.all_gather(v, ("y", "x")), GRID, spec,
                                P(None, None)), a,
           np.asarray([blocks[i, :, j] for j in range(2) for i in range(4)]))
    yield ("replicated in", sharded(lambda v, w: v + w.sum(), GRID, (spec, P()), spec), (a, a),
           a + a.sum())


def others():
    a = data((8, 37), "float32", 5)
    yield "loop", sharded(loop), a, np.roll(a, 5, 0) + 10 + 40
    yield "axis_index", sharded(lambda v: v + lax.axis_index("x")), a, a + np.arange(8)[:, None]
    mean = a - a.mean(0, keepdims=True)
    yield "branches", sharded(branches), a, mean if a.sum() > 0 else np.tile(a.max(0), (8, 1))
    x = np.abs(a).astype(np.float64)
    while x.max() < 100:
        x = x * 2 + np.arange(8)[:, None]
    yield "until", sharded(until), np.abs(a).astype(np.float64), x
    s = a.sum(1, keepdims=True).astype(np.float64)
    t = s.sum()
    yield ("scalars", sharded(scalars), a.astype(np.float64),
           (a * t + (s * t).max() + np.arange(8)[:, None] * s) / (1 + abs(t)))
    pairs = np.array([3, 2, 1, 0, 7, 6, 5, 4])
    yield "groups", sharded(in_groups), a, a + a[pairs]
    yield "long", sharded(long), a, None
    big = data((8, 300_000), "float32", 6)
    yield "large", sharded(lambda v: lax.psum(v, "x")), big, np.tile(
        big.astype(np.float64).sum(0), (8, 1))
    yield ("large scatter", sharded(lambda v: lax.psum_scatter(v, "x", scatter_dimension=1,
                                                               tiled=True)), big,
           big.astype(np.float64).sum(0).reshape(8, 37_500))
    yield "pmap", jax.pmap(lambda v: v / lax.psum(v, "i"), axis_name="i"), a, a / a.sum(0)
    yield ("pmap of four", jax.pmap(lambda v: lax.all_gather(v, "i"), axis_name="i"), a[:4],
           np.tile(a[:4], (4, 1, 1)))
    yield ("two maps", jax.jit(lambda v: sharded(lambda q: q - 0)(
        sharded(lambda p: lax.psum(p, "x"))(v) * 2)), a,
        np.tile(a.sum(0) * 2, (8, 1)))
    yield ("reduce outside", jax.jit(lambda v: sharded(lambda p: p * 2)(jnp.sin(v)).sum(0)), a,
           2 * np.sin(a).sum(0))


def digest(value):
    return hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()[:16]


def check(name, result, expected, rtol):
    result = np.asarray(result)
    if expected is None:
        return digest(result)
    assert result.shape == expected.shape, f"{name}: {result.shape}, expected {expected.shape}"
    got, want = wide(result), wide(np.asarray(expected))
    scale = np.abs(want).max() if rtol else 0
    worst = np.abs(got - want).max() if got.size else 0
    assert worst <= rtol * scale, f"{name}: off by {worst}, largest {scale}"
    return digest(result)


def programs():
    for name, function, parts, expected in typed_programs():
        yield name, functools.partial(sharded(function), parts), expected, tolerance(
            str(parts.dtype))
    for name, function, argument, expected in [*grid_programs(), *others()]:
        arguments = argument if isinstance(argument, tuple) else (argument,)
        yield name, functools.partial(function, *arguments), expected, 1e-5


def main(runs=2):
    digests = {}
    for name, call, expected, rtol in programs():
        digests[name] = [check(name, call(), expected, rtol) for _ in range(runs)]
    print(json.dumps(digests))


if __name__ == "__main__":
    main()
