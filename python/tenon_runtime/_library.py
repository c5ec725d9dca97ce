"""The C library of tenon/runtime.h, through ctypes."""
import ctypes
import functools
import os
from ctypes import POINTER, byref, c_char, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint32, c_void_p

_NAME = "libtenon_runtime.so"
COPY_UNALIGNED = 2


class TenonError(RuntimeError):
    """A program cannot be opened or run. `code` is a number of enum tenon_code."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class _Error(ctypes.Structure):
    _fields_ = [("code", c_int32), ("message", c_char * 508)]


class CTensor(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("type", c_int), ("rank", c_int32), ("dims", POINTER(c_int64)),
                ("minor_to_major", POINTER(c_int64)), ("bytes", c_size_t), ("alias", c_int32),
                ("parameter", c_int32)]


class _Signature(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("num_inputs", c_size_t), ("inputs", POINTER(CTensor)),
                ("num_outputs", c_size_t), ("outputs", POINTER(CTensor)),
                ("num_weights", c_size_t), ("weights", POINTER(CTensor))]


class _OpenOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("flags", c_uint32), ("weights", c_char_p)]


def library_path():
    """The path of the library: TENON_RUNTIME_LIBRARY, the package's, or the checkout's build."""
    given = os.environ.get("TENON_RUNTIME_LIBRARY")
    if given:
        return os.path.abspath(given)
    here = os.path.dirname(os.path.abspath(__file__))
    own = os.path.join(here, _NAME)
    built = os.path.join(here, *[os.pardir] * 2, "build", "release", "lib", _NAME)
    if not os.path.exists(own) and os.path.exists(built):
        return os.path.normpath(built)
    return own


@functools.cache
def _library():
    path = library_path()
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"tenon_runtime: cannot load {path}: {error}; set TENON_RUNTIME_LIBRARY "
                          f"to the path of {_NAME}") from error
    error = POINTER(_Error)
    declarations = {
        "tenon_program_open": (c_int, [c_char_p, POINTER(_OpenOptions), POINTER(c_void_p), error]),
        "tenon_program_signature": (POINTER(_Signature), [c_void_p]),
        "tenon_program_arena_bytes": (c_size_t, [c_void_p]),
        "tenon_program_target": (c_char_p, [c_void_p]),
        "tenon_program_note": (c_char_p, [c_void_p]),
        "tenon_program_run": (c_int, [c_void_p, c_void_p, POINTER(c_void_p), POINTER(c_void_p),
                                      c_void_p, error]),
        "tenon_program_close": (None, [c_void_p]),
        "tenon_team_create": (c_int, [c_int, POINTER(c_void_p), error]),
        "tenon_team_destroy": (None, [c_void_p]),
    }
    for name, (result, arguments) in declarations.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def _call(name, *arguments):
    error = _Error()
    code = getattr(_library(), name)(*arguments, byref(error))
    if code:
        raise TenonError(code, error.message.decode(errors="replace"))


def _name(path):
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError(f"a path with a zero byte: {path!r}")
    return name


class Team:
    """Threads that compute; 0: one for each processor that this process may use."""

    def __init__(self, threads):
        self.handle = c_void_p()
        _call("tenon_team_create", threads, byref(self.handle))
        self._destroy = _library().tenon_team_destroy

    def __del__(self):
        if getattr(self, "_destroy", None):
            self._destroy(self.handle)


@functools.cache
def team(threads):
    """The process's team of so many threads; programs share it."""
    return Team(threads)


class File:
    """An open .tenon file."""

    def __init__(self, path, weights=None):
        self._handle = c_void_p()
        options = _OpenOptions(ctypes.sizeof(_OpenOptions), COPY_UNALIGNED,
                               None if weights is None else _name(weights))
        _call("tenon_program_open", _name(path), byref(options), byref(self._handle))
        self._close = _library().tenon_program_close
        self.target = _library().tenon_program_target(self._handle).decode()
        self.note = _library().tenon_program_note(self._handle).decode()
        self.arena_bytes = _library().tenon_program_arena_bytes(self._handle)

    def signature(self):
        return _library().tenon_program_signature(self._handle).contents

    def run(self, team, inputs, outputs):
        """Runs the program on arrays at the addresses `inputs` and `outputs`."""
        handle, team = self._handle, team.handle if team else None
        _call("tenon_program_run", handle, team, (c_void_p * len(inputs))(*inputs),
              (c_void_p * len(outputs))(*outputs), None)

    def __del__(self):
        if getattr(self, "_close", None):
            self._close(self._handle)
