"""DLPack between JAX's arrays on Tenon and other libraries.

In place of `cpu` it is JAX's own, but for memory that is not aligned as JAX's arrays are: jaxlib
copies that in a way that it has for its own CPU client only. A platform of its own has no
DLPack in JAX; here its arrays are exported as the host's memory that they are.
"""
import ctypes

import ml_dtypes
import numpy as np

_BOOL = 6
_BITS = {0: "int", 1: "uint", 2: "float", 5: "complex"}  # and how many
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
    """A NumPy array of what a DLPack capsule holds. The capsule stays unused."""
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
    if tensor.strides:  # jaxlib refuses those that leave gaps before it comes to a copy
        strides = tuple(tensor.strides[i] * dtype.itemsize for i in range(tensor.ndim))
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    memory = (ctypes.c_char * size).from_address(tensor.data + tensor.byte_offset)
    return np.ndarray(shape, dtype, memory, strides=strides).copy()


def install():
    """Lets jaxlib's import of DLPack capsules copy what it cannot take as it is."""
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
    """The same memory, without NumPy's mark that it is read-only: older consumers refuse it."""
    memory = (ctypes.c_char * max(array.nbytes, 1)).from_address(array.ctypes.data)
    memory.owner = array
    return np.ndarray(array.shape, array.dtype, memory, strides=array.strides)


def install_export(name):
    """Lets arrays of platform `name` be taken by consumers of DLPack, without a copy."""
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
