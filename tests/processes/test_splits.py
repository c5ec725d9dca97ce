"""Results have the same bits however 8 devices are distributed over processes."""
import numpy as np
import pytest
from job import Job


def results(folder, processes, *arguments, own_name=False):
    with Job("collectives_worker.py", processes, folder, *arguments, devices=8 // processes,
             own_name=own_name) as job:
        job.wait(400)
    found = {}
    for process in range(processes):
        with np.load(folder / f"results.{process}.npz") as file:
            for name in file.files:  # the results of every process are the same
                found.setdefault("product" if name.startswith("product") else name, file[name])
    return found


@pytest.fixture(scope="module")
def one_process(tmp_path_factory):
    return results(tmp_path_factory.mktemp("one"), 1)


def expect_equal(found, expected):
    assert found.keys() == expected.keys()
    different = [name for name, value in expected.items()
                 if not np.array_equal(found[name], value)]
    assert not different


@pytest.mark.parametrize("processes", (2, 4, 8))
def test_same_bits(processes, one_process, tmp_path):
    expect_equal(results(tmp_path, processes), one_process)


def test_devices_in_any_order(one_process, tmp_path):
    expect_equal(results(tmp_path, 2, "shuffled"), one_process)


def test_own_name(one_process, tmp_path):
    expect_equal(results(tmp_path, 2, own_name=True), one_process)


def test_processes_start_programs_in_any_order(tmp_path):
    with Job("order_worker.py", 2, tmp_path, devices=2) as job:
        job.wait()
        for process in range(2):
            assert job.log(process).count("sums [4.0, 40.0, 400.0, 4000.0]") == 5, job.log(process)
