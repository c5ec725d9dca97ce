#!/usr/bin/env python3
"""Trains the character transformer on several devices, and on one, and compares the losses.

  JAX_PLATFORMS=tenon python examples/sharded_transformer.py                  # 8 devices, 4x2
  JAX_PLATFORMS=tenon python examples/sharded_transformer.py --how shard_map
  JAX_PLATFORMS=tenon python examples/sharded_transformer.py --processes 2    # 2 x 4 devices

The model and its training step are those of char_transformer.py. The devices form a mesh: each
row along `data` trains on its part of the batch, and the devices along `model` share the attention
heads and the hidden layers. Only the places of the arrays say so. `--how shard_map` instead writes
the part of one device along `data`, with its collective, and leaves `model` to the compiler.
"""
import argparse
import os
import pathlib
import socket
import subprocess
import sys

DEVICES = 8
# The dimensions that the devices along `model` share: attention heads and hidden units.
SPECS = {
    ("query", "kernel"): (None, "model"), ("query", "bias"): ("model",),
    ("key", "kernel"): (None, "model"), ("key", "bias"): ("model",),
    ("value", "kernel"): (None, "model"), ("value", "bias"): ("model",),
    ("out", "kernel"): ("model",),
    ("up", "kernel"): (None, "model"), ("up", "bias"): ("model",),
    ("down", "kernel"): ("model",),
}
TOLERANCE = 1e-3  # of run_demo.py: other orders of sums, amplified by training


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--mesh", default="4x2", metavar="DATAxMODEL",
                        help="devices along `data` and `model`, 8 in all (default: 4x2)")
    parser.add_argument("--how", choices=("jit", "shard_map"), default="jit")
    parser.add_argument("--processes", type=int, default=1,
                        help="start this many processes, which share the devices")
    parser.add_argument("--process", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--coordinator", help=argparse.SUPPRESS)
    options = parser.parse_args()
    data, model = (int(size) for size in options.mesh.split("x"))
    if data * model != DEVICES or DEVICES % options.processes:
        parser.error(f"{data} x {model} devices in {options.processes} processes: "
                     f"there are {DEVICES} devices")
    options.mesh = {"data": data, "model": model}
    return options


def start_processes(options):
    """Runs this script once per process; returns the largest exit status."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        address = f"localhost:{probe.getsockname()[1]}"
    children = [subprocess.Popen([sys.executable, __file__, *sys.argv[1:], "--process", str(number),
                                  "--coordinator", address])
                for number in range(options.processes)]
    return max(abs(child.wait()) for child in children)


def spec_of(path):
    """How the devices along `model` share the parameter, or optimizer state, at `path`."""
    from jax.sharding import PartitionSpec as P
    names = [key.key for key in path if hasattr(key, "key")]
    return P(*SPECS.get(tuple(names[-2:]), ()))


def sharded(tree, mesh, spec):
    """`tree` with each array on the mesh; every process has all of the data."""
    import jax
    import numpy as np

    def place(path, leaf):
        data = np.asarray(leaf)
        sharding = jax.sharding.NamedSharding(mesh, spec(path) if data.ndim else spec(()))
        return jax.make_array_from_callback(data.shape, sharding, lambda part: data[part])
    return jax.tree_util.tree_map_with_path(place, tree)


def shard_map_step(mesh):
    """A training step in which `data` is explicit: loss and gradients are means over it."""
    import char_transformer
    import jax
    from flax import nnx
    from jax.sharding import PartitionSpec as P

    @nnx.jit
    def step(model, optimizer, tokens):
        graph, parameters = nnx.split(model)

        def mean_loss(parameters, tokens):
            loss = char_transformer.loss_of(nnx.merge(graph, parameters), tokens)
            return jax.lax.pmean(loss, "data")

        loss, gradients = jax.shard_map(
            jax.value_and_grad(mean_loss), mesh=mesh, axis_names={"data"},
            in_specs=(P(), P("data")), out_specs=P())(parameters, tokens)
        optimizer.update(model, gradients)
        return loss
    return step


def losses_of(steps, mesh=None, how="jit"):
    """The losses of `steps` steps, on one device without a mesh."""
    import char_transformer
    import jax.numpy as jnp
    from flax import nnx
    from jax.sharding import PartitionSpec as P
    from tqdm import tqdm
    model, optimizer, batches, _ = char_transformer.start(steps)
    step = char_transformer.train_step
    if mesh is not None:
        state = nnx.state((model, optimizer))
        nnx.update((model, optimizer), sharded(state, mesh, spec_of))
        if how == "shard_map":
            step = shard_map_step(mesh)
    losses = []
    where = "1 device" if mesh is None else " x ".join(f"{n} {a}" for a, n in mesh.shape.items())
    for tokens in tqdm(batches, total=steps, unit="step", desc=where,
                       disable=not sys.stderr.isatty()):
        tokens = jnp.asarray(tokens) if mesh is None else \
            sharded(tokens, mesh, lambda _: P("data"))
        losses.append(float(step(model, optimizer, tokens)))
    return losses


def main():
    options = parse_arguments()
    if options.processes > 1 and options.process is None:
        return start_processes(options)
    os.environ["TENON_DEVICE_COUNT"] = str(DEVICES // options.processes)
    import jax
    import numpy as np
    if options.process is not None:
        jax.distributed.initialize(options.coordinator, options.processes, options.process)
    jax.config.update("jax_num_cpu_devices", DEVICES // options.processes)  # of the built-in CPU
    mesh = jax.sharding.Mesh(np.reshape(jax.devices(), tuple(options.mesh.values())),
                             tuple(options.mesh))
    with jax.default_device(jax.local_devices()[0]):
        expected = losses_of(options.steps)
    found = losses_of(options.steps, mesh, options.how)
    worst = max(abs(a - b) / abs(b) for a, b in zip(found, expected))
    if not options.process:
        print(f"{options.how} on {DEVICES} devices of {jax.devices()[0].platform} in "
              f"{options.processes} processes: loss {found[0]:.4f} to {found[-1]:.4f}; largest "
              f"relative difference from one device {worst:.1e} (allowed: {TOLERANCE:g})")
    if options.process is not None:
        jax.distributed.shutdown()
    return 0 if worst < TOLERANCE else 1


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    sys.exit(main())
