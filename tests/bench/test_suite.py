"""The benchmark suite: its workloads are enough, run on Tenon, and give the built-in CPU's results."""
import os
import pathlib
import subprocess
import sys

import plugin_env
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import suite.workloads  # noqa: E402,F401
from suite import peers, report  # noqa: E402
from suite.registry import WORKLOADS, groups  # noqa: E402

# One quick workload a group.
SAMPLE = ("dispatch_10_arguments", "exp_1e3", "softmax_16x64", "cumsum_rows_1000x1000",
          "matmul_f32_64", "matmul_bf16_256", "conv1d_8x4096x32", "roll_1024sq",
          "cholesky_batch_1000x8x8", "uniform_1e6", "scan_decay_10000x16",
          "least_squares_500x_16x8_50_steps", "overlap_elementwise_1e6")


def test_enough_workloads():
    assert len(WORKLOADS) >= 120
    assert set(groups()) == {*report.TARGETS, "compile"}
    assert {WORKLOADS[name].group for name in SAMPLE} == set(report.TARGETS)


def test_peers_name_workloads():
    assert set(peers.PEERS) <= set(WORKLOADS)


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    plugin = plugin_env.default_plugin()
    if not plugin.exists():
        pytest.skip(f"no plugin at {plugin}: scripts/build.sh release, or set TENON_PLUGIN")
    out = tmp_path_factory.mktemp("suite")
    subprocess.run([sys.executable, ROOT / "bench" / "run_suite.py", "--plugin", plugin, "--only",
                    "/(" + "|".join(SAMPLE) + ")$", "--seconds", "0.02", "--rounds", "2",
                    "--out", out], check=True, capture_output=True)
    assert (out / "suite.png").stat().st_size > 0
    return report.table(report.read_csv(out / "suite.csv"))


@pytest.mark.parametrize("name", SAMPLE)
def test_results_agree(rows, name):
    for backend in ("cpu", "tenon"):
        assert "error" not in rows[name][backend], rows[name][backend]
    assert rows[name]["tenon"]["median_us"] > 0
    tolerance = 2e-2 if "bf16" in name else 1e-4
    assert rows[name]["tenon"]["error_to_first"] <= tolerance


def test_geometric_mean():
    assert report.geometric_mean([1, 4]) == pytest.approx(2)
