"""DLPack between JAX's arrays on Tenon and other libraries.

Under the name `cpu` JAX's own DLPack works, except for memory that is less aligned than JAX's
arrays: jaxlib copies such memory only for its own CPU client. For other platform names JAX has no
DLPack; this module exports their arrays as host memory.
"""
import ctypes

import ml_dtypes
import numpy as np

_BOOL = 6
_BITS = {0: "int", 1: "uint", 2: "float", 5: "complex"}  # without the number of bits
_TYPES = {4: "bfloat16", 7: "float8_e3m4", 8: "float8_e4m3", 9: "float8_e4m3b11fnuz",
          10: "float8_e4m3fn", 11: "float8_e4m3fnuz", 12: "float8_e5m2",
          13: "float8_e5m2fnuz", 14: "float8_e8m0fnu"}


class _Tensor(ctypes.Structure):  # DLTensor
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _VersionedTensor(ctypes.Structure):  # DLManagedTensorVersioned
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", _Tensor)]


def _tensor(capsule):
    is_valid, get = ctypes.pythonapi.PyCapsule_IsValid, ctypes.pythonapi.PyCapsule_GetPointer
    is_valid.argtypes = get.argtypes = [ctypes.py_object, ctypes.c_char_p]
    get.restype = ctypes.c_void_p
    if is_valid(capsule, b"dltensor"):
        return _Tensor.from_address(get(capsule, b"dltensor"))
    return _VersionedTensor.from_address(get(capsule, b"dltensor_versioned")).tensor


def copy(capsule):
    """Copies the tensor of a DLPack capsule to a NumPy array, without consuming the capsule."""
    tensor = _tensor(capsule)
    if tensor.code == _BOOL:
        dtype = np.dtype(bool)
    elif tensor.code in _BITS:
        dtype = np.dtype(f"{_BITS[tensor.code]}{tensor.bits}")
    else:
        dtype = np.dtype(getattr(ml_dtypes, _TYPES[tensor.code]))
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    if 0 in shape:
        return np.zeros(shape, dtype)
    strides = None
    if tensor.strides:  # jaxlib rejects arrays with gaps earlier
        strides = tuple(tensor.strides[i] * dtype.itemsize for i in range(tensor.ndim))
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    memory = (ctypes.c_char * size).from_address(tensor.data + tensor.byte_offset)
    return np.ndarray(shape, dtype, memory, strides=strides).copy()


def install():
    """Makes the import of DLPack capsules copy arrays that jaxlib cannot share."""
    try:
        from jax._src import dlpack, xla_bridge
        module = getattr(dlpack, "_jax", None) or dlpack.xla_client._xla
        original = module.dlpack_managed_tensor_to_buffer
    except (ImportError, AttributeError):
        return

    def to_buffer(capsule, device, *rest):
        try:
            return original(capsule, device, *rest)
        except Exception as error:
            if "HostBufferSemantics" not in str(error):
                raise
        import jax
        if isinstance(device, xla_bridge.xla_client.Client):  # of capsules, before 0.7
            device = device.local_devices()[0]
        return jax.device_put(copy(capsule), device)

    module.dlpack_managed_tensor_to_buffer = to_buffer


def _writable(array):
    """The same memory as a writable array, because older consumers reject read-only arrays."""
    memory = (ctypes.c_char * max(array.nbytes, 1)).from_address(array.ctypes.data)
    memory.owner = array
    return np.ndarray(array.shape, array.dtype, memory, strides=array.strides)


def install_export(name):
    """Exports arrays of platform `name` through DLPack, without a copy."""
    try:
        from jax._src.array import ArrayImpl
        from jax._src.dlpack import DLDeviceType
    except ImportError:
        return
    original, original_device = ArrayImpl.__dlpack__, ArrayImpl.__dlpack_device__

    def is_ours(array):
        return array.platform() == name and len(array.sharding.device_set) == 1

    def __dlpack__(self, **options):
        if not is_ours(self):
            return original(self, **options)
        given = {key: value for key, value in options.items() if value is not None}
        return _writable(np.asarray(self)).__dlpack__(**given)

    def __dlpack_device__(self):
        return (DLDeviceType.kDLCPU, 0) if is_ours(self) else original_device(self)

    ArrayImpl.__dlpack__, ArrayImpl.__dlpack_device__ = __dlpack__, __dlpack_device__
