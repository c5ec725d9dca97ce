"""Temporaries that several devices have in one memory: programs in which a device that wrote there
alone, or another device that has not read them yet, would see it."""
import json

import pytest
from conftest import only_tenon
from own_process import run

pytestmark = only_tenon("collectives between Tenon's devices")

# Values are small integers, so that sums have no rounding. Every array that is gathered has 4 KiB
# and more: smaller ones are never shared.
PROGRAMS = """
import json, sys
import jax, jax.numpy as jnp, numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

def again_and_again(a):
    # The third result may lie where the first one was.
    for k in range(4):
        whole = lax.all_gather(a, "x", tiled=True)
        a = (whole[k::8] * 3 + lax.axis_index("x")) % 17
    return a

def kept_for_later(a):
    early = lax.all_gather(a, "x", tiled=True)
    late = lax.psum(early * (1 + lax.axis_index("x")) % 5, "x")
    return lax.dynamic_slice(late + early, (512 * lax.axis_index("x"),), (512,)) % 23

def in_a_loop(a):
    outside = lax.all_gather(a * 2, "x", tiled=True)
    def body(i, v):
        w = lax.all_gather(v, "x", tiled=True)
        s = lax.psum(w[: 2048] + i, "x")
        some = lax.dynamic_slice(outside, (i,), (512,))
        return (w[1::8] + s[:512] + some + lax.axis_index("x")) % 13
    return lax.fori_loop(0, 9, body, a)

def carried(a):
    # The loop writes over what it carries: the devices must not have it in common.
    def body(i, w):
        return w.at[i + lax.axis_index("x")].add(w[7 * i] + 1) % 11
    w = lax.fori_loop(0, 30, body, lax.all_gather(a, "x", tiled=True))
    return w.reshape(8, -1).sum(0) % 97

def updated(a):
    # Each device updates what all have gathered at another place.
    w = lax.all_gather(a, "x", tiled=True)
    w = lax.dynamic_update_slice(w, a + 1, (37 * lax.axis_index("x"),))
    return (w.reshape(8, -1) * jnp.arange(1, 9)[:, None]).sum(0) % 97

def in_branches(a):
    w = lax.all_gather(a, "x", tiled=True)
    one = lambda: lax.psum(w * 2, "x")
    two = lambda: lax.pmax(w + lax.axis_index("x"), "x")
    for _ in range(3):
        w = lax.cond(w[5] % 2 == 0, one, two) % 19
    return w[3::8] + lax.axis_index("x")

def two_meshes(a):
    for k in range(3):
        row = lax.all_gather(a, "p", tiled=True)
        column = lax.psum(row + lax.axis_index("p"), "q")
        both = lax.all_gather(column, "q", tiled=True)
        a = (both[k :: 8][:512] + row[:512] + column[-512:] + lax.axis_index("q")) % 29
    return a

def sent_on(a):
    # What is gathered is the operand of collectives of other groups and kinds.
    row = lax.all_gather(a, "p", tiled=True)
    moved = lax.ppermute(row, "q", [(0, 1), (1, 0)])
    parts = lax.psum_scatter(row, "q", tiled=True)
    other = lax.all_to_all(row.reshape(4, -1), "p", 0, 0).reshape(-1)
    return (moved[:512] + parts[-512:] + other[5:517] + lax.axis_index("p")) % 31

def main():
    a = np.random.default_rng(0).integers(0, 9, 4096).astype(np.float32)
    found = {}
    for platform in ("cpu", "tenon"):
        devices = np.array(jax.devices(platform))
        line, grid = Mesh(devices, ("x",)), Mesh(devices.reshape(4, 2), ("p", "q"))
        for f in (again_and_again, kept_for_later, in_a_loop, carried, updated, in_branches):
            g = jax.jit(jax.shard_map(f, mesh=line, in_specs=P("x"), out_specs=P("x"),
                                      check_vma=False))
            found[f.__name__, platform] = [np.asarray(g(a)) for _ in range(5)]
        for f in (two_meshes, sent_on):
            g = jax.jit(jax.shard_map(f, mesh=grid, in_specs=P(("p", "q")),
                                      out_specs=P(("p", "q")), check_vma=False))
            found[f.__name__, platform] = [np.asarray(g(a)) for _ in range(5)]
    wrong = [name for name, platform in found if platform == "tenon" and not all(
        np.array_equal(r, found[name, "cpu"][0]) for r in found[name, platform])]
    print(json.dumps([len(found), wrong]))
main()
"""


@pytest.mark.parametrize("threads", [1, 2, 16])
def test_devices_see_what_they_would_see_in_their_own_memory(threads):
    assert json.loads(run(PROGRAMS, JAX_PLATFORMS="tenon,cpu", TENON_DEVICE_COUNT="8",
                          TENON_THREADS=str(threads),
                          XLA_FLAGS="--xla_force_host_platform_device_count=8")) == [16, []]
