"""Training and inference of networks: Flax, Equinox, Haiku, Keras, Jraph, e3nn, Optax."""
import os

os.environ.setdefault("KERAS_BACKEND", "jax")  # Keras reads it when it is imported

import e3nn_jax as e3nn  # noqa: E402
import equinox as eqx  # noqa: E402
import flax.linen as nn  # noqa: E402
import haiku as hk  # noqa: E402
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import jraph  # noqa: E402
import keras  # noqa: E402
import numpy as np  # noqa: E402
import optax  # noqa: E402
from flax import nnx  # noqa: E402
from jax import lax  # noqa: E402
from wide.registry import initial, integers, normal, once, program, uniform  # noqa: E402


def cross_entropy(logits, labels):
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def flax_weights(model, *inputs):
    return initial(lambda: model.init(jax.random.key(0), *inputs))


class Residual(nn.Module):
    @nn.compact
    def __call__(self, x):
        def norm(x):
            return nn.BatchNorm(use_running_average=False, momentum=0.9)(x)
        x = nn.Conv(16, (3, 3))(x)
        for features, stride in ((16, 1), (32, 2)):
            y = nn.Conv(features, (3, 3), (stride, stride), use_bias=False)(nn.relu(norm(x)))
            y = nn.Conv(features, (3, 3), use_bias=False)(nn.relu(norm(y)))
            x = nn.Conv(features, (1, 1), (stride, stride), use_bias=False)(x) + y
        return nn.Dense(10)(x.mean((1, 2)))


@program(lambda make=flax_weights(Residual(), normal(1, 16, 16, 3)): (
    make(), normal(8, 16, 16, 3), integers(8, high=10)))
def flax_residual_batch_norm(variables, images, labels):
    def loss(weights):
        logits, state = Residual().apply({**variables, "params": weights}, images,
                                         mutable=["batch_stats"])
        return cross_entropy(logits, labels), state
    return jax.value_and_grad(loss, has_aux=True)(variables["params"])


class Gpt(nn.Module):
    @nn.compact
    def __call__(self, tokens):
        embed = nn.Embed(256, 64)
        x = embed(tokens) + nn.Embed(64, 64)(jnp.arange(tokens.shape[1]))
        mask = nn.make_causal_mask(tokens)
        for _ in range(2):
            x = x + nn.SelfAttention(4)(nn.LayerNorm()(x), mask=mask)
            x = x + nn.Dense(64)(nn.gelu(nn.Dense(256)(nn.LayerNorm()(x))))
        return embed.attend(nn.LayerNorm()(x))


@program(lambda make=flax_weights(Gpt(), integers(1, 32, high=256)): (
    make(), integers(4, 33, high=256)))
def flax_gpt_gradient(weights, tokens):
    loss = lambda w: cross_entropy(Gpt().apply(w, tokens[:, :-1]), tokens[:, 1:])  # noqa: E731
    return jax.value_and_grad(loss)(weights)


class Decoder(nn.Module):
    @nn.compact
    def __call__(self, token):
        x = nn.Embed(256, 64)(token)
        for _ in range(2):
            x = x + nn.MultiHeadDotProductAttention(4, decode=True)(nn.RMSNorm()(x))
            h = nn.RMSNorm()(x)
            x = x + nn.Dense(64)(nn.silu(nn.Dense(128)(h)) * nn.Dense(128)(h))
        return nn.Dense(256)(nn.RMSNorm()(x))


@program(lambda make=flax_weights(Decoder(), np.zeros((2, 32), np.int32)): (
    make(), integers(2, 32, high=256)))
def flax_decode_with_cache(variables, tokens):
    """Logits of given tokens, so that rounding decides no token."""
    def step(cache, token):
        logits, state = Decoder().apply({**variables, "cache": cache}, token[:, None],
                                        mutable=["cache"])
        return state["cache"], logits[:, 0]
    return lax.scan(step, variables["cache"], tokens.T)[1]


class Autoencoder(nnx.Module):
    def __init__(self, rngs):
        self.encode = nnx.Conv(1, 8, (3, 3), strides=2, rngs=rngs)
        self.norm = nnx.GroupNorm(8, num_groups=4, rngs=rngs)
        self.middle = nnx.Linear(8, 16, rngs=rngs)
        self.decode = nnx.ConvTranspose(16, 1, (3, 3), strides=2, rngs=rngs)

    def __call__(self, x):
        return self.decode(nnx.gelu(self.middle(nnx.gelu(self.norm(self.encode(x))))))


@program(lambda make=initial(lambda: nnx.to_pure_dict(nnx.state(Autoencoder(nnx.Rngs(0))))): (
    make(), uniform(8, 28, 28, 1)))
def nnx_autoencoder_gradient(weights, images):
    graph, state = nnx.split(nnx.eval_shape(lambda: Autoencoder(nnx.Rngs(0))))

    def loss(weights):
        nnx.replace_by_pure_dict(state, weights)
        return jnp.mean((nnx.merge(graph, state)(images) - images) ** 2)
    return jax.value_and_grad(loss)(weights)


def rebuild(make, weights):
    """The Equinox model of `make` with these weights."""
    shapes = eqx.filter_eval_shape(make)
    return eqx.combine(weights, eqx.filter(shapes, lambda x: not isinstance(
        x, jax.ShapeDtypeStruct)))


def equinox_weights(make):
    return initial(lambda: eqx.filter(make(), eqx.is_array))


class Spirals(eqx.Module):
    cell: eqx.nn.GRUCell
    head: eqx.nn.Linear

    def __init__(self):
        a, b = jax.random.split(jax.random.key(0))
        self.cell = eqx.nn.GRUCell(2, 16, key=a)
        self.head = eqx.nn.Linear(16, 1, key=b)

    def __call__(self, path):
        state, _ = lax.scan(lambda h, x: (self.cell(x, h), None), jnp.zeros(16, path.dtype), path)
        return self.head(state)[0]


@program(lambda make=equinox_weights(Spirals): (make(), normal(32, 16, 2), integers(32, high=2)))
def equinox_gru_gradient(weights, paths, labels):
    def loss(weights):
        logits = jax.vmap(rebuild(Spirals, weights))(paths)
        return optax.sigmoid_binary_cross_entropy(logits, labels).mean()
    return jax.value_and_grad(loss)(weights)


def deep_lstm(tokens):
    core = hk.DeepRNN([hk.LSTM(64), jax.nn.relu, hk.LSTM(64), hk.Linear(64)])
    return hk.dynamic_unroll(core, jax.nn.one_hot(tokens, 64), core.initial_state(8))[0]


DEEP_LSTM = hk.without_apply_rng(hk.transform(deep_lstm))


@program(lambda make=initial(lambda: DEEP_LSTM.init(jax.random.key(0), np.zeros((24, 8), int))): (
    make(), integers(25, 8, high=64)))
def haiku_lstm_gradient(weights, tokens):
    loss = lambda w: cross_entropy(DEEP_LSTM.apply(w, tokens[:-1]), tokens[1:])  # noqa: E731
    return jax.value_and_grad(loss)(weights)


@once
def keras_classifier():
    keras.utils.set_random_seed(0)
    return keras.Sequential([
        keras.Input((16, 16, 3)), keras.layers.SeparableConv2D(16, 3, use_bias=False),
        keras.layers.BatchNormalization(), keras.layers.Activation("relu"),
        keras.layers.MaxPooling2D(2), keras.layers.Conv2D(16, 3, activation="relu"),
        keras.layers.GlobalAveragePooling2D(), keras.layers.Dense(10, activation="softmax")])


@initial
def classifier_variables():
    model = keras_classifier()
    return tuple([v.value for v in variables] for variables in (
        model.trainable_variables, model.non_trainable_variables))


@program(lambda: (*classifier_variables(), normal(16, 16, 16, 3), integers(16, high=10)),
         tolerance=1e-4)
def keras_classifier_gradient(weights, state, images, labels):
    def loss(weights):
        out, new_state = keras_classifier().stateless_call(weights, state, images, training=True)
        return keras.losses.SparseCategoricalCrossentropy()(labels, out), new_state
    return jax.value_and_grad(loss, has_aux=True)(weights)


NODES, EDGES = 200, 1000
SENDERS, RECEIVERS = integers(2, EDGES, high=NODES)


def graph(nodes, edges=None, context=None):
    return jraph.GraphsTuple(nodes, edges, RECEIVERS, SENDERS, context, np.array([NODES], np.int32),
                             np.array([EDGES], np.int32))


def message_passing(nodes, edges):
    g = graph(nodes, edges, jnp.zeros((1, 4), nodes.dtype))
    for _ in range(2):
        mlps = [jraph.concatenated_args(hk.nets.MLP([32, 16])) for _ in range(3)]
        g = jraph.GraphNetwork(*mlps)(g)
    return g.nodes, g.globals


MESSAGE_PASSING = hk.without_apply_rng(hk.transform(message_passing))


@program(lambda make=initial(lambda: MESSAGE_PASSING.init(
    jax.random.key(0), normal(NODES, 8), normal(EDGES, 4))): (
        make(), normal(NODES, 8), normal(EDGES, 4, seed=1)))
def jraph_message_passing_gradient(weights, nodes, edges):
    def loss(weights):
        return sum(jnp.mean(x ** 2) for x in MESSAGE_PASSING.apply(weights, nodes, edges))
    return jax.value_and_grad(loss)(weights)


@program(lambda: (normal(64, 104), normal(64, 9, seed=1)))
def e3nn_tensor_product(x, y):
    x = e3nn.IrrepsArray("16x0e + 16x1o + 8x2e", x)
    y = e3nn.IrrepsArray("0e + 1o + 2e", y)
    harmonics = e3nn.spherical_harmonics([0, 1, 2, 3], y.filter("1o"), True)
    return e3nn.tensor_product(x, y).array, harmonics.array


OPTIMIZERS = (optax.adamw(1e-3), optax.lion(1e-3), optax.lamb(1e-3), optax.adafactor(1e-3),
              optax.rmsprop(1e-3), optax.yogi(1e-3), optax.contrib.muon(1e-3))


@program(lambda: (dict(w=normal(128, 64), b=normal(64)),
                  dict(w=normal(128, 64, seed=2), b=normal(64, seed=3))))
def optax_optimizers(weights, gradient):
    return [o.update(gradient, o.init(weights), weights)[0] for o in OPTIMIZERS]
