"""Starts the processes of a distributed JAX job that runs on Tenon in place of `cpu`.

A worker is a script of this folder. It calls `start()` before it uses a device.
"""
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "scripts"))
import plugin_env  # noqa: E402


def coordinator_address():
    """A port on a loopback address of this process.

    A port that is free on localhost can be taken before the coordinator listens on it, by an outgoing
    connection or by another job's coordinator: gRPC shares ports, so both would listen.
    """
    low, high = divmod(os.getpid() & 0xffff, 256)
    host = f"127.{1 + (os.getpid() >> 16)}.{low}.{high}"
    with socket.socket() as listener:
        listener.bind((host, 0))
        return f"{host}:{listener.getsockname()[1]}"


class Job:
    """The processes of a job: `with Job("worker.py", 2, folder) as job`. Kills them at the end."""

    def __init__(self, script, processes, folder, *arguments, devices=1, own_name=False,
                 **variables):
        self.folder, self.processes = pathlib.Path(folder), []
        coordinator = coordinator_address()
        self.folder.mkdir(parents=True, exist_ok=True)
        for process in range(processes):
            env = {**plugin_env.clean(), "PYTHONPATH": f"{plugin_env.PACKAGE}:{HERE}",
                   "TENON_PLUGIN": str(plugin_env.default_plugin()), "TENON_KERNEL_CACHE": "off",
                   "JOB_COORDINATOR": coordinator, "JOB_PROCESSES": str(processes),
                   "JOB_PROCESS": str(process), "TENON_DEVICE_COUNT": str(devices),
                   "TENON_REPLACE_CPU": "0" if own_name else "1", "JOB_FOLDER": str(self.folder),
                   **variables}
            with open(self.folder / f"log.{process}", "w", encoding="utf-8") as log:
                self.processes.append(subprocess.Popen(
                    [sys.executable, str(HERE / script), *map(str, arguments)], env=env,
                    stdout=log, stderr=log))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()

    def log(self, process):
        return (self.folder / f"log.{process}").read_text(encoding="utf-8", errors="replace")

    def wait(self, seconds=180, processes=None, check=True):
        """Waits until these processes, or all, have ended without error."""
        end = time.monotonic() + seconds
        for number in range(len(self.processes)) if processes is None else processes:
            try:
                code = self.processes[number].wait(max(end - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                raise AssertionError(f"process {number} has not ended within {seconds} s:\n"
                                     + self.log(number)[-3000:]) from None
            assert not check or code == 0, f"process {number}: {code}\n{self.log(number)[-5000:]}"

    def wait_for(self, text, process, seconds=120):
        """Waits until the process has printed the text."""
        end = time.monotonic() + seconds
        while text not in self.log(process):
            assert time.monotonic() < end, self.log(process)[-3000:]
            assert self.processes[process].poll() is None, self.log(process)[-3000:]
            time.sleep(0.05)


def start(**options):
    """Of a worker: joins the job. Returns the number of this process."""
    import jax
    process, processes = int(os.environ["JOB_PROCESS"]), int(os.environ["JOB_PROCESSES"])
    if processes > 1:
        coordinator = os.environ["JOB_COORDINATOR"]
        jax.distributed.initialize(coordinator, processes, process, initialization_timeout=120,
                                   coordinator_bind_address=coordinator, **options)
    return process
