"""A small transformer that learns to write, character by character.

Ordinary Flax (nnx) and Optax code, which does not depend on the platform. To run it alone:
`JAX_PLATFORMS=tenon python examples/char_transformer.py`.

The training text is in /usr/share/common-licenses, from the Debian package base-files (the GNU licences,
Apache, Artistic, BSD, MPL, CC0): some 230,000 characters of English on every Debian system.
`--text FILE` uses another text.
"""
import argparse
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

NAME = "character transformer"
STEPS = 300
BATCH = 16
CONTEXT = 64
UNIT = "bits per character on text not trained on"
TARGET = None
TEXT = pathlib.Path("/usr/share/common-licenses")


class Block(nnx.Module):
    def __init__(self, width, heads, rngs):
        self.norm1 = nnx.LayerNorm(width, rngs=rngs)
        self.attention = nnx.MultiHeadAttention(heads, width, decode=False, rngs=rngs)
        self.norm2 = nnx.LayerNorm(width, rngs=rngs)
        self.up = nnx.Linear(width, 4 * width, rngs=rngs)
        self.down = nnx.Linear(4 * width, width, rngs=rngs)

    def __call__(self, x, mask):
        x = x + self.attention(self.norm1(x), mask=mask)
        return x + self.down(nnx.gelu(self.up(self.norm2(x))))


class Transformer(nnx.Module):
    def __init__(self, vocabulary, rngs, width=128, heads=4, layers=2):
        self.token = nnx.Embed(vocabulary, width, rngs=rngs)
        self.position = nnx.Embed(CONTEXT, width, rngs=rngs)
        self.blocks = nnx.List([Block(width, heads, rngs) for _ in range(layers)])
        self.norm = nnx.LayerNorm(width, rngs=rngs)
        self.head = nnx.Linear(width, vocabulary, rngs=rngs)

    def __call__(self, tokens):
        mask = nnx.make_causal_mask(tokens)
        x = self.token(tokens) + self.position(jnp.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x, mask)
        return self.head(self.norm(x))


def load(path=TEXT):
    """The text as numbers, and how many different characters it has."""
    path = pathlib.Path(path)
    files = [f for f in sorted(path.iterdir()) if f.is_file() and not f.is_symlink()] \
        if path.is_dir() else [path]
    text = "\n".join(f.read_text(encoding="utf-8", errors="replace") for f in files)
    characters, tokens = np.unique(np.array(list(text)), return_inverse=True)
    return tokens.astype(np.int32), len(characters)


def loss_of(model, tokens):
    logits = model(tokens[:, :-1])
    return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


@nnx.jit
def train_step(model, optimizer, tokens):
    loss, gradients = nnx.value_and_grad(loss_of)(model, tokens)
    optimizer.update(model, gradients)
    return loss


evaluate = nnx.jit(loss_of)


def start(steps=STEPS, seed=0, path=TEXT):
    """A model, its optimizer, the batches (NumPy arrays) of `steps` steps, and held-out text."""
    tokens, vocabulary = load(path)
    held_out, tokens = tokens[-8 * BATCH * CONTEXT - BATCH:], tokens[:-8 * BATCH * CONTEXT]
    model = Transformer(vocabulary, nnx.Rngs(seed))
    schedule = optax.warmup_cosine_decay_schedule(0.0, 2e-3, steps // 10, steps)
    optimizer = nnx.Optimizer(model, optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.adamw(schedule, eps=1e-6, weight_decay=1e-2)), wrt=nnx.Param)
    order = np.random.default_rng(seed)
    window = np.arange(CONTEXT + 1)
    batches = (tokens[order.integers(0, len(tokens) - CONTEXT - 1, (BATCH, 1)) + window]
               for _ in range(steps))
    return model, optimizer, batches, held_out


def training(steps=STEPS, seed=0, path=TEXT):
    """Trains; yields the loss of each step; returns bits per character on held-out text."""
    model, optimizer, batches, held_out = start(steps, seed, path)
    for tokens in batches:
        yield train_step(model, optimizer, jnp.asarray(tokens))
    starts = np.arange(8 * BATCH)[:, None] * CONTEXT
    losses = [evaluate(model, jnp.asarray(held_out[part + np.arange(CONTEXT + 1)]))
              for part in np.split(starts, 8)]
    return float(np.mean([float(x) for x in losses]) / np.log(2))


if __name__ == "__main__":
    from common import run_alone
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--text", default=TEXT, help="a file, or a folder of files")
    options = parser.parse_args()
    run_alone(training(options.steps, options.seed, options.text), options.steps, UNIT)
