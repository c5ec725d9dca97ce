"""OpSharding messages of shardings have jaxlib's bytes."""
import itertools
import os
import pathlib
import sys

DEVICES = 24
if "jax" not in sys.modules:
    os.environ["XLA_FLAGS"] = (os.environ.get("XLA_FLAGS", "") +
                               f" --xla_force_host_platform_device_count={DEVICES}")
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import shardy  # noqa: E402  (before jax, as it chooses the platform)
import jax  # noqa: E402
import numpy as np  # noqa: E402
import pytest  # noqa: E402
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec  # noqa: E402

MESHES = [(8,), (4, 2), (2, 4), (2, 2, 2), (2, 3, 4), (1, 8), (8, 1), (2, 1, 3), (4, 6),
          (3, 2, 2, 2), (24,), (1,), (1, 1)]
NAMES = "abcd"


def specs(axes, rank):
    """All ways to split up to `rank` dimensions by some of the axes, and to leave some unreduced."""
    for count in range(axes + 1):
        for chosen in itertools.permutations(range(axes), count):
            for dims in itertools.combinations_with_replacement(range(rank), count):
                rest = [a for a in range(axes) if a not in chosen]
                for unreduced in ([], rest[:1], rest) if rest else ([],):
                    yield [[NAMES[a] for a, d in zip(chosen, dims) if d == dim]
                           for dim in range(rank)], [NAMES[a] for a in unreduced]


def attribute(dims, unreduced):
    def axes(names):
        return "{" + ", ".join(f'"{n}"' for n in names) + "}"
    text = f"#sdy.sharding<@mesh, [{', '.join(map(axes, dims))}]"
    return text + (f", unreduced={axes(unreduced)}>" if unreduced else ">")


def expected(mesh, dims, unreduced):
    spec = PartitionSpec(*[tuple(d) or None for d in dims], unreduced=set(unreduced))
    return NamedSharding(mesh, spec)._to_xla_hlo_sharding(len(dims)).to_proto().SerializeToString()


@pytest.mark.parametrize("sizes", MESHES, ids=str)
def test_bytes_are_those_of_jaxlib(sizes):
    devices = jax.devices("cpu")
    if len(devices) < np.prod(sizes):
        pytest.skip("jax started with fewer devices")
    mesh = Mesh(np.array(devices[:int(np.prod(sizes))]).reshape(sizes), tuple(NAMES[:len(sizes)]),
                axis_types=(AxisType.Explicit,) * len(sizes))
    cases = [case for rank in (1, 2, 3) for case in specs(len(sizes), rank)]
    arguments = ", ".join(
        f"%a{i}: tensor<{'x'.join(['48'] * len(dims))}xf32> "
        f"{{sdy.sharding = {attribute(dims, unreduced)}}}"
        for i, (dims, unreduced) in enumerate(cases))
    axes = ", ".join(f'"{n}"={s}' for n, s in zip(NAMES, sizes))
    module = shardy.tenon(f"sdy.mesh @mesh = <[{axes}]>\nfunc.func @main({arguments}) {{ return }}",
                          "--encode-op-shardings")
    attributes = next(iter(op for op in module.body.operations
                           if op.operation.name == "func.func")).attributes["arg_attrs"]
    for (dims, unreduced), entry in zip(cases, attributes, strict=True):
        # jaxlib keeps unreduced axes of size 1; XLA reads both messages alike.
        if any(sizes[NAMES.index(n)] == 1 for n in unreduced):
            continue
        ours = bytes.fromhex(entry["tenon.op_sharding"].value)
        assert ours == expected(mesh, dims, unreduced), (dims, unreduced)
