"""Runs all collectives on 8 devices and saves the results of its own devices."""
import os
import sys

import job
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P

jax.config.update("jax_enable_x64", True)
process = job.start()
DEVICES = 8
order = np.random.RandomState(3).permutation(DEVICES) if "shuffled" in sys.argv else range(DEVICES)
devices = sorted(jax.devices(), key=lambda device: device.id)
mesh = jax.sharding.Mesh(np.array([devices[i] for i in order]), ("x",))
halves = [[0, 3, 5, 6], [1, 2, 4, 7]]


def programs(dtype):
    real = not jnp.issubdtype(dtype, jnp.complexfloating)
    yield "psum", lambda v: lax.psum(v, "x")
    yield "psum_groups", lambda v: lax.psum(v, "x", axis_index_groups=halves)
    yield "psum_scatter", lambda v: lax.psum_scatter(v, "x", scatter_dimension=1, tiled=True)
    yield "all_gather", lambda v: lax.all_gather(v, "x", axis=1, tiled=True)
    yield "all_to_all", lambda v: lax.all_to_all(v, "x", 1, 2, tiled=True)
    yield "ppermute", lambda v: lax.ppermute(v, "x", [(i, (3 * i + 1) % 8) for i in range(7)])
    yield "ragged_all_to_all", ragged
    if real:
        yield "pmax", lambda v: lax.pmax(v, "x")
        yield "pmin", lambda v: lax.pmin(v, "x")


def ragged(v):
    """Sends up to three rows to each device, as many as both numbers say."""
    rows = (np.arange(DEVICES)[:, None] * 3 + np.arange(DEVICES) * 5) % 4
    place = lax.axis_index("x")
    sizes = jnp.asarray(rows)[place]
    return lax.ragged_all_to_all(
        v[0], jnp.zeros((20, v.shape[2]), v.dtype), jnp.cumsum(sizes) - sizes, sizes,
        jnp.asarray(np.cumsum(rows, 0) - rows)[place], jnp.asarray(rows.T)[place],
        axis_name="x")[None]


def loop(v):
    """Collectives in a loop, whose number differs from what is known when it is compiled."""
    def body(i, carry):
        return lax.psum(carry, "x") / 8 + jnp.float32(0.1) * i
    return lax.fori_loop(0, (lax.axis_index("x") * 0 + 5), body, v)


def temporaries(v):
    """Sums and rows that the devices of a group have in one memory if they are in one process."""
    place = lax.axis_index("x")
    for k in range(3):
        whole = lax.all_gather(v, "x", axis=0, tiled=True)
        half = lax.psum(jnp.tanh(v) * (place + 1), "x", axis_index_groups=halves)
        sums = lax.psum(jnp.sin(whole[::8] + half), "x")
        v = lax.dynamic_index_in_dim(whole, (place + k) % 8) * 0.5 + sums - half
    return v


def main():
    results = {}

    def run(name, f, values):
        sharding = NamedSharding(mesh, P("x"))
        array = jax.make_array_from_callback(values.shape, sharding, lambda index: values[index])
        if jax.__version_info__ >= (0, 6, 1):
            mapped = jax.shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)
        else:
            from jax.experimental.shard_map import shard_map
            mapped = shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_rep=False)
        for shard in jax.jit(mapped)(array).addressable_shards:
            position = list(mesh.devices.flat).index(shard.device)
            results[f"{name}/{position}"] = np.asarray(shard.data).view(np.uint8)

    for dtype in (jnp.float32, jnp.bfloat16, jnp.float16, jnp.float64, jnp.int8, jnp.int32,
                  jnp.uint64, jnp.complex64):
        random = np.random.RandomState(1)
        values = (random.randn(DEVICES, 16, 24) * np.exp2(random.randint(0, 9, (DEVICES, 16, 24)))
                  ).astype(dtype)
        for name, f in programs(dtype):
            run(f"{name} {jnp.dtype(dtype).name}", f, values)
    large = np.random.RandomState(2).randn(DEVICES, 304, 200).astype(np.float32)
    for name, f in programs(jnp.float32):
        if name != "psum_groups":
            run(f"{name} large", f, large)
    run("loop", loop, large[:, :16, :24])
    run("temporaries", temporaries, large)
    product = jax.jit(lambda a, b: jnp.tanh(a @ b).astype(jnp.bfloat16).sum(),
                      in_shardings=(NamedSharding(mesh, P(None, "x")), NamedSharding(mesh, P("x"))),
                      out_shardings=NamedSharding(mesh, P()))
    a = np.random.RandomState(4).randn(64, 128).astype(np.float32)
    def spread(v, spec):
        return jax.make_array_from_callback(v.shape, NamedSharding(mesh, spec), lambda i: v[i])
    total = product(spread(a, P(None, "x")), spread(a.T.copy(), P("x")))
    value = np.atleast_1d(np.asarray(total.addressable_data(0)))
    results[f"product/{process}"] = value.view(np.uint8)
    np.savez(os.path.join(os.environ["JOB_FOLDER"], f"results.{process}.npz"), **results)
    print("done", len(results))


main()
