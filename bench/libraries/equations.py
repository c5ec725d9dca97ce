"""Equations, transport and optimisation: Diffrax, Optimistix, Lineax, OTT, JAXopt."""
import diffrax as dfx
import equinox as eqx
import jax
import jax.numpy as jnp
import jaxopt
import lineax as lx
import numpy as np
import optax
import optimistix as optx
from ott.geometry import grid, pointcloud
from ott.problems.linear import barycenter_problem
from ott.solvers.linear import discrete_barycenter
from ott.tools import sinkhorn_divergence
from wide.registry import initial, integers, key, normal, program, uniform

ADAPTIVE = dfx.PIDController(rtol=1e-5, atol=1e-5)


def predator_and_prey(t, y, rates):
    hares, lynxes = y
    a, b, c, d = rates
    return jnp.stack([a * hares - b * hares * lynxes, d * hares * lynxes - c * lynxes])


@program(lambda: (np.float32([0.1, 0.02, 0.4, 0.02]), np.float32([10, 10])))
def diffrax_predator_prey_gradient(rates, start):
    def loss(rates):
        solution = dfx.diffeqsolve(dfx.ODETerm(predator_and_prey), dfx.Tsit5(), 0.0, 20.0, 0.1,
                                   start, rates, saveat=dfx.SaveAt(ts=jnp.linspace(0, 20, 100)),
                                   stepsize_controller=ADAPTIVE)
        return jnp.mean(solution.ys ** 2)
    return jax.value_and_grad(loss)(rates)


@program(lambda: (np.float32([1, 0, 0]), np.float32([0.04, 3e7, 1e4])))
def diffrax_robertson_stiff(start, rates):
    def reaction(t, y, k):
        x, y, z = y
        dx = -k[0] * x + k[2] * y * z
        dz = k[1] * y ** 2
        return jnp.stack([dx, -dx - dz, dz])
    times = jnp.array([0, 1e-4, 1e-2, 1, 10, 100])
    return dfx.diffeqsolve(dfx.ODETerm(reaction), dfx.Kvaerno5(), 0.0, 100.0, 2e-4, start, rates,
                           saveat=dfx.SaveAt(ts=times),
                           stepsize_controller=dfx.PIDController(rtol=1e-5, atol=1e-7)).ys


def vector_field():
    return eqx.nn.MLP(2, 2, 64, 2, activation=jax.nn.softplus, key=jax.random.key(0))


@program(lambda make=initial(lambda: eqx.filter(vector_field(), eqx.is_array)): (
    make(), normal(32, 20, 2, scale=0.3)))
def diffrax_neural_ode_step(weights, paths):
    static = eqx.partition(vector_field(), eqx.is_array)[1]
    times = jnp.linspace(0, 2, 20)

    def loss(weights):
        field = eqx.combine(weights, static)
        solve = lambda y: dfx.diffeqsolve(  # noqa: E731
            dfx.ODETerm(lambda t, y, _: field(y)), dfx.Tsit5(), 0.0, 2.0, 0.1, y,
            stepsize_controller=dfx.PIDController(rtol=1e-3, atol=1e-6),
            saveat=dfx.SaveAt(ts=times)).ys
        return jnp.mean((jax.vmap(solve)(paths[:, 0]) - paths) ** 2)
    value, gradient = jax.value_and_grad(loss)(weights)
    optimizer = optax.sgd(1e-2)
    updates, _ = optimizer.update(gradient, optimizer.init(weights))
    return value, eqx.apply_updates(weights, updates)


@program(lambda: (np.float32([10, 0]),))
def diffrax_bouncing_ball(start):
    fall = dfx.ODETerm(lambda t, y, _: jnp.stack([y[1], -9.81 - 0.1 * y[1]]))
    ground = dfx.Event(lambda t, y, args, **_: y[0], optx.Newton(1e-5, 1e-5, optx.rms_norm))

    def bounce(y, _):
        solution = dfx.diffeqsolve(fall, dfx.Tsit5(), 0.0, 10.0, 0.1, y, event=ground,
                                   stepsize_controller=ADAPTIVE)
        speed = solution.ys[-1, 1]
        return jnp.stack([jnp.full_like(speed, 1e-3), -0.8 * speed]), (solution.ts[0], speed)
    return jax.lax.scan(bounce, start, None, length=5)[1]


@program(lambda: (key(), np.ones(50, np.float32)), tolerance=1e-4)
def diffrax_langevin_paths(rng, start):
    def solve(k, y):
        motion = dfx.VirtualBrownianTree(0.0, 1.0, 1e-3, (), k)
        terms = dfx.MultiTerm(dfx.ODETerm(lambda t, y, _: -y),
                              dfx.ControlTerm(lambda t, y, _: 0.1 * y, motion))
        return dfx.diffeqsolve(terms, dfx.ItoMilstein(), 0.0, 1.0, 0.01, y,
                               saveat=dfx.SaveAt(ts=jnp.linspace(0, 1, 20))).ys
    return jax.vmap(solve)(jax.random.split(rng, 50), start)


@program(lambda: (np.float32([1, 1, 0]), np.linspace(0, 5, 100, dtype=np.float32),
                  normal(100, scale=0.01)))
def optimistix_exponential_fit(start, x, noise):
    y = 2.5 * jnp.exp(-1.3 * x) + 0.5 + noise
    residuals = lambda p, _: p[0] * jnp.exp(-p[1] * x) + p[2] - y  # noqa: E731
    return optx.least_squares(residuals, optx.LevenbergMarquardt(1e-6, 1e-6), start).value


@program(lambda: (normal(20, 20, scale=0.1),))
def optimistix_fixed_point_gradient(matrix):
    def norm(matrix):
        solver = optx.FixedPointIteration(1e-6, 1e-6)
        solution = optx.fixed_point(lambda y, a: jnp.tanh(a @ y) + 0.1, solver, jnp.zeros(20),
                                    matrix, max_steps=1000)
        return jnp.sum(solution.value ** 2)
    return jax.value_and_grad(norm)(matrix)


@program(lambda: (normal(150, 150), normal(150, seed=1)))
def lineax_conjugate_gradients(a, b):
    matrix = lx.MatrixLinearOperator(a @ a.T / 150 + jnp.eye(150), lx.positive_semidefinite_tag)
    return lx.linear_solve(matrix, b, lx.CG(1e-6, 1e-6)).value


@program(lambda: (normal(50, 2), normal(60, 2, seed=1)))
def ott_divergence_gradient(x, y):
    def cost(x):
        return sinkhorn_divergence.sinkhorn_divergence(pointcloud.PointCloud, x, y + 1,
                                                       epsilon=0.2)[0]
    return jax.value_and_grad(cost)(x)


@program(lambda: (uniform(2, 225, low=0.1),))
def ott_barycenter(histograms):
    histograms /= histograms.sum(1, keepdims=True)
    problem = barycenter_problem.FixedBarycenterProblem(
        grid.Grid(grid_size=(15, 15), epsilon=1e-2), histograms)
    return discrete_barycenter.FixedBarycenter()(problem).histogram


@program(lambda: (normal(300, 10), integers(300, high=2, seed=1)))
def jaxopt_lbfgs_logistic(x, y):
    def loss(w):
        return jaxopt.objective.binary_logreg(w, (x, y)) + 0.1 * jnp.sum(w ** 2)
    return jaxopt.LBFGS(loss, maxiter=50).run(jnp.zeros(10)).params
