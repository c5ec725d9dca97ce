"""Reinforcement learning: returns, environments, planning, losses."""
import jax
import jax.numpy as jnp
from jax import lax

from .registry import integers, key, normal, program, uniform, weights


@program(lambda: (normal(128, 64), normal(129, 64, seed=1), integers(128, 64, high=2, seed=2)))
def generalised_advantages(rewards, values, done):
    mask = 1 - done
    delta = rewards + 0.99 * values[1:] * mask - values[:-1]

    def step(carry, inputs):
        d, m = inputs
        carry = d + 0.99 * 0.95 * m * carry
        return carry, carry
    _, advantages = lax.scan(step, jnp.zeros(64), (delta, mask), reverse=True)
    return advantages, (advantages - advantages.mean()) / (advantages.std() + 1e-8)


@program(lambda: (normal(32, 1000),))
def discounted_returns_associative(rewards):
    def combine(a, b):
        return a[0] * b[0], a[1] * b[0] + b[1]
    discount = jnp.full_like(rewards, 0.99)
    return lax.associative_scan(combine, (discount, rewards), reverse=True, axis=1)[1]


@program(lambda: (normal(10000, 17), normal(256, 17, seed=1), uniform(10000, seed=2), key(1)))
def replay_buffer_add_and_sample(buffer, batch, rewards, rng):
    def step(state, k):
        buffer, at = state
        buffer = lax.dynamic_update_slice(buffer, batch, (at, jnp.int32(0)))
        index = jax.random.randint(k, (64,), 0, 10000, jnp.int32)
        return (buffer, (at + 256) % 9700), (buffer[index].sum(), rewards[index].mean())
    (buffer, at), sums = lax.scan(step, (buffer, jnp.int32(100)), jax.random.split(rng, 8))
    return at, sums


@program(lambda: (uniform(40, 40, low=-1), integers(40, 40, high=10) == 0))
def gridworld_value_iteration(reward, wall):
    def backup(_, v):
        p = jnp.pad(v, 1, mode="edge")
        moves = jnp.stack([p[2:, 1:-1], p[:-2, 1:-1], p[1:-1, 2:], p[1:-1, :-2]])
        return jnp.where(wall, 0, reward + 0.95 * moves.max(0))
    return lax.fori_loop(0, 100, backup, jnp.zeros_like(reward))


@program(lambda: (uniform(4, 100, 100, seed=1), normal(4, 100, seed=2)))
def tabular_policy_iteration(transitions, rewards):
    p = transitions / transitions.sum(-1, keepdims=True)

    def step(policy, _):
        rows = jnp.arange(100)
        system = jnp.eye(100) - 0.9 * p[policy, rows]
        v = jnp.linalg.solve(system, rewards[policy, rows])
        q = rewards + 0.9 * p @ v
        return jnp.argmax(q, 0).astype(jnp.int32), v
    return lax.scan(step, jnp.zeros(100, jnp.int32), None, length=4)


def cartpole(state, force):
    x, v, a, w = state
    s, c = jnp.sin(a), jnp.cos(a)
    t = (force + 0.05 * w ** 2 * s) / 1.1
    aa = (9.8 * s - c * t) / (0.5 * (4 / 3 - 0.1 * c ** 2 / 1.1))
    xa = t - 0.05 * aa * c / 1.1
    return jnp.stack([x + 0.02 * v, v + 0.02 * xa, a + 0.02 * w, w + 0.02 * aa])


@program(lambda: (uniform(64, 4, low=-0.05, high=0.05), weights(4, 32, seed=1),
                  weights(32, 2, seed=2), key(2)), flips=0.05)
def cartpole_rollout_policy(start, w1, w2, rng):
    def step(carry, k):
        state, alive = carry
        logits = jnp.tanh(state @ w1) @ w2
        action = jnp.argmax(logits + jax.random.gumbel(k, logits.shape, jnp.float32), -1)
        new = jax.vmap(cartpole)(state, 20.0 * action - 10.0)
        alive = alive & (jnp.abs(new[:, 0]) < 2.4) & (jnp.abs(new[:, 2]) < 0.21)
        return (jnp.where(alive[:, None], new, state), alive), (alive, action.astype(jnp.int32))
    init = (start, jnp.ones(64, bool))
    return lax.scan(step, init, jax.random.split(rng, 100))


@program(lambda: (uniform(128, 2, low=-1), weights(3, 64, seed=1), weights(64, 1, seed=2)))
def pendulum_policy_gradient_through_dynamics(start, w1, w2):
    def loss(w):
        def step(state, _):
            theta, omega = state[:, 0], state[:, 1]
            seen = jnp.stack([jnp.cos(theta), jnp.sin(theta), omega], 1)
            u = 2 * jnp.tanh(jnp.tanh(seen @ w[0]) @ w[1])[:, 0]
            omega = jnp.clip(omega + 0.05 * (15 * jnp.sin(theta) + 3 * u), -8, 8)
            theta = theta + 0.05 * omega
            return jnp.stack([theta, omega], 1), jnp.mean(theta ** 2 + 0.1 * omega ** 2)
        return jnp.mean(lax.scan(step, start, None, length=20)[1])
    return jax.value_and_grad(loss)((w1, w2))


@program(lambda: (integers(500, 4, high=500), normal(500, 4, seed=1), key(3)), flips=0.05)
def q_learning_tabular(next_state, reward, rng):
    def step(carry, k):
        q, s = carry
        a, b = jax.random.split(k)
        explore = jax.random.uniform(a, (), jnp.float32) < 0.2
        action = jnp.where(explore, jax.random.randint(b, (), 0, 4, jnp.int32),
                           jnp.argmax(q[s]).astype(jnp.int32))
        s2 = next_state[s, action]
        target = reward[s, action] + 0.9 * q[s2].max()
        return (q.at[s, action].add(0.1 * (target - q[s, action])), s2), None
    return lax.scan(step, (jnp.zeros((500, 4)), jnp.int32(0)), jax.random.split(rng, 1000))[0][0]


@program(lambda: (normal(512, 8), integers(512, high=4), normal(512, seed=1), normal(512, seed=2),
                  weights(8, 64, seed=3), weights(64, 4, seed=4), weights(64, 1, seed=5)))
def ppo_clipped_loss_gradient(seen, action, advantage, returns, w, wp, wv):
    def loss(p):
        h = jnp.tanh(seen @ p[0])
        logp = jax.nn.log_softmax(h @ p[1])
        chosen = jnp.take_along_axis(logp, action[:, None], 1)[:, 0]
        ratio = jnp.exp(chosen + 1.4)
        clipped = jnp.clip(ratio, 0.8, 1.2)
        policy = -jnp.mean(jnp.minimum(ratio * advantage, clipped * advantage))
        value = jnp.mean(((h @ p[2])[:, 0] - returns) ** 2)
        entropy = -jnp.mean(jnp.sum(jnp.exp(logp) * logp, 1))
        return policy + 0.5 * value - 0.01 * entropy
    return jax.value_and_grad(loss)((w, wp, wv))


@program(lambda: (normal(64, 8), normal(64, 8, seed=1), integers(64, high=6), normal(64, seed=2),
                  weights(8, 128, seed=3), weights(128, 6, seed=4), weights(8, 128, seed=5),
                  weights(128, 6, seed=6)))
def double_dqn_step(s, s2, action, reward, w1, w2, t1, t2):
    def q(p, x):
        return jax.nn.relu(x @ p[0]) @ p[1]

    def loss(p):
        best = jnp.argmax(q(p, s2), 1)
        target = reward + 0.99 * jnp.take_along_axis(q((t1, t2), s2), best[:, None], 1)[:, 0]
        chosen = jnp.take_along_axis(q(p, s), action[:, None], 1)[:, 0]
        error = jnp.abs(chosen - lax.stop_gradient(target))
        return jnp.mean(jnp.where(error < 1, 0.5 * error ** 2, error - 0.5))
    value, g = jax.value_and_grad(loss)((w1, w2))
    new = jax.tree.map(lambda p, g: p - 1e-2 * g, (w1, w2), g)
    soft = jax.tree.map(lambda t, p: 0.995 * t + 0.005 * p, (t1, t2), new)
    return value, new, soft


@program(lambda: (uniform(100, 10), key(4)), flips=0.05)
def bandits_ucb(means, rng):
    def play(means, rng):
        def step(state, inputs):
            count, total = state
            k, t = inputs
            bound = total / count + jnp.sqrt(2 * jnp.log(t + 2.0) / count)
            arm = jnp.argmax(bound)
            reward = means[arm] + jax.random.normal(k, (), jnp.float32)
            return (count.at[arm].add(1), total.at[arm].add(reward)), arm.astype(jnp.int32)
        start = (jnp.ones(10), 1.0 * means)
        return lax.scan(step, start, (jax.random.split(rng, 200), jnp.arange(200)))[1]
    return jax.vmap(play)(means, jax.random.split(rng, 100))


@program(lambda: (normal(50, 32, scale=0.3), normal(51, 32, seed=1), normal(50, 32, seed=2)))
def vtrace_targets(log_rho, values, rewards):
    rho = jnp.minimum(jnp.exp(log_rho), 1.0)
    delta = rho * (rewards + 0.99 * values[1:] - values[:-1])
    _, acc = lax.scan(lambda a, x: (x[0] + 0.99 * x[1] * a,) * 2, jnp.zeros(32), (delta, rho),
                      reverse=True)
    vs = acc + values[:-1]
    following = jnp.concatenate([vs[1:], values[-1:]])
    return vs, rho * (rewards + 0.99 * following - values[:-1])


@program(lambda: (uniform(1024, low=0.01), key(5)), flips=0.02)
def prioritised_replay_sum_tree(priorities, rng):
    tree, level = [priorities], priorities
    while level.shape[0] > 1:
        level = level.reshape(-1, 2).sum(1)
        tree.append(level)
    draws = jax.random.uniform(rng, (256,), jnp.float32) * tree[-1][0]

    def descend(u):
        index = jnp.int32(0)
        for level in tree[-2::-1]:
            left = level[2 * index]
            go = u > left
            u = jnp.where(go, u - left, u)
            index = 2 * index + go.astype(jnp.int32)
        return index
    return jax.vmap(descend)(draws)


@program(lambda: (normal(4), key(6)), flips=0.05)
def cross_entropy_method_planning(start, rng):
    def cost(plan):
        end, c = lax.scan(lambda s, u: (cartpole(s, 10 * jnp.tanh(u)), jnp.sum(s ** 2)),
                          0.1 * start, plan)
        return c.sum()

    def improve(state, k):
        mean, std = state
        plans = mean + std * jax.random.normal(k, (256, 20), jnp.float32)
        c = jax.vmap(cost)(plans)
        elite = plans[lax.top_k(-c, 25)[1]]
        return (elite.mean(0), elite.std(0) + 0.05), c.min()
    return lax.scan(improve, (jnp.zeros(20), jnp.ones(20)), jax.random.split(rng, 5))


@program(lambda: (weights(8, 16, seed=1), normal(64, 8, seed=2), key(7)))
def evolution_strategies_step(w, x, rng):
    noise = jax.random.normal(rng, (128, 8, 16), jnp.float32)

    def fitness(e):
        return -jnp.mean((jnp.tanh(x @ (w + 0.1 * e)) - 0.5) ** 2)
    f = jax.vmap(fitness)(jnp.concatenate([noise, -noise]))
    rank = jnp.argsort(jnp.argsort(f)) / 255 - 0.5
    return w + 0.05 * jnp.tensordot(rank[:128] - rank[128:], noise, 1) / 12.8
