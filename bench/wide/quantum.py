"""State vectors, density matrices and time evolution."""
import jax
import jax.numpy as jnp
from jax import lax

from .registry import complex_normal, integers, normal, program, uniform


def rotation(axis, angle):
    c, s = jnp.cos(angle / 2), jnp.sin(angle / 2)
    if axis == "x":
        return jnp.array([[c, -1j * s], [-1j * s, c]])
    if axis == "y":
        return jnp.array([[c + 0j, -s], [s, c]])
    return jnp.diag(jnp.stack([jnp.exp(-0.5j * angle), jnp.exp(0.5j * angle)]))


def apply(state, gate, *qubits):
    """A gate on some axes of a state with one axis per qubit."""
    k = len(qubits)
    gate = gate.reshape((2,) * (2 * k))
    out = jnp.tensordot(gate, state, (tuple(range(k, 2 * k)), qubits))
    return jnp.moveaxis(out, range(k), qubits)


def zero_state(n):
    return jnp.zeros(2 ** n, jnp.result_type(1j)).at[0].set(1).reshape((2,) * n)


CNOT = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]


@program(lambda: (uniform(3, 10, high=6.28),))
def hardware_efficient_ansatz(angles):
    state = zero_state(10)
    cnot = jnp.array(CNOT, state.dtype)
    for layer in range(3):
        for q in range(10):
            state = apply(state, rotation("y", angles[layer, q]), q)
        for q in range(9):
            state = apply(state, cnot, q, q + 1)
    return jnp.abs(state.reshape(-1)) ** 2


@program(lambda: (uniform(2, 6, high=6.28),))
def vqe_ising_gradient(angles):
    def energy(angles):
        state = zero_state(6)
        for layer in range(2):
            for q in range(6):
                state = apply(state, rotation("y", angles[layer, q]), q)
            for q in range(5):
                state = apply(state, jnp.diag(jnp.array([1, 1, 1, -1.0])), q, q + 1)
        p = jnp.abs(state) ** 2
        total = 0.0
        for q in range(5):
            z = p.sum(tuple(a for a in range(6) if a not in (q, q + 1)))
            total -= z[0, 0] + z[1, 1] - z[0, 1] - z[1, 0]
        for q in range(6):
            total -= jnp.real(jnp.vdot(state, jnp.flip(state, q)))
        return total
    return jax.value_and_grad(energy)(angles)


@program(lambda: (complex_normal(256),))
def quantum_fourier_transform(amplitudes):
    n = 8
    state = (amplitudes / jnp.linalg.norm(amplitudes)).reshape((2,) * n)
    h = jnp.array([[1, 1], [1, -1]]) / 2 ** 0.5
    for q in range(n):
        state = apply(state, h, q)
        for r in range(q + 1, n):
            phase = jnp.diag(jnp.array([1, 1, 1, jnp.exp(1j * jnp.pi / 2 ** (r - q))]))
            state = apply(state, phase, r, q)
    return state.transpose(tuple(range(n))[::-1]).reshape(-1)


@program(lambda: (complex_normal(1024), normal(10, seed=2)))
def trotter_ising_evolution(state, fields):
    n = 10
    bits = (jnp.arange(1024)[:, None] >> jnp.arange(n)) & 1
    spins = 1.0 - 2.0 * bits
    energy = jnp.sum(spins * jnp.roll(spins, 1, 1), 1) + spins @ fields
    phase = jnp.exp(-0.05j * energy)
    c, s = jnp.cos(0.05), -1j * jnp.sin(0.05)

    def step(state, _):
        state = phase * state
        for q in range(n):
            pair = state.reshape(-1, 2, 2 ** q)
            state = (c * pair + s * pair[:, ::-1]).reshape(-1)
        return state, jnp.sum(jnp.abs(state) ** 2 * spins[:, 0])
    return lax.scan(step, state / jnp.linalg.norm(state), None, length=3)


@program(lambda: (integers(1, high=1024),))
def grover_search(marked):
    state = jnp.full(1024, 1024 ** -0.5)

    def step(_, s):
        s = s.at[marked].multiply(-1)
        return 2 * s.mean() - s
    return lax.fori_loop(0, 25, step, state) ** 2


@program(lambda: (complex_normal(16, 16), uniform(20, high=0.2)))
def density_matrix_channels(a, strengths):
    rho = a @ a.conj().T
    rho = rho / jnp.trace(rho)

    def step(rho, p):
        r = rho.reshape((2,) * 8)
        for q in range(4):
            k0 = jnp.diag(jnp.stack([jnp.ones_like(p), jnp.sqrt(1 - p)]))
            k1 = jnp.zeros((2, 2)).at[0, 1].set(jnp.sqrt(p))
            parts = []
            for k in (k0, k1):
                t = jnp.moveaxis(jnp.tensordot(k, r, (1, q)), 0, q)
                parts.append(jnp.moveaxis(jnp.tensordot(k, t, (1, q + 4)), 0, q + 4))
            r = parts[0] + parts[1]
        rho = r.reshape(16, 16)
        return rho, jnp.real(jnp.trace(rho @ rho))
    return lax.scan(step, rho, strengths)


@program(lambda: (normal(40, 2, 16, 16, scale=0.2),))
def matrix_product_state_norm(tensors):
    def step(env, t):
        env = jnp.einsum("ab,sac,sbd->cd", env, t, t)
        scale = jnp.linalg.norm(env)
        return env / scale, jnp.log(scale)
    return lax.scan(step, jnp.eye(16), tensors)[1].sum()


@program(lambda: (complex_normal(16, 16),))
def hamiltonian_expm_evolution(a):
    h = (a + a.conj().T) / 10
    u = jax.scipy.linalg.expm(-1j * h)
    psi = jnp.zeros(16, u.dtype).at[0].set(1)
    return lax.scan(lambda s, _: (u @ s, jnp.abs(s) ** 2), psi, None, length=50)[1]


@program(lambda: (normal(64, 64),))
def exact_diagonalisation_thermal(a):
    h = (a + a.T) / 2
    e, v = jnp.linalg.eigh(h)
    w = jax.nn.softmax(-0.5 * e)
    return jnp.sum(w * e), (v * w) @ v.T


@program(lambda: (uniform(16, 4, high=6.28), uniform(16, 4, seed=1)))
def data_reuploading_classifier_gradient(x, angles):
    """A batch of 4-qubit circuits by vmap; gradient of the mean of the first qubit's Z."""
    def circuit(angles, x):
        state = zero_state(4)
        for layer in range(2):
            for q in range(4):
                state = apply(state, rotation("x", x[q]), q)
                state = apply(state, rotation("z", angles[4 * layer + q, 0]), q)
                state = apply(state, rotation("y", angles[4 * layer + q, 1]), q)
            for q in range(4):
                state = apply(state, jnp.array(CNOT, state.dtype), q, (q + 1) % 4)
        p = jnp.sum(jnp.abs(state) ** 2, (1, 2, 3))
        return p[0] - p[1]
    return jax.value_and_grad(lambda a: jnp.mean(jax.vmap(circuit, (None, 0))(a, x)))(angles)
