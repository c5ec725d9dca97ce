"""Runs Python code in a process of its own that finds the package jax-tenon."""
import os
import subprocess
import sys
import textwrap

from conftest import ROOT


def run(code, fails=False, **variables):
    """What the code printed: its output, or (`fails`) the errors it must have ended with."""
    env = {k: v for k, v in os.environ.items()
           if k not in ("JAX_PLATFORMS", "JAX_ENABLE_X64")
           and (not k.startswith("TENON_") or k == "TENON_PLUGIN")}
    env.update(PYTHONPATH=str(ROOT / "python"), **variables)
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], env=env,
                          capture_output=True, text=True, timeout=300)
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done.stderr if fails else done.stdout.strip()
