"""Communication of eight devices: collectives by size, many small ones, and loops of them."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P

from ..registry import add, bf16, f32

MESH = {"x": 8}
_MIB = 2**20 // 4  # floats


def collective(name, body, arguments, out_specs=P("x"), mesh=MESH, specs=P("x")):
    """`body` is the program of one device, and gets its part of every argument."""
    add(name, lambda mesh: jax.shard_map(body, mesh=mesh, in_specs=specs, out_specs=out_specs),
        arguments, "collectives", mesh=mesh, specs=specs, out_specs=out_specs)


def parts(mebibytes):
    """One array of that size per device."""
    return lambda: (f32(8, mebibytes * _MIB),)


collective("psum_scalar", lambda x: lax.psum(x, "x"), lambda: (f32(8),), P())
collective("all_reduce_64KiB", lambda x: lax.psum(x, "x"), lambda: (f32(8, 16384),), P())
collective("all_reduce_1MiB", lambda x: lax.psum(x, "x"), parts(1), P())
collective("all_reduce_16MiB", lambda x: lax.psum(x, "x"), parts(16), P())
collective("all_reduce_max_4MiB", lambda x: lax.pmax(x, "x"), parts(4), P())
collective("all_reduce_bf16_2MiB", lambda x: lax.psum(x, "x"), lambda: (bf16(8, 2**20),), P())
collective("all_gather_16MiB", lambda x: lax.all_gather(x[0], "x", tiled=True), parts(2))
collective("reduce_scatter_16MiB", lambda x: lax.psum_scatter(x[0], "x", tiled=True), parts(16))
collective("all_to_all_16MiB", lambda x: lax.all_to_all(x[0].reshape(8, -1), "x", 0, 0), parts(16))
collective("permute_16MiB", lambda x: lax.ppermute(x, "x", [(i, (i + 1) % 8) for i in range(8)]),
           parts(16))
collective("all_reduce_groups_of_4",
           lambda x: lax.psum(x, "y"), lambda: (f32(8, 4 * _MIB),), P("x"),
           {"x": 2, "y": 4}, P(("x", "y")))


def _small(x):
    return [lax.psum(x[0, i] * i, "x") for i in range(32)]


def _loop(x):
    """A power iteration: a product, a sum over devices and a norm per step."""
    def step(_, v):
        v = lax.psum(x[0] @ v, "x")
        return v / jnp.sqrt((v * v).sum())
    return lax.fori_loop(0, 100, step, jnp.ones(x.shape[-1]))


def _ring(x):
    """Sums by a ring of permutations, as ring attention moves its keys."""
    def step(_, state):
        total, part = state
        part = lax.ppermute(part, "x", [(i, (i + 1) % 8) for i in range(8)])
        return total + jnp.tanh(part), part
    return lax.fori_loop(0, 8, step, (x, x))[0]


collective("small_all_reduces_32", _small, lambda: (f32(8, 32, 64),), P())
collective("power_iteration_100", _loop, lambda: (f32(8, 64, 64, scale=1 / 64),), P())
collective("ring_of_permutes_1MiB", _ring, parts(1))
collective("axis_index_scalars", lambda x: x + lax.axis_index("x"), lambda: (np.zeros(8, np.float32),))
