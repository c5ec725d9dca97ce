"""Repeats the tests of calls out of compiled code with Tenon in place of `cpu`."""
import os
import pathlib
import subprocess
import sys

import pytest
from conftest import ROOT, only_tenon

FILES = ("test_callbacks", "test_interoperability", "test_errors", "test_ffi", "test_ffi_handlers",
         "test_machinery")


@only_tenon("runs the tests with this platform")
@pytest.mark.parametrize("file", FILES)
def test_file(file):
    env = {**os.environ, "TENON_TEST_PLATFORM": "cpu", "TENON_REPLACE_CPU": "1"}
    path = pathlib.Path(__file__).with_name(f"{file}.py")
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-c", ROOT / "tests/pytest.ini",
                           "-p", "no:cacheprovider", path], env=env, capture_output=True,
                          text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
