"""Runs several programs many times, with random delays in each process, and checks the sums."""
import random
import sys
import time

import job
import jax
import numpy as np
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P

process = job.start()
runs = int(sys.argv[1])
mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))
count = jax.device_count()


def mapped(f):
    return jax.jit(jax.shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False))


def ring(v):
    for _ in range(3):
        v = lax.ppermute(v, "x", [(i, (i + 1) % count) for i in range(count)])
    return v


programs = [mapped(lambda v: lax.psum(v, "x")), mapped(ring),
            mapped(lambda v: lax.psum(lax.all_gather(v, "x").sum(0), "x") + v)]
sizes = [4, 3000, 60000]
values = [jax.make_array_from_callback((count, size), NamedSharding(mesh, P("x")),
                                       lambda index, n=size: np.full((1, n), index[0].start or 0,
                                                                     np.float32))
          for size in sizes]
order, delay = random.Random(5), random.Random(process)  # the same order in all processes
total = count * (count - 1) // 2
pending = []
for run in range(runs):
    which, size = order.randrange(3), order.randrange(3)
    if delay.random() < 0.3:
        time.sleep(delay.random() * 0.02)
    result = programs[which](values[size])
    pending.append((which, result))
    if delay.random() < 0.2 or run + 1 == runs:
        for which, result in pending:
            for shard in result.addressable_shards:
                own = shard.index[0].start or 0
                expected = (total, (own - 3) % count, count * total + own)[which]
                assert (np.asarray(shard.data) == expected).all(), (run, which, own)
        pending.clear()
print("all", runs, "runs right", flush=True)
