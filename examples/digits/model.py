"""Handwritten digits: trains a small network in JAX and writes it as StableHLO.

    python model.py [--folder .] [--name digits] [--batch 1] [--width 128] [--steps 600]

FOLDER/NAME.mlir computes the scores of the ten digits, f32[BATCH,10], of images f32[BATCH,64]. The
weights are constants of the program. digits.txt gets the 360 images that were not trained on, one
per line, and labels.txt what they show.

The data are scikit-learn's: 1,797 images of 8x8 pixels, each from 0 (white) to 16 (black).
"""
import argparse
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def scores(params, x):
    x = x / 16
    for w, b in params[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = params[-1]
    return x @ w + b


def init(key, sizes):
    keys = jax.random.split(key, len(sizes))
    return [(jax.random.normal(k, (m, n)) * np.sqrt(2 / m), jnp.zeros(n))
            for k, m, n in zip(keys, sizes, sizes[1:])]


def moved(key, x):
    """Images moved by up to one pixel in each direction: people do not draw in the middle."""
    images = jnp.pad(x.reshape(-1, 8, 8), ((0, 0), (1, 1), (1, 1)))
    corners = jax.random.randint(key, (len(x), 2), 0, 3)
    cut = jax.vmap(lambda image, at: jax.lax.dynamic_slice(image, at, (8, 8)))
    return cut(images, corners).reshape(-1, 64)


@jax.jit
def train_step(params, momentum, key, x, y, rate):
    def loss(params):
        log_p = jax.nn.log_softmax(scores(params, moved(key, x)))
        return -jnp.take_along_axis(log_p, y[:, None], axis=1).mean()

    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, jax.grad(loss)(params))
    return jax.tree.map(lambda p, m: p - rate * m, params, momentum), momentum


def data():
    digits = load_digits()
    return train_test_split(digits.data.astype(np.float32), digits.target.astype(np.int32),
                            test_size=360, random_state=0, stratify=digits.target)


def train(width=128, steps=600, seed=0):
    x, _, y, _ = data()
    key = jax.random.key(seed)
    params = init(key, [64, width, width, 10])
    momentum = jax.tree.map(jnp.zeros_like, params)
    order = np.random.default_rng(seed)
    for step in range(steps):
        pick = order.choice(len(x), 128, replace=False)
        params, momentum = train_step(params, momentum, jax.random.fold_in(key, step), x[pick],
                                      y[pick], 0.1 * (1 - step / steps))
    return params


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--name", default="digits")
    parser.add_argument("--batch", type=int, nargs="+", default=[1],
                        help="of several, each gets a file of its own: NAME-BATCH.mlir")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--steps", type=int, default=600)
    options = parser.parse_args()

    params = train(options.width, options.steps)
    _, x, _, y = data()
    print(f"{100 * (scores(params, x).argmax(1) == y).mean():.1f} % of the test images are right")
    np.savetxt(options.folder / "digits.txt", x, fmt="%g")
    np.savetxt(options.folder / "labels.txt", y, fmt="%d")
    predict = jax.jit(lambda x: scores(params, x))
    for batch in options.batch:
        name = options.name if len(options.batch) == 1 else f"{options.name}-{batch}"
        lowered = predict.lower(jax.ShapeDtypeStruct((batch, 64), jnp.float32))
        (options.folder / f"{name}.mlir").write_text(lowered.as_text(debug_info=True))


if __name__ == "__main__":
    main()
