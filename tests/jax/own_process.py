"""Runs Python code in a separate process that finds the package jax-tenon."""
import subprocess
import sys
import textwrap

import plugin_env


def run(code, fails=False, **variables):
    """The output of the code or, with `fails`, the errors of code that must fail."""
    env = {**plugin_env.clean(), "TENON_PLUGIN": str(plugin_env.default_plugin()),
           "PYTHONPATH": str(plugin_env.PACKAGE), "TENON_KERNEL_CACHE": "off", **variables}
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], env=env,
                          capture_output=True, text=True, timeout=300)
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done.stderr if fails else done.stdout.strip()
