"""Runs .tenon files with NumPy arrays, without JAX and without a compiler.

    import numpy as np, tenon_runtime

    model = tenon_runtime.load("model.tenon")
    y = model(np.ones((8, 64), np.float32))

`jax_plugins.tenon.aot.compile` and `tenon-compile` write such files.
"""
from tenon_runtime._library import TenonError
from tenon_runtime._program import Program, Tensor, load

__all__ = ["Program", "TenonError", "Tensor", "load"]
