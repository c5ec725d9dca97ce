"""The files of tests/ops are up to date with the cases of scripts/op_tests. lit runs them."""
import pathlib
import subprocess
import sys

import plugin_env
from op_tests import tables

HERE = pathlib.Path(__file__).resolve().parent


def test_files_are_up_to_date():
    run = subprocess.run([sys.executable, plugin_env.ROOT / "scripts" / "make_op_tests.py",
                          "--check"], capture_output=True, text=True)
    assert run.returncode == 0, f"run scripts/make_op_tests.py: {run.stdout}{run.stderr}"


def test_no_file_is_left_over():
    made = {f"{name}.mlir" for name, _ in tables.form_files()}
    assert {f.name for f in HERE.glob("*.mlir")} - made == HAND_WRITTEN


HAND_WRITTEN = {"scatter_order.mlir", "transpose_and_compute.mlir", "unsupported.mlir"}
