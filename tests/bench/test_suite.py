"""The benchmark suite: its workloads are enough, run on Tenon, and give the built-in CPU's results."""
import os
import pathlib
import subprocess
import sys

import numpy as np
import plugin_env
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import suite.workloads  # noqa: E402,F401
from suite import onednn, peers, report  # noqa: E402
from suite.registry import WORKLOADS, groups  # noqa: E402

# One fast workload per group.
SAMPLE = ("dispatch_10_arguments", "exp_1e3", "softmax_16x64", "cumsum_rows_1000x1000",
          "matmul_f32_64", "matmul_bf16_256", "conv1d_8x4096x32", "roll_1024sq",
          "cholesky_batch_1000x8x8", "uniform_1e6", "scan_decay_10000x16",
          "least_squares_500x_16x8_50_steps", "overlap_elementwise_1e6", "small_all_reduces_32",
          "matmul_1024_mesh_4x2")


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


@pytest.mark.skipif(not onednn.library_path(), reason="onednn-cpu-gomp is not installed")
@pytest.mark.parametrize("name", ["matmul_f32_64", "matvec_f32_512", "matmul_bf16_256",
                                  "conv3x3_depthwise_nhwc_1x56x56x128",
                                  "maxpool3x3s2_nhwc_8x112x112x64"])
def test_onednn_runs_no_reference_kernel(name):
    for label, make in onednn.peers()[name].items():
        try:
            run = make(*WORKLOADS[name].arguments())
        except NotImplementedError as error:  # bf16 without AVX-512
            assert "bf16" in name
            pytest.skip(str(error))
        assert run.implementation and not run.implementation.startswith("ref"), label
        assert np.isfinite(np.asarray(run(), np.float32)).all()


def test_onednn_refuses_reference_kernels(monkeypatch):
    if not onednn.library_path():
        pytest.skip("onednn-cpu-gomp is not installed")
    monkeypatch.setattr(onednn, "_implementation", lambda descriptor: "ref:any")
    with pytest.raises(RuntimeError, match="reference kernel"):
        onednn.product(np.ones((4, 4), np.float32), np.ones(4, np.float32))


def test_report_puts_losses_first():
    def row(workload, backend, us, **more):
        return dict(workload=workload, group="matmul", backend=backend, median_us=us,
                    compile_ms=1.0, load=1.0, **more)
    rows = []
    for name, us, high in (("quick", 10.0, 2.1), ("slow", 20.0, 0.6)):
        rows += [row(name, "cpu", 12.0),
                 row(name, "tenon", us, ratio=12 / us, ratio_low=0.5, ratio_high=high),
                 row(name, "numpy", 15.0), row(name, "cpu_tuned", 5.0),
                 row(name, "tenon_as_cpu", 1.0),
                 dict(workload=name, group="matmul", backend="iree", error="no, thanks")]
    text = report.markdown(rows, {"cpu": "a processor", "threads": 2, "versions": "jax 1"}, "today")
    losses, rest = text.split("### Groups")
    assert "slow 0.60" in losses and "quick 1.20" not in losses
    assert "| slow | 20 us | built-in CPU, tuned malloc 0.25, NumPy 0.75 |" in losses
    assert "| quick | 10 us | built-in CPU, tuned malloc 0.50 |" in losses
    assert losses.index("| slow |") < losses.index("| quick |")
    assert "as `cpu`" not in losses and "| IREE | 0 | nan | 0 | 2 |" in rest
    assert "### matmul" in rest and "IREE fails" in rest
