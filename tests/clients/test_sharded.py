"""Sharded programs of a client in its own process, against JAX's built-in CPU."""
import pathlib
import subprocess
import sys

import plugin_env

PROGRAMS = pathlib.Path(__file__).with_name("sharded.py")
EIGHT = "--xla_force_host_platform_device_count=8"


def run(env, *arguments):
    done = subprocess.run([sys.executable, PROGRAMS, *map(str, arguments)], text=True,
                          env={**env, "XLA_FLAGS": EIGHT}, capture_output=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_results_and_shardings_are_those_of_the_builtin_cpu(tmp_path):
    builtin = {**plugin_env.clean(), "JAX_PLATFORMS": "cpu"}
    run(builtin, tmp_path / "cpu.json")
    run(plugin_env.child(replace_cpu=True, base=plugin_env.clean()), tmp_path / "tenon.json")
    text = run(builtin, "--compare", tmp_path / "tenon.json", tmp_path / "cpu.json")
    assert text == "39 of 39 programs have the same values\n"
