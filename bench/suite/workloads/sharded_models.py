"""Models over eight devices: parallel along the data, the model's layers, or both."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P

from ..registry import add, dense, f32, indices
from .models import attention, mlp_arguments, mlp_loss
from .reductions import layernorm

MESHES = {"data": {"data": 8, "model": 1}, "tensor": {"data": 1, "model": 8},
          "both": {"data": 4, "model": 2}}


def trained(loss, rate=0.01):
    """A step of gradient descent: (parameters, *batch) -> (parameters, loss)."""
    def step(parameters, *batch):
        value, gradient = jax.value_and_grad(loss)(parameters, *batch)
        return jax.tree.map(lambda p, g: p - rate * g, parameters, gradient), value
    return step


def training(name, loss, arguments, parameters, batch, meshes=MESHES, flops=0.0):
    """One workload per mesh. `parameters` are the PartitionSpecs of the first argument. `flops`
    are those of the products of the model on one device, whatever the mesh."""
    for kind, mesh in meshes.items():
        add(f"{name}_{kind}", lambda mesh: trained(loss), arguments, "sharded", mesh=mesh,
            specs=(parameters, *batch), out_specs=(parameters, P()), carry={0: 0}, flops=flops)


# The images have no gradient.
training("mlp_784x1024x1024x10", mlp_loss, mlp_arguments,
         [(P(None, "model"), P("model")), (P("model", None), P()), (P(), P())],
         (P("data"), P("data")),
         flops=128.0 * (4 * 784 * 1024 + 6 * 1024 * 1024 + 6 * 1024 * 10))

WIDTH, HEADS, WORDS, LAYERS, BATCH, POSITIONS = 256, 8, 1024, 2, 16, 128
# Of attention, the half that the causal mask leaves.
FORWARD = 2.0 * BATCH * POSITIONS * (LAYERS * (12 * WIDTH ** 2 + POSITIONS * WIDTH)
                                     + WORDS * WIDTH)


def _layer(seed):
    size = WIDTH // HEADS
    q, k, v = (dense(seed + i, WIDTH, WIDTH).reshape(WIDTH, HEADS, size) for i in range(3))
    ones, zeros = np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32)
    return dict(q=q, k=k, v=v, o=dense(seed + 3, WIDTH, WIDTH).reshape(HEADS, size, WIDTH),
                up=dense(seed + 4, WIDTH, 4 * WIDTH), down=dense(seed + 5, 4 * WIDTH, WIDTH),
                g1=ones, b1=zeros, g2=ones, b2=zeros)


LAYER_SPECS = dict(q=P(None, "model"), k=P(None, "model"), v=P(None, "model"), o=P("model"),
                   up=P(None, "model"), down=P("model"), g1=P(), b1=P(), g2=P(), b2=P())


def transformer_loss(parameters, tokens):
    x = parameters["embedding"][tokens[:, :-1]]
    for p in parameters["layers"]:
        h = layernorm(x, p["g1"], p["b1"])
        q, k, v = (jnp.einsum("bsd,dhe->bhse", h, p[name]) for name in "qkv")
        x = x + jnp.einsum("bhse,hed->bsd", attention(q, k, v, causal=True), p["o"])
        h = layernorm(x, p["g2"], p["b2"])
        x = x + jax.nn.gelu(h @ p["up"]) @ p["down"]
    logits = x @ parameters["embedding"].T
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), tokens[:, 1:, None], -1)
    return -picked.mean()


def transformer_arguments():
    parameters = dict(embedding=f32(WORDS, WIDTH, scale=.05),
                      layers=[_layer(10 * i) for i in range(LAYERS)])
    return parameters, indices((BATCH, POSITIONS + 1), WORDS)


training("transformer_d256_s128", transformer_loss, transformer_arguments,
         dict(embedding=P(), layers=[LAYER_SPECS] * LAYERS), (P("data"),), flops=3 * FORWARD)
# Fully sharded data parallelism: every parameter is split, and gathered where it is used.
training("transformer_d256_s128", transformer_loss, transformer_arguments,
         dict(embedding=P("data"), layers=[jax.tree.map(lambda _: P("data"), LAYER_SPECS,
                                                        is_leaf=lambda s: isinstance(s, P))]
              * LAYERS), (P("data"),), {"fsdp": {"data": 8}}, flops=3 * FORWARD)
# A vocabulary split over the devices: lookups by index, and a softmax over a split dimension.
training("transformer_d256_s128", transformer_loss, transformer_arguments,
         dict(embedding=P("model"), layers=[LAYER_SPECS] * LAYERS), (P("data"),),
         {"split_words": {"data": 2, "model": 4}}, flops=3 * FORWARD)


def _convolution_loss(parameters, images, labels):
    x = images
    for kernel in parameters[:-1]:
        x = jax.nn.relu(lax.conv_general_dilated(x, kernel, (1, 1), "SAME",
                                                 dimension_numbers=("NHWC", "HWIO", "NHWC")))
    logits = x.mean((1, 2)) @ parameters[-1]
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], -1).mean()


def _convolution_arguments():
    kernels = [f32(3, 3, a, b, seed=i, scale=.1) for i, (a, b) in enumerate(((3, 32), (32, 32)))]
    return [*kernels, dense(5, 32, 10)], f32(16, 32, 32, 3), indices(16, 10)


training("convolutions_32x32", _convolution_loss, _convolution_arguments, P(),
         (P("data"), P("data")), {"data": {"data": 8}})
training("convolutions_32x32", _convolution_loss, _convolution_arguments, P(),
         (P(None, "space"), P()), {"space": {"space": 8}})


def sharded(name, function, arguments, specs, out_specs, mesh, flops=0.0):
    add(name, lambda mesh: function, arguments, "sharded", mesh=mesh, specs=specs,
        out_specs=out_specs, flops=flops)


sharded("transformer_inference_tensor", transformer_loss, transformer_arguments,
        (dict(embedding=P(), layers=[LAYER_SPECS] * LAYERS), P()), P(), {"model": 8},
        flops=FORWARD)
sharded("matmul_1024_split_contraction", lambda a, b: a @ b,
        lambda: (f32(1024, 1024), f32(1024, 1024, seed=1)), (P(None, "x"), P("x")), P("x"),
        {"x": 8}, flops=2.0 * 1024 ** 3)
sharded("matmul_1024_mesh_4x2", lambda a, b: a @ b,
        lambda: (f32(1024, 1024), f32(1024, 1024, seed=1)), (P("x", "y"), P("y", "x")),
        P("x", "y"), {"x": 4, "y": 2}, flops=2.0 * 1024 ** 3)
sharded("stencil_1024x1024_20_steps", lambda x: lax.fori_loop(
    0, 20, lambda _, u: u + 0.1 * (jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1)
                                   + jnp.roll(u, -1, 1) - 4 * u), x),
    lambda: (f32(1024, 1024),), (P("x"),), P("x"), {"x": 8})
sharded("reshard_rows_to_columns_16MiB", lambda x: x * 2, lambda: (f32(2048, 2048),), (P("x"),),
        P(None, "x"), {"x": 8})
sharded("softmax_split_rows", lambda x: jax.nn.softmax(x, -1), lambda: (f32(512, 8192),),
        (P(None, "x"),), P(None, "x"), {"x": 8})
