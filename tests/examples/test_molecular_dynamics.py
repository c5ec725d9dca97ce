"""The C++ simulation with a potential from JAX."""
import shutil

import pytest
from example_tools import ROOT


def simulated(output):
    """(lines of numbers: step and energies per atom; largest change; position of atom 0)."""
    lines = output.splitlines()
    rows = [[float(word) for word in line.split()] for line in lines[1:-3]]
    return rows, float(lines[-3].split()[-1]), [float(word) for word in lines[-1].split()[3:]]


@pytest.mark.needs("make", "g++")
def test_energy_is_conserved(run, tmp_path):
    folder = tmp_path / "md"
    shutil.copytree(ROOT / "examples" / "molecular_dynamics", folder)
    run("make -s CXXFLAGS='-std=c++20 -O2 -Wall -Wextra -Werror'", cwd=folder)
    header = (folder / "step.h").read_text()
    assert "int step_run(double x[324],\n             double v[324],\n             double f[324]" in header
    rows, change, _ = simulated(run("./md --steps 2000", cwd=folder))
    # Kinetic energy became potential energy, and came back; their sum stayed. Velocity Verlet's
    # error oscillates with the size of the step squared, and does not grow.
    assert len(rows) == 11 and rows[0][2] - rows[-1][2] > 0.5
    assert change < 2e-3 and abs(rows[-1][3] - rows[0][3]) < 5e-4
    # The step in C++ and the step as one object follow the same path.
    *_, alone = simulated(run("./md --steps 200", cwd=folder))
    *_, fused = simulated(run("./md --steps 200 --fused", cwd=folder))
    assert alone == pytest.approx(fused, abs=1e-9)
