"""One peer in a separate process, controlled by lines of JSON on standard input.

{"load": PROGRAM, "dtype": D, "layer": L or null, "result": PATH} compiles and runs once, and
writes the result to PATH; {"time": N} runs N times. Each is answered by a line of JSON.
"""
import json
import os
import pathlib
import sys
import time

BENCH = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(BENCH))


def make_peer(name, threads):
    if name in ("tenon", "cpu"):
        from networks.jax_peer import JaxPeer
        return JaxPeer(name, threads)
    from networks import torch_peer
    if name in ("torch", "torch_compiled"):
        return torch_peer.TorchPeer(name == "torch_compiled", threads)
    return {"onnxruntime": torch_peer.OnnxRuntimePeer,
            "openvino": torch_peer.OpenVinoPeer}[name](threads)


def load(peer, message):
    import numpy as np
    from networks import layers, programs
    program = programs.PROGRAMS[message["load"]] if message["load"] \
        else layers.program(message["layer"])
    times = peer.load(program, message["dtype"])
    if message.get("result"):
        np.save(message["result"], peer.result)
    peer.result = None
    return times


def run(peer, count):
    from suite import noise
    before = noise.wait_nanoseconds()
    start = time.perf_counter()
    for _ in range(count):
        peer.call()
    seconds = (time.perf_counter() - start) / count
    waited = noise.wait_nanoseconds() - before
    noise.settle()  # before another process runs
    return {"seconds": seconds, "waited": waited}


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # keeps output of libraries apart from the answers
    peer, threads = None, int(sys.argv[2])
    for line in sys.stdin:
        message = json.loads(line)
        try:
            if peer is None:
                peer = make_peer(sys.argv[1], threads)
            answer = run(peer, message["time"]) if "time" in message else load(peer, message)
        except Exception as error:  # noqa: BLE001: what a peer cannot do is a result
            text = (str(error).strip() or "no text").splitlines()[0]
            name = "" if isinstance(error, NotImplementedError) else f"{type(error).__name__}: "
            answer = {"error": f"{name}{text}"[:200]}
        print(json.dumps(answer), file=answers, flush=True)
    os._exit(0)  # skips the teardown of several runtimes' threads


if __name__ == "__main__":
    main()
