"""Two processes train, one is killed, both are started again: the weights are the same."""
import numpy as np
from job import Job

STEPS = 12


def train(folder, checkpoint, pause=0.0):
    return Job("training_worker.py", 2, folder, STEPS, pause, devices=2,
               CHECKPOINT=str(checkpoint))


def weights(checkpoint):
    with np.load(checkpoint) as file:
        return {name: file[name] for name in file.files}


def test_restart_from_a_checkpoint(tmp_path):
    with train(tmp_path / "whole", tmp_path / "whole.npz") as job:
        job.wait()
    broken = tmp_path / "broken.npz"
    with train(tmp_path / "first", broken, pause=0.3) as job:
        job.wait_for("step 4", 1)
        job.processes[1].kill()
        job.wait(seconds=15, processes=[0], check=False)
        assert job.processes[0].returncode == 3, job.log(0)
        assert "process 1 has ended" in job.log(0) or "the connection with process 1" in job.log(0)
    with train(tmp_path / "second", broken) as job:
        job.wait()
        assert "restarted from step" in job.log(0)
    expected, found = weights(tmp_path / "whole.npz"), weights(broken)
    assert expected["step"] == found["step"] == STEPS
    for name, value in expected.items():
        assert np.array_equal(value, found[name]), name
