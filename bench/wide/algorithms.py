"""Dynamic programming, sorting, hashing, scans."""
import jax
import jax.numpy as jnp
from jax import lax

from .registry import integers, normal, program, uniform


@program(lambda: (integers(200, high=4), integers(180, high=4, seed=1)))
def edit_distance_rows(a, b):
    first = jnp.arange(181)

    def row(previous, inputs):
        i, x = inputs
        diagonal = jnp.minimum(previous[1:] + 1, previous[:-1] + (b != x))

        def cell(left, best):
            value = jnp.minimum(left + 1, best)
            return value, value
        _, rest = lax.scan(cell, i, diagonal)
        return jnp.concatenate([i[None], rest]), None
    return lax.scan(row, first, (jnp.arange(1, 201), a))[0].astype(jnp.int32)[-1]


@program(lambda: (integers(16, 100, high=4), integers(16, 100, high=4, seed=1)))
def smith_waterman_antidiagonals(a, b):
    def align(a, b):
        n = 100
        i = jnp.arange(n + 1)

        def step(state, d):
            before, last, best = state
            j = d - i
            ok = (i >= 1) & (j >= 1) & (j <= n)
            match = jnp.where(a[jnp.clip(i - 1, 0, n - 1)] == b[jnp.clip(j - 1, 0, n - 1)], 2, -1)
            diagonal = jnp.roll(before, 1) + match
            gap = jnp.maximum(jnp.roll(last, 1), last) - 1
            now = jnp.where(ok, jnp.maximum(0, jnp.maximum(diagonal, gap)), 0).astype(jnp.int32)
            return (last, now, jnp.maximum(best, now.max())), None
        zero = jnp.zeros(n + 1, jnp.int32)
        return lax.scan(step, (zero, zero, jnp.int32(0)), jnp.arange(2, 2 * n + 1))[0][2]
    return jax.vmap(align)(a, b)


@program(lambda: (normal(100, 20), normal(20, 20, seed=1)))
def viterbi_decoding(emission, transition):
    def step(score, e):
        total = score[:, None] + transition
        return total.max(0) + e, jnp.argmax(total, 0).astype(jnp.int32)
    score, back = lax.scan(step, emission[0], emission[1:])
    last = jnp.argmax(score).astype(jnp.int32)
    _, path = lax.scan(lambda s, b: (b[s], b[s]), last, back, reverse=True)
    return score, path


@program(lambda: (integers(100, low=1, high=60), integers(100, low=1, high=100, seed=1)))
def knapsack_table(weight, value):
    def item(best, inputs):
        w, v = inputs
        c = jnp.arange(2001)
        shifted = jnp.where(c >= w, jnp.roll(best, w) + v, 0)
        return jnp.maximum(best, shifted), None
    return lax.scan(item, jnp.zeros(2001, jnp.int32), (weight, value))[0]


@program(lambda: (uniform(30, 100), uniform(30, 120, seed=1)))
def dynamic_time_warping_batch(a, b):
    def warp(a, b):
        cost = jnp.abs(a[:, None] - b)

        def row(previous, c):
            def cell(left, inputs):
                up, diagonal, c = inputs
                value = c + jnp.minimum(jnp.minimum(left, up), diagonal)
                return value, value
            _, new = lax.scan(cell, jnp.inf, (previous[1:], previous[:-1], c))
            return jnp.concatenate([jnp.full(1, jnp.inf), new]), None
        start = jnp.full(121, jnp.inf).at[0].set(0)
        return lax.scan(row, start, cost)[0][-1]
    return jax.vmap(warp)(a, b)


@program(lambda: (normal(16, 100, 12), normal(12, 12, seed=1)))
def crf_forward_gradient(emission, transition):
    def log_z(e, t):
        def step(a, e):
            return jax.nn.logsumexp(a[:, None] + t, 0) + e, None
        return jax.nn.logsumexp(lax.scan(step, e[0], e[1:])[0])
    f = lambda t: jnp.mean(jax.vmap(log_z, (0, None))(emission, t))  # noqa: E731
    return jax.value_and_grad(f)(transition)


@program(lambda: (uniform(1024),))
def bitonic_sorting_network(x):
    n = 1024
    i = jnp.arange(n)
    k = 2
    while k <= n:
        j = k // 2
        while j:
            other = x[i ^ j]
            small = ((i & j) == 0) == ((i & k) == 0)
            x = jnp.where(small, jnp.minimum(x, other), jnp.maximum(x, other))
            j //= 2
        k *= 2
    return x


@program(lambda: (uniform(64, 63),))
def odd_even_transposition_sort(x):
    def step(i, x):
        shifted = jnp.concatenate([x[:, 1:], jnp.full((64, 1), jnp.inf)], 1)
        first = (jnp.arange(63) % 2) == (i % 2)
        low = jnp.where(first, jnp.minimum(x, shifted), x)
        high = jnp.concatenate([jnp.full((64, 1), -jnp.inf), x[:, :-1]], 1)
        return jnp.where(first | (jnp.arange(63) < i % 2), low, jnp.maximum(x, high))
    return lax.fori_loop(0, 63, step, x)


@program(lambda: (uniform(9, 9),))
def travelling_salesman_held_karp(d):
    n = 9
    full = 1 << n
    table = jnp.full((full, n), jnp.inf).at[1, 0].set(0)

    def step(mask, table):
        inside = (mask >> jnp.arange(n)) & 1
        row = jnp.where(inside == 1, table[mask], jnp.inf)
        best = jnp.min(row[:, None] + d, 0)
        targets = mask | (1 << jnp.arange(n))
        return table.at[targets, jnp.arange(n)].min(jnp.where(inside == 1, jnp.inf, best))
    table = lax.fori_loop(1, full, step, table)
    return jnp.min(table[full - 1] + d[:, 0])


@program(lambda: (integers(100000, high=2 ** 30).astype("uint32"),))
def murmur_and_xorshift_hashes(x):
    h = x * jnp.uint32(0xcc9e2d51)
    h = (h << 15) | (h >> 17)
    h = h * jnp.uint32(0x1b873593)
    h = h ^ (h >> 16)
    h = h * jnp.uint32(0x85ebca6b)
    h = h ^ (h >> 13)
    y = x
    for _ in range(4):
        y = y ^ (y << 13)
        y = y ^ (y >> 17)
        y = y ^ (y << 5)
    return h, lax.population_count(y)


@program(lambda: (integers(4096, high=256).astype("uint8"),))
def crc32_table_driven(data):
    table = jnp.arange(256, dtype=jnp.uint32)
    for _ in range(8):
        table = jnp.where(table & 1, (table >> 1) ^ jnp.uint32(0xedb88320), table >> 1)

    def step(crc, byte):
        return table[(crc ^ byte) & 0xff] ^ (crc >> 8), None
    return ~lax.scan(step, jnp.uint32(0xffffffff), data.astype(jnp.uint32))[0]


@program(lambda: (integers(20000, high=1 << 20), integers(5000, high=1 << 20, seed=1)))
def bloom_filter(members, queries):
    def positions(x):
        x = x.astype(jnp.uint32)
        return jnp.stack([(x * jnp.uint32(c) >> 15) for c in (2654435761, 2246822519, 3266489917)])
    bits = jnp.zeros(1 << 17, bool).at[positions(members)].set(True)
    return jnp.all(bits[positions(queries)], 0)


@program(lambda: (integers(8000, 3, high=1024).astype("uint32"),))
def morton_codes_sort(p):
    def spread(x):
        x = (x | (x << 16)) & 0x030000ff
        x = (x | (x << 8)) & 0x0300f00f
        x = (x | (x << 4)) & 0x030c30c3
        return (x | (x << 2)) & 0x09249249
    code = spread(p[:, 0]) | (spread(p[:, 1]) << 1) | (spread(p[:, 2]) << 2)
    order = jnp.argsort(code)
    return code[order], p[order]


@program(lambda: (integers(4000, high=1000),))
def halton_sequence(start):
    def van_der_corput(base):
        def body(s):
            i, f, r = s
            f = f / base
            return i // base, f, r + f * (i % base)
        return lax.fori_loop(0, 10, lambda _, s: body(s),
                             (start, jnp.ones(4000), jnp.zeros(4000)))[2]
    return jnp.stack([van_der_corput(b) for b in (2, 3, 5)], 1)


@program(lambda: (integers(50000, high=2), normal(50000, seed=1)))
def segmented_scan(flags, values):
    def combine(a, b):
        return a[0] | b[0], jnp.where(b[0] == 1, b[1], a[1] + b[1])
    return lax.associative_scan(combine, (flags, values))[1]


@program(lambda: (normal(2048, 3, 3, scale=0.3),))
def matrix_prefix_products(a):
    a = a + jnp.eye(3)
    a = a / jnp.linalg.norm(a, axis=(1, 2), keepdims=True) * 1.5
    return lax.associative_scan(lambda x, y: y @ x, a)


@program(lambda: (normal(5000, 4),))
def quaternion_prefix_rotation(q):
    q = q / jnp.linalg.norm(q, axis=1, keepdims=True)

    def multiply(b, a):
        w1, x1, y1, z1 = (a[..., i] for i in range(4))
        w2, x2, y2, z2 = (b[..., i] for i in range(4))
        return jnp.stack([w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
                          w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
                          w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
                          w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2], -1)
    return lax.associative_scan(multiply, q)


@program(lambda: (integers(100000, high=1000),))
def stream_compaction(x):
    keep = x % 7 == 0
    slot = jnp.cumsum(keep) - 1
    return jnp.full(x.shape, -1).at[jnp.where(keep, slot, x.size)].set(x, mode="drop"), keep.sum()


@program(lambda: (integers(50000, high=3),))
def run_length_encoding(x):
    change = jnp.concatenate([jnp.ones(1, bool), x[1:] != x[:-1]])
    run = jnp.cumsum(change) - 1
    lengths = jnp.zeros(50000, jnp.int32).at[run].add(1)
    values = jnp.zeros(50000, jnp.int32).at[run].set(x)
    return lengths, values


@program(lambda: (uniform(64, 2000),))
def running_maximum_drawdown(x):
    wealth = jnp.cumprod(1 + 0.02 * (x - 0.5), axis=1)
    peak = lax.cummax(wealth, axis=1)
    return jnp.max(1 - wealth / peak, axis=1), lax.cummin(wealth[:, ::-1], axis=1)
