"""Smoke programs about JAX's transformations and control flow."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from smoke_tools import close, data, equal, layers, perceptron


def check_cond():
    f = jax.jit(lambda x: lax.cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, x))
    equal(f(jnp.ones(3)), [2, 2, 2])
    equal(f(-jnp.ones(3)), [-2, -2, -2])
    g = jax.jit(lambda i: lax.switch(i, [lambda: 1, lambda: 10, lambda: 100]))
    assert [int(g(i)) for i in (-1, 0, 1, 2, 7)] == [1, 1, 10, 100, 100]


def check_while():
    def steps(n):
        return lax.while_loop(lambda s: s[0] != 1, lambda s: (
            jnp.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1), (n, 0))[1]
    assert int(jax.jit(steps)(27)) == 111
    equal(jax.jit(jax.vmap(steps))(jnp.array([1, 6, 27])), [0, 8, 111])


def check_fori():
    f = jax.jit(lambda x: lax.fori_loop(0, 10, lambda i, x: x.at[i].add(x.sum()), x))
    expected = np.arange(10.0)
    for i in range(10):
        expected[i] += expected.sum()
    equal(f(jnp.arange(10.0)), expected)


def check_scan():
    w, xs = data(4, 4) / 4, data(7, 4, seed=1)
    last, all_ = jax.jit(lambda w, xs: lax.scan(
        lambda h, x: ((y := jnp.tanh(w @ h + x)), y * 2), jnp.zeros(4), xs))(w, xs)
    h, expected = np.zeros(4, np.float32), []
    for x in xs:
        h = np.tanh(w @ h + x)
        expected.append(2 * h)
    close(last, h)
    close(all_, expected)


def check_nested_loops():
    def f(x):
        outer = lambda c, row: (lax.fori_loop(0, 3, lambda i, c: c + row[i] * i, c), c)
        return lax.scan(outer, 0.0, x)
    total, partial = jax.jit(f)(jnp.arange(12.0).reshape(4, 3))
    rows = np.arange(12.0).reshape(4, 3) @ np.arange(3)
    equal(total, rows.sum())
    equal(partial, np.concatenate([[0], np.cumsum(rows)[:-1]]))


def check_associative_scan():
    x = data(33)
    close(lax.associative_scan(jnp.add, x), np.cumsum(x), 1e-4, 1e-5)


def check_gradient():
    x = data(5)
    f = lambda x: jnp.sum(jnp.sin(x) * x**2)
    close(jax.jit(jax.grad(f))(x), np.cos(x) * x**2 + 2 * x * np.sin(x))
    value, gradient = jax.value_and_grad(f)(x)
    close(value, np.sum(np.sin(x) * x**2))
    assert gradient.shape == x.shape


def check_second_derivatives():
    x = data(4)
    close(jax.hessian(lambda x: jnp.prod(x) + (x**3).sum())(x), np.where(
        np.eye(4), np.diag(6 * x), [[np.prod(np.delete(x, [i, j])) for j in range(4)]
                                    for i in range(4)]), 1e-4)
    close(jax.jacfwd(jnp.cumsum)(x), np.tril(np.ones((4, 4))))


def check_forward_mode():
    x, v = data(6), data(6, seed=1)
    y, t = jax.jvp(jnp.exp, (x,), (v,))
    close(t, np.exp(x) * v)
    y, linear = jax.linearize(jnp.tanh, x)
    close(linear(v), (1 - np.tanh(x) ** 2) * v, 1e-4)


def check_gradient_through_scan():
    f = lambda w: lax.scan(lambda c, _: (jnp.sin(c * w), None), 1.0, None, length=5)[0]
    h = 1e-2
    close(jax.jit(jax.grad(f))(0.7), (f(0.7 + h) - f(0.7 - h)) / (2 * h), 1e-2)


def check_custom_derivative():
    @jax.custom_vjp
    def f(x):
        return x * 2
    f.defvjp(lambda x: (f(x), x), lambda x, g: (g * 10 * x,))
    equal(jax.grad(lambda x: f(x).sum())(jnp.arange(3.0)), [0, 10, 20])


def check_checkpoint():
    w = layers((5, 7, 3))
    loss = lambda w, x: (perceptron(w, x) ** 2).sum()
    x = data(4, 5, seed=9)
    plain, saved = (jax.jit(jax.grad(f))(w, x) for f in (loss, jax.checkpoint(loss)))
    for a, b in zip(jax.tree.leaves(plain), jax.tree.leaves(saved)):
        close(a, b, 1e-5, 1e-5)


def check_vmap():
    a, b = data(3, 4, 5), data(5, seed=1)
    close(jax.vmap(lambda a: a @ b)(a), a @ b, 1e-4, 1e-5)
    close(jax.vmap(jnp.linalg.inv)(a[:, :, :4] + 4 * np.eye(4, dtype=np.float32)),
          np.linalg.inv(a[:, :, :4] + 4 * np.eye(4)), 1e-3, 1e-4)
    equal(jax.vmap(lambda x, i: x[i], in_axes=(1, 0))(a[0], np.array([0, 1, 2, 3, 0])),
          a[0][[0, 1, 2, 3, 0], np.arange(5)])


def check_static_arguments():
    f = jax.jit(lambda x, n, flip=False: (x[::-1] if flip else x)[:n],
                static_argnums=1, static_argnames="flip")
    equal(f(jnp.arange(5), 2), [0, 1])
    equal(f(jnp.arange(5), 3, flip=True), [4, 3, 2])


def check_trees():
    f = jax.jit(lambda t: {"sum": t["a"] + t["b"][0], "rest": (t["b"][1:], None)})
    out = f({"a": 1.0, "b": [jnp.ones(2), 3, np.arange(2)]})
    equal(out["sum"], [2, 2])
    assert out["rest"][0][0] == 3 and out["rest"][1] is None


def check_training():
    """Plain gradient descent by JAX and, with derivatives by hand, by NumPy."""
    x = data(64, 3)
    y = np.sin(x.sum(1, keepdims=True))
    weights = layers((3, 16, 1))

    @jax.jit
    def step(weights):
        loss, g = jax.value_and_grad(lambda w: ((perceptron(w, x) - y) ** 2).mean())(weights)
        return loss, jax.tree.map(lambda w, g: w - 0.1 * g, weights, g)

    (w1, b1), (w2, b2) = [(w.astype(np.float64), b.astype(np.float64)) for w, b in weights]
    first = None
    for _ in range(50):
        loss, weights = step(weights)
        h = np.tanh(x @ w1 + b1)
        error = h @ w2 + b2 - y
        close(loss, (error**2).mean(), 1e-3, 1e-5)
        first = first or float(loss)
        d = 2 * error / len(x)
        dh = d @ w2.T * (1 - h**2)
        w2, b2 = w2 - 0.1 * h.T @ d, b2 - 0.1 * d.sum(0)
        w1, b1 = w1 - 0.1 * x.T @ dh, b1 - 0.1 * dh.sum(0)
    assert float(loss) < first / 2


def check_attention():
    q, k, v = (data(2, 7, 3, 8, seed=i) for i in range(3))
    mask = np.tril(np.ones((7, 7), bool))

    def attention(q, k, v):
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / jnp.sqrt(8.0)
        return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(jnp.where(mask, scores, -1e9)), v)

    s = np.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(8)
    p = np.exp(s) * mask
    close(jax.jit(attention)(q, k, v), np.einsum(
        "bhqk,bkhd->bqhd", p / p.sum(-1, keepdims=True), v), 1e-4, 1e-5)
    close(jax.nn.dot_product_attention(q, k, v, is_causal=True), attention(q, k, v), 1e-4, 1e-5)


def check_sharding_on_one_device():
    from jax.sharding import Mesh, NamedSharding, PartitionSpec
    mesh = Mesh(np.array(jax.devices()[:1]), ("x",))
    x = jax.device_put(jnp.arange(8.0), NamedSharding(mesh, PartitionSpec("x")))
    assert float(jax.jit(lambda x: x.sum())(x)) == 28
    if not (shard_map := getattr(jax, "shard_map", None)):
        from jax.experimental.shard_map import shard_map
    f = shard_map(lambda x: lax.psum(x * 2, "x"), mesh=mesh, in_specs=PartitionSpec("x"),
                  out_specs=PartitionSpec())
    equal(jax.jit(f)(x), 2 * np.arange(8))


def check_sparse():
    from jax.experimental import sparse
    dense = np.where(data(6, 5) > 0.5, data(6, 5, seed=1), 0)
    m = sparse.BCOO.fromdense(dense)
    close(jax.jit(lambda m, v: m @ v)(m, np.arange(5.0, dtype=np.float32)), dense @ np.arange(5))


def check_large_constants():
    table = data(1000, 50)
    f = jax.jit(functools.partial(lambda i, t: jnp.asarray(t)[i].sum(), t=table))
    close(f(17), table[17].sum(), 1e-4, 1e-5)
