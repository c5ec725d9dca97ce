"""The machine's limits, measured once per machine by limits.c and kept in the output folder."""
import json
import pathlib
import subprocess

SOURCE = pathlib.Path(__file__).with_name("limits.c")


def measure(folder: pathlib.Path, again=False) -> dict:
    """{"f32": operations/s, ..., "bandwidth": [[footprint in bytes, bytes/s], ...]}."""
    stored = folder / "limits.json"
    if stored.exists() and not again:
        return json.loads(stored.read_text())
    program = folder / "limits"
    subprocess.run(["clang-22", "-O3", "-march=native", "-pthread", SOURCE, "-o", program],
                   check=True)
    text = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    stored.write_text(text)
    return json.loads(text)


def seconds(workload, limits: dict) -> float:
    """The minimum time of the workload; 0 if it does not state its work."""
    bandwidth = limits["bandwidth"][-1][1]
    for footprint, rate in limits["bandwidth"][:-1]:
        if workload.bytes <= footprint:
            bandwidth = rate
            break
    return max(workload.flops / limits[workload.kind], workload.bytes / bandwidth)
