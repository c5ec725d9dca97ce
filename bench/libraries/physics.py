"""Simulation: MJX, JAX MD, Dynamiqs, qujax, S2FFT, jax-cosmo, Signax."""
import dynamiqs as dq
import jax
import jax.numpy as jnp
import jax_cosmo
import mujoco
import numpy as np
import qujax
import s2fft
import signax
from jax import lax
from jax_md import energy, simulate, space
from mujoco import mjx
from wide.registry import complex_normal, initial, normal, once, program, uniform

PENDULUM = """
<mujoco>
  <option timestep="0.01"/>
  <worldbody><body pos="0 0 2">
    <joint name="hip" type="hinge" axis="0 1 0" damping="0.05"/>
    <geom type="capsule" size="0.05" fromto="0 0 0 0 0 -0.6" mass="1"/>
    <body pos="0 0 -0.6">
      <joint type="hinge" axis="0 1 0" damping="0.05"/>
      <geom type="capsule" size="0.05" fromto="0 0 0 0 0 -0.6" mass="1"/>
    </body>
  </body></worldbody>
  <actuator><motor joint="hip" gear="2"/></actuator>
</mujoco>"""
BALL = """
<mujoco>
  <option timestep="0.005" iterations="4" ls_iterations="6"/>
  <worldbody>
    <geom type="plane" size="5 5 0.1"/>
    <body pos="0 0 0.11"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>
  </worldbody>
</mujoco>"""


def mjx_world(xml):
    """MJX's model and state, as arguments. Its checks of platforms know the built-in CPU only."""
    def make():
        model = mujoco.MjModel.from_xml_string(xml)
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        device = jax.devices("cpu")[0]
        return (mjx.put_model(model, device=device, impl="jax"),
                mjx.put_data(model, data, device=device, impl="jax"))
    return initial(make)


def simulate_mjx(model, data, controls):
    def step(data, control):
        data = mjx.step(model, data.replace(ctrl=control))
        return data, data.qpos
    return lax.scan(step, data, controls)


@program(lambda make=mjx_world(PENDULUM): (*make(), normal(16, 2, scale=0.02),
                                           normal(16, 10, 1, seed=1)))
def mjx_pendulum_batch(model, data, offsets, controls):
    def run(offset, control):
        data_, path = simulate_mjx(model, data.replace(qpos=data.qpos + offset), control)
        return data_.qvel, data_.xpos, path
    return jax.vmap(run)(offsets, controls)


@program(lambda make=mjx_world(BALL): (*make(), normal(8, 6, scale=0.5)), tolerance=1e-3)
def mjx_contacts(model, data, velocities):
    def run(velocity):
        step = lambda data, _: (mjx.step(model, data), data.qpos)  # noqa: E731
        return lax.scan(step, data.replace(qvel=velocity), None, length=10)[1]
    return jax.vmap(run)(velocities)


def lattice(side, spacing):
    points = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)
    return (spacing * points).astype(np.float32)


@program(lambda: (lattice(5, 1.1), normal(125, 3, scale=0.5)))
def jax_md_lennard_jones(positions, velocities):
    displacement, shift = space.periodic(5 * 1.1)
    potential = energy.lennard_jones_pair(displacement)
    init, apply = simulate.nve(potential, shift, 1e-3)
    state = init(jax.random.key(0), positions, kT=jnp.ones((), positions.dtype))
    state = state.set(momentum=velocities * state.mass)
    state = lax.fori_loop(0, 20, lambda _, s: apply(s), state)
    return state.position, state.velocity, potential(state.position)


@program(lambda: (np.float32(0.5),))
def dynamiqs_damped_oscillator(drive):
    a = dq.destroy(12)
    result = dq.mesolve(a.dag() @ a + drive * (a + a.dag()), [0.5 * a], dq.coherent(12, 1.0),
                        jnp.linspace(0, 1, 11), exp_ops=[a.dag() @ a])
    return result.expects, result.final_state.to_jax()


@once
def ising_energy(qubits, layers):
    """The energy of an Ising chain in the state that a circuit prepares from its angles."""
    gates, where, parameters = [], [], []
    for layer in range(layers):
        gates += ["Ry"] * qubits + ["CZ"] * (qubits - 1)
        where += [[q] for q in range(qubits)] + [[q, q + 1] for q in range(qubits - 1)]
        parameters += [[layer * qubits + q] for q in range(qubits)] + [[]] * (qubits - 1)
    state = qujax.get_params_to_statetensor_func(gates, where, parameters, qubits)
    expectation = qujax.get_statetensor_to_expectation_func(
        [["Z", "Z"]] * (qubits - 1) + [["X"]] * qubits,
        [[q, q + 1] for q in range(qubits - 1)] + [[q] for q in range(qubits)],
        [1.0] * (2 * qubits - 1))
    return lambda angles: expectation(state(angles))


@program(lambda: (uniform(24),))
def qujax_variational_gradient(angles):
    return jax.value_and_grad(ising_energy(8, 3))(angles)


@program(lambda: (complex_normal(16, 31),))
def s2fft_round_trip(coefficients):
    sphere = s2fft.inverse_jax(coefficients, 16)
    return sphere, s2fft.forward_jax(sphere, 16)


@program(lambda: (np.float32(0.26), np.logspace(-3, 0, 64, dtype=np.float32)))
def jax_cosmo_power_spectrum(omega, k):
    universe = jax_cosmo.Planck15(Omega_c=omega)
    return (jax_cosmo.power.linear_matter_power(universe, k),
            jax_cosmo.background.radial_comoving_distance(universe, jnp.linspace(0.3, 1.0, 10)))


@program(lambda: (normal(8, 50, 3, scale=0.1),))
def signax_signature_gradient(steps):
    def loss(steps):
        return jnp.sum(signax.signature(jnp.cumsum(steps, 1), 4) ** 2)
    return jax.value_and_grad(loss)(steps)
