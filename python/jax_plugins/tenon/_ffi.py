"""The plugin's FFI extension, reached through ctypes: registers XLA FFI handlers by name."""
import ctypes

_FFI_EXTENSION = 5  # PJRT_Extension_Type_FFI
_TYPED_FFI = 1      # xla_client's api_version of typed handlers


class _ExtensionBase(ctypes.Structure):
    pass


_ExtensionBase._fields_ = [("struct_size", ctypes.c_size_t), ("type", ctypes.c_int),
                           ("next", ctypes.POINTER(_ExtensionBase))]


class _ErrorMessageArgs(ctypes.Structure):  # its head is PJRT_Error_Destroy_Args
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p),
                ("error", ctypes.c_void_p), ("message", ctypes.c_void_p),
                ("message_size", ctypes.c_size_t)]


_ErrorFunction = ctypes.CFUNCTYPE(None, ctypes.POINTER(_ErrorMessageArgs))


class _Api(ctypes.Structure):  # the head of PJRT_Api
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


class _FfiExtension(ctypes.Structure):
    _fields_ = [("base", _ExtensionBase), ("type_register", ctypes.c_void_p),
                ("user_data_add", ctypes.c_void_p),
                ("register_handler", ctypes.CFUNCTYPE(
                    ctypes.c_void_p, ctypes.POINTER(_RegisterHandlerArgs)))]


def capsule_pointer(capsule):
    """The pointer in a PyCapsule, whatever its name."""
    get_name = ctypes.pythonapi.PyCapsule_GetName
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return get(capsule, get_name(capsule))


def make_registrar(c_api):
    """A handler for xla_client.register_custom_call_handler; None without FFI extension.

    `c_api` is the plugin's capsule. The handler takes a capsule, an address, or a dictionary
    of stages of which `execute` counts. It raises RuntimeError for what the plugin refuses.
    """
    api = ctypes.cast(capsule_pointer(c_api), ctypes.POINTER(_Api)).contents
    extension = _find_extension(api)
    if extension is None:
        return None

    def register(name, function, platform, api_version=_TYPED_FFI, traits=0):
        target = name.decode() if isinstance(name, bytes) else name
        if api_version != _TYPED_FFI:
            return  # the untyped calling convention of old: nothing in Tenon calls it
        if isinstance(function, dict):
            function = function["execute"]
        encoded, platform = target.encode(), platform.encode()
        args = _RegisterHandlerArgs(
            52, encoded, len(encoded),
            function if isinstance(function, int) else capsule_pointer(function),
            platform, len(platform), int(getattr(traits, "value", traits)))
        if error := extension.register_handler(ctypes.byref(args)):
            raise RuntimeError(f"tenon: cannot register the FFI handler {target!r}: "
                               f"{_take_message(api, error)}")

    return register


def _find_extension(api):
    node = api.extension_start
    while node:
        if node.contents.type == _FFI_EXTENSION:
            return ctypes.cast(node, ctypes.POINTER(_FfiExtension)).contents
        node = node.contents.next
    return None


def _take_message(api, error):
    """The message of a PJRT_Error, which is destroyed."""
    args = _ErrorMessageArgs(ctypes.sizeof(_ErrorMessageArgs), None, error)
    api.error_message(ctypes.byref(args))
    message = ctypes.string_at(args.message, args.message_size).decode(errors="replace")
    args.struct_size = _ErrorMessageArgs.message.offset
    api.error_destroy(ctypes.byref(args))
    return message


def jaxlib_lapack_handlers():
    """(name, capsule) of jaxlib's LAPACK kernels for the CPU, ready to be called."""
    try:
        from jaxlib import lapack
        lapack._lapack.initialize()
        registrations = lapack.registrations()["cpu"]
    except (ImportError, AttributeError, KeyError):
        return []
    return [(name, capsule) for name, capsule, api_version in registrations
            if api_version == _TYPED_FFI]
