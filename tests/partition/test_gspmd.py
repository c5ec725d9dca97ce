"""Programs that JAX annotates for GSPMD give the shardings of those that it annotates for Shardy."""
import os
import pathlib
import sys

if "jax" not in sys.modules:
    os.environ["XLA_FLAGS"] = (os.environ.get("XLA_FLAGS", "") +
                               " --xla_force_host_platform_device_count=8")
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import shardy  # noqa: E402  (before jax, as it chooses the platform)
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import pytest  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P  # noqa: E402

if len(jax.devices("cpu")) < 8:
    pytest.skip("jax started with fewer devices", allow_module_level=True)
MESH = Mesh(np.array(jax.devices("cpu")[:8]).reshape(4, 2), ("x", "y"))


def constrain(x, *spec):
    return jax.lax.with_sharding_constraint(x, NamedSharding(MESH, P(*spec)))


def product(x, w):
    y = jnp.tanh(constrain(x @ w, "x", None))
    z = constrain(y, P.UNCONSTRAINED, "y")
    return z, constrain(z, "y", "x").T, jnp.sum(y, axis=0)


def manual(x, w):
    f = jax.shard_map(lambda a, b: jax.lax.psum(a @ b, "y"), mesh=MESH,
                      in_specs=(P("x", "y"), P("y", None)), out_specs=P("x", None))
    return f(x, w) * 2


def partly_manual(x, w):
    f = jax.shard_map(lambda a: jax.lax.psum(a, "x") * 2, mesh=MESH, in_specs=P("x", None),
                      out_specs=P(None, None), axis_names={"x"})
    return constrain(f(x) @ w, None, "y")


def loop(x, w):
    return jax.lax.fori_loop(0, 3, lambda i, c: constrain(jnp.sin(c), "y", None) + c, x @ w)


def shardings(function, use_shardy, *passes):
    jax.config.update("jax_use_shardy_partitioner", use_shardy)
    try:
        arguments = [jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(MESH, spec))
                     for shape, spec in (((16, 32), P("x", "y")), ((32, 64), P("y", None)))]
        text = jax.jit(function).lower(*arguments).as_text()
    finally:
        jax.config.update("jax_use_shardy_partitioner", True)
    assert ("mhlo.sharding" in text) != use_shardy
    module = shardy.tenon(text, *passes, "--propagate-shardings", "--settle-boundary",
                          "--encode-op-shardings")
    assert "mhlo.sharding" not in str(module) and "SPMD" not in str(module)
    main = next(op.operation for op in module.body.operations
                if op.operation.name == "func.func")
    return [entry["tenon.op_sharding"].value if "tenon.op_sharding" in entry else ""
            for name in ("arg_attrs", "res_attrs") for entry in main.attributes[name]]


@pytest.mark.parametrize("function", [product, manual, partly_manual, loop])
def test_shardings_are_those_of_shardy(function):
    gspmd = shardings(function, False, "--import-gspmd")
    assert gspmd == shardings(function, True)
    assert any(gspmd[2:])


@pytest.mark.parametrize("sharding, message", [
    ("{devices=[4,2]<=[9]}", "is malformed"),
    ("{devices=[2,2]0,2,1,1}", "is malformed"),
    ("{devices=[2,2]0,2,1,7}", "is malformed"),
    ("{devices=[2,2]0,2,}", "is malformed"),
    ("{devices=[4,2]<=[8]", "is malformed at"),
    ("{devices=[99999999999,99999999999]<=[8]}", "is malformed"),
    ("{unknown}", "with this kind is not supported"),
    ("{devices=[8]<=[8]}", "has 1 dimensions, but its tensor has 2"),
])
def test_errors(sharding, message):
    text = f'func.func @main(%a: tensor<8x8xf32> {{mhlo.sharding = "{sharding}"}}) {{ return }}'
    with pytest.raises(RuntimeError, match=message):
        shardy.tenon(text, "--import-gspmd")
