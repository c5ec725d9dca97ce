"""The suite of operations: every program traces, some run on Tenon and agree."""
import json
import pathlib
import subprocess
import sys

import jax
import plugin_env
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from wide import registry, report  # noqa: E402

PROGRAMS = registry.load("operations")
SAMPLE = ("sum_of_rows_float64_100x101", "to_int8_bfloat16_100x101", "gram_matrix_int8_100x101",
          "transpose_complex64_100x101", "sort_rows_float16_100x101")


def test_all_types_trace():
    small = [p for name, p in PROGRAMS.items() if name.endswith("_100x101")]
    assert len(small) >= 700
    with jax.enable_x64(True):
        for program in small:
            arguments = program.arguments()
            assert str(arguments[0].dtype) in program.name
            assert jax.tree.leaves(jax.eval_shape(program.function, *arguments)), program.name


def test_sample_runs_and_agrees(tmp_path):
    if not plugin_env.default_plugin().exists():
        pytest.skip(f"no plugin at {plugin_env.default_plugin()}: set TENON_PLUGIN")
    done = subprocess.run([sys.executable, ROOT / "bench" / "run_wide.py", "--suite", "operations",
                           "--only", "/(" + "|".join(SAMPLE) + ")$", "--out", tmp_path,
                           "--seconds", "0.01", "--rounds", "2"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [json.loads((tmp_path / f"{name}.json").read_text()) for name in SAMPLE]
    assert all(r["us_tenon"] > 0 for r in rows)


def test_page_has_a_line_for_each_operation():
    rows = [dict(program=f"sum_of_rows_{dtype}_{size}", domain="reductions", error=0, tolerance=1,
                 complaint=None, us_cpu=2e3, us_tenon=1e3, ratio=2.0, ratio_low=1.9, ratio_high=2.1,
                 load=1, compile_ms_cpu=10, compile_ms_tenon=5)
            for dtype in ("float32", "int8") for size in ("100x101", "1000x1001")]
    text = report.markdown(rows, report.Context("2026-01-01", "cpu", 2, "abc", suite="operations"))
    assert "| operation | float32 | int8 |" in text
    assert "| sum_of_rows | 2.00, 2.00 | 2.00, 2.00 |" in text
