"""A fixed 1/20 of JAX's own test harnesses in both modes; scripts/run_harnesses.py runs all."""
import json
import subprocess
import sys

import pytest
from conftest import ROOT, only_tenon

pytestmark = only_tenon("compares Tenon with the built-in CPU")
SCRIPT = ROOT / "scripts" / "run_harnesses.py"
MIN_PROGRAMS = 300  # of about 370 in JAX 0.10.2


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The outcome of each program, by mode and name."""
    folder = tmp_path_factory.mktemp("harnesses")
    done = subprocess.run([sys.executable, SCRIPT, "--sample", "20", "--out", folder],
                          capture_output=True, text=True)
    found = {mode: folder / f"{mode}_1_of_1.json" for mode in ("own", "replace")}
    assert all(file.exists() for file in found.values()), done.stdout + done.stderr
    return {mode: json.loads(file.read_text()) for mode, file in found.items()}


@pytest.mark.parametrize("mode", ["own", "replace"])
def test_sample(results, mode):
    good = ("PASS", "SAME", "NOT_LOWERED")
    wrong = [f"{result['status']} {name}: {result['message']}"
             for name, result in results[mode].items() if result["status"] not in good]
    assert not wrong, "\n".join(wrong)
    ran = [r for r in results[mode].values() if r["status"] in ("PASS", "SAME")]
    assert len(ran) >= MIN_PROGRAMS, f"only {len(ran)} of {len(results[mode])} programs ran"


def test_a_wrong_result_fails(results, tmp_path):
    """The comparison fails if the results of the built-in CPU are corrupted."""
    name = next(n for n in results["own"] if n.startswith("add_"))
    command = [sys.executable, SCRIPT, "--only", f"^{name}$", "--out", tmp_path, "--mode", "own"]
    assert subprocess.run(command).returncode == 0
    file, = (tmp_path / "reference").iterdir()
    spoil = "import pickle, sys; p = sys.argv[1]; r = pickle.load(open(p, 'rb'));" \
            "pickle.dump([x + 1 for x in r], open(p, 'wb'))"
    subprocess.run([sys.executable, "-c", spoil, file], check=True)
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and "elements differ" in done.stdout
