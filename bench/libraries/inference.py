"""Probabilistic models: NumPyro, BlackJAX, tinygp, Dynamax, Distrax, TFP, evosax."""
import blackjax
import distrax
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
import tensorflow_probability.substrates.jax as tfp
import tinygp
from dynamax.linear_gaussian_ssm import lgssm_filter
from dynamax.linear_gaussian_ssm.inference import make_lgssm_params
from dynamax.nonlinear_gaussian_ssm import (ParamsNLGSSM, UKFHyperParams, extended_kalman_smoother,
                                            unscented_kalman_smoother)
from evosax.algorithms import CMA_ES
from jax import lax
from numpyro.infer import NUTS, SVI, Trace_ELBO, autoguide
from numpyro.infer.util import potential_energy
from tinygp.kernels import quasisep
from wide.registry import integers, key, normal, program, uniform

# Rubin's eight schools: mean effects and their standard errors.
EFFECTS = np.array([28, 8, -3, 7, -1, 1, 18, 12], np.float32)
ERRORS = np.array([15, 10, 16, 11, 9, 11, 10, 18], np.float32)


def schools(errors, effects=None):
    mean = numpyro.sample("mean", dist.Normal(0.0, 5.0))
    spread = numpyro.sample("spread", dist.HalfCauchy(5.0))
    with numpyro.plate("schools", 8):
        offset = numpyro.sample("offset", dist.Normal(0.0, 1.0))
        effect = numpyro.deterministic("effect", mean + spread * offset)
        numpyro.sample("observed", dist.Normal(effect, errors), obs=effects)


def school_points(*shape):
    return dict(mean=normal(*shape), spread=normal(*shape, seed=1),
                offset=normal(*shape, 8, seed=2))


@program(lambda: (school_points(64), ERRORS, EFFECTS))
def numpyro_eight_schools_density(points, errors, effects):
    density = lambda z: potential_energy(schools, (errors, effects), {}, z)  # noqa: E731
    return jax.vmap(jax.value_and_grad(density))(points)


@program(lambda: (key(1), school_points(), ERRORS, EFFECTS), tolerance=1e-3)
def numpyro_eight_schools_nuts(rng, start, errors, effects):
    kernel = NUTS(potential_fn=lambda z: potential_energy(schools, (errors, effects), {}, z),
                  step_size=0.2, adapt_step_size=False, adapt_mass_matrix=False, max_tree_depth=4)
    state = kernel.init(rng, 0, start, (), {})

    def step(state, _):
        state = kernel.sample(state, (), {})
        return state, (state.z, state.potential_energy)
    return lax.scan(step, state, None, length=10)[1]


GROUP = integers(400, high=20)


def varying_slopes(x, y):
    centre = numpyro.sample("centre", dist.Normal(0.0, 5.0).expand([2]).to_event(1))
    spread = numpyro.sample("spread", dist.HalfNormal(2.0).expand([2]).to_event(1))
    with numpyro.plate("groups", 20):
        line = numpyro.sample("line", dist.Normal(centre, spread).to_event(1))
    noise = numpyro.sample("noise", dist.HalfNormal(1.0))
    numpyro.sample("y", dist.Normal(line[GROUP, 0] + line[GROUP, 1] * x, noise), obs=y)


@program(lambda: (key(3), normal(400), normal(400, seed=1)), tolerance=1e-3)
def numpyro_hierarchical_svi(rng, x, y):
    svi = SVI(varying_slopes, autoguide.AutoNormal(varying_slopes), numpyro.optim.Adam(0.01),
              Trace_ELBO())
    state = svi.init(rng, x, y)
    state, losses = lax.scan(lambda s, _: svi.update(s, x, y), state, None, length=50)
    return svi.get_params(state), losses


def switching_model(y):
    """A hidden Markov model whose states are summed out by the forward algorithm."""
    transition = numpyro.sample("transition", dist.Dirichlet(jnp.ones((3, 3))).to_event(1))
    mean = numpyro.sample("mean", dist.Normal(jnp.zeros(3), 2.0).to_event(1))

    def forward(log_p, value):
        log_p = jax.nn.logsumexp(log_p[:, None] + jnp.log(transition), 0)
        return log_p + dist.Normal(mean, 1.0).log_prob(value), None
    log_p, _ = lax.scan(forward, jnp.log(jnp.ones(3) / 3), y)
    numpyro.factor("likelihood", jax.nn.logsumexp(log_p))


@program(lambda: (dict(transition=normal(4, 3, 2), mean=normal(4, 3, seed=1)),
                  normal(150, seed=2)))
def numpyro_hidden_markov_density(points, y):
    density = lambda z: potential_energy(switching_model, (y,), {}, z)  # noqa: E731
    return jax.vmap(jax.value_and_grad(density))(points)


def logistic_density(x, y):
    def density(w):
        return jnp.sum(jax.nn.log_sigmoid((2 * y - 1) * (x @ w))) - jnp.sum(w ** 2) / 8
    return density


def chain(kernel, rng, start, steps):
    def step(state, k):
        state, _ = kernel.step(k, state)
        return state, (state.position, state.logdensity)
    return lax.scan(step, kernel.init(start), jax.random.split(rng, steps))[1]


@program(lambda: (key(), normal(500, 10), integers(500, high=2), np.zeros(10, np.float32)),
         tolerance=1e-3)
def blackjax_nuts_logistic(rng, x, y, start):
    kernel = blackjax.nuts(logistic_density(x, y), 0.05, jnp.ones(10), max_num_doublings=5)
    return chain(kernel, rng, start, 10)


@program(lambda: (np.float32([0, 0, -1, 0, -2]), np.sort(uniform(100, high=10)),
                  normal(100, seed=1)))
def tinygp_likelihood_gradient(theta, x, y):
    def loss(theta):
        a, b, c, d, noise = jnp.exp(theta)
        kernel = a * tinygp.kernels.ExpSquared(b) + c * tinygp.kernels.Matern32(d)
        return -tinygp.GaussianProcess(kernel, x, diag=noise).log_probability(y)
    return jax.value_and_grad(loss)(theta)


@program(lambda: (np.float32([0.7, 0, -1, 0, -2]), np.sort(uniform(300, high=10)),
                  normal(300, seed=1)))
def tinygp_quasiseparable_gradient(theta, x, y):
    def loss(theta):
        omega, quality, sigma, scale, noise = jnp.exp(theta)
        kernel = quasisep.SHO(omega=omega, quality=quality, sigma=sigma) + quasisep.Matern32(scale)
        return -tinygp.GaussianProcess(kernel, x, diag=noise).log_probability(y)
    return jax.value_and_grad(loss)(theta)


def tracking(observe):
    """A target of constant velocity in the plane."""
    move = jnp.eye(4) + 0.1 * jnp.eye(4, k=2)
    return make_lgssm_params(jnp.zeros(4), jnp.eye(4), move, 0.01 * jnp.eye(4), observe,
                             0.1 * jnp.eye(2))


@program(lambda: (np.eye(2, 4, dtype=np.float32), normal(200, 2, seed=1)))
def dynamax_kalman_gradient(observe, y):
    return jax.value_and_grad(lambda h: lgssm_filter(tracking(h), y).marginal_loglik)(observe)


@program(lambda: (normal(150, 1, scale=0.3),))
def dynamax_pendulum_smoothers(y):
    def move(x):
        return jnp.stack([x[0] + 0.05 * x[1], x[1] - 0.05 * 9.8 * jnp.sin(x[0])])
    params = ParamsNLGSSM(jnp.array([0.1, 0.0]), 0.1 * jnp.eye(2), move, 0.01 * jnp.eye(2),
                          lambda x: jnp.sin(x[:1]), 0.1 * jnp.eye(1))
    return (extended_kalman_smoother(params, y).smoothed_means,
            unscented_kalman_smoother(params, y, UKFHyperParams()).smoothed_means)


@program(lambda: (normal(2, 25, scale=0.3), normal(256, 2, seed=1)))
def distrax_spline_flow(knots, x):
    def loss(knots):
        spline = distrax.RationalQuadraticSpline(knots, range_min=-3.0, range_max=3.0)
        base = distrax.MultivariateNormalDiag(jnp.zeros(2), jnp.ones(2))
        return -distrax.Transformed(base, distrax.Block(spline, 1)).log_prob(x).mean()
    return jax.value_and_grad(loss)(knots)


@program(lambda: (uniform(500, low=0.1, high=5),))
def tfp_special_functions(x):
    f = tfp.math
    return (f.bessel_kve(jnp.full_like(x, 1.5), x), f.lambertw(x), f.erfcx(x),
            f.log_gamma_correction(x + 8), f.betainc(2 * x, 3 * x, x / 6), f.lbeta(x, x + 1),
            f.owens_t(x, x / 2))


@program(lambda: (key(), np.zeros(10, np.float32)), tolerance=1e-4)
def evosax_cma_es(rng, mean):
    strategy = CMA_ES(population_size=32, solution=jnp.zeros(10))
    params = strategy.default_params

    def generation(state, k):
        x, state = strategy.ask(k, state, params)
        cost = jnp.sum((x - 1) ** 2 * jnp.arange(1, 11), -1)
        state, _ = strategy.tell(k, x, cost, state, params)
        return state, (cost.min(), state.mean)
    return lax.scan(generation, strategy.init(rng, mean, params), jax.random.split(rng, 10))[1]
