"""Runs a function on the device under test and on the built-in CPU and compares the results."""
import functools

import jax
import ml_dtypes
import numpy as np
from conftest import PLATFORM

FLOATS = ("float16", "bfloat16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
ALL = ("bool", *SIGNED, *UNSIGNED, *FLOATS, *COMPLEX)


def dtype(name):
    return np.dtype(getattr(ml_dtypes, name) if name == "bfloat16" else name)


def epsilon(element_type):
    element_type = np.dtype(element_type)
    if element_type.kind == "c":
        element_type = np.dtype(f"float{element_type.itemsize * 4}")
    return float(ml_dtypes.finfo(element_type).eps)


def tiny(element_type):
    element_type = np.dtype(element_type)
    if element_type.kind == "c":
        element_type = np.dtype(f"float{element_type.itemsize * 4}")
    return float(ml_dtypes.finfo(element_type).smallest_normal)


def is_inexact(x):
    return x.dtype.kind in "fc" or x.dtype == ml_dtypes.bfloat16


def data(shape, name, seed=0, low=None, high=None):
    """Random values of the type: small integers, or floats around zero."""
    random, element_type = np.random.default_rng(seed), dtype(name)
    if element_type == bool:
        return random.integers(0, 2, shape).astype(bool)
    if element_type.kind in "iu":
        low = low if low is not None else (0 if element_type.kind == "u" else -9)
        return random.integers(low, 10 if high is None else high, shape).astype(element_type)
    if low is not None:
        values = random.uniform(low, high, shape)
    else:
        values = random.standard_normal(shape)
    if element_type.kind == "c":
        values = values + 1j * random.standard_normal(shape)
    return values.astype(element_type)


def run_on(device, function, *args, **jit_options):
    """The function, jitted, on one device; results as NumPy arrays."""
    placed = jax.device_put(args, device)
    with jax.default_device(device):
        result = jax.jit(function, **jit_options)(*placed)
    for leaf in jax.tree.leaves(result):
        assert leaf.devices() == {device}, f"result on {leaf.devices()}, not on {device}"
    return jax.tree.map(np.asarray, result)


def run_text(device, text, *args):
    """Results of a StableHLO program, which JAX need not have lowered."""
    from jax._src.lib import xla_client
    options = xla_client.CompileOptions()
    options.num_replicas = options.num_partitions = 1
    options.device_assignment = xla_client.DeviceAssignment.create(np.array([[device.id]]))
    executable = device.client.compile_and_load(text, xla_client.DeviceList((device,)),
                                                compile_options=options)
    results = executable.execute_sharded([jax.device_put(x, device) for x in args])
    return [np.asarray(shards[0]) for shards in results.disassemble_into_single_device_arrays()]


def assert_same(ours, theirs, ulps=4, scale=0.0, atol=0.0):
    """Asserts equal trees; floats to `ulps` eps of the value, or of `scale` times the largest."""
    leaves, reference = jax.tree.leaves(ours), jax.tree.leaves(theirs)
    assert jax.tree.structure(ours) == jax.tree.structure(theirs)
    for a, b in zip(leaves, reference):
        assert a.dtype == b.dtype and a.shape == b.shape
        if not is_inexact(a):
            np.testing.assert_array_equal(a, b)
            continue
        eps, wide = epsilon(a.dtype), np.complex128 if a.dtype.kind == "c" else np.float64
        a, b, smallest = a.astype(wide), b.astype(wide), tiny(a.dtype)
        largest = np.max(np.abs(b), where=np.isfinite(b), initial=0.0)
        np.testing.assert_allclose(
            a, b, rtol=ulps * eps, equal_nan=True,
            atol=max(atol, ulps * eps * scale * float(largest), 2 * smallest))


def check(function, *args, ulps=4, scale=0.0, atol=0.0):
    """Asserts that `function(*args)` is equal on the device under test and the built-in CPU."""
    ours = run_on(jax.devices(PLATFORM)[0], function, *args)
    theirs = run_on(jax.devices("cpu")[0], function, *args)
    assert_same(ours, theirs, ulps, scale, atol)
    return ours


# For sums, which may be computed in any order: errors relative to the largest result.
check_sum = functools.partial(check, ulps=16, scale=1.0)
