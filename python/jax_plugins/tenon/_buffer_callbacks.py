"""jax.experimental.buffer_callback on Tenon: Python functions that access a program's buffers.

The handler of JAX's own target is part of jaxlib and works only with jaxlib's FFI. Tenon uses the
handler of its other callbacks.
"""
import numpy as np

from jax_plugins.tenon import _callbacks


class Buffer:
    """The memory of an argument or result during the callback, like JAX's class of this name."""

    def __init__(self, array, writeable):
        self._array = array
        array.flags.writeable = writeable

    dtype = property(lambda self: self._array.dtype)
    shape = property(lambda self: self._array.shape)
    ndim = property(lambda self: self._array.ndim)
    writeable = property(lambda self: self._array.flags.writeable)

    def __array__(self, dtype=None, copy=None):
        if not copy and (dtype is None or dtype == self.dtype):
            return self._array
        if copy is False:
            raise ValueError(f"a copy is needed to make {dtype} of {self.dtype}")
        return np.array(self._array, dtype)

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class ExecutionContext:
    """The context of a call, like JAX's class of this name; it has no stream."""

    def __init__(self, stage):
        self.stage = stage

    @property
    def stream(self):
        from jax.errors import JaxRuntimeError
        raise JaxRuntimeError("XLA FFI GPU context is not available")


def install(name):
    """Lowers buffer callbacks for platform `name` to calls of Tenon's target."""
    try:
        from jax._src import buffer_callback, ffi, tree_util
        from jax._src.interpreters import mlir
        context = ExecutionContext(buffer_callback.ExecutionStage.EXECUTE)
        primitive = buffer_callback.buffer_callback_p
    except (ImportError, AttributeError):
        return

    def lower(ctx, *operands, callback, in_tree, out_tree, has_side_effect,
              input_output_aliases, **_):
        def run(arguments, results):
            args, kwargs = tree_util.tree_unflatten(
                in_tree, [Buffer(array, False) for array in arguments])
            outs = tree_util.tree_unflatten(
                out_tree, [Buffer(array, True) for array in results])
            if callback(context, outs, *args, **kwargs) is not None:
                raise ValueError("buffer_callback callback must not return any values.")

        _, config = _callbacks.register(ctx, run)
        rule = ffi.ffi_lowering(_callbacks.TARGET, has_side_effect=has_side_effect,
                                backend_config=config,
                                operand_output_aliases=dict(input_output_aliases))
        return rule(ctx, *operands)

    mlir.register_lowering(primitive, lower, platform=name)
