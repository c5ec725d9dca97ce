"""A C program with only the ABI header runs a program on the plugin."""
import pathlib
import shutil
import subprocess

import plugin_env
import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PLUGIN = plugin_env.default_plugin()


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    compiler = shutil.which("clang-22") or shutil.which("cc")
    binary = tmp_path_factory.mktemp("c_client") / "c_client"
    subprocess.run(
        [compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}",
         str(HERE / "c_client.c"), "-o", str(binary), "-ldl"], check=True)
    return binary


def test_compile_transfer_execute(program):
    run = subprocess.run([program, PLUGIN], capture_output=True,
                         text=True, timeout=120)
    assert run.stderr == ""
    assert run.stdout == "result: 2 4 6\n"
    assert run.returncode == 0


def test_a_missing_plugin_is_an_error(program, tmp_path):
    run = subprocess.run([program, tmp_path / "missing.so"], capture_output=True, text=True,
                         timeout=120)
    assert run.returncode == 1
    assert "missing.so" in run.stderr
