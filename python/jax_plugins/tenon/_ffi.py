"""Registers XLA FFI handlers by name, through the plugin's FFI extension and ctypes."""
import ctypes
import importlib

_STAGES_EXTENSION = 0  # PJRT_Extension_Type_Gpu_Custom_Call
_FFI_EXTENSION = 5     # PJRT_Extension_Type_FFI
_TYPED_FFI = 1         # xla_client's api_version of typed handlers
_STAGES = ("instantiate", "prepare", "initialize", "execute")


class _ExtensionBase(ctypes.Structure):
    pass


_ExtensionBase._fields_ = [("struct_size", ctypes.c_size_t), ("type", ctypes.c_int),
                           ("next", ctypes.POINTER(_ExtensionBase))]


class _ErrorMessageArgs(ctypes.Structure):  # begins with PJRT_Error_Destroy_Args
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p),
                ("error", ctypes.c_void_p), ("message", ctypes.c_void_p),
                ("message_size", ctypes.c_size_t)]


_ErrorFunction = ctypes.CFUNCTYPE(None, ctypes.POINTER(_ErrorMessageArgs))


class _Api(ctypes.Structure):  # the first fields of PJRT_Api
    _fields_ = [("struct_size", ctypes.c_size_t),
                ("extension_start", ctypes.POINTER(_ExtensionBase)),
                ("version", ctypes.c_char * 24),
                ("error_destroy", _ErrorFunction), ("error_message", _ErrorFunction)]


class _RegisterHandlerArgs(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t),
                ("target_name", ctypes.c_char_p), ("target_name_size", ctypes.c_size_t),
                ("handler", ctypes.c_void_p),
                ("platform_name", ctypes.c_char_p), ("platform_name_size", ctypes.c_size_t),
                ("traits", ctypes.c_uint32)]


class _TypeInfo(ctypes.Structure):  # PJRT_FFI_Type_Info
    _fields_ = [("deleter", ctypes.c_void_p), ("serialize", ctypes.c_void_p),
                ("deserialize", ctypes.c_void_p)]


class _HandlerTypeInfo(ctypes.Structure):  # XLA_FFI_TypeInfo
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p)]


class _RegisterTypeArgs(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p),
                ("name", ctypes.c_char_p), ("name_size", ctypes.c_size_t),
                ("type_id", ctypes.c_int64), ("type_info", ctypes.POINTER(_TypeInfo))]


class _RegisterStagesArgs(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t),
                ("target_name", ctypes.c_char_p), ("target_name_size", ctypes.c_size_t),
                ("api_version", ctypes.c_int),
                *((stage, ctypes.c_void_p) for stage in _STAGES)]


def _function(arguments):
    return ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(arguments))


class _FfiExtension(ctypes.Structure):
    _fields_ = [("base", _ExtensionBase), ("type_register", _function(_RegisterTypeArgs)),
                ("user_data_add", ctypes.c_void_p),
                ("register_handler", _function(_RegisterHandlerArgs))]


class _StagesExtension(ctypes.Structure):
    _fields_ = [("base", _ExtensionBase), ("register", _function(_RegisterStagesArgs))]


def capsule_pointer(capsule):
    """The pointer in a PyCapsule of any name."""
    get_name = ctypes.pythonapi.PyCapsule_GetName
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return get(capsule, get_name(capsule))


class Registrar:
    """Registers FFI handlers and types with the plugin `c_api` (a capsule).

    Raises LookupError if the plugin has no FFI extension. Its methods raise RuntimeError with the
    plugin's error.
    """

    def __init__(self, c_api):
        self._api = ctypes.cast(capsule_pointer(c_api), ctypes.POINTER(_Api)).contents
        self._ffi = self._find(_FFI_EXTENSION, _FfiExtension)
        self._stages = self._find(_STAGES_EXTENSION, _StagesExtension)
        if self._ffi is None:
            raise LookupError("the plugin has no FFI extension")

    def register_handler(self, name, function, platform, api_version=_TYPED_FFI, traits=0):
        """`function` is a capsule, an address, or a dictionary of them by stage."""
        target = name.decode() if isinstance(name, bytes) else name
        if api_version != _TYPED_FFI:
            return  # the old untyped calling convention, which Tenon never calls
        if not isinstance(function, dict):
            function = {"execute": function}
        stages = {stage: _address(value) for stage, value in function.items() if value}
        if unknown := stages.keys() - set(_STAGES):
            raise ValueError(f"tenon: FFI handler {target!r} has no stage {unknown.pop()!r}")
        encoded, platform = target.encode(), platform.encode()
        if set(stages) == {"execute"}:
            args = _RegisterHandlerArgs(52, encoded, len(encoded), stages["execute"], platform,
                                        len(platform), int(getattr(traits, "value", traits)))
            error = self._ffi.register_handler(ctypes.byref(args))
        else:
            args = _RegisterStagesArgs(ctypes.sizeof(_RegisterStagesArgs), encoded,
                                       len(encoded), api_version, **stages)
            error = self._stages.register(ctypes.byref(args))
        self._check(error, f"the FFI handler {target!r}")

    def register_type(self, name, registration):
        """`registration` is a capsule of an XLA_FFI_TypeId, or a dictionary with this capsule as
        `type_id` and an optional `type_info`. The plugin replaces an id of 0 by a new id."""
        encoded = name.encode() if isinstance(name, str) else name
        if not isinstance(registration, dict):
            registration = {"type_id": registration}
        type_id = ctypes.c_int64.from_address(_address(registration["type_id"]))
        info = _TypeInfo()
        if registration.get("type_info") is not None:
            given = _HandlerTypeInfo.from_address(_address(registration["type_info"]))
            info.deleter = given.deleter
        args = _RegisterTypeArgs(ctypes.sizeof(_RegisterTypeArgs), None, encoded, len(encoded),
                                 type_id.value, ctypes.pointer(info))
        self._check(self._ffi.type_register(ctypes.byref(args)), f"the FFI type {name!r}")
        type_id.value = args.type_id

    def _find(self, number, structure):
        node = self._api.extension_start
        while node:
            if node.contents.type == number:
                return ctypes.cast(node, ctypes.POINTER(structure)).contents
            node = node.contents.next
        return None

    def _check(self, error, what):
        if error:
            raise RuntimeError(f"tenon: cannot register {what}: "
                               f"{_take_message(self._api, error)}")


def _address(function):
    return function if isinstance(function, int) else capsule_pointer(function)


def _take_message(api, error):
    """Returns the message of a PJRT_Error and destroys the error."""
    args = _ErrorMessageArgs(ctypes.sizeof(_ErrorMessageArgs), None, error)
    api.error_message(ctypes.byref(args))
    message = ctypes.string_at(args.message, args.message_size).decode(errors="replace")
    args.struct_size = _ErrorMessageArgs.message.offset
    api.error_destroy(ctypes.byref(args))
    return message


def jaxlib_handlers():
    """(name, capsule) of jaxlib's CPU kernels: LAPACK, initialized, and sparse kernels."""
    handlers = []
    for module in ("lapack", "cpu_sparse"):
        try:
            kernels = importlib.import_module(f"jaxlib.{module}")
            if module == "lapack":
                kernels._lapack.initialize()
            registrations = kernels.registrations()["cpu"]
        except (ImportError, AttributeError, KeyError):
            continue  # this jaxlib version has none
        handlers += [(name, capsule) for name, capsule, api_version in registrations
                     if api_version == _TYPED_FFI]
    return handlers
