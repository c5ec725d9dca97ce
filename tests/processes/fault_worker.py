"""Runs collectives until one fails. Prints the error, then whether the client is still usable."""
import os
import sys
import time

import job
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P

if hasattr(jax.config, "jax_enable_recoverability"):
    # Otherwise JAX itself ends all processes when one of them has ended.
    jax.config.update("jax_enable_recoverability", True)
mode = sys.argv[1]
process = job.start(heartbeat_timeout_seconds=10)
mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))
sharding = NamedSharding(mesh, P("x"))


def array(fill, columns=1 << 10):
    shape = (jax.device_count(), columns)
    return jax.make_array_from_callback(
        shape, sharding, lambda index: np.full((1, columns), fill, np.float32))


def mapped(f):
    return jax.jit(jax.shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False))


def train_step(v):
    return lax.psum(v, "x") / jax.device_count()


def other_step(v):
    return lax.all_gather(v, "x", axis=1, tiled=True)[:, :v.shape[1]]


def fail(v):
    if process == 1:
        raise ValueError("the callback of process 1 fails")
    return v


def failing_step(v):
    return lax.psum(jax.pure_callback(fail, jax.ShapeDtypeStruct(v.shape, v.dtype), v), "x")


def main():
    v = array(1.0)
    step = mapped(train_step)
    jax.block_until_ready(step(v))
    print("READY", flush=True)
    start = time.time()
    try:
        if mode == "other" and process == 1:
            jax.block_until_ready(mapped(other_step)(v))
        elif mode == "callback":
            jax.block_until_ready(mapped(failing_step)(v))
        elif mode == "large":
            v = array(1.0, 1 << 22)
            while True:
                v = step(v)
                jax.block_until_ready(v)
        else:
            if mode == "sleep" and process == 1:
                time.sleep(60)
            while True:
                v = step(v)
                jax.block_until_ready(v)
                if mode == "other":
                    time.sleep(0.1)
    except Exception as error:  # whatever JAX makes of it
        print(f"error after {time.time() - start:.1f} s: {error}", flush=True)
    local = jax.jit(lambda a: (a * 2).sum())(jnp.arange(10.0))
    print("local", float(local), flush=True)
    if mode in ("callback", "other"):  # both processes live: collectives work again
        time.sleep(1)
        again = mapped(lambda a: lax.psum(a * 3, "x"))(array(1.0))
        print("again", float(again.addressable_data(0)[0, 0]), flush=True)
    if mode == "sleep" and jax.process_count() > 2:  # those that live go on together
        devices = [device for device in jax.devices() if device.process_index != 1]
        rest = NamedSharding(jax.sharding.Mesh(np.array(devices), ("x",)), P("x"))
        ones = jax.make_array_from_callback(
            (len(devices), 8), rest, lambda index: np.ones((1, 8), np.float32))
        total = jax.jit(lambda a: a.sum(), out_shardings=NamedSharding(rest.mesh, P()))(ones)
        print("survivors", float(total.addressable_data(0)), flush=True)
        time.sleep(1)
    print("FINISHED", flush=True)
    os._exit(0)  # JAX's own shutdown would wait for the other processes


main()
