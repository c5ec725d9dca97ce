"""Training steps of Flax models with Optax optimizers, step by step against built-in CPU."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from conftest import PLATFORM
from flax import nnx


class MLP(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = nn.Dense(64)(x.reshape(x.shape[0], -1))
        x = nn.LayerNorm()(nn.gelu(x))
        x = nn.Dropout(0.1, deterministic=not train)(x)
        return nn.Dense(5)(nn.silu(nn.Dense(32)(x)))


class CNN(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = nn.Conv(8, (3, 3))(x)
        x = nn.relu(nn.BatchNorm(use_running_average=not train)(x))
        x = nn.max_pool(x, (2, 2), (2, 2))
        x = nn.relu(nn.GroupNorm(4)(nn.Conv(16, (3, 3), strides=(2, 2))(x)))
        x = nn.avg_pool(x, (2, 2), (1, 1), "SAME")
        x = nn.relu(nn.Conv(16, (3, 3), feature_group_count=16)(x))
        return nn.Dense(5)(x.mean((1, 2)))


class Recurrent(nn.Module):
    cell: type

    @nn.compact
    def __call__(self, x, train):
        x = x.reshape(x.shape[0], 12, -1)
        x = nn.RNN(self.cell(24))(x)
        x = nn.Bidirectional(nn.RNN(self.cell(8)), nn.RNN(self.cell(8)))(x)
        return nn.Dense(5)(x[:, -1])


class Transformer(nn.Module):
    dtype: object = jnp.float32

    @nn.compact
    def __call__(self, x, train):
        tokens = (x.reshape(x.shape[0], -1)[:, :24] * 3).astype(jnp.int32) % 17
        y = nn.Embed(17, 32, dtype=self.dtype)(tokens)
        y = y + self.param("position", nn.initializers.normal(0.02), (24, 32)).astype(y.dtype)
        mask = nn.make_causal_mask(tokens)
        for _ in range(2):
            y = y + nn.SelfAttention(4, dtype=self.dtype)(
                nn.LayerNorm(dtype=self.dtype)(y), mask)
            z = nn.Dense(64, dtype=self.dtype)(nn.RMSNorm(dtype=self.dtype)(y))
            y = y + nn.Dense(32, dtype=self.dtype)(nn.gelu(z))
        return nn.Dense(5, dtype=self.dtype)(y.mean(1)).astype(jnp.float32)


OPTIMIZERS = {
    "adam": optax.adam(1e-3, eps=1e-5), "sgd": optax.sgd(0.01, momentum=0.9),
    "adamw_clip": optax.chain(optax.clip_by_global_norm(1.0),
                              optax.adamw(optax.cosine_decay_schedule(1e-3, 20), eps=1e-5)),
    "rmsprop": optax.rmsprop(1e-3, eps=1e-3), "nesterov": optax.sgd(0.01, momentum=0.9, nesterov=True),
    "adafactor": optax.adafactor(1e-3),
}


def train(device, model, optimizer, steps=8):
    """Losses, gradient norms of each step and the final parameters, trained on `device`."""
    random = np.random.default_rng(0)
    x = random.standard_normal((16, 12, 12, 2)).astype(np.float32)
    y = random.integers(0, 5, 16).astype(np.int32)
    with jax.default_device(device):
        variables = jax.jit(lambda k: model.init(k, x, train=False))(jax.random.PRNGKey(0))
        params = variables.pop("params")
        state = optimizer.init(params)

        def step(params, variables, state, x, y, key):
            def loss_of(params):
                logits, changed = model.apply(
                    {"params": params, **variables}, x, train=True, rngs={"dropout": key},
                    mutable=list(variables))
                return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean(), changed
            (loss, changed), gradients = jax.value_and_grad(loss_of, has_aux=True)(params)
            updates, state = optimizer.update(gradients, state, params)
            return (optax.apply_updates(params, updates), changed or variables, state, loss,
                    optax.global_norm(gradients))

        step = jax.jit(step, donate_argnums=(0, 1, 2))
        losses = []
        for i in range(steps):
            params, variables, state, loss, norm = step(
                params, variables, state, x, y, jax.random.PRNGKey(i))
            assert loss.devices() == {device}
            losses.append((float(loss), float(norm)))
    return np.array(losses), jax.tree.map(np.asarray, params)


def check_training(model, optimizer, rtol=2e-4, steps=8):
    ours, our_params = train(jax.devices(PLATFORM)[0], model, optimizer, steps)
    theirs, their_params = train(jax.devices("cpu")[0], model, optimizer, steps)
    assert np.isfinite(ours).all()
    np.testing.assert_allclose(ours, theirs, rtol=rtol)
    for a, b in zip(jax.tree.leaves(our_params), jax.tree.leaves(their_params)):
        # A parameter whose gradient is zero up to rounding (a bias before a batch norm) drifts by
        # about the step size, so it is compared on the scale of the others.
        scale = max(np.abs(b).max(), 1e-2)
        np.testing.assert_allclose(a, b, rtol=20 * rtol, atol=20 * rtol * scale)
    assert ours[-1, 0] < ours[0, 0]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_mlp(optimizer):
    check_training(MLP(), OPTIMIZERS[optimizer])


def test_cnn():
    check_training(CNN(), OPTIMIZERS["adam"])


@pytest.mark.parametrize("cell", [nn.LSTMCell, nn.GRUCell, nn.SimpleCell])
def test_rnn(cell):
    check_training(Recurrent(cell), OPTIMIZERS["adam"])


def test_transformer():
    check_training(Transformer(), OPTIMIZERS["adamw_clip"])


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_transformer_in_half_precision(dtype):
    check_training(Transformer(jnp.dtype(dtype)), OPTIMIZERS["sgd"], rtol=5e-2, steps=4)


def test_gradient_accumulation_by_scan():
    def f(w, xs):
        def step(total, x):
            loss, gradient = jax.value_and_grad(lambda w: (jnp.tanh(x @ w) ** 2).mean())(w)
            return total + gradient, loss
        total, losses = jax.lax.scan(step, jnp.zeros_like(w), xs)
        return total, losses
    random = np.random.default_rng(0)
    w, xs = random.standard_normal((7, 5)), random.standard_normal((6, 9, 7))
    w, xs = w.astype(np.float32), xs.astype(np.float32)
    results = []
    for device in (jax.devices(PLATFORM)[0], jax.devices("cpu")[0]):
        results.append(jax.jit(f)(*jax.device_put((w, xs), device)))
    for a, b in zip(*results):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_nnx_model():
    class Model(nnx.Module):
        def __init__(self, rngs):
            self.first = nnx.Linear(6, 16, rngs=rngs)
            self.norm = nnx.BatchNorm(16, rngs=rngs)
            self.second = nnx.Linear(16, 1, rngs=rngs)

        def __call__(self, x):
            return self.second(nnx.relu(self.norm(self.first(x))))

    def losses_on(device):
        with jax.default_device(device):
            model = Model(nnx.Rngs(0))
            optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
            x = jnp.asarray(np.random.default_rng(0).standard_normal((32, 6)), jnp.float32)

            @nnx.jit
            def step(model, optimizer):
                loss, gradients = nnx.value_and_grad(
                    lambda m: ((m(x)[:, 0] - x.sum(1)) ** 2).mean())(model)
                optimizer.update(model, gradients)
                return loss
            return [float(step(model, optimizer)) for _ in range(10)]

    ours, theirs = losses_on(jax.devices(PLATFORM)[0]), losses_on(jax.devices("cpu")[0])
    np.testing.assert_allclose(ours, theirs, rtol=1e-3)


def test_weights_are_updated_in_place():
    """Gradients read the weights that the step replaces, so in-place products must come later."""
    random = np.random.RandomState(0)
    shapes = [(40, 64), (64, 64), (64, 33)]
    weights = [random.standard_normal(s).astype(np.float32) / 8 for s in shapes]
    moments = [np.zeros(s, np.float32) for s in shapes]
    x = random.standard_normal((24, 40)).astype(np.float32)

    def loss(weights):
        y = x
        for w in weights:
            y = jnp.tanh(y @ w)
        return (y ** 2).mean()

    def step(weights, moments):
        gradients = jax.grad(loss)(weights)
        moments = [0.9 * m + g for m, g in zip(moments, gradients)]
        return [w - 0.5 * m + 0.01 * w for w, m in zip(weights, moments)], moments

    with jax.disable_jit():
        expected = [np.array(y) for y in sum(step(weights, moments), [])]
    result = sum(jax.jit(step, donate_argnums=(0, 1))(
        *jax.device_put((weights, moments))), [])
    for got, wanted in zip(result, expected):
        np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=2e-6)
