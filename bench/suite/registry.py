"""Workloads of the benchmark suite: their class, their table, and their argument generators.

`function` is a pure JAX function; `arguments()` returns its arguments, NumPy pytrees from fixed
seeds. `flops` and `bytes` are the minimum work of any implementation: arithmetic, and main memory
traffic of inputs and outputs. So max(flops / peak[kind], bytes / bandwidth) is a lower bound of the
run time. `carry` maps arguments to outputs: those arguments are donated, and the outputs are fed
back in the next call, as in training and decoding. `host()` is work that the caller does between
the call and the wait for its results.

A workload with a `mesh` runs on several devices: `function(mesh)` returns the function, `specs` and
`out_specs` are the PartitionSpecs of its arguments and results (prefixes of their pytrees).
"""
import collections
import dataclasses
import math
from typing import Any, Callable

import jax.numpy as jnp
import numpy as np

# Operations of the multiply-add unit per element, of a good polynomial implementation.
OPERATIONS = {"exp": 10, "log": 14, "tanh": 16, "erf": 14, "sin": 14, "pow": 30}


@dataclasses.dataclass
class Workload:
    function: Callable
    arguments: Callable[[], tuple]
    group: str
    flops: float = 0.0
    bytes: float = 0.0
    kind: str = "f32"  # which peak of limits.py
    carry: dict[int, int] = dataclasses.field(default_factory=dict)
    iree: bool = True  # False where IREE takes minutes
    host: Callable[[], Any] | None = None
    mesh: dict[str, int] = dataclasses.field(default_factory=dict)  # size by axis
    specs: Any = None
    out_specs: Any = None
    gpu: bool = False  # too large for a processor: only run with --against

    def devices(self):
        return math.prod(self.mesh.values())


WORKLOADS: dict[str, Workload] = {}


def add(name: str, function: Callable, arguments: Callable[[], Any], group: str, **keywords):
    assert name not in WORKLOADS, name
    WORKLOADS[name] = Workload(function, arguments, group, **keywords)


def random_state(seed=0):
    return np.random.RandomState(seed)


def f32(*shape, seed=0, scale=1.0):
    return (random_state(seed).standard_normal(shape) * scale).astype(np.float32)


def bf16(*shape, seed=0):
    return f32(*shape, seed=seed).astype(jnp.bfloat16)


def f16(*shape, seed=0):
    return f32(*shape, seed=seed).astype(np.float16)


def i8(*shape, seed=0):
    return random_state(seed).randint(-128, 127, shape).astype(np.int8)


def c64(*shape):
    return (f32(*shape) + 1j * f32(*shape, seed=1)).astype(np.complex64)


def indices(count, limit, seed=3):
    return random_state(seed).randint(0, limit, count).astype(np.int32)


def dense(seed, inputs, outputs):
    """A layer's weights at the usual scale."""
    return f32(inputs, outputs, seed=seed, scale=1 / np.sqrt(inputs))


def groups():
    """Number of workloads by group, without those for GPUs alone."""
    return collections.Counter(w.group for w in WORKLOADS.values() if not w.gpu)
