"""A process that ends, stops or does something else: the others get an error and stay usable."""
import re
import signal
import time

import pytest
from job import Job

SITE = r"all_reduce \(.*fault_worker.py:\d+:\d+\)"


@pytest.mark.parametrize("mode", ("loop", "large"))
def test_killed(mode, tmp_path):
    with Job("fault_worker.py", 2, tmp_path, mode, devices=2) as job:
        job.wait_for("READY", 0)
        job.wait_for("READY", 1)
        time.sleep(0.5)
        job.processes[1].kill()
        killed = time.monotonic()
        job.wait_for("FINISHED", 0, seconds=15)  # the heartbeat of the worker and 5 s
        assert time.monotonic() - killed < 15
        assert re.search(r"error after .*process 1 has ended", job.log(0)), job.log(0)
        assert "local 90.0" in job.log(0)


def test_killed_while_others_wait(tmp_path):
    with Job("fault_worker.py", 3, tmp_path, "sleep") as job:
        for process in range(3):
            job.wait_for("READY", process)
        time.sleep(0.5)
        job.processes[1].kill()
        for process in (0, 2):
            job.wait_for("FINISHED", process, seconds=15)
            assert re.search(SITE + r".*process 1", job.log(process)), job.log(process)
            assert "survivors 16.0" in job.log(process), job.log(process)


def test_stopped(tmp_path):
    with Job("fault_worker.py", 2, tmp_path, "loop", TENON_COLLECTIVES_TIMEOUT="3") as job:
        job.wait_for("READY", 0)
        job.wait_for("READY", 1)
        job.processes[1].send_signal(signal.SIGSTOP)
        job.wait_for("FINISHED", 0, seconds=15)
        assert re.search(SITE + " of 'jit_train_step' in process 0 has waited 3 s for process 1",
                         job.log(0)), job.log(0)
        assert "local 90.0" in job.log(0)


def test_another_program(tmp_path):
    with Job("fault_worker.py", 2, tmp_path, "other", TENON_COLLECTIVES_TIMEOUT="3") as job:
        job.wait_for("FINISHED", 0)
        job.wait_for("FINISHED", 1)
        assert re.search(r"waited 3 s for process 1 \(which waits in all_gather \(.*fault_worker.py"
                         r":\d+:\d+\) of 'jit_other_step'\)", job.log(0)), job.log(0)
        for process in (0, 1):
            assert "again 6.0" in job.log(process), job.log(process)


def test_an_error_in_one_process(tmp_path):
    with Job("fault_worker.py", 2, tmp_path, "callback") as job:
        for process in (0, 1):
            job.wait_for("FINISHED", process)
            assert "the callback of process 1 fails" in job.log(process), job.log(process)
            assert "again 6.0" in job.log(process), job.log(process)
        assert "process 1: " in job.log(0)
