"""The same program on the same inputs gives the same bits, run after run and with any number of
threads: how work is divided depends on shapes alone."""
import concurrent.futures
import json

import pytest
from conftest import ROOT, only_tenon
from own_process import run

pytestmark = only_tenon("a promise of Tenon")
THREADS = (1, 2, 3, 7)
RUNS = 3


@pytest.fixture(scope="module")
def digests():
    """{number of threads: {program: digests of its results, run by run}}."""
    code = f"""
    import sys
    sys.path.insert(0, {str(ROOT / "tests" / "jax")!r})
    import determinism_programs
    determinism_programs.main({RUNS})"""

    def digests_at(threads):
        return json.loads(run(code, JAX_PLATFORMS="tenon", TENON_THREADS=str(threads)))

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return dict(zip(THREADS, pool.map(digests_at, THREADS)))


def test_run_after_run(digests):
    for threads, programs in digests.items():
        assert len(programs) > 40
        for name, runs in programs.items():
            assert len(runs) == RUNS and len(set(runs)) == 1, f"{name} at {threads} threads"


def test_at_any_number_of_threads(digests):
    alone = digests[1]
    for threads, programs in digests.items():
        different = [name for name in alone if programs[name][0] != alone[name][0]]
        assert not different, f"at {threads} threads: {different}"
        assert programs.keys() == alone.keys()
