"""Graph learning and graph algorithms: segment sums, adjacency products, relaxations."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.ops import segment_max, segment_sum

from .registry import integers, key, normal, program, uniform, weights


def edges(count, nodes, seed=0):
    return integers(2, count, high=nodes, seed=seed)


@program(lambda: (normal(2000, 64), edges(10000, 2000), weights(64, 32, seed=1),
                  weights(32, 7, seed=2)))
def gcn_forward(x, e, w1, w2):
    src, dst = e
    degree = segment_sum(jnp.ones(10000), dst, 2000) + 1
    norm = lax.rsqrt(degree)

    def layer(h, w):
        h = h @ w
        messages = (norm[src] * norm[dst])[:, None] * h[src]
        return segment_sum(messages, dst, 2000) + h / degree[:, None]
    return jax.nn.log_softmax(layer(jax.nn.relu(layer(x, w1)), w2))


@program(lambda: (normal(1000, 32), edges(6000, 1000), integers(1000, high=7, seed=3),
                  weights(32, 32, seed=1), weights(32, 7, seed=2)))
def gcn_training_gradient(x, e, labels, w1, w2):
    src, dst = e

    def loss(parameters):
        w1, w2 = parameters
        h = jax.nn.relu(segment_sum((x @ w1)[src], dst, 1000))
        logits = segment_sum((h @ w2)[src], dst, 1000)
        logp = jax.nn.log_softmax(logits)
        return -jnp.mean(jnp.take_along_axis(logp, labels[:, None], 1))
    return jax.value_and_grad(loss)((w1, w2))


@program(lambda: (normal(1000, 32), edges(5000, 1000), weights(32, 4, 8, seed=1),
                  normal(4, 8, seed=2), normal(4, 8, seed=3)))
def graph_attention_layer(x, e, w, a_src, a_dst):
    src, dst = e
    h = jnp.einsum("ni,ihd->nhd", x, w)
    score = jax.nn.leaky_relu((h * a_src).sum(-1)[src] + (h * a_dst).sum(-1)[dst], 0.2)
    peak = segment_max(score, dst, 1000)
    p = jnp.exp(score - peak[dst])
    p = p / (segment_sum(p, dst, 1000)[dst] + 1e-9)
    return jax.nn.elu(segment_sum(p[..., None] * h[src], dst, 1000))


@program(lambda: (normal(1500, 64), edges(12000, 1500), weights(128, 64, seed=1)))
def graphsage_mean_max(x, e, w):
    src, dst = e
    count = jnp.maximum(segment_sum(jnp.ones(12000), dst, 1500), 1)
    mean = segment_sum(x[src], dst, 1500) / count[:, None]
    top = segment_max(x[src], dst, 1500)
    top = jnp.where(jnp.isfinite(top), top, 0)
    out = jax.nn.relu(jnp.concatenate([x + mean, top], 1) @ w)
    return out / (jnp.linalg.norm(out, axis=1, keepdims=True) + 1e-6)


@program(lambda: (edges(30000, 5000),))
def pagerank_power(e):
    src, dst = e
    degree = jnp.maximum(segment_sum(jnp.ones(30000), src, 5000), 1)

    def step(_, rank):
        flow = segment_sum((rank / degree)[src], dst, 5000)
        return 0.15 / 5000 + 0.85 * flow
    return lax.fori_loop(0, 20, step, jnp.full(5000, 1 / 5000))


@program(lambda: (normal(300, 32), normal(1200, 16, seed=1), edges(1200, 300, seed=2),
                  integers(300, high=12, seed=5), weights(80, 64, seed=3), weights(64, 32, seed=4)))
def message_passing_edges_gradient(nodes, features, e, graph, w1, w2):
    """Molecules: edge network, three rounds of messages, sum read-out, gradient of weights."""
    src, dst = e

    def loss(w):
        h = nodes
        for _ in range(3):
            m = jnp.concatenate([h[src], h[dst], features], 1)
            m = jax.nn.silu(m @ w[0]) @ w[1]
            h = h + jnp.tanh(segment_sum(m, dst, 300))
        return jnp.sum(segment_sum(h, graph, 12) ** 2)
    return jax.grad(loss)((w1, w2))


@program(lambda: (edges(8000, 1000), uniform(8000, low=0.1, seed=1)))
def bellman_ford(e, w):
    src, dst = e

    def body(state):
        d, _ = state
        new = d.at[dst].min(d[src] + w)
        return new, (new < d).any()
    start = jnp.full(1000, jnp.inf).at[0].set(0)
    return lax.while_loop(lambda s: s[1], body, (start, jnp.array(True)))[0]


@program(lambda: (edges(20000, 4000),))
def bfs_levels(e):
    src, dst = e

    def body(state):
        level, frontier, depth = state
        reached = jnp.zeros(4000, bool).at[dst].max(frontier[src])
        fresh = reached & (level < 0)
        return jnp.where(fresh, depth + 1, level), fresh, depth + 1
    level = jnp.full(4000, -1, jnp.int32).at[0].set(0)
    start = (level, level == 0, jnp.int32(0))
    return lax.while_loop(lambda s: s[1].any(), body, start)[0]


@program(lambda: (edges(6000, 4000),))
def connected_components_hooking(e):
    src, dst = e

    def body(state):
        label, _ = state
        low = jnp.minimum(label[src], label[dst])
        new = label.at[src].min(low).at[dst].min(low)
        new = new[new]
        return new, (new != label).any()
    return lax.while_loop(lambda s: s[1], body, (jnp.arange(4000), jnp.array(True)))[0]


@program(lambda: (integers(200, 200, high=100) < 8,))
def triangle_count_and_clustering(adjacency):
    a = (adjacency | adjacency.T) & ~jnp.eye(200, dtype=bool)
    a = a.astype(jnp.int32)
    paths = a @ a
    triangles = jnp.sum(paths * a, 1) // 2
    degree = a.sum(1)
    return triangles, 2 * triangles / jnp.maximum(degree * (degree - 1), 1)


@program(lambda: (integers(3000, 8, high=3000), key(1)))
def random_walks_node2vec(neighbours, rng):
    def step(at, k):
        choice = jax.random.randint(k, at.shape, 0, 8, jnp.int32)
        new = neighbours[at, choice]
        return new, new
    return lax.scan(step, jnp.arange(3000, dtype=jnp.int32), jax.random.split(rng, 20))[1]


@program(lambda: (uniform(100, 100, low=0.1, high=10),))
def floyd_warshall(d):
    def relax(k, d):
        return jnp.minimum(d, d[:, k, None] + d[None, k, :])
    return lax.fori_loop(0, 100, relax, d)


@program(lambda: (normal(20000), edges(20000, 2000), normal(2000, 4, seed=2)))
def spmv_coo_conjugate(values, e, b):
    rows, cols = e

    def product(x):
        up = segment_sum(values[:, None] * x[cols], rows, 2000)
        return segment_sum(values[:, None] * up[rows], cols, 2000) + 30 * x
    return jax.scipy.sparse.linalg.cg(product, b, maxiter=5)[0]


@program(lambda: (normal(200, 3), edges(1500, 200), weights(20, 32, seed=1),
                  weights(32, 32, seed=2), weights(32, 1, seed=3)))
def schnet_energy_and_forces(x, e, w1, w2, w3):
    """Continuous-filter convolution; forces are minus the gradient by positions."""
    src, dst = e
    centres = jnp.linspace(0, 4, 20)

    def energy(x):
        d = jnp.sqrt(jnp.sum((x[src] - x[dst]) ** 2, 1) + 1e-2)
        filters = jnp.exp(-10 * (d[:, None] - centres) ** 2) @ w1
        h = jnp.ones((200, 32), x.dtype)
        for _ in range(2):
            h = h + jax.nn.softplus(segment_sum(h[src] * filters, dst, 200) @ w2)
        return jnp.sum(h @ w3)
    value, gradient = jax.value_and_grad(energy)(x)
    return value, -gradient
