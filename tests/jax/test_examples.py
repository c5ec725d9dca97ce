"""The examples run, a few steps each, with the losses that they promise."""
import subprocess
import sys

import plugin_env
import pytest
from conftest import ROOT, only_tenon

pytestmark = only_tenon("the examples compare Tenon with another platform or another mesh")


def run_example(name, *arguments, **variables):
    env = {**plugin_env.clean(), "TENON_PLUGIN": str(plugin_env.default_plugin()),
           "PYTHONPATH": str(plugin_env.PACKAGE), "TENON_KERNEL_CACHE": "off", **variables}
    done = subprocess.run([sys.executable, ROOT / "examples" / name, *map(str, arguments)], env=env,
                          capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]
    return done.stdout


def test_the_demo_trains_its_models(tmp_path):
    output = run_example("run_demo.py", "--steps", 6, "--out", tmp_path)
    assert "character transformer" in output
    assert len(list(tmp_path.glob("*.csv"))) == 2


@pytest.mark.parametrize("how, mesh", [("jit", "4x2"), ("jit", "2x4"), ("shard_map", "4x2"),
                                       ("shard_map", "8x1")])
def test_training_on_eight_devices(how, mesh):
    output = run_example("sharded_transformer.py", "--how", how, "--mesh", mesh, "--steps", 4,
                         JAX_PLATFORMS="tenon")
    assert f"{how} on 8 devices of tenon in 1 processes" in output


@pytest.mark.parametrize("processes", [2, 4])
def test_training_in_several_processes(processes):
    output = run_example("sharded_transformer.py", "--processes", processes, "--steps", 3,
                         JAX_PLATFORMS="tenon")
    assert f"jit on 8 devices of tenon in {processes} processes" in output


def test_training_in_replacement_mode():
    output = run_example("sharded_transformer.py", "--processes", 2, "--steps", 3,
                         TENON_REPLACE_CPU="1")
    assert "jit on 8 devices of cpu in 2 processes" in output
