"""Recurrent networks, attention, decoding and losses."""
import jax
import jax.numpy as jnp
from jax import lax

from .registry import integers, key, normal, program, weights


@program(lambda: (normal(50, 16, 32), weights(32, 256, seed=1), weights(64, 256, seed=2)))
def lstm_forward(x, wi, wh):
    def step(state, x):
        h, c = state
        i, f, g, o = jnp.split(x @ wi + h @ wh, 4, -1)
        c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h
    zero = jnp.zeros((16, 64))
    return lax.scan(step, (zero, zero), x)[1]


@program(lambda: (normal(30, 16, 32), normal(16, seed=4), weights(32, 96, seed=1),
                  weights(32, 96, seed=2), weights(32, 1, seed=3)))
def gru_training_gradient(x, y, wi, wh, wo):
    def loss(p):
        def step(h, x):
            a, b = x @ p[0], h @ p[1]
            z = jax.nn.sigmoid(a[:, :32] + b[:, :32])
            r = jax.nn.sigmoid(a[:, 32:64] + b[:, 32:64])
            n = jnp.tanh(a[:, 64:] + r * b[:, 64:])
            return (1 - z) * n + z * h, None
        h, _ = lax.scan(step, jnp.zeros((16, 32)), x)
        return jnp.mean(((h @ p[2])[:, 0] - y) ** 2)
    return jax.value_and_grad(loss)((wi, wh, wo))


def layer_norm(x):
    return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


@program(lambda: (integers(4, 64, high=65), weights(65, 64, seed=1), normal(64, 64, seed=2),
                  weights(64, 192, seed=3), weights(64, 64, seed=4), weights(64, 256, seed=5),
                  weights(256, 64, seed=6)))
def character_gpt_training_gradient(tokens, embed, position, qkv, out, up, down):
    def loss(p):
        embed, position, qkv, out, up, down = p
        h = embed[tokens] + 0.1 * position
        x = layer_norm(h) @ qkv
        q, k, v = (a.reshape(4, 64, 4, 16) for a in jnp.split(x, 3, -1))
        s = jnp.einsum("bqhd,bkhd->bhqk", q, k) / 4
        s = jnp.where(jnp.tril(jnp.ones((64, 64), bool)), s, -1e9)
        h = h + jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(s), v).reshape(4, 64, 64) @ out
        h = h + jax.nn.gelu(layer_norm(h) @ up) @ down
        logp = jax.nn.log_softmax(layer_norm(h) @ embed.T)
        return -jnp.mean(jnp.take_along_axis(logp[:, :-1], tokens[:, 1:, None], -1))
    return jax.value_and_grad(loss)((embed, position, qkv, out, up, down))


@program(lambda: (normal(2, 128, 8, 32), normal(2, 128, 2, 32, seed=1),
                  normal(2, 128, 2, 32, seed=2)))
def grouped_query_attention_rope(q, k, v):
    def rope(x):
        t = jnp.arange(128)[:, None] * 10000.0 ** (-jnp.arange(16) / 16)
        c, s = jnp.cos(t)[:, None], jnp.sin(t)[:, None]
        a, b = jnp.split(x, 2, -1)
        return jnp.concatenate([a * c - b * s, a * s + b * c], -1)
    q, k = rope(q).reshape(2, 128, 2, 4, 32), rope(k)
    s = jnp.einsum("bqgrd,bkgd->bgrqk", q, k) / 32 ** 0.5
    s = jnp.where(jnp.tril(jnp.ones((128, 128), bool)), s, -jnp.inf)
    return jnp.einsum("bgrqk,bkgd->bqgrd", jax.nn.softmax(s), v).reshape(2, 128, 256)


@program(lambda: (normal(2, 4, 256, 32), normal(2, 4, 256, 32, seed=1),
                  normal(2, 4, 256, 32, seed=2)))
def sliding_window_soft_capped_attention(q, k, v):
    s = jnp.einsum("bhqd,bhkd->bhqk", q, k) / 32 ** 0.5
    s = 20 * jnp.tanh(s / 20)
    i = jnp.arange(256)
    near = (i[:, None] >= i) & (i[:, None] - i < 64)
    return jax.nn.softmax(jnp.where(near, s, -1e30)) @ v


@program(lambda: (normal(4, 8, 16), normal(4, 256, 8, 16, seed=1), normal(4, 256, 8, 16, seed=2),
                  integers(4, low=10, high=200, seed=3)))
def decode_step_with_cache(q, keys, values, position):
    row = jnp.arange(4)
    keys = keys.at[row, position].set(q)
    values = values.at[row, position].set(2 * q)
    s = jnp.einsum("bhd,bkhd->bhk", q, keys) / 4
    s = jnp.where(jnp.arange(256) <= position[:, None, None], s, -jnp.inf)
    return jnp.einsum("bhk,bkhd->bhd", jax.nn.softmax(s), values), keys


@program(lambda: (normal(5000, 64), integers(32, 50, high=5000), normal(32, 64, seed=1)))
def embedding_bag_gradient(table, tokens, target):
    return jax.grad(lambda t: jnp.mean((t[tokens].mean(1) - target) ** 2))(table)


@program(lambda: (normal(2000, 32), normal(2000, 32, seed=1), integers(256, high=2000, seed=2),
                  integers(256, 6, high=2000, seed=3)))
def word2vec_negative_sampling_step(inputs, outputs, centre, context):
    def loss(p):
        score = jnp.einsum("bd,bkd->bk", p[0][centre], p[1][context])
        sign = jnp.array([1.0, -1, -1, -1, -1, -1])
        return -jnp.mean(jnp.sum(jax.nn.log_sigmoid(score * sign), 1))
    value, g = jax.value_and_grad(loss)((inputs, outputs))
    return value, jax.tree.map(lambda p, g: p - 0.5 * g, (inputs, outputs), g)


@program(lambda: (normal(8, 100, 30), integers(8, 20, low=1, high=30)))
def ctc_loss_gradient(logits, labels):
    extended = jnp.zeros((8, 41), jnp.int32).at[:, 1::2].set(labels)
    skip = (extended != 0) & (extended != jnp.roll(extended, 2, 1))

    def loss(logits):
        logp = jax.nn.log_softmax(logits)
        emit = jnp.take_along_axis(logp, jnp.broadcast_to(extended[:, None], (8, 100, 41)), 2)
        start = jnp.full((8, 41), -1e5).at[:, :2].set(emit[:, 0, :2])

        def step(a, e):
            one = jnp.pad(a, ((0, 0), (1, 0)), constant_values=-1e5)[:, :-1]
            two = jnp.pad(a, ((0, 0), (2, 0)), constant_values=-1e5)[:, :-2]
            a = jnp.logaddexp(jnp.logaddexp(a, one), jnp.where(skip, two, -1e5)) + e
            return a, None
        a, _ = lax.scan(step, start, emit[:, 1:].transpose(1, 0, 2))
        return -jnp.mean(jnp.logaddexp(a[:, -1], a[:, -2]))
    return jax.value_and_grad(loss)(logits)


@program(lambda: (normal(8, 200, 100), normal(100, 100, seed=1)), flips=0.01)
def beam_search_bigram(emissions, transition):
    def decode(e):
        def step(state, x):
            score, last = state
            total = score[:, None] + jax.nn.log_softmax(x + transition[last])
            score, flat = lax.top_k(total.ravel(), 4)
            return (score, flat % 100), (flat // 100, flat % 100)
        init = (jnp.array([0.0, -1e9, -1e9, -1e9]), jnp.zeros(4, jnp.int32))
        (score, _), back = lax.scan(step, init, e[:20])
        return score, back
    return jax.vmap(decode)(emissions)


@program(lambda: (normal(16, 5000), key(1)), flips=0.1)
def top_k_sampling(logits, rng):
    top, index = lax.top_k(logits / 0.8, 50)
    choice = jnp.argmax(top + jax.random.gumbel(rng, top.shape, jnp.float32), -1)
    return jnp.take_along_axis(index, choice[:, None], 1)[:, 0]


@program(lambda: (normal(2, 5000), key(2)), flips=0.1)
def nucleus_sampling(logits, rng):
    order = jnp.argsort(-logits, axis=-1)
    ranked = jnp.take_along_axis(logits, order, -1)
    p = jax.nn.softmax(ranked)
    keep = jnp.cumsum(p, -1) - p < 0.9
    noisy = jnp.where(keep, ranked, -jnp.inf) \
        + jax.random.gumbel(rng, ranked.shape, jnp.float32)
    return jnp.take_along_axis(order, jnp.argmax(noisy, -1)[:, None], 1)[:, 0].astype(jnp.int32)


@program(lambda: (normal(256, 64), normal(256, 64, seed=1)))
def contrastive_clip_loss_gradient(a, b):
    def loss(a, b):
        a = a / jnp.linalg.norm(a, axis=1, keepdims=True)
        b = b / jnp.linalg.norm(b, axis=1, keepdims=True)
        logits = a @ b.T / 0.07
        diagonal = jnp.diag(logits)
        return -jnp.mean(2 * diagonal - jax.nn.logsumexp(logits, 0) - jax.nn.logsumexp(logits, 1))
    return jax.value_and_grad(loss, (0, 1))(a, b)


@program(lambda: (normal(1000, 20), integers(1000, high=20)))
def focal_and_smoothed_losses_gradient(logits, labels):
    def loss(x):
        one = jax.nn.one_hot(labels, 20)
        p = jax.nn.sigmoid(x)
        pt = jnp.where(one > 0, p, 1 - p)
        focal = -jnp.mean((1 - pt) ** 2 * jnp.log(pt + 1e-7))
        soft = 0.9 * one + 0.1 / 20
        return focal - jnp.mean(jnp.sum(soft * jax.nn.log_softmax(x), 1))
    return jax.value_and_grad(loss)(logits)


@program(lambda: (normal(4, 256, 32), normal(4, 256, 32, seed=1), normal(32, 8, seed=2),
                  normal(4, 256, 8, seed=3), normal(4, 256, 8, seed=4)))
def selective_state_space_scan(x, dt, a, b, c):
    dt = jax.nn.softplus(dt)
    decay = jnp.exp(-dt[..., None] * jnp.exp(a))
    drive = (dt * x)[..., None] * b[:, :, None]

    def combine(l, r):  # noqa: E741
        return l[0] * r[0], r[0] * l[1] + r[1]
    _, h = lax.associative_scan(combine, (decay, drive), axis=1)
    return jnp.einsum("btdn,btn->btd", h, c)


@program(lambda: (normal(512, 64), weights(64, 8, seed=1), weights(8, 64, 128, seed=2),
                  weights(8, 128, 64, seed=3)))
def mixture_of_experts_capacity(x, gate, up, down):
    probability = jax.nn.softmax(x @ gate)
    weight, expert = lax.top_k(probability, 1)
    one = jax.nn.one_hot(expert[:, 0], 8, dtype=jnp.int32)
    slot = jnp.sum(jnp.cumsum(one, 0) * one, 1) - 1
    kept = slot < 96
    buffers = jnp.zeros((8, 96, 64)).at[expert[:, 0], slot].set(x, mode="drop")
    h = jnp.einsum("ech,ehd->ecd", jax.nn.gelu(jnp.einsum("ecd,edh->ech", buffers, up)), down)
    out = h[expert[:, 0], jnp.minimum(slot, 95)]
    return jnp.where(kept[:, None], weight * out, x)
