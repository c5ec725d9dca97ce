"""Environments, search and reinforcement learning: gymnax, Pgx, Mctx, Jumanji, RLax, Flashbax."""
import flashbax
import flax.linen as nn
import gymnax
import jax
import jax.numpy as jnp
import jumanji
import mctx
import optax
import pgx
import rlax
from jax import lax
from wide.registry import initial, integers, key, normal, once, program

game = once(pgx.make)
puzzle = once(jumanji.make)


def rollout(name, count, steps):
    """Random actions in `count` gymnax environments."""
    def run(rng):
        environment, params = gymnax.make(name)
        _, state = jax.vmap(environment.reset, (0, None))(jax.random.split(rng, count), params)

        def step(state, k):
            actions, keys = jax.random.split(k)
            action = jax.vmap(environment.action_space(params).sample)(
                jax.random.split(actions, count))
            seen, state, reward, done, *_ = jax.vmap(environment.step, (0, 0, 0, None))(
                jax.random.split(keys, count), state, action, params)
            return state, (seen, reward, done)
        return lax.scan(step, state, jax.random.split(rng, steps))[1]
    return run


@program(lambda: (key(),), tolerance=1e-3)
def gymnax_cartpole(rng):
    return rollout("CartPole-v1", 64, 50)(rng)


@program(lambda: (key(2),), tolerance=1e-5)
def gymnax_breakout(rng):
    return rollout("Breakout-MinAtar", 32, 100)(rng)


def play(name, count, steps, rng):
    """Random legal moves in `count` games of Pgx."""
    state = jax.vmap(game(name).init)(jax.random.split(rng, count))

    def step(state, k):
        move = jax.random.categorical(k, jnp.where(state.legal_action_mask, 0.0, -jnp.inf))
        state = jax.vmap(game(name).step)(state, move, jax.random.split(k, count))
        return state, (move, state.rewards, state.terminated)
    state, moves = lax.scan(step, state, jax.random.split(rng, steps))
    return state.observation, moves


@program(lambda: (key(),), tolerance=1e-5)
def pgx_connect_four(rng):
    return play("connect_four", 64, 42, rng)


@program(lambda: (key(1),), tolerance=1e-5)
def pgx_2048(rng):
    return play("2048", 32, 60, rng)


@program(lambda: (key(4),), tolerance=1e-5)
def mctx_tic_tac_toe(rng):
    rules = game("tic_tac_toe")
    state = jax.vmap(rules.init)(jax.random.split(rng, 8))

    def prior(state):
        return jnp.where(state.legal_action_mask, 0.0, -1e9)

    def expand(_, rng, move, state):
        player = state.current_player
        state = jax.vmap(rules.step)(state, move)
        reward = state.rewards[jnp.arange(8), player]
        value = jnp.where(state.terminated, 0.0, state.observation[..., 0].mean((1, 2)))
        discount = jnp.where(state.terminated, 0.0, -1.0)
        return mctx.RecurrentFnOutput(reward=reward, discount=discount, prior_logits=prior(state),
                                      value=value), state
    root = mctx.RootFnOutput(prior_logits=prior(state), value=jnp.zeros(8), embedding=state)
    out = mctx.gumbel_muzero_policy((), rng, root, expand, 32,
                                    invalid_actions=~state.legal_action_mask)
    return out.action, out.action_weights


def jumanji_rollout(name, count, steps, rng):
    environment = puzzle(name)
    state, _ = jax.vmap(environment.reset)(jax.random.split(rng, count))
    sizes = jnp.asarray(environment.action_spec.num_values)

    def step(state, k):
        action = jax.random.randint(k, (count, *sizes.shape), 0, sizes, jnp.int32)
        state, time_step = jax.vmap(environment.step)(state, action)
        return state, (time_step.reward, time_step.discount)
    return lax.scan(step, state, jax.random.split(rng, steps))[1]


@program(lambda: (key(),), tolerance=1e-5)
def jumanji_snake(rng):
    return jumanji_rollout("Snake-v1", 16, 50, rng)


class ActorCritic(nn.Module):
    actions: int

    @nn.compact
    def __call__(self, x):
        h = nn.tanh(nn.Dense(64)(nn.tanh(nn.Dense(64)(x))))
        return nn.Dense(self.actions)(h), nn.Dense(1)(h)[..., 0]


NETWORK = ActorCritic(2)
OPTIMIZER = optax.chain(optax.clip_by_global_norm(0.5), optax.sgd(1e-2))
WEIGHTS = initial(lambda: NETWORK.init(jax.random.key(0), jnp.zeros(4)))


@program(lambda: (WEIGHTS(), key(5)), tolerance=1e-3)
def gymnax_flax_actor_critic(weights, rng):
    """Collects 32 steps of 16 carts with a flax policy, then one update by optax."""
    environment, params = gymnax.make("CartPole-v1")
    seen, state = jax.vmap(environment.reset, (0, None))(jax.random.split(rng, 16), params)

    def step(carry, k):
        seen, state = carry
        action = jax.random.categorical(k, NETWORK.apply(weights, seen)[0])
        after, state, reward, done, *_ = jax.vmap(environment.step, (0, 0, 0, None))(
            jax.random.split(k, 16), state, action, params)
        return (after, state), (seen, action, reward, 0.99 * (1 - done))
    (seen, _), (path, actions, rewards, discounts) = lax.scan(
        step, (seen, state), jax.random.split(rng, 32))

    def loss(weights):
        logits, values = NETWORK.apply(weights, path)
        last = NETWORK.apply(weights, seen)[1]
        after = jnp.concatenate([values[1:], last[None]])
        returns = jax.vmap(rlax.lambda_returns, (1, 1, 1, None), 1)(
            rewards, discounts, lax.stop_gradient(after), 0.95)
        chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), actions[..., None], 2)[..., 0]
        advantage = lax.stop_gradient(returns - values)
        return jnp.mean(0.5 * (returns - values) ** 2 - chosen * advantage)
    value, gradient = jax.value_and_grad(loss)(weights)
    updates, _ = OPTIMIZER.update(gradient, OPTIMIZER.init(weights))
    return value, optax.apply_updates(weights, updates), rewards.sum()


@program(lambda: (normal(100, 8, 4), integers(100, 8, high=2), key(6)), tolerance=1e-5)
def flashbax_add_and_sample(observations, actions, rng):
    buffer = flashbax.make_flat_buffer(max_length=400, min_length=64, sample_batch_size=64,
                                       add_sequences=False, add_batch_size=8)
    state = buffer.init((observations[0, 0], actions[0, 0]))

    def step(state, inputs):
        *item, k = inputs
        state = buffer.add(state, tuple(item))
        first, second = buffer.sample(state, k).experience
        return state, (first[0].sum(), second[0].sum())
    return lax.scan(step, state, (observations, actions, jax.random.split(rng, 100)))[1]
