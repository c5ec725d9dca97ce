"""A subset of scripts/measure_accuracy.py, which writes docs/elementary_functions.md."""
import os
import subprocess
import sys

import plugin_env


def test_elementary_functions():
    run = subprocess.run([sys.executable, plugin_env.ROOT / "scripts" / "measure_accuracy.py",
                          "--quick"], capture_output=True, text=True,
                         env={k: v for k, v in os.environ.items() if k != "JAX_PLATFORMS"})
    assert run.returncode == 0, run.stdout + run.stderr
