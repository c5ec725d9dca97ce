"""What the tests of the examples share: the network as StableHLO, the installed runtime, commands."""
import os
import pathlib
import shutil
import subprocess
import sys
import types

import plugin_env
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from example_tools import BUILD, ROOT  # noqa: E402


def pytest_configure(config):
    config.addinivalue_line("markers", "needs(*programs): skip the test where one is not installed")


@pytest.fixture(autouse=True)
def installed(request):
    if not (BUILD / "bin" / "tenon-compile").exists():
        pytest.skip(f"{BUILD} has no tenon-compile")
    for mark in request.node.iter_markers("needs"):
        missing = [p for p in mark.args if not shutil.which(p) and not pathlib.Path(p).exists()]
        if missing:
            pytest.skip("not installed: " + ", ".join(missing))


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    """A folder with the installed runtime and tenon-compile."""
    prefix = tmp_path_factory.mktemp("prefix")
    subprocess.run(["cmake", "--install", BUILD, "--component", "runtime", "--prefix", prefix],
                   check=True, timeout=60, stdout=subprocess.DEVNULL)
    (prefix / "bin").mkdir(exist_ok=True)
    compiler = prefix / "bin" / "tenon-compile"
    if not compiler.exists():
        compiler.symlink_to(BUILD / "bin" / "tenon-compile")
    return prefix


@pytest.fixture(scope="session")
def run(prefix):
    """run(command, cwd=..., ...): runs a shell command as the pages say; returns its output."""
    env = {**plugin_env.clean(), "JAX_PLATFORMS": "cpu",
           "PATH": f"{prefix}/bin:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
           "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig", "CMAKE_PREFIX_PATH": str(prefix),
           "LD_LIBRARY_PATH": f"{prefix}/lib"}

    def run(command, code=0, timeout=300, **options):
        done = subprocess.run(command, shell=isinstance(command, str), env=env, text=True,
                              capture_output=True, timeout=timeout, **options)
        assert done.returncode == code, f"{command}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
        return done.stdout if code == 0 else done.stderr

    run.env = env
    return run


@pytest.fixture(scope="session")
def digits(tmp_path_factory, run):
    """The trained network: folder (with digits-BATCH.mlir), images (file), labels."""
    folder = tmp_path_factory.mktemp("digits")
    run(f"python {ROOT}/examples/digits/model.py --folder {folder} --batch 1 2 4 8 16")
    (folder / "digits-1.mlir").rename(folder / "digits.mlir")
    return types.SimpleNamespace(folder=folder, images=folder / "digits.txt",
                                 labels=(folder / "labels.txt").read_text().split())


@pytest.fixture
def example(tmp_path, digits):
    """example(name): a copy of examples/name, with the network in it."""
    def copy(name):
        folder = tmp_path / name
        shutil.copytree(ROOT / "examples" / name, folder)
        shutil.copy(digits.folder / "digits.mlir", folder)
        return folder
    return copy
