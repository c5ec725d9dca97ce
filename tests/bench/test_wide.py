"""The wide suite: its programs trace, some run on Tenon and agree; hangs and crashes are rows."""
import json
import pathlib
import subprocess
import sys

import jax
import numpy as np
import plugin_env
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from wide import agreement, registry, report  # noqa: E402

PROGRAMS = registry.load()
SAMPLE = ("pagerank_power", "game_of_life", "black_scholes_prices", "generalised_advantages")


def test_enough_programs():
    assert len(PROGRAMS) >= 150
    assert len({p.function for p in PROGRAMS.values()}) == len(PROGRAMS)


def test_names_are_unique():
    with pytest.raises(ValueError, match="two programs"):
        registry.program(lambda: (), name=SAMPLE[0])(lambda: None)


@pytest.mark.parametrize("name", PROGRAMS)
def test_traces(name):
    program = PROGRAMS[name]
    out = jax.tree.leaves(jax.eval_shape(program.function, *program.arguments()))
    assert out and not any(x.dtype in (np.float64, np.int64) for x in out)


def test_arguments_are_fixed():
    for name in SAMPLE:
        a, b = (jax.tree.leaves(PROGRAMS[name].arguments()) for _ in range(2))
        assert all((x == y).all() for x, y in zip(a, b, strict=True))


def run(out, only, *more):
    return subprocess.run([sys.executable, ROOT / "bench" / "run_wide.py", "--only", only, "--out",
                           out, "--seconds", "0.01", "--rounds", "2", *more],
                          capture_output=True, text=True)


def test_sample_runs_and_agrees(tmp_path):
    if not plugin_env.default_plugin().exists():
        pytest.skip(f"no plugin at {plugin_env.default_plugin()}: set TENON_PLUGIN")
    done = run(tmp_path, "/(" + "|".join(SAMPLE) + ")$")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [json.loads((tmp_path / f"{name}.json").read_text()) for name in SAMPLE]
    assert all(r["us_tenon"] > 0 and r["compile_ms_tenon"] > 0 for r in rows)
    before = (tmp_path / f"{SAMPLE[0]}.json").stat().st_mtime_ns
    assert run(tmp_path, f"/{SAMPLE[0]}$", "--resume").returncode == 0
    assert (tmp_path / f"{SAMPLE[0]}.json").stat().st_mtime_ns == before


def test_a_program_that_hangs_or_crashes_is_a_row(tmp_path):
    done = run(tmp_path, "/(pagerank_power|game_of_life)$", "--limit", "0.001", "--compile-limit",
               "0.001")
    assert done.returncode == 1
    for name in ("pagerank_power", "game_of_life"):
        assert "more than" in json.loads((tmp_path / f"{name}.json").read_text())["failure"]
    done = run(tmp_path, "/game_of_life$", "--plugin", str(tmp_path / "missing.so"))
    assert done.returncode == 1
    assert "failure" in json.loads((tmp_path / "game_of_life.json").read_text())


def program(flips=0.0):
    return registry.Program("p", "d", None, None, flips)


def compare(got, builtin, exact, flips=0.0):
    return agreement.compare(program(flips), [np.asarray(got)], [np.asarray(builtin)],
                             [np.asarray(exact)])["complaint"]


def test_agreement():
    exact = np.linspace(1, 2, 50)
    good = exact.astype(np.float32)
    off = good.copy()
    off[7] += 1e-5
    assert compare(good, good, exact) is None
    assert "at (0, 7)" in compare(off[None], good[None], exact[None])
    # The tolerance follows from the built-in CPU's own error.
    assert compare(off, good + np.float32(1e-5), exact) is None
    # NaNs and infinities must be at the positions of the reference.
    nan = good.copy()
    nan[3] = np.nan
    assert "nan instead" in compare(nan, good, exact)
    assert "instead of nan" in compare(good, nan, np.where(np.isnan(nan), np.nan, exact))
    assert compare(nan, nan, np.where(np.isnan(nan), np.nan, exact)) is None
    # Integers are exact, but for the stated share.
    a, b = np.arange(100), np.arange(100)
    b[5] = 0
    assert "1 of 100 differ" in compare(b, a, a)
    assert compare(b, a, a, flips=0.02) is None
    assert "off" in compare(good * np.float32(1.1), good, exact, flips=0.02)
    assert "float16" in compare(good.astype(np.float16), good, exact)


def test_report_puts_losses_first():
    rows = [dict(program=n, domain="d", error=0, tolerance=1e-6, complaint=None, us_cpu=r * 1e3,
                 us_tenon=1e3, ratio=r, ratio_low=r * 0.99, ratio_high=r * 1.01, load=1,
                 compile_ms_cpu=10, compile_ms_tenon=c)
            for n, r, c in (("quick", 4.0, 5), ("slow", 0.5, 20))]
    rows.append(dict(program="broken", domain="d", failure="compile tenon: a | b"))
    text = report.markdown(rows, report.Context("2026-01-01", "cpu", 2, "abc"))
    losses = text[:text.index("## By domain")]
    assert all(n in losses for n in ("slow", "broken", "a \\| b")) and "quick" not in losses
    assert "were measured" not in text
    part = report.markdown(rows, report.Context("2026-01-01", "cpu", 2, "abc", programs=9))
    assert "3 of 9 programs were measured" in part
    assert "1 fail or disagree, 1 slower" in report.summary(rows)
    assert report.geometric_mean([1, 4]) == pytest.approx(2)
