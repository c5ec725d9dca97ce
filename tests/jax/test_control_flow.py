"""Arrays are updated in place under control flow only if nothing else reads them.

Every program is compared with the built-in CPU bit by bit. In some programs arrays must be copied:
a value is read after its update, two results are one value, or an argument is not donated.
"""
import control_flow_programs
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from compare import run_on
from jax import lax

N = 40


def same(device, cpu, function, *args, **options):
    """The results on both devices are equal, and arguments that are not donated are unchanged."""
    expected = run_on(cpu, function, *args)
    given = [jax.device_put(arg, device) for arg in args]
    before = [np.asarray(arg).copy() for arg in args]
    with jax.default_device(device):
        got = jax.jit(function, **options)(*given)
    for left, right in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
        np.testing.assert_array_equal(np.asarray(left), right)
    donated = options.get("donate_argnums", ())
    for number, (arg, old) in enumerate(zip(given, before, strict=True)):
        if number not in donated:
            np.testing.assert_array_equal(np.asarray(arg), old)


def whole(seed=0):
    return np.random.default_rng(seed).integers(-50, 50, N).astype(np.int32)


def loop(body, trips=10):
    return lambda *state: lax.fori_loop(0, trips, body, state if len(state) > 1 else state[0])


UPDATES = {
    "issue": lambda i, b: lax.cond(i % 2 == 0, lambda b: b.at[i].set(1), lambda b: b, b),
    "captured": lambda i, b: lax.cond(i % 2 == 0, lambda: b.at[i].set(1), lambda: b),
    "both": lambda i, b: lax.cond(i % 2 == 0, lambda b: b.at[i].set(1),
                                  lambda b: b.at[i + 1].set(2), b),
    "never": lambda i, b: lax.cond(i > 99, lambda b: b.at[i].set(1), lambda b: b, b),
    "nested": lambda i, b: lax.cond(
        i % 2 == 0, lambda b: lax.cond(b[i] > 0, lambda b: b.at[i].set(1),
                                       lambda b: b.at[0].add(i), b), lambda b: b, b),
    "switch": lambda i, b: lax.switch(
        i % 4, [lambda b: b.at[i].set(1), lambda b: b, lambda b: b.at[i].add(5),
                lambda b: b * 2], b),
    "loop in a branch": lambda i, b: lax.cond(
        i % 2 == 0, lambda b: lax.fori_loop(0, 3, lambda j, b: b.at[i + j].add(j), b),
        lambda b: b, b),
    "while in a branch": lambda i, b: lax.cond(
        i % 2 == 0, lambda b: lax.while_loop(
            lambda s: s[0] < s[1][i] % 4, lambda s: (s[0] + 1, s[1].at[s[0]].set(7)),
            (0, b))[1], lambda b: b, b),
    "predicate reads": lambda i, b: lax.cond(b[i] > 0, lambda b: b.at[i].set(1),
                                             lambda b: b, b),
    "reads before": lambda i, b: lax.cond(i % 2 == 0, lambda b: b.at[i].set(b[i] + b[i + 1]),
                                          lambda b: b, b),
    "reads after": lambda i, b: lax.cond(
        i % 2 == 0, lambda b: b.at[i].set(i).at[i + 1].set(b[i] + 3), lambda b: b, b),
    "slice": lambda i, b: lax.cond(
        i % 2 == 0, lambda b: lax.dynamic_update_slice(b, jnp.arange(5), (i,)),
        lambda b: b, b),
    "moved slice": lambda i, b: lax.cond(
        i % 2 == 0, lambda b: lax.dynamic_update_slice(b, b[3:20], (i,)), lambda b: b, b),
    "scatter": lambda i, b: lax.cond(
        i % 2 == 0, lambda b: b.at[jnp.array([1, 4, 1])].add(i), lambda b: b, b),
    "sort": lambda i, b: lax.cond(i % 2 == 0, jnp.sort, lambda b: b.at[i].set(5), b),
    "whole array": lambda i, b: lax.cond(i % 2 == 0, lambda b: b * 3, lambda b: b[::-1], b),
    "reshaped": lambda i, b: lax.cond(
        i % 2 == 0, lambda b: b.reshape(5, 8).at[i % 5, 3].set(1).reshape(-1),
        lambda b: b, b),
    "a constant": lambda i, b: lax.cond(i == 3, lambda b: jnp.zeros_like(b),
                                        lambda b: b.at[i].set(4), b),
}


@pytest.mark.parametrize("name", UPDATES)
@pytest.mark.parametrize("donate", [(), (0,)])
def test_updates_of_carried_arrays(device, cpu, name, donate):
    same(device, cpu, loop(UPDATES[name]), whole(), donate_argnums=donate)


@pytest.mark.parametrize("name", UPDATES)
def test_updates_in_a_scan(device, cpu, name):
    def step(b, i):
        b = UPDATES[name](i, b)
        return b, b[i] + b.sum()
    same(device, cpu, lambda b: lax.scan(step, b, jnp.arange(8)), whole())


@pytest.mark.parametrize("name", UPDATES)
def test_the_old_value_is_used_after_the_conditional(device, cpu, name):
    def body(i, state):
        b, total = state
        new = UPDATES[name](i, b)
        return new, total + b[i] * 3 + b.sum()
    same(device, cpu, loop(body), whole(), np.int32(0))


@pytest.mark.parametrize("name", UPDATES)
def test_the_old_value_is_a_result(device, cpu, name):
    same(device, cpu, lambda b, i: (UPDATES[name](i, b), b), whole(), np.int32(4),
         donate_argnums=(0,))
    same(device, cpu, lambda b, i: (UPDATES[name](i, b * 2), b), whole(), np.int32(4))


@pytest.mark.parametrize("name", UPDATES)
def test_an_inner_loop_restarts_from_outer_values(device, cpu, name):
    def outer(i, state):
        b, total = state
        once = b + i  # has its own storage, which each inner iteration reads
        total = lax.fori_loop(0, 3, lambda j, t: t + UPDATES[name](j, once).sum(), total)
        return b.at[i].set(total), total
    same(device, cpu, loop(outer, 4), whole(), np.int32(1))


PAIRS = {
    "one each": lambda i, a, b: lax.cond(
        i % 2 == 0, lambda a, b: (a.at[i].set(1), b), lambda a, b: (a, b.at[i].set(2)), a, b),
    "crossed reads": lambda i, a, b: lax.cond(
        i % 2 == 0, lambda a, b: (a.at[i].set(b[i]), b.at[i].set(a[i])),
        lambda a, b: (a, b.at[i].set(a[i + 1])), a, b),
    "swapped in a branch": lambda i, a, b: lax.cond(
        i % 2 == 0, lambda a, b: (b, a), lambda a, b: (a, b.at[i].set(2)), a, b),
    "swapped and updated": lambda i, a, b: lax.cond(
        i % 2 == 0, lambda a, b: (b.at[i].set(7), a), lambda a, b: (a, b.at[i].set(2)), a, b),
    "swapped after": lambda i, a, b: lax.cond(
        i % 2 == 0, lambda a, b: (a.at[i].set(1), b), lambda a, b: (a, b.at[i].set(2)), a,
        b)[::-1],
    "twice the same": lambda i, a, b: lax.cond(
        i % 3 == 0, lambda a, b: (a, a), lambda a, b: (a.at[i].set(1), b.at[i].set(3)), a, b),
    "twice the same update": lambda i, a, b: lax.cond(
        i % 3 == 0, lambda a, b: (a.at[i].set(9),) * 2, lambda a, b: (b, b), a, b),
    "new and old": lambda i, a, b: lax.cond(
        i % 2 == 0, lambda a, b: (a.at[i].set(1), a), lambda a, b: (a, b), a, b),
    "both from one": lambda i, a, b: lax.cond(
        i % 2 == 0, lambda a, b: (a.at[i].set(1), a.at[i + 1].set(2)),
        lambda a, b: (b.at[0].set(i), b), a, b),
    "captured by the other": lambda i, a, b: (
        lax.cond(i % 2 == 0, lambda: a.at[i].set(1), lambda: a),
        lax.cond(i % 3 == 0, lambda: b.at[i].set(a[i]), lambda: a)),
    "reshaped alias": lambda i, a, b: lax.cond(
        i % 2 == 0, lambda a, b: (a.at[i].set(1), a.reshape(8, 5)[::-1].reshape(-1)),
        lambda a, b: (a.reshape(4, 10).at[1].set(i).reshape(-1), b), a, b),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("donate", [(), (0,), (0, 1)])
def test_two_carried_arrays(device, cpu, name, donate):
    same(device, cpu, loop(lambda i, s: PAIRS[name](i, *s)), whole(1), whole(2),
         donate_argnums=donate)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("donate", [(), (0,), (0, 1)])
def test_two_results_of_one_conditional(device, cpu, name, donate):
    same(device, cpu, lambda a, b, i: PAIRS[name](i, a, b), whole(1), whole(2), np.int32(6),
         donate_argnums=donate)
    same(device, cpu, lambda a, b, i: PAIRS[name](i, a * 2, b + 1), whole(1), whole(2),
         np.int32(7), donate_argnums=donate)


def test_a_loop_starts_twice_with_the_same_array(device, cpu):
    same(device, cpu, lambda a: loop(lambda i, s: PAIRS["crossed reads"](i, *s))(a, a),
         whole(), donate_argnums=(0,))


def test_a_condition_that_updates_a_carried_array(device, cpu):
    # The body must not see changes that the condition makes; too large for registers.
    def condition(state):
        i, b = state
        return (i < 5) & (b.at[i * 2].set(1000)[i * 2 + 1] < 10000)
    same(device, cpu, lambda b: lax.while_loop(
        condition, lambda s: (s[0] + 1, s[1].at[s[0]].add(1)), (0, b)),
        np.arange(10000, dtype=np.int32) % 77)


def test_three_arrays_move_round(device, cpu):
    def body(i, s):
        a, b, c = s
        return lax.cond(i % 2 == 0, lambda: (b, c.at[i].set(3), a), lambda: (c, a, b))
    same(device, cpu, loop(body, 7), whole(1), whole(2), whole(3))


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(device, cpu, seed):
    run = control_flow_programs.program(seed)
    elements = control_flow_programs.ELEMENTS
    same(device, cpu, run, whole(1)[:elements], whole(2)[:elements], np.int32(seed % 7),
         donate_argnums=[(), (0,), (0, 1)][seed % 3])
