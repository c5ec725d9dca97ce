"""Networks in torch, and their exports to ONNX Runtime and OpenVINO."""
import pathlib
import tempfile
import time

import numpy as np
import torch
import torch._inductor.config as inductor_config

from . import ops, settings
from .torch_ops import TYPES, TorchOps


class Network(torch.nn.Module):
    """A program as a module whose inputs are its tensors; `position` is a constant of it."""

    def __init__(self, program, dtype, exporting=False):
        super().__init__()
        shapes, _ = ops.collect(TorchOps, program)
        self._function, self._train = program.function, bool(program.trains)
        self._exporting = exporting
        self._constants = {i: int(x.make()) for i, x in enumerate(program.inputs)
                           if x.kind == "position"}
        self._keys = {name: name.replace(".", "__") for name in shapes}
        for name, (shape, kind) in shapes.items():
            value = torch.from_numpy(ops.make_parameter(name, shape, kind)).to(TYPES[dtype])
            if kind in ops.NOT_TRAINED:
                self.register_buffer(self._keys[name], value)
            else:
                self.register_parameter(self._keys[name], torch.nn.Parameter(
                    value, requires_grad=self._train))

    def forward(self, *tensors):
        tensors = list(tensors)
        for place, value in self._constants.items():
            tensors.insert(place, value)
        o = TorchOps({name: getattr(self, key) for name, key in self._keys.items()}, self._train)
        o.exporting = self._exporting
        return self._function(o, *tensors)


def _inputs(program, dtype):
    result = []
    for i in program.inputs:
        if i.kind == "position":
            continue
        x = torch.from_numpy(TorchOps.lay_out(i.kind, i.make()))
        x = x.to(TYPES[dtype]) if x.is_floating_point() else x
        result.append(x.contiguous(memory_format=torch.channels_last)
                      if i.kind == "image" and x.ndim == 4 else x)
    return result


class TorchPeer:
    """`compiled`: by torch.compile, which for forward programs packs the weights beforehand."""

    def __init__(self, compiled, threads):
        torch.set_num_threads(threads)
        self._compiled = compiled

    def load(self, program, dtype):
        start = time.perf_counter()
        module = Network(program, dtype).to(memory_format=torch.channels_last)
        inputs = _inputs(program, dtype)
        run = module
        if self._compiled:
            torch._dynamo.reset()
            inductor_config.freezing = not program.trains
            run = torch.compile(module)
        begin = time.perf_counter()
        if program.trains:
            self.call = self._step(program, module, run, inputs)
            losses = [self.call() for _ in range(3)]
            self.result = np.array([x.item() for x in losses])
        else:
            module.eval()

            def call():
                with torch.inference_mode() if not self._compiled else torch.no_grad():
                    return run(*inputs)
            self.call = call
            out = call()
            first = (out[0] if isinstance(out, tuple) else out)
            self.result = TorchOps.canonical(
                program.result, first.to(torch.float64 if dtype == "f64" else torch.float32)
                .numpy())
        return {"first_ms": 1e3 * (time.perf_counter() - begin),
                "load_ms": 1e3 * (begin - start)}

    def _step(self, program, module, run, inputs):
        if program.trains == "sgd":
            optimiser = torch.optim.SGD(module.parameters(), settings.SGD_RATE,
                                        settings.MOMENTUM, fused=True)
        else:
            optimiser = torch.optim.Adam(module.parameters(), settings.ADAM_RATE,
                                         settings.ADAM_BETAS, settings.ADAM_EPSILON, fused=True)

        def call():
            optimiser.zero_grad(set_to_none=True)
            loss = run(*inputs)
            loss.backward()
            optimiser.step()
            return loss.detach()
        return call


def _exportable(program, dtype):
    if program.trains:
        raise NotImplementedError("does not train")
    module = Network(program, "f32", exporting=True).eval()
    return module, tuple(x.contiguous() for x in _inputs(program, "f32"))


class OnnxRuntimePeer:
    def __init__(self, threads):
        torch.set_num_threads(threads)
        self._threads = threads

    def load(self, program, dtype):
        import onnxruntime
        if dtype == "bf16":
            raise NotImplementedError("has no bf16 kernels for CPUs")
        module, inputs = _exportable(program, dtype)
        start = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder, torch.no_grad():
            path = pathlib.Path(folder) / "network.onnx"
            names = [f"input{i}" for i in range(len(inputs))]
            torch.onnx.export(module, inputs, str(path), dynamo=False, opset_version=20,
                              input_names=names)
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = self._threads
            options.inter_op_num_threads = 1
            session = onnxruntime.InferenceSession(str(path), options,
                                                   providers=["CPUExecutionProvider"])
        del module
        feeds = {x.name: inputs[int(x.name.removeprefix("input"))].numpy()
                 for x in session.get_inputs()}
        times = {"compile_ms": 1e3 * (time.perf_counter() - start)}
        self.call = lambda: session.run(None, feeds)
        start = time.perf_counter()
        self.result = TorchOps.canonical(program.result, self.call()[0])
        return {**times, "first_ms": 1e3 * (time.perf_counter() - start)}


class OpenVinoPeer:
    def __init__(self, threads):
        torch.set_num_threads(threads)
        self._threads = threads

    def load(self, program, dtype):
        import openvino
        module, inputs = _exportable(program, dtype)
        start = time.perf_counter()
        with torch.no_grad():
            model = openvino.convert_model(module, example_input=inputs)
        compiled = openvino.Core().compile_model(model, "CPU", {
            "INFERENCE_PRECISION_HINT": dtype, "INFERENCE_NUM_THREADS": self._threads,
            "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY"})
        del module, model
        request = compiled.create_infer_request()
        feeds = [x.numpy() for x in inputs]
        if len(feeds) != len(compiled.inputs):
            raise RuntimeError(f"{len(compiled.inputs)} inputs, not {len(feeds)}")
        times = {"compile_ms": 1e3 * (time.perf_counter() - start)}
        self.call = lambda: request.infer(feeds, share_inputs=True, share_outputs=True)
        start = time.perf_counter()
        self.result = TorchOps.canonical(program.result, np.array(self.call()[0]))
        return {**times, "first_ms": 1e3 * (time.perf_counter() - start)}
