"""A short run of the fuzzer with fixed seeds, and tests of the fuzzer itself."""
import pathlib
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "fuzz"))

from fuzzer import compare, generate, types  # noqa: E402
from fuzzer.ranges import BITS, Range, converted  # noqa: E402


def test_programs_agree_with_the_built_in_cpu():
    run = subprocess.run(
        [sys.executable, ROOT / "scripts" / "fuzz.py", "--seed", "1000000",
         "--count", "200", "--evaluate-every", "20"],
        capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
    assert "200 programs" in run.stdout


def test_programs_with_one_right_answer():
    run = subprocess.run(
        [sys.executable, ROOT / "scripts" / "fuzz.py", "--kind", "any", "--seed", "2000000",
         "--count", "300", "--cpu-every", "6"], capture_output=True, text=True, timeout=900)
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
    assert "300 programs" in run.stdout and "'denormals': 2" in run.stdout


def test_programs_are_of_each_kind():
    made = {generate.generate(seed, kind).kind for kind in generate.KINDS for seed in range(80)}
    wanted = {f"{kind}.{program.__name__}" for kind, programs in generate.KINDS.items()
              for program in programs}
    assert made == wanted


def test_constants_replace_arguments():
    program = generate.generate(3, "rounding")
    text, kept = program.folded
    assert text.count("%arg") and len(kept) < len(program.inputs)
    assert f"@main(%arg{len(program.inputs) - 1}" not in text


@pytest.mark.parametrize("kind", ["any", "ordered,carries"])
def test_a_seed_determines_the_program(kind):
    first, again, other = (generate.generate(seed, kind) for seed in (5, 5, 6))
    assert first.text == again.text and first.text != other.text


def test_a_seed_determines_a_program_of_many_operations():
    first, again, other = (generate.generate(seed) for seed in (5, 5, 6))
    assert first.text == again.text and first.text != other.text
    for x, y in zip(first.inputs, again.inputs):
        np.testing.assert_array_equal(x, y)


def test_programs_are_of_many_kinds():
    names = {op for seed in range(150) for op in generate.generate(seed).ops}
    for op in ("add", "gather", "scatter", "reduce", "reduce_window", "sort", "dot_general",
               "convolution", "while", "if", "case", "func.call", "dynamic_update_slice", "pad"):
        assert op in names
    assert len(names) > 60


@pytest.mark.parametrize("value_range, value, agrees", [
    (Range(-1, 1, 0.0, 0), 1.0, True),
    (Range(-1, 1, 0.0, 0), 1.0000001, False),
    (Range(-1, 1, 1e-6), 1.0000001, True),
    (Range(-1, 1, 1e-6), 1.001, False),
    (Range(-1, 1, 1e-6), float("nan"), False),
])
def test_comparison_uses_the_known_range(value_range, value, agrees):
    ours, theirs = np.array([value], np.float32), np.array([1.0], np.float32)
    assert (compare.difference(types.F32, value_range, ours, theirs) is None) == agrees


@pytest.mark.parametrize("value, agrees", [
    (complex(14, 1e-45), True), (complex(14, 1e-37), False), (complex(np.inf, 0), False),
])
def test_parts_of_complex_values_may_be_flushed(value, agrees):
    ours, theirs = np.array([value], np.complex64), np.array([14], np.complex64)
    assert (compare.difference(types.C64, BITS, ours, theirs) is None) == agrees


def test_range_of_complex_values_bounds_the_modulus():
    value_range = converted(types.I4, types.C64, Range(-8, 7, grid=0))
    assert (value_range.low, value_range.high) == (-8, 8)
