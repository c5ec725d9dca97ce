"""Random programs that update, read, swap and pass on arrays under control flow."""
import random

import jax.numpy as jnp
from jax import lax

ELEMENTS = 24


def _index(rng, i):
    constant = rng.randrange(ELEMENTS)
    return rng.choice([
        lambda s: i % ELEMENTS,
        lambda s: (i * 5 + 3) % ELEMENTS,
        lambda s: jnp.abs(s["c"]) % ELEMENTS,
        lambda s: constant,
    ])


def _predicate(rng, i):
    array = rng.choice("ab")
    return rng.choice([
        lambda s: i % 2 == 0,
        lambda s: s["c"] % 3 == 1,
        lambda s: s[array][i % ELEMENTS] > 7,
        lambda s: s[array].sum() % 2 == 0,
        lambda s: i > 1000,
    ])


def _statement(rng, i, depth):
    """A function from state to state. The state holds two arrays and a number."""
    x, y = rng.sample("ab", 2)
    at, other = _index(rng, i), _index(rng, i)
    value = rng.randrange(1, 9)
    simple = [
        lambda s: {**s, x: s[x].at[at(s)].set(value)},
        lambda s: {**s, x: s[x].at[at(s)].add(s[y][other(s)])},
        lambda s: {**s, x: s[x].at[at(s)].set(s[x][other(s)] + 1)},
        lambda s: {**s, x: s[x].at[jnp.array([1, 5, 1])].add(value)},
        lambda s: {**s, x: lax.dynamic_update_slice(s[x], s[y][2:6], (at(s),))},
        lambda s: {**s, x: s[x] * 3 + 1},
        lambda s: {**s, x: s[x][::-1]},
        lambda s: {**s, x: jnp.sort(s[x])},
        lambda s: {**s, x: s[x].reshape(4, 6).at[2].set(value).reshape(-1)},
        lambda s: {**s, x: s[y]},
        lambda s: {**s, x: s[y], y: s[x]},
        lambda s: {**s, "c": s["c"] + s[x][at(s)]},
        lambda s: {**s, x: s[x].at[at(s)].set(s["c"]), "c": s[x][other(s)]},
        lambda s: {**s, x: s[x].at[0].set(1), "c": s["c"] + s[x].sum()},
        lambda s: s,
    ]
    if depth == 0 or rng.random() < 0.35:
        return rng.choice(simple)
    kind = rng.choice(["cond", "cond", "switch", "fori", "while", "scan"])
    if kind in ("cond", "switch"):
        branches = [_block(rng, i, depth - 1) for _ in range(2 if kind == "cond" else 3)]
        condition = _predicate(rng, i)
        if kind == "switch":
            return lambda s: lax.switch(jnp.abs(s["c"]) % 4 - 1, branches, s)
        if rng.random() < 0.3:  # captured, not passed
            return lambda s: lax.cond(condition(s), lambda: branches[0](s),
                                      lambda: branches[1](s))
        return lambda s: lax.cond(condition(s), *branches, s)
    seed, trips = rng.random(), rng.randrange(0, 5)

    def body(j, s):
        return _block(random.Random(seed), j, depth - 1)(s)
    if kind == "fori":
        return lambda s: lax.fori_loop(0, trips, body, s)
    if kind == "scan":
        def step(s, j):
            s = body(j, s)
            return s, s[x][j]

        def run(s):
            s, rows = lax.scan(step, s, jnp.arange(trips + 1))
            return {**s, "c": s["c"] + rows.sum()}
        return run

    def loop(s):
        def condition(t):
            # Updates a copy of an array that the body still uses.
            return (t[0] < trips) & (t[1][x].at[0].set(3).sum() != 12345)
        return lax.while_loop(condition, lambda t: (t[0] + 1, body(t[0], t[1])), (0, s))[1]
    return loop


def _block(rng, i, depth):
    statements = [_statement(rng, i, depth) for _ in range(rng.randrange(1, 4))]

    def run(s):
        for statement in statements:
            s = statement(s)
        return s
    return run


def program(seed):
    """A function of two arrays of ELEMENTS int32 and an int32."""
    rng = random.Random(seed)
    trips = rng.choice([0, 1, 4, 7])
    body_seed = rng.random()
    last = _block(rng, jnp.int32(5), 1)
    returns = rng.choice(["state", "old", "same"])

    def run(a, b, c):
        def body(i, s):
            return _block(random.Random(body_seed), i, 3)(s)
        state = lax.fori_loop(0, trips, body, {"a": a, "b": b, "c": c})
        after = last(state)
        if returns == "old":  # values that are read after their update
            return after, state, a
        if returns == "same":
            return after["a"], after["a"], after["b"], after["c"]
        return after
    return run
