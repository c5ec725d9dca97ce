"""A program's results: on a PJRT device of this process, or by the evaluator (tenon-run)."""
import os
import pathlib
import re
import subprocess
import tempfile
import time

import numpy as np
import plugin_env

# Options of the built-in CPU: fast compilation, and every rounding to a narrower type.
REFERENCE_OPTIONS = [("xla_backend_optimization_level", 0), ("xla_allow_excess_precision", False),
                     ("xla_cpu_parallel_codegen_split_count", 1)]


LAYOUT = re.compile(r' \{mhlo\.layout_mode = "[^"]*"\}')


def start(plugin):
    """JAX with Tenon beside the built-in CPU; returns (Tenon's device, the CPU's)."""
    plugin_env.set_up(plugin)
    # The built-in CPU's constant folding does not always give the results of its code.
    os.environ["XLA_FLAGS"] = "--xla_disable_hlo_passes=constant_folding"
    import jax
    jax.config.update("jax_enable_x64", True)
    return jax.devices("tenon")[0], jax.devices("cpu")[0]


def compile_options(device, overrides=()):
    from jax._src.lib import xla_client
    options = xla_client.CompileOptions()
    options.num_replicas = options.num_partitions = 1
    options.device_assignment = xla_client.DeviceAssignment.create(np.array([[device.id]]))
    options.env_option_overrides = list(overrides)
    return options


def place(array, device, layout):
    import jax
    from jax.experimental.layout import Format, Layout
    if layout is None:
        return jax.device_put(array, device)
    return jax.device_put(array, Format(Layout(tuple(layout)),
                                        jax.sharding.SingleDeviceSharding(device)))


def run(program, device, stage=lambda name: None):
    """Results as NumPy arrays. Calls `stage` before each step, for the report of a crash.

    run.compile_seconds is the processor time that the last compilation took, on all threads.
    """
    from jax._src.lib import xla_client
    name = device.client.platform
    stage(f"{name} compile")
    begin = time.process_time()
    executable = device.client.compile_and_load(
        program.text, xla_client.DeviceList((device,)),
        compile_options(device, REFERENCE_OPTIONS if name == "cpu" else ()))
    run.compile_seconds = time.process_time() - begin
    stage(f"{name} run")
    arrays = [place(x, device, layout) for x, layout in zip(program.inputs, program.layouts)]
    results = executable.execute_sharded(arrays).disassemble_into_single_device_arrays()
    results = [np.asarray(shards[0]) for shards in results]
    # Arguments that are not donated must not change.
    for array, before, donated in zip(arrays, program.inputs, program.donated):
        if not donated and not same(np.asarray(array), before):
            raise RuntimeError("an argument that was not donated has changed")
    return results


def same(x, y):
    """Whether results are equal bit by bit; numbers of fewer than 8 bits by value."""
    narrow = x.dtype.name in ("int2", "int4", "uint2", "uint4")
    return np.array_equal(x, y) if narrow else x.tobytes() == y.tobytes()


def evaluate(program, tool, keep_denormals=False):
    """Results by the evaluator, through tenon-run --reference."""
    return run_tool(program, [str(tool), "--reference", *["--keep-denormals"] * keep_denormals])


def run_with_denormals(program, tool, plugin):
    """Results on Tenon with denormals kept, through tenon-run."""
    return run_tool(program, [str(tool), "--plugin", str(plugin), "--option", "ieee_denormals=1"])


def run_tool(program, command):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        # NPY files are row-major; layouts move elements only.
        (path / "program.mlir").write_text(LAYOUT.sub("", program.text))
        command = [*command, str(path / "program.mlir"), "-q", "-o", str(path / "result")]
        for i, array in enumerate(program.inputs):
            np.save(path / f"input{i}.npy", np.asarray(array))
            command += ["-i", str(path / f"input{i}.npy")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode:
            raise RuntimeError(f"tenon-run ({done.returncode}): " + done.stderr.strip()[-600:])
        return [np.load(path / f"result{i}.npy").view(etype.dtype)
                for i, (etype, _) in enumerate(program.outputs)]
