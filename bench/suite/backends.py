"""Back ends that run workloads: JAX platforms, IREE, and routines of other libraries."""
import gc
import os
import subprocess
import tempfile
import time

import numpy as np

_COMPILE_AGAIN_MS = 3000  # faster compilations run twice, and the minimum counts


def status_mib(key: str) -> float:
    """A line of /proc/self/status."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith(key))


def _reset_peak_memory():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


class MemoryGrowth:
    """MiB that the peak of resident memory grows by inside the block."""

    def __enter__(self):
        gc.collect()
        _reset_peak_memory()
        self._before = status_mib("VmRSS")
        return self

    def __exit__(self, *_):
        self.mib = status_mib("VmHWM") - self._before


def _on_devices(workload, platform):
    """The function, where its arguments are, and the shardings of its results."""
    import jax
    devices = jax.devices(platform)
    if not workload.mesh:
        return workload.function, devices[0], None
    mesh = jax.sharding.Mesh(
        np.reshape(devices[:workload.devices()], tuple(workload.mesh.values())),
        tuple(workload.mesh))

    def named(specs):
        return jax.tree.map(lambda spec: jax.sharding.NamedSharding(mesh, spec), specs,
                            is_leaf=lambda spec: isinstance(spec, jax.sharding.PartitionSpec))
    return workload.function(mesh), named(workload.specs), named(workload.out_specs)


class Backend:
    """Columns `lower_ms`, `compile_ms`, `first_ms`, `first_run_mib`; `result`, NumPy arrays.

    `implementation`: the name that a library gives its implementation.
    """
    lower_ms = compile_ms = first_ms = first_run_mib = result = implementation = None

    def batch(self, count: int):
        """Runs `count` times, waiting for every result."""
        raise NotImplementedError


class Jax(Backend):
    """Compiles the workload, up to `attempts` times, and unless `run` is false runs it once."""

    def __init__(self, platform, workload, arguments, name=None, attempts=2, run=True):
        import jax
        self._jax, self.name, self._carry = jax, name or platform, workload.carry
        self._host = workload.host
        device = jax.devices(platform)[0]
        jax.block_until_ready(jax.jit(lambda x: x * 2, device=device)(1.0))  # warm
        function, place, results = _on_devices(workload, platform)
        self._arguments = jax.block_until_ready(jax.device_put(arguments, place))
        for attempt in range(attempts):
            self._function = jax.jit(lambda *a: function(*a), donate_argnums=tuple(workload.carry),
                                     out_shardings=results)
            start = time.perf_counter()
            lowered = self._function.lower(*self._arguments)
            middle = time.perf_counter()
            self._compiled = lowered.compile()
            times = [1e3 * (middle - start), 1e3 * (time.perf_counter() - middle)]
            if attempt:
                times = [min(times[0], self.lower_ms), min(times[1], self.compile_ms)]
            self.lower_ms, self.compile_ms = times
            if self.compile_ms > _COMPILE_AGAIN_MS:
                break
        if run:
            self.run_first()

    def run_first(self):
        with MemoryGrowth() as growth:
            start = time.perf_counter()
            out = self._jax.block_until_ready(self._compiled(*self._arguments))
            self.first_ms = 1e3 * (time.perf_counter() - start)
        self.first_run_mib = growth.mib
        self.result = [np.asarray(x) for x in self._jax.tree.leaves(out)]
        self._feed(out)

    def _feed(self, out):
        if self._carry:
            arguments = list(self._arguments)
            for argument, result in self._carry.items():
                arguments[argument] = out[result]
            self._arguments = tuple(arguments)

    def batch(self, count):
        wait, function = self._jax.block_until_ready, self._function
        if self._host:
            for _ in range(count):
                out = function(*self._arguments)
                self._host()
                wait(out)
            return
        if not self._carry:
            arguments = self._arguments
            for _ in range(count):
                wait(function(*arguments))
            return
        for _ in range(count):
            self._feed(wait(function(*self._arguments)))

    def queue(self, count):
        """Runs `count` times, waiting only for the last result."""
        for _ in range(count):
            out = self._function(*self._arguments)
            self._feed(out)
        self._jax.block_until_ready(out)


class Iree(Backend):
    """The workload's StableHLO through iree-compile and the local-task runtime."""
    name = "iree"

    def __init__(self, workload, arguments):
        import jax
        from iree import runtime
        from iree.compiler.tools.binaries import find_tool
        self._runtime = runtime
        start = time.perf_counter()
        lowered = jax.jit(lambda *a: workload.function(*a), keep_unused=True).lower(*arguments)
        text = str(lowered.compiler_ir("stablehlo"))
        self.lower_ms = 1e3 * (time.perf_counter() - start)
        with tempfile.TemporaryDirectory() as folder:
            source, image = (os.path.join(folder, n) for n in ("in.mlir", "out.vmfb"))
            with open(source, "w") as file:
                file.write(text)
            start = time.perf_counter()
            done = subprocess.run(
                [find_tool("iree-compile"), "--iree-input-type=stablehlo",
                 "--iree-hal-target-device=local",
                 "--iree-hal-local-target-device-backends=llvm-cpu",
                 "--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3", source, "-o", image],
                capture_output=True, text=True, timeout=150)
            self.compile_ms = 1e3 * (time.perf_counter() - start)
            if done.returncode:
                raise RuntimeError("iree-compile: " + done.stderr[-200:])
            device = runtime.get_device("local-task")
            instance = runtime.VmInstance()
            module = runtime.VmModule.copy_buffer(instance, open(image, "rb").read())
        self._context = runtime.VmContext(
            instance, [runtime.create_hal_module(instance, device), module])
        self._main = module.lookup_function("main")
        types = runtime.HalElementType
        names = {"float32": types.FLOAT_32, "float64": types.FLOAT_64,
                 "float16": types.FLOAT_16, "bfloat16": types.BFLOAT_16, "int32": types.SINT_32,
                 "int8": types.SINT_8, "uint32": types.UINT_32, "complex64": types.COMPLEX_64}
        self._inputs = []
        for array in map(np.asarray, jax.tree.leaves(arguments)):
            view = device.allocator.allocate_buffer_copy(
                memory_type=(runtime.MemoryType.DEVICE_LOCAL | runtime.MemoryType.HOST_VISIBLE),
                allowed_usage=runtime.BufferUsage.DEFAULT | runtime.BufferUsage.MAPPING,
                device=device, buffer=np.ascontiguousarray(array).reshape(-1).view(np.uint8),
                element_type=types.UINT_8)
            self._inputs.append(runtime.HalBufferView(view.get_buffer(), list(array.shape),
                                                      int(names[array.dtype.name])))
        with MemoryGrowth() as growth:
            start = time.perf_counter()
            out = self._call()
            self.first_ms = 1e3 * (time.perf_counter() - start)
        self.first_run_mib = growth.mib
        self.result = [
            runtime.DeviceArray(device, out.get_as_object(i, runtime.HalBufferView),
                                implicit_host_transfer=True).to_host()
            for i in range(len(out))]

    def _call(self):
        inputs = self._runtime.VmVariantList(len(self._inputs))
        for view in self._inputs:
            inputs.push_ref(view)
        out = self._runtime.VmVariantList(8)
        self._context.invoke(self._main, inputs, out)
        return out

    def batch(self, count):
        for _ in range(count):
            self._call()


class Routine(Backend):
    """A function of no arguments that returns the workload's results."""

    def __init__(self, name, function):
        self.name, self._function = name, function
        self.implementation = getattr(function, "implementation", None)
        start = time.perf_counter()
        result = function()
        self.first_ms = 1e3 * (time.perf_counter() - start)
        leaves = result if isinstance(result, (list, tuple)) else [result]
        self.result = [np.asarray(x) for x in leaves]

    def batch(self, count):
        for _ in range(count):
            self._function()
