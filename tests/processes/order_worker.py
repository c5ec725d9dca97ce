"""Starts programs that differ in a constant only, in another order in each process."""
import job
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P

process = job.start()
mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))
v = jax.make_array_from_callback((jax.device_count(),), NamedSharding(mesh, P("x")),
                                 lambda index: np.ones(1, np.float32))
table = np.arange(1000, dtype=np.float32)


def program(factor):
    """A sum of all devices; the constant is a scalar or, for 100, in an array."""
    def body(v):
        scaled = v * factor if factor != 100 else v + jnp.asarray(table + 99)[v.astype(np.int32) - 1]
        return lax.psum(scaled, "x")
    return jax.jit(jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P()))


programs = [program(factor) for factor in (1, 10, 100, 1000)]
for repetition in range(5):
    order = np.random.default_rng(10 * repetition + process).permutation(4)
    results = [None] * 4
    for number in order:
        results[number] = programs[number](v)
    print("sums", [float(result[0]) for result in results], flush=True)
