"""The operations in code for older processors, run on this one.

LLVM replaces instructions that a processor lacks by library calls, mostly for 16-bit floats.
Generated code cannot call libraries.
"""
import pathlib
import platform
import re

import pytest

import tenon_run
from op_tests import tables

# A processor, and the flag in /proc/cpuinfo that stands for all of its features.
PROCESSORS = {"x86-64": "sse2", "x86-64-v3": "avx2"}
SAMPLE = re.compile(r"_(bf16|f16|f32|f64|i8|f8E4M3FN|complex_f32)$")


def runs(processor):
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    return platform.machine() == "x86_64" and PROCESSORS[processor] in flags


@pytest.mark.parametrize("processor", PROCESSORS)
def test_types(processor):
    if not runs(processor):
        pytest.skip(f"this machine does not run code of {processor}")
    cases = [case for _, cases in tables.type_rows() for case in cases
             if SAMPLE.search(case.name)]
    status, output = tenon_run.check(tables.text_of(cases), options=[f"cpu={processor}"])
    assert status == 0, output
