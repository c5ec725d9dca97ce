"""Runs test programs through tenon-run, on the plugin or on the reference evaluator."""
import subprocess

import plugin_env


def check(text, on="plugin", options=()):
    """(exit status, output) of `tenon-run --check`. `options`: name=value, of the plugin."""
    where = ["--plugin", plugin_env.default_plugin()] if on == "plugin" else ["--reference"]
    where += [f"--option={option}" for option in options]
    run = subprocess.run([plugin_env.BUILD / "bin" / "tenon-run", "--check", "--quiet", *where, "-"],
                         input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         errors="replace", timeout=600)
    return run.returncode, run.stdout
