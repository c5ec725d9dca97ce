"""Argon by Lennard-Jones in JAX, written as StableHLO: a potential with its gradient, and a step.

potential.mlir: (x) -> (energy, forces). step.mlir: (x, v, f) -> (x, v, f, potential energy, kinetic
energy), one step of velocity Verlet whose state is updated in place. Atoms are f64[ATOMS,3] in a
periodic cube. Units are reduced: lengths in sigma, energies in epsilon, masses 1.
"""
import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)

ATOMS = 108
BOX = (ATOMS / 0.8442) ** (1 / 3)  # the density of liquid argon at its triple point
CUTOFF = 2.5
DT = 0.004


def pair(r2):
    """Energy of a pair at the squared distance r2, without cutoff."""
    s6 = 1 / r2**3
    return 4 * (s6 * s6 - s6)


def potential(x):
    d = x[:, None] - x[None]
    d -= BOX * jnp.round(d / BOX)
    r2 = (d * d).sum(-1) + jnp.eye(ATOMS) * BOX**2  # no atom acts on itself
    r = jnp.sqrt(r2)
    # Energy and force go to zero at the cutoff, so that the total energy is conserved.
    edge, slope = jax.value_and_grad(lambda r: pair(r * r))(CUTOFF)
    energies = jnp.where(r < CUTOFF, pair(r2) - edge - (r - CUTOFF) * slope, 0)
    return energies.sum() / 2


def energy_and_forces(x):
    energy, gradient = jax.value_and_grad(potential)(x)
    return energy, -gradient


def step(x, v, f):
    v = v + 0.5 * DT * f
    x = x + DT * v
    energy, f = energy_and_forces(x)
    v = v + 0.5 * DT * f
    return x, v, f, energy, 0.5 * (v * v).sum()


if __name__ == "__main__":
    atoms = jax.ShapeDtypeStruct((ATOMS, 3), jnp.float64)
    with open("potential.mlir", "w") as file:
        file.write(jax.jit(energy_and_forces).lower(atoms).as_text(debug_info=True))
    with open("step.mlir", "w") as file:
        lowered = jax.jit(step, donate_argnums=(0, 1, 2)).lower(atoms, atoms, atoms)
        file.write(lowered.as_text(debug_info=True))
    with open("constants.h", "w") as file:
        file.write(f"constexpr int kAtoms = {ATOMS};\nconstexpr double kBox = {BOX!r};\n"
                   f"constexpr double kDt = {DT!r};\n")
