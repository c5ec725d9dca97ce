"""Runs test programs through tenon-run, on the plugin or on the reference evaluator."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TENON_BUILD", ROOT / "build" / "release"))
PLUGIN = os.environ.get("TENON_PLUGIN", str(BUILD / "lib" / "pjrt_plugin_tenon_cpu.so"))
sys.path.insert(0, str(ROOT / "scripts"))


def check(text, on="plugin"):
    """(exit status, output) of `tenon-run --check`."""
    where = ["--plugin", PLUGIN] if on == "plugin" else ["--reference"]
    run = subprocess.run([BUILD / "bin" / "tenon-run", "--check", "--quiet", *where, "-"],
                         input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         errors="replace", timeout=600)
    return run.returncode, run.stdout
