"""Some programs of each file of tests/ops on an OpenCL device."""
import pathlib
import re
import subprocess

import plugin_env
import pytest
from opencl_driver import PLUGIN, environment, missing

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())
FILES = sorted((pathlib.Path(__file__).resolve().parents[1] / "ops").glob("*.mlir"))
# Intel's driver for CPUs compiles a loop of x = i - x wrongly (docs/gpu.md), unless it does not
# optimize.
WRONG_IN_DRIVER = ("scatter_order.mlir", 1)


def sample(path):
    """The first program of a file and the one in the middle."""
    programs = re.split(r"^// -----$", path.read_text(), flags=re.MULTILINE)
    numbers = sorted({0, len(programs) // 2} - {len(programs)})
    return [programs[n] for n in numbers if (path.name, n) != WRONG_IN_DRIVER]


@pytest.mark.parametrize("path", [f for f in FILES if f.name != "unsupported.mlir"],
                         ids=lambda path: path.stem)
def test_file(path):
    done = subprocess.run(
        [plugin_env.BUILD / "bin" / "tenon-run", "--check", "--quiet", "--sum-tolerance", "64",
         "--plugin", PLUGIN, "-"], input="// -----\n".join(sample(path)), text=True, env=environment(),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    assert done.returncode == 0, done.stdout
