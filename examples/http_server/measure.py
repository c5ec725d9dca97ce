"""Measures the server: its peak, then latencies at 70 % of it, with malformed requests beside.

    python measure.py [--seconds 120] [--peaks 3] [--onnx digits.onnx]

Uses ./serve and ./load; with --onnx also ./serve_onnx, in turns. Prints a table and, with
--output FILE, writes JSON. The load generator runs on the same machine and takes its share of it.
"""
import argparse
import contextlib
import glob
import json
import os
import signal
import socket
import statistics
import subprocess
import time


@contextlib.contextmanager
def server(program, files, options):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([program, "--model", "digits", "--port", str(port), "--threads",
                                str(options.threads), "--connections",
                                str(2 * options.connections + 8), *files], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline().startswith("http://"), f"{program} did not start"
    try:
        yield port
    finally:
        process.send_signal(signal.SIGTERM)
        code = process.wait(timeout=30)
        assert code == 0, f"{program} ended with {code}"


def load(port, seconds, **options):
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    done = subprocess.run(["./load", "--port", str(port), "--seconds", str(seconds), *words],
                          capture_output=True, text=True)
    return {**json.loads(done.stdout), "ok": done.returncode == 0}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--peaks", type=int, default=3, help="runs of 10 s; their median counts")
    parser.add_argument("--peak-seconds", type=float, default=10)
    parser.add_argument("--part", type=float, default=0.7, help="of the peak")
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--threads", type=int, default=1, help="that compute")
    parser.add_argument("--onnx")
    parser.add_argument("--output")
    options = parser.parse_args()

    servers = {"Tenon": ("./serve", sorted(glob.glob("digits-*.tenon")))}
    if options.onnx:
        servers["ONNX Runtime"] = ("./serve_onnx", [options.onnx])
    peaks = {name: [] for name in servers}
    for _ in range(options.peaks):
        for name, (program, files) in servers.items():
            with server(program, files, options) as port:
                load(port, 1, connections=options.connections)  # warm
                peaks[name].append(load(port, options.peak_seconds,
                                        connections=options.connections)["per_second"])
    results = {}
    print("| server | peak, 1/s | load, 1/s | p50 | p90 | p99 | p99.9 | p99 : p50 | lost | load before |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name, (program, files) in servers.items():
        peak = statistics.median(peaks[name])
        before = os.getloadavg()[0]
        with server(program, files, options) as port:
            load(port, 1, connections=options.connections)
            result = load(port, options.seconds, rate=options.part * peak, malformed=5,
                          connections=2 * options.connections)
        results[name] = {"peaks": peaks[name], "load_average": before, **result}
        print(f"| {name} | {peak:.0f} | {result['per_second']:.0f} | {result['p50_ms']:.2f} ms | "
              f"{result['p90_ms']:.2f} | {result['p99_ms']:.2f} | {result['p999_ms']:.2f} | "
              f"{result['p99_ms'] / result['p50_ms']:.2f} | "
              f"{result['lost'] + result['wrong'] + result['refused']} of {result['answers']} | "
              f"{before:.1f} |", flush=True)
        assert result["ok"], result
        time.sleep(1)
    if options.output:
        with open(options.output, "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
