"""A small convolutional network on scikit-learn's handwritten digits.

Ordinary Flax (linen) and Optax code, which does not depend on the platform. To run it alone:
`JAX_PLATFORMS=tenon python examples/digits_cnn.py`.

The data are 1,797 real 8x8 images of handwritten digits from the PyPI package scikit-learn: 1,437 for
training and 360 for testing.
"""
import argparse

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training import train_state
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

NAME = "digits CNN"
STEPS = 400
BATCH = 64
UNIT = "accuracy on the test images"
TARGET = 0.97  # of UNIT, at least


class CNN(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = nn.gelu(nn.Conv(32, (3, 3))(x))
        x = nn.max_pool(x, (2, 2), strides=(2, 2))
        x = nn.gelu(nn.Conv(64, (3, 3))(x))
        x = nn.max_pool(x, (2, 2), strides=(2, 2))
        x = x.reshape(x.shape[0], -1)
        x = nn.gelu(nn.Dense(128)(x))
        x = nn.Dropout(0.25, deterministic=not train)(x)
        return nn.Dense(10)(x)


def load():
    digits = load_digits()
    images = (digits.images[..., None] / 16.0).astype(np.float32)
    return train_test_split(images, digits.target.astype(np.int32), test_size=360,
                            random_state=0, stratify=digits.target)


@jax.jit
def train_step(state, images, labels, key):
    def loss_of(params):
        logits = state.apply_fn({"params": params}, images, train=True,
                                rngs={"dropout": jax.random.fold_in(key, state.step)})
        targets = optax.smooth_labels(jax.nn.one_hot(labels, 10), 0.1)
        return optax.softmax_cross_entropy(logits, targets).mean()

    loss, gradients = jax.value_and_grad(loss_of)(state.params)
    return state.apply_gradients(grads=gradients), loss


@jax.jit
def accuracy(state, images, labels):
    logits = state.apply_fn({"params": state.params}, images, train=False)
    return (logits.argmax(-1) == labels).mean()


def training(steps=STEPS, seed=0):
    """Trains; yields the loss of each step; returns the accuracy on the test images."""
    train_x, test_x, train_y, test_y = load()
    model = CNN()
    params_key, dropout_key = jax.random.split(jax.random.key(seed))
    params = model.init(params_key, train_x[:1], train=False)["params"]
    schedule = optax.cosine_decay_schedule(3e-3, steps)
    state = train_state.TrainState.create(
        apply_fn=model.apply, params=params,
        tx=optax.adamw(schedule, eps=1e-6, weight_decay=1e-2))
    order = np.random.default_rng(seed)
    for _ in range(steps):
        pick = order.choice(len(train_x), BATCH, replace=False)
        state, loss = train_step(state, train_x[pick], train_y[pick], dropout_key)
        yield loss
    return float(accuracy(state, jnp.asarray(test_x), jnp.asarray(test_y)))


if __name__ == "__main__":
    from common import run_alone
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    run_alone(training(options.steps, options.seed), options.steps, UNIT)
