"""Trains a small network on the devices of all processes, from the last checkpoint if there is one.

    training_worker.py STEPS [SECONDS_PER_STEP]

Process 0 saves the weights after every step, and at the end as `weights.npz`.
"""
import os
import pathlib
import sys
import time

import job
import jax
import jax.numpy as jnp
import numpy as np
from jax._src import distributed
from jax.sharding import NamedSharding, PartitionSpec as P

if hasattr(jax.config, "jax_enable_recoverability"):
    jax.config.update("jax_enable_recoverability", True)
steps, pause = int(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
process = job.start(heartbeat_timeout_seconds=10)
checkpoint = pathlib.Path(os.environ["CHECKPOINT"])
mesh = jax.sharding.Mesh(np.array(jax.devices()), ("data",))


def place(value, spec):
    return jax.make_array_from_callback(value.shape, NamedSharding(mesh, spec),
                                        lambda index: value[index])


@jax.jit
def train_step(weights, inputs, targets):
    def loss(weights):
        hidden = jnp.tanh(inputs @ weights["first"])
        return jnp.mean((hidden @ weights["second"] - targets) ** 2)
    value, gradients = jax.value_and_grad(loss)(weights)
    return value, jax.tree.map(lambda w, g: w - 0.05 * g, weights, gradients)


def main():
    random = np.random.RandomState(0)
    step, host = 0, {"first": random.randn(16, 32).astype(np.float32),
                     "second": random.randn(32, 4).astype(np.float32)}
    if checkpoint.exists():
        with np.load(checkpoint) as file:
            step, host = int(file["step"]), {name: file[name] for name in host}
        print("restarted from step", step, flush=True)
    weights = {name: place(value, P()) for name, value in host.items()}
    while step < steps:
        batch = np.random.RandomState(100 + step)  # of all processes
        inputs = place(batch.randn(64, 16).astype(np.float32), P("data"))
        targets = place(batch.randn(64, 4).astype(np.float32), P("data"))
        loss, weights = train_step(weights, inputs, targets)
        step += 1
        print("step", step, float(loss.addressable_data(0)), flush=True)
        if process == 0:
            values = {name: np.asarray(w.addressable_data(0)) for name, w in weights.items()}
            np.savez(checkpoint.with_suffix(".new.npz"), step=step, **values)
            os.replace(checkpoint.with_suffix(".new.npz"), checkpoint)
        time.sleep(pause)
    print("FINISHED", flush=True)


try:
    main()
    # Recoverable processes do not wait for each other when JAX shuts down.
    distributed.global_state.client.wait_at_barrier("end", 60000)
    os._exit(0)
except Exception as error:  # another process has ended: end too, to be started again
    print("error:", error, flush=True)
    os._exit(3)
