#!/usr/bin/env python3
"""Runs torch's own operation samples (OpInfo) through torch_xla on Tenon, against torch's CPU.

  python3 -m venv V && V/bin/pip install torch==2.9.0 torch_xla==2.9.0 numpy pytest expecttest
  V/bin/python scripts/run_torch_xla.py --plugin PLUGIN [--builtin-too] [--only REGEX]
  V/bin/python scripts/run_torch_xla.py --plugin PLUGIN --train

Each operation of torch.testing's `op_db` is run with its first samples (--samples) in float32
(bool or int64 where it has no float32) on the XLA device, and compared with the same call on
torch's CPU. Operations whose samples torch_xla computes on torch's CPU (`aten::` fallbacks) are
counted separately. --builtin-too repeats failing samples with XLA's own CPU client
(PJRT_DEVICE=CPU); samples that also fail there are torch_xla's faults. Programs are sent as StableHLO
(XLA_STABLEHLO_COMPILE=1).

--train trains four small networks for 20 steps on both and compares the losses.

Run it with torch's Python, not the project's: torch_xla is not a dependency of Tenon.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import plugin_env

RANDOM = re.compile(r"rand|dropout|bernoulli|multinomial|normal|uniform|cauchy|geometric|"
                    r"exponential|log_normal|empty|rrelu|poisson")


def samples_of(op, torch, count):
    """(dtype, samples) on the CPU; None where the operation has none."""
    for dtype in (torch.float32, torch.bool, torch.int64, torch.complex64):
        if dtype in op.dtypes:
            found = []
            for sample in op.sample_inputs("cpu", dtype, requires_grad=False):
                found.append(sample)
                if len(found) == count:
                    break
            return dtype, found
    return None, []


def moved(torch, value, device):
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, (list, tuple)):
        items = [moved(torch, item, device) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {key: moved(torch, item, device) for key, item in value.items()}
    return value


def run_sample(op, torch, torch_xla, metrics, sample, dtype):
    """(outcome, message) of one call; None if torch itself rejects the sample."""
    def call(where):
        arguments = moved(torch, (sample.input, sample.args, sample.kwargs), where)
        return op.op(arguments[0], *arguments[1], **arguments[2])
    try:
        expected = call("cpu")
    except Exception:  # noqa: BLE001  a sample that torch refuses says nothing
        return None
    metrics.clear_all()
    try:
        result = call(torch_xla.device())
        torch_xla.sync()
        result = moved(torch, result, "cpu")
    except Exception as error:  # noqa: BLE001  any error is the outcome
        return "error", f"{type(error).__name__}: {error}"[:400]
    fallbacks = [name for name in metrics.counter_names() if name.startswith("aten::")
                 and name != "aten::_local_scalar_dense"]
    if fallbacks:
        return "on torch's CPU", ", ".join(fallbacks)
    inexact = dtype.is_floating_point or dtype.is_complex
    tolerance = {"rtol": 1e-4, "atol": 1e-5} if inexact else {"rtol": 0, "atol": 0}
    try:
        torch.testing.assert_close(result, expected, equal_nan=True, check_dtype=False,
                                   check_stride=False, **tolerance)
    except AssertionError as error:
        return "differs", str(error)[:400]
    return "passed", ""


def run_one(op, torch, torch_xla, metrics, count):
    """[(outcome, message)] of the samples of one operation."""
    if RANDOM.search(op.name):
        return [("random", "")]
    try:
        dtype, samples = samples_of(op, torch, count)
    except Exception as error:  # noqa: BLE001  torch's own sample makers may need more packages
        return [("no samples", repr(error)[:200])]
    results = [run_sample(op, torch, torch_xla, metrics, sample, dtype) for sample in samples]
    return [result for result in results if result] or [("no samples", "")]


def worker(options):
    """Runs operations from `first` on and prints a JSON line at the start and end of each."""
    import torch
    import torch_xla
    import torch_xla.debug.metrics as metrics
    from torch.testing._internal.common_methods_invocations import op_db
    torch.manual_seed(0)
    for number, op in enumerate(op_db):
        name = op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")
        if number < options.first or not re.search(options.only or "", name):
            continue
        print(json.dumps({"number": number, "name": name}), flush=True)
        samples = run_one(op, torch, torch_xla, metrics, options.samples)
        print(json.dumps({"samples": samples}), flush=True)


def networks(torch):
    """(name, module, input) of a convolutional, a dense, an attention and a recurrent network."""
    nn = torch.nn

    class LastOfLstm(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm, self.head = nn.LSTM(20, 32, batch_first=True), nn.Linear(32, 10)

        def forward(self, x):
            return self.head(self.lstm(x)[0][:, -1])

    yield "convolutions", nn.Sequential(
        nn.Conv2d(3, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1),
        nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(512, 10)), torch.randn(16, 3, 32, 32)
    yield "dense", nn.Sequential(nn.Linear(64, 128), nn.Tanh(), nn.Linear(128, 10)), \
        torch.randn(32, 64)
    yield "attention", nn.Sequential(
        nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True), nn.Flatten(),
        nn.Linear(64 * 32, 10)), torch.randn(4, 32, 64)
    yield "lstm", LastOfLstm(), torch.randn(4, 12, 20)


def train():
    """Trains on torch's CPU and through torch_xla; true if losses agree to 1e-5."""
    import copy

    import torch
    import torch_xla
    device = torch_xla.device()
    torch.manual_seed(0)
    agree = True
    for name, module, x in networks(torch):
        labels, losses = torch.arange(x.shape[0]) % 10, []
        for where in ("cpu", device):
            model = copy.deepcopy(module).to(where)
            optimizer, found = torch.optim.AdamW(model.parameters(), 1e-3), []
            for _ in range(20):
                optimizer.zero_grad()
                loss = torch.nn.functional.cross_entropy(model(x.to(where)), labels.to(where))
                loss.backward()
                optimizer.step()
                torch_xla.sync()
                found.append(loss.detach())
            losses.append([float(value) for value in found])
        difference = max(abs(a - b) for a, b in zip(*losses))
        agree &= difference < 1e-5
        print(f"{name}: loss {losses[0][0]:.4f} to {losses[0][-1]:.4f}, differs by {difference:.1e}")
    return agree


def client(options, builtin=False):
    """The environment of a process that runs torch_xla."""
    environment = {**plugin_env.clean(), "XLA_STABLEHLO_COMPILE": "1"}
    if builtin:
        return {**environment, "PJRT_DEVICE": "CPU"}
    return {**environment, "PJRT_DEVICE": "LIBRARY", "PJRT_LIBRARY_PATH": str(options.plugin)}


def run(options, only, builtin):
    """{operation: [(outcome, message)]}. A crash or hang counts for the running operation."""
    results, first = {}, 0
    while True:
        command = [sys.executable, __file__, "--worker", "--first", str(first), "--samples",
                   str(options.samples), "--only", only]
        with tempfile.TemporaryFile("w+") as output:
            try:
                status = subprocess.run(command, env=client(options, builtin), stdout=output, cwd="/tmp",
                                        stderr=subprocess.DEVNULL, timeout=options.timeout
                                        ).returncode
            except subprocess.TimeoutExpired:
                status = "timeout"
            output.seek(0)
            lines = [json.loads(line) for line in output if line.startswith("{")]
        running = None
        for line in lines:
            if "number" in line:
                running = line
            else:
                results[running["name"]] = line["samples"]
                running = None
        if running is None:
            if status:
                sys.exit(f"the worker ended outside of an operation, status {status}")
            return results
        results[running["name"]] = [("crashed", f"status {status}")]
        first = running["number"] + 1


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    plugin_env.add_argument(parser)
    parser.add_argument("--only", default="", help="regular expression on names")
    parser.add_argument("--samples", type=int, default=4, help="samples of each operation")
    parser.add_argument("--timeout", type=float, default=3600, help="seconds a process may take")
    parser.add_argument("--builtin-too", action="store_true",
                        help="run what fails on XLA's own CPU client too")
    parser.add_argument("--train", action="store_true", help="train networks instead")
    parser.add_argument("--out", type=pathlib.Path, help="JSON of the outcomes")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return worker(options)
    if options.train:
        os.environ.update(client(options))
        return not train()
    results = run(options, options.only, builtin=False)
    wrong = {name: [i for i, (outcome, _) in enumerate(samples)
                    if outcome in ("error", "differs", "crashed")]
             for name, samples in results.items()}
    wrong = {name: samples for name, samples in wrong.items() if samples}
    builtin = {}
    if options.builtin_too and wrong:
        builtin = run(options, f"^({'|'.join(map(re.escape, wrong))})$", builtin=True)
    counts = collections.Counter(max(samples, key=lambda s: s[0] == "passed")[0]
                                 for name, samples in results.items() if name not in wrong)
    for name, samples in wrong.items():
        others = builtin.get(name, [])
        ours = [i for i in samples if i >= len(others) or others[i][0] == "passed"]
        counts["wrong here only" if ours else "wrong on XLA's CPU client too"] += 1
        outcome, message = results[name][(ours or samples)[0]]
        print(f"{name}{'' if ours else ' (there too)'}: {outcome}: {' '.join(message.split())}")
    print(dict(counts))
    if options.out:
        options.out.write_text(json.dumps({"tenon": results, "builtin": builtin}, indent=1))
    return counts["wrong here only"] > 0


if __name__ == "__main__":
    sys.exit(main())
