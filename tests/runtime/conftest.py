"""An MLP as a .tenon file, and a program that runs it with libtenon_runtime."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from runtime_tools import BUILD, HERE, MLP, build_c, command, compile_file, plugin_env  # noqa: E402


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    if not (BUILD / "bin" / "tenon-compile").exists():
        pytest.skip(f"{BUILD} has no tenon-compile")
    return tmp_path_factory.mktemp("runtime")


@pytest.fixture(scope="session")
def mlp(folder):
    """(MLIR file, .tenon file, what run_program must print for it)."""
    env = {**plugin_env.clean(), "JAX_PLATFORMS": "cpu"}
    expected = command(sys.executable, "-c", MLP, folder / "mlp.mlir", env=env).split()
    path = compile_file(folder / "mlp.mlir", folder / "mlp.tenon")
    return folder / "mlp.mlir", path, [float(value) for value in expected]


@pytest.fixture(scope="session")
def prefix(folder):
    """A folder with the installed runtime."""
    command("cmake", "--install", BUILD, "--component", "runtime", "--prefix", folder / "prefix")
    return folder / "prefix"


@pytest.fixture(scope="session")
def run_program(folder, prefix):
    """run_program.c, linked with the static library."""
    return build_c(prefix, HERE / "run_program.c", folder / "run_program",
                   prefix / "lib" / "libtenon_runtime.a", "-lpthread", "-Wl,--gc-sections")
