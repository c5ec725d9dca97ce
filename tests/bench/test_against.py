"""Comparisons of one device with another platform in one process, within a budget."""
import json
import pathlib
import subprocess
import sys
import time

import plugin_env
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import suite.workloads  # noqa: E402,F401
from suite import against, against_report  # noqa: E402
from suite.registry import WORKLOADS  # noqa: E402

# A child that measures nothing: it dies in `exp_1e3`, and hangs in `sum_1e6`.
CHILD = f"""
import json, os, sys, time
settings = json.loads(sys.argv[1])
def emit(**event): print({against.MARK!r} + json.dumps(event), flush=True)
emit(devices=["a", "b"])
for name in settings["names"]:
    emit(preparing=name)
    emit(prepared=name)
    emit(start=name)
    if name == "exp_1e3":
        sys.exit("Fatal error: a fault")
    if name == "sum_1e6":
        time.sleep(60)
    emit(rows=[dict(workload=name, backend=p, group="g") for p in settings["platforms"]])
emit(finished=True)
"""


def compare(names, budget, rows):
    return against.compare(names, ["a", "b"], [sys.executable, "-c", CHILD], None, seconds=1,
                           budget=budget, jobs=2, timeout=2, on_rows=rows.extend)


def test_small_workloads_of_all_groups_come_first():
    ordered = against.order(WORKLOADS)
    assert set(ordered) == set(WORKLOADS)
    first = {WORKLOADS[name].group for name in ordered[:60]}
    assert {"dispatch", "matmul", "elementwise", "gpu_norms", "launches"} <= first
    assert ordered.index("softmax_8192x4096_bf16") < ordered.index("softmax_8192x4096_f32")


def test_a_death_and_a_hang_are_charged_to_the_workload_in_flight():
    names, rows = ["exp_1e3", "sum_1e6", "softmax_16x64", "roll_1024sq"], []
    devices, left = compare(names, 60, rows)
    errors = {row["workload"]: row.get("error") for row in rows if row["backend"] == "b"}
    assert (devices, left, set(errors)) == (["a", "b"], [], set(names))
    assert "a fault" in errors["exp_1e3"] and errors["sum_1e6"] == "more than 2 s"
    assert errors["softmax_16x64"] is None and errors["roll_1024sq"] is None


def test_what_the_budget_has_no_time_for_is_left(monkeypatch):
    monkeypatch.setattr(against, "_GRACE", 0)
    start, rows = time.monotonic(), []
    _, left = compare(["sum_1e6"], 1, rows)
    assert left == ["sum_1e6"] and not rows and time.monotonic() - start < 10


@pytest.fixture(scope="module", params=[[], ["--compile-first", "2"]], ids=["", "compile_first"])
def data(request, tmp_path_factory):
    plugin = plugin_env.default_plugin()
    if not plugin.exists():
        pytest.skip(f"no plugin at {plugin}: scripts/build.sh release, or set TENON_PLUGIN")
    out = tmp_path_factory.mktemp("against")
    subprocess.run([sys.executable, ROOT / "bench" / "run_suite.py", "--plugin", plugin, "--against",
                    "cpu", "--only", "/(launch_|softmax_16x64|exp_1e3)", "--leave-out", "scan",
                    "--seconds", "0.01", "--jobs", "2", "--budget", "240", "--out", out,
                    *request.param],
                   check=True, capture_output=True)
    assert "### launches" in (out / "against.md").read_text()
    return json.loads((out / "against.json").read_text())


def test_both_platforms_are_measured(data):
    assert data["platforms"] == ["cpu", "tenon"] and data["left"] == []
    assert len(data["rows"]) == 2 * 8
    for row in data["rows"]:
        assert "error" not in row, row
        assert min(row["median_us"], row["queued_us"], row["compile_ms"]) > 0
        assert row["backend"] == "cpu" or row["ratio"] > 0 and row["error_to_first"] < 1e-5


def test_report(data):
    data = dict(data, rows=data["rows"] + [
        dict(workload="w", group="reduce", backend="cpu", median_us=1.0, compile_ms=1.0),
        dict(workload="w", group="reduce", backend="tenon", error="a fault")])
    text = against_report.Report(data).short()
    assert "w on `tenon`: a fault" in text
    assert "| launches | 6 |" in text and "| reduce | 1 |" in text and "| **all** | 8 |" in text


def test_stored_results_need_the_platform_they_are_of(tmp_path):
    """Without it the suite would measure, and ignore the file."""
    done = subprocess.run([sys.executable, str(ROOT / "bench" / "run_suite.py"), "--from",
                           str(tmp_path / "against.json")], capture_output=True, text=True)
    assert done.returncode == 2 and "--from needs --against" in done.stderr
