"""Processes that are ahead of each other, with several runs in flight."""
from job import Job


def test_random_delays(tmp_path):
    with Job("delays_worker.py", 3, tmp_path, 100, devices=2) as job:
        job.wait()
        for process in range(3):
            assert "all 100 runs right" in job.log(process)
