"""Python callbacks (pure_callback, io_callback, debug.callback, debug.print) on Tenon.

JAX lowers callbacks to custom calls whose handlers are private to jaxlib. This module lowers them
to calls of Tenon's own FFI target. Its handler is a C function that ctypes creates. The handler
wraps the buffers of the call in NumPy arrays and calls the Python function with the call's `index`.
"""
import collections
import ctypes
import itertools
import math
import random
import traceback
import weakref

import ml_dtypes
import numpy as np

from jax_plugins.tenon import _versions

TARGET = "tenon_python_callback"
# The same for calls that each device makes with its parts of the operands.
PARTITIONED_TARGET = "tenon_partitioned_python_callback"
_EXECUTE = 3       # XLA_FFI_ExecutionStage
_METADATA = 1      # XLA_FFI_Extension_Type
_SCALAR = 3        # XLA_FFI_AttrType
_INTERNAL = 13     # XLA_FFI_Error_Code
# Tenon's own trait: a call returns after the Python functions in it have run, as on JAX's CPU.
_SYNCHRONOUS = 1 << 31
_DTYPES = {1: np.bool_, 2: np.int8, 3: np.int16, 4: np.int32, 5: np.int64, 6: np.uint8,
           7: np.uint16, 8: np.uint32, 9: np.uint64, 10: np.float16, 11: np.float32,
           12: np.float64, 15: np.complex64, 16: ml_dtypes.bfloat16, 18: np.complex128,
           19: ml_dtypes.float8_e5m2, 20: ml_dtypes.float8_e4m3fn, 21: ml_dtypes.int4,
           22: ml_dtypes.uint4, 23: ml_dtypes.float8_e4m3b11fnuz,
           24: ml_dtypes.float8_e5m2fnuz, 25: ml_dtypes.float8_e4m3fnuz,
           26: ml_dtypes.int2, 27: ml_dtypes.uint2, 28: ml_dtypes.float8_e4m3,
           29: ml_dtypes.float8_e3m4, 32: ml_dtypes.float4_e2m1fn,
           33: ml_dtypes.float8_e8m0fnu, 35: ml_dtypes.float6_e3m2fn,
           36: ml_dtypes.float6_e2m3fn}
_pointer, _size, _int64 = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64


def _struct(name, **fields):
    return type(name, (ctypes.Structure,), {"_fields_": list(fields.items())})


_Head = dict(struct_size=_size, extension=_pointer)
_Extension = _struct("_Extension", struct_size=_size, type=ctypes.c_int, next=_pointer,
                     metadata=_pointer)
_Version = _struct("_Version", **_Head, major=ctypes.c_int, minor=ctypes.c_int)
_Metadata = _struct("_Metadata", struct_size=_size, version=_Version, traits=ctypes.c_uint32)
_Buffer = _struct("_Buffer", **_Head, dtype=ctypes.c_int, data=_pointer, rank=_int64,
                  dims=ctypes.POINTER(_int64))
_Buffers = _struct("_Buffers", **_Head, size=_int64, types=_pointer,
                   items=ctypes.POINTER(ctypes.POINTER(_Buffer)))
_Scalar = _struct("_Scalar", dtype=ctypes.c_int, value=ctypes.POINTER(_int64))
_Attributes = _struct("_Attributes", **_Head, size=_int64, types=ctypes.POINTER(ctypes.c_int),
                      names=_pointer, items=ctypes.POINTER(ctypes.POINTER(_Scalar)))
_ErrorArgs = _struct("_ErrorArgs", **_Head, message=ctypes.c_char_p, code=ctypes.c_int)
_CreateError = ctypes.CFUNCTYPE(_pointer, ctypes.POINTER(_ErrorArgs))
_Api = _struct("_Api", **_Head, version=_Version, internal=_pointer, create_error=_CreateError)
_Frame = _struct("_Frame", **_Head, api=ctypes.POINTER(_Api), context=_pointer,
                 stage=ctypes.c_int, args=_Buffers, results=_Buffers, attributes=_Attributes)

# The Python functions, by the index in the call. They take the arrays of the call's arguments and
# results, which are views of the program's buffers. JAX keeps the `Callback` as long as the
# executable. An execution may outlive the executable, so a function is deleted some time later.
_functions = {}
# Random, so that a cached program of another process does not match an index of this one.
_indices = itertools.count(random.SystemRandom().getrandbits(40))
_retired = collections.deque()
_RETIRED_KEPT = 1024


class Callback:
    def __init__(self, function):
        self.index = next(_indices)
        _functions[self.index] = function
        weakref.finalize(self, _retire, self.index).atexit = False


def _retire(index):
    _retired.append(index)
    if len(_retired) > _RETIRED_KEPT:
        del _functions[_retired.popleft()]


def _array(buffer):
    dtype = np.dtype(_DTYPES[buffer.dtype])
    shape = tuple(buffer.dims[i] for i in range(buffer.rank))
    size = math.prod(shape) * dtype.itemsize
    if not size:
        return np.empty(shape, dtype)
    return np.ndarray(shape, dtype, (ctypes.c_char * size).from_address(buffer.data))


def _arrays(buffers):
    return [_array(buffers.items[i].contents) for i in range(buffers.size)]


def _run(frame):
    attributes = frame.attributes
    if attributes.size != 1 or attributes.types[0] != _SCALAR:
        raise ValueError("expected one attribute, `index`")
    index = attributes.items[0].contents.value[0]
    function = _functions.get(index)
    if function is None:
        raise RuntimeError(f"the Python function number {index} is unknown in this process")
    function(_arrays(frame.args), _arrays(frame.results))


@ctypes.CFUNCTYPE(_pointer, ctypes.POINTER(_Frame))
def _handler(pointer):
    frame = pointer.contents
    try:
        if frame.extension:
            extension = _Extension.from_address(frame.extension)
            if extension.type == _METADATA:
                metadata = _Metadata.from_address(extension.metadata)
                metadata.version.major, metadata.version.minor = 0, 3
                metadata.traits = _SYNCHRONOUS
                return None
        if frame.stage == _EXECUTE:
            _run(frame)
        return None
    except BaseException:
        message = f"Python callback failed:\n{traceback.format_exc()}".encode()
        args = _ErrorArgs(28, None, message, _INTERNAL)
        return frame.api.contents.create_error(ctypes.byref(args))


def handler_address():
    """The address of the FFI handler; valid for the life of the process."""
    return ctypes.cast(_handler, _pointer).value


def install(name):
    """Lowers JAX's Python callbacks for platform `name` to calls of TARGET."""
    from jax._src import callback as jax_callback
    original = getattr(jax_callback, "emit_python_callback", None)
    if original is None:
        return

    def emit(ctx, callback, token, operands, operand_avals, result_avals, *,
             has_side_effect, sharding=None, partitioned=False, **rest):
        if tuple(ctx.module_context.platforms) != (name,):
            return original(ctx, callback, token, operands, operand_avals, result_avals,
                            has_side_effect=has_side_effect, sharding=sharding,
                            **({"partitioned": True} if partitioned else {}), **rest)
        return _emit(ctx, callback, token, operands, result_avals, has_side_effect, sharding,
                     PARTITIONED_TARGET if partitioned else TARGET)

    jax_callback.emit_python_callback = emit
    from jax.interpreters import mlir
    if getattr(mlir, "emit_python_callback", None) is original:
        mlir.emit_python_callback = emit  # its public name


def register(ctx, run):
    """Makes `run` callable from the program of `ctx`. Returns the object that keeps it alive and
    the attributes of a call of TARGET."""
    from jax._src.interpreters import mlir
    kept = Callback(run)
    ctx.module_context.add_keepalive(kept)
    _versions.keep_out_of_cache(ctx, run)
    return kept, {"index": mlir.ir_attribute(np.int64(kept.index))}


def _canonical(value):
    """Converts a Python value to an array; Python's numbers get JAX's default widths."""
    from jax import dtypes
    array = np.asarray(value)
    return array.astype(dtypes.canonicalize_dtype(array.dtype), copy=False)


def _emit(ctx, callback, token, operands, result_avals, has_side_effect, sharding, target):
    from jax._src.interpreters import mlir

    def checked(*arguments):  # the checks and error texts of JAX's CPU
        values = tuple(callback(*arguments))
        if len(values) != len(result_avals):
            raise RuntimeError("Mismatched number of outputs from callback. Expected: "
                               f"{len(result_avals)}, Actual: {len(values)}")
        values = [_canonical(value) for value in values]
        for i, (value, aval) in enumerate(zip(values, result_avals)):
            for what in ("shape", "dtype"):
                expected, actual = getattr(aval, what), getattr(value, what)
                if actual != expected:
                    raise RuntimeError(f"Incorrect output {what} for return value #{i}: "
                                       f"Expected: {expected}, Actual: {actual}")
        return values

    def run(arguments, results):
        # Copies the arguments, because Python may keep them.
        values = checked(*(argument.copy() for argument in arguments))
        for result, value in zip(results, values):
            result[...] = value

    kept, config = register(ctx, run)
    call = mlir.custom_call(
        target, result_types=[_versions.ir_type(ctx, aval) for aval in result_avals],
        operands=[operand for operand in operands], has_side_effect=has_side_effect,
        backend_config=config, api_version=4)
    if sharding is not None:
        _versions.set_sharding(ctx, call, sharding)
    # Calls with side effects stay in program order, so the call need not take the token.
    return list(call.results), token, kept
