"""Programs over 8 devices for jaxlibs from 0.5.3 on: pjit, constraints, pmap and shard_map.

    export XLA_FLAGS=--xla_force_host_platform_device_count=8
    JAX_PLATFORMS=cpu python sharded.py cpu.json
    TENON_REPLACE_CPU=1 TENON_PLUGIN=SO PYTHONPATH=../../python python sharded.py tenon.json
    python sharded.py --compare tenon.json cpu.json

Writes the values of each program's results and the shapes of their parts, or its error. --compare
prints the differences; the exit status is 1 if a program fails or values are not close. Where JAX
leaves a sharding to the partitioner, it may be another than XLA's for the annotations of GSPMD
(JAX before 0.7).
"""
import json
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

try:
    from jax import shard_map as new_shard_map
except ImportError:
    new_shard_map = None
if not callable(new_shard_map):
    from jax.experimental.shard_map import shard_map as old_shard_map

DEVICES = np.array(jax.devices()[:8])
MESH = Mesh(DEVICES.reshape(4, 2), ("x", "y"))
FLAT = Mesh(DEVICES, ("i",))
REVERSED = Mesh(DEVICES[::-1].reshape(2, 4), ("a", "b"))
TURNED = Mesh(DEVICES[[3, 1, 0, 2, 7, 6, 4, 5]].reshape(4, 2), ("p", "q"))
PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def on(*axes):
    return NamedSharding(MESH, P(*axes))


def numbers(*shape):
    return (np.arange(np.prod(shape)).reshape(shape) % 17 - 8).astype(np.float32) / 4


def put(*axes, shape=(8, 8)):
    return jax.device_put(numbers(*shape), on(*axes))


def manual(function, inputs, outputs, mesh=MESH, axes=None):
    if callable(new_shard_map):
        more = {"axis_names": axes} if axes else {}
        return new_shard_map(function, mesh=mesh, in_specs=inputs, out_specs=outputs,
                             check_vma=False, **more)
    more = {"auto": frozenset(mesh.axis_names) - axes} if axes else {}
    return old_shard_map(function, mesh=mesh, in_specs=inputs, out_specs=outputs,
                         check_rep=False, **more)


constrain = lax.with_sharding_constraint


@program
def given_shardings():
    return jax.jit(lambda a: a + 1, in_shardings=on("x", "y"), out_shardings=on("y", "x"))(
        numbers(8, 8))


@program
def product():
    return jax.jit(lambda a, b: a @ b, in_shardings=(on("x", "y"), on("y", None)))(
        numbers(8, 8), numbers(8, 4))


@program
def product_scattered():
    return jax.jit(lambda a, b: a @ b, in_shardings=(on("x", "y"), on("y", None)),
                   out_shardings=on(None, "y"))(numbers(8, 8), numbers(8, 4))


@program
def constraint():
    return jax.jit(lambda a: constrain(a * 2, on("y", None)).sum(0))(put("x", "y"))


@program
def open_constraint():
    return jax.jit(lambda a: constrain(a * 2, on(P.UNCONSTRAINED, "x")) + 1)(put("y"))


@program
def replicated():
    return jax.jit(lambda a: a.T @ a, out_shardings=on())(put("x"))


@program
def scan():
    return jax.jit(lambda a: lax.scan(lambda c, x: (c + x, c.sum()), jnp.zeros(8), a))(
        put(None, "x"))


@program
def loop():
    return jax.jit(lambda a: lax.while_loop(lambda c: c.sum() < 100, lambda c: c * c + 1, a))(
        put("x", "y"))


@program
def branches():
    return jax.jit(lambda a: lax.cond(a.sum() > 0, lambda v: v * 2, lambda v: v.T, a))(
        put("x", "y"))


@program
def nested_jit():
    inner = jax.jit(lambda v: constrain(v @ v.T, on("x", "y")))
    return jax.jit(lambda a: inner(a) + inner(a * 2))(put("y", "x"))


@program
def pmap_sum():
    return jax.pmap(lambda v: lax.psum(v, "i"), "i")(numbers(8, 4))


@program
def pmap_index():
    return jax.pmap(lambda v: v * lax.axis_index("i") + lax.pmax(v, "i"), "i")(numbers(8, 4))


@program
def pmap_groups():
    return jax.pmap(lambda v: lax.psum(v, "i", axis_index_groups=[[0, 1, 2, 3], [4, 5, 6, 7]]),
                    "i")(numbers(8, 4))


@program
def pmap_permute():
    return jax.pmap(lambda v: lax.ppermute(v, "i", [(i, (i + 3) % 8) for i in range(8)]), "i")(
        numbers(8, 4))


@program
def pmap_gather():
    return jax.pmap(lambda v: lax.all_gather(v, "i"), "i")(numbers(8, 4))


@program
def pmap_all_to_all():
    return jax.pmap(lambda v: lax.all_to_all(v, "i", 0, 0), "i")(numbers(8, 8, 2))


@program
def pmap_broadcast_argument():
    return jax.pmap(lambda a, b: a + b, in_axes=(0, None))(numbers(8, 4), numbers(4))


@program
def manual_sum():
    return jax.jit(manual(lambda v: lax.psum(v, "y"), P("x", "y"), P("x", None)))(numbers(8, 8))


@program
def manual_scatter():
    return jax.jit(manual(lambda v: lax.psum_scatter(v, "x", tiled=True), P(None, "y"),
                          P("x", "y")))(numbers(8, 8))


@program
def manual_gather():
    return jax.jit(manual(lambda v: lax.all_gather(v, "x", tiled=True), P("x", "y"),
                          P(None, "y")))(numbers(8, 8))


@program
def manual_all_to_all():
    return jax.jit(manual(lambda v: lax.all_to_all(v, "x", 1, 0, tiled=True), P("x", None),
                          P(None, "x")))(numbers(8, 8))


@program
def manual_among_others():
    inner = manual(lambda v: v * 2 + lax.axis_index("x"), P("x", None), P("x", None))
    return jax.jit(lambda a: inner(a * 3).sum(1) + a[:, 0])(put("y", "x"))


@program
def manual_gradient():
    inner = manual(lambda v: lax.psum(v * v, "y"), P("x", "y"), P("x", None))
    return jax.jit(jax.grad(lambda a: inner(a).sum()))(numbers(8, 8))


@program
def manual_scan():
    def body(v):
        return lax.scan(lambda c, x: (c + lax.psum(x, "x"), c), jnp.zeros(v.shape[1:]), v)
    return jax.jit(manual(body, P(None, "x"), (P(), P())))(numbers(4, 8))


@program
def manual_along_one_axis():
    def body(v):
        return lax.psum(v, "x") + constrain(v * 2, on(None, "y")).sum()
    return jax.jit(manual(body, P("x", None), P(None, None), axes={"x"}))(put("x", "y"))


@program
def manual_on_turned_mesh():
    return jax.jit(manual(lambda v: lax.psum(v, "p"), P("p", "q"), P(None, "q"), TURNED))(
        numbers(8, 8))


@program
def reversed_mesh():
    return jax.jit(lambda a: a.T + 1, in_shardings=NamedSharding(REVERSED, P("a", "b")),
                   out_shardings=NamedSharding(REVERSED, P("b", None)))(numbers(8, 8))


@program
def put_on_turned_mesh():
    return jax.device_put(put("x", "y"), NamedSharding(TURNED, P("q", "p")))


@program
def put_inside():
    return jax.jit(lambda a: jax.device_put(a * 2, on("y", "x")))(put("x", "y"))


@program
def uneven():
    return jax.jit(lambda a: constrain(a * 2, on("x", None)).sum(0))(numbers(6, 8))


@program
def random_numbers():
    return jax.jit(lambda k: jax.random.normal(k, (8, 8)), out_shardings=on("x", "y"))(
        jax.random.PRNGKey(1))


@program
def sort():
    return jax.jit(lambda a: jnp.sort(a, 0))(put("x", "y"))


@program
def gather_rows():
    return jax.jit(lambda a, i: a[i])(put("x"), np.array([1, 3, 7, 2]))


@program
def cumulative_sum():
    return jax.jit(lambda a: jnp.cumsum(a, 0))(put("x", "y"))


@program
def cholesky():
    matrices = jax.device_put(numbers(8, 4, 4), NamedSharding(FLAT, P("i")))
    return jax.jit(lambda a: jnp.linalg.cholesky(a @ a.transpose(0, 2, 1) + 20 * jnp.eye(4)))(
        matrices)


@program
def callback():
    shape = jax.ShapeDtypeStruct((8, 8), np.float32)
    return jax.jit(lambda a: jax.pure_callback(lambda v: np.asarray(v) * 2, shape, a))(
        put("x", "y"))


@program
def vmap_along_axis():
    return jax.jit(jax.vmap(lambda v: constrain(v * 2, on("y")), spmd_axis_name="x"))(
        numbers(8, 8))


@program
def donated():
    return jax.jit(lambda a: a + 1, donate_argnums=0, out_shardings=on("x"))(put("x"))


@program
def gradient_of_layers():
    def loss(weights, x):
        return jnp.mean((jnp.tanh(x @ weights[0]) @ weights[1]) ** 2)
    weights = [put(None, "y", shape=(8, 16)), put("y", None, shape=(16, 8))]
    return jax.jit(jax.grad(loss))(weights, put("x", shape=(16, 8)))


def describe(value):
    return {"values": np.asarray(value).tolist(),
            "part": list(value.sharding.shard_shape(value.shape)),
            "devices": [shard.device.id for shard in value.addressable_shards]}


def outcome(function):
    try:
        return [describe(value) for value in jax.tree_util.tree_leaves(function())]
    except Exception as error:
        return repr(error)[:400]


def compare(mine, reference):
    wrong = 0
    for name, results in mine.items():
        expected = reference[name]
        if isinstance(results, str) or isinstance(expected, str):
            print(f"{name}: {results if isinstance(results, str) else expected}")
            wrong += 1
            continue
        for a, b in zip(results, expected):
            if not np.allclose(a["values"], b["values"], rtol=1e-5, atol=1e-5):
                print(f"{name}: other values")
                wrong += 1
            if (a["part"], a["devices"]) != (b["part"], b["devices"]):
                print(f"{name}: parts of {a['part']}, not {b['part']}")
    print(f"{len(mine) - wrong} of {len(mine)} programs have the same values")
    return wrong > 0


def main(arguments):
    if arguments[0] == "--compare":
        return compare(*(json.load(open(path)) for path in arguments[1:]))
    results = {name: outcome(function) for name, function in PROGRAMS.items()}
    with open(arguments[0], "w") as file:
        json.dump(results, file)
    errors = sum(isinstance(result, str) for result in results.values())
    print(f"jax {jax.__version__}: {len(results)} programs, {errors} errors")
    return errors > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
