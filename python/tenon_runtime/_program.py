"""Programs that take and return NumPy arrays."""
import dataclasses
import json
import os

import numpy as np
from tenon_runtime import _library, _trees

# enum tenon_type, and NumPy's name or that of the package ml_dtypes.
_TYPES = {1: "bool", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "uint8", 7: "uint16",
          8: "uint32", 9: "uint64", 10: "float16", 11: "float32", 12: "float64", 13: "bfloat16",
          14: "complex64", 15: "complex128", 16: "float8_e5m2", 17: "float8_e4m3fn",
          18: "float8_e4m3b11fnuz", 19: "float8_e5m2fnuz", 20: "float8_e4m3fnuz", 21: "int4",
          22: "uint4", 24: "int2", 25: "uint2", 26: "float8_e4m3", 27: "float8_e3m4",
          28: "float8_e8m0fnu", 29: "float4_e2m1fn", 32: "float6_e2m3fn", 33: "float6_e3m2fn"}
# JAX takes arrays of 64-bit types for these if 64-bit types are off.
_NARROW = {"int64": "int32", "uint64": "uint32", "float64": "float32", "complex128": "complex64"}
_KINDS = "biufc"  # of NumPy's types, by what a Python number of one may become
_ALIGNMENT = 64


@dataclasses.dataclass(frozen=True)
class Tensor:
    """An input or output of a program."""
    name: str  # as JAX calls it, for example "params['w']"; may be empty
    dtype: np.dtype
    shape: tuple[int, ...]
    alias: int  # of an output: the input whose memory it may use, or -1
    # Dimensions by decreasing stride; (0, 1, ...) is C's order.
    order: tuple[int, ...]


def load(path, threads=0, donate=False, weights=None):
    """Opens a .tenon file and returns the Program.

    Args:
      path: the file. It is mapped: replace it by renaming, do not change it.
      threads: how many threads compute. 0: one for each processor that the process may use.
        Results do not depend on it.
      donate: arguments that JAX's program donates are updated in place where the array that is
        given allows it (writable, C's order, aligned to 64 bytes), and the result is that array.
        Otherwise they are copied.
      weights: the safetensors file with the weights of a program whose weights are not inside. None:
        the file that the program names, relative to its own folder.

    Raises TenonError with the reason if the file is absent, damaged, of another version, or has no
    code for this machine.
    """
    if not 0 <= threads < 1 << 16:
        raise ValueError(f"threads must be 0 to 65535, not {threads}")
    return Program(_library.File(path, weights), threads, donate, os.fspath(path))


class Program:
    """A program of a .tenon file. Any number of threads may call it at a time.

    Attributes:
      name: of the program.
      inputs, outputs: tuples of Tensor.
      weights: a tuple of Tensor: arguments whose values come with the file.
      target: the processor for which the code is that was chosen for this machine.
    """

    def __init__(self, file, threads, donate, path):
        self._file = file
        self._team = _library.team(threads) if threads != 1 else None
        self._donate = donate
        signature = file.signature()
        self.name = signature.name.decode()
        self.inputs = tuple(map(_tensor, signature.inputs[:signature.num_inputs]))
        self.outputs = tuple(map(_tensor, signature.outputs[:signature.num_outputs]))
        self.weights = tuple(map(_tensor, signature.weights[:signature.num_weights]))
        self.target = file.target
        self._trees = _read_note(file.note, self, path)
        if self._trees and self.weights:
            inputs = signature.inputs[:signature.num_inputs]
            self._trees = _trees.without_weights(
                self._trees, {tensor.parameter: i for i, tensor in enumerate(inputs)})

    def __repr__(self):
        def show(tensors):
            return ", ".join(f"{t.name + ': ' if t.name else ''}{t.dtype}{list(t.shape)}"
                             for t in tensors)
        return f"<Program {self.name}({show(self.inputs)}) -> ({show(self.outputs)}) for {self.target}>"

    def __call__(self, *args, **kwargs):
        """Runs the program on `args` and `kwargs`, as the function of JAX took them.

        The leaves are NumPy arrays, or what numpy.asarray accepts; results are new NumPy arrays.
        Arguments and keys of dicts whose values are weights of the file are left out; None stands
        for them in tuples and lists. A file without names of JAX takes its inputs in order, and returns an array or a tuple of
        arrays. Raises TypeError for another structure, type or shape, TenonError if the program
        fails.
        """
        if self._trees is None:
            if kwargs or len(args) != len(self.inputs):
                raise TypeError(f"{self.name} takes {len(self.inputs)} arrays, in order; "
                                f"{len(args)} and {len(kwargs)} by keyword were given")
            results = self.run(args)
            return results[0] if len(results) == 1 else tuple(results)
        positional, keywords = self._trees["args"]["tuple"], self._trees["kwargs"]
        if len(args) != len(positional):
            raise TypeError(f"{self.name} takes {len(positional)} arguments by position, not {len(args)}")
        leaves = {}
        for i, (tree, value) in enumerate(zip(positional, args)):
            _trees.flatten(tree, value, leaves, self._trees["names"][i])
        _trees.flatten_keywords(keywords, kwargs, leaves)
        values, paths = zip(*(leaves[i] for i in range(len(self.inputs)))) if leaves else ((), ())
        return _trees.unflatten(self._trees["result"], self.run(values, paths))

    def run(self, inputs, names=None):
        """Runs the program on the list `inputs` and returns the list of its outputs."""
        if len(inputs) != len(self.inputs):
            raise TypeError(f"{self.name} has {len(self.inputs)} inputs; {len(inputs)} were given")
        names = names or [tensor.name or f"input {i}" for i, tensor in enumerate(self.inputs)]
        arrays = [_input(*given) for given in zip(self.inputs, inputs, names)]
        outputs = [self._output(tensor, arrays) for tensor in self.outputs]
        self._file.run(self._team, [array.ctypes.data for array in arrays],
                       [array.ctypes.data for array in outputs])
        return [array.transpose(np.argsort(tensor.order)) if array.ndim > 1 else array
                for tensor, array in zip(self.outputs, outputs)]

    def _output(self, tensor, inputs):
        if not self._donate or tensor.alias < 0:
            return _aligned(tensor)
        array = inputs[tensor.alias]
        others = inputs[:tensor.alias] + inputs[tensor.alias + 1:]
        if (array.flags.writeable and array.ctypes.data % _ALIGNMENT == 0
                and not any(np.may_share_memory(array, other) for other in others)):
            return array
        return _aligned(tensor)


def _tensor(record):
    rank = record.rank
    order = tuple(record.minor_to_major[i] for i in reversed(range(rank)))
    return Tensor(record.name.decode(), _dtype(record.type), tuple(record.dims[:rank]),
                  record.alias, order)


def _dtype(number):
    name = _TYPES.get(number)
    if name is None:
        raise TypeError(f"type {number} of tenon/runtime.h has no NumPy type")
    if hasattr(np, name) or name == "bool":
        return np.dtype(name)
    try:
        import ml_dtypes
    except ImportError as error:
        raise ImportError(f"the program has arrays of {name}; install ml_dtypes") from error
    return np.dtype(getattr(ml_dtypes, name))


def _kind(dtype):
    """The letter in _KINDS of a type, also of ml_dtypes, where unsigned integers are "i"."""
    if dtype.kind in "bfc":
        return dtype.kind
    return "u" if dtype.kind in "iu" or "int" in dtype.name else "f"


def _aligned(tensor):
    """An array in the order of memory, aligned to 64 bytes."""
    shape = [tensor.shape[d] for d in tensor.order]
    size = int(np.prod(shape, dtype=np.int64)) * tensor.dtype.itemsize
    memory = np.empty(size + _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    return memory[start:start + size].view(tensor.dtype).reshape(shape)


def _input(tensor, value, name):
    """`value` as an array in the order of memory."""
    if isinstance(value, (bool, int, float, complex, list, tuple)) and not isinstance(value, np.generic):
        array = np.asarray(value)
        # As in JAX: a float is no integer, an integer no predicate.
        if _KINDS.index(array.dtype.kind) > _KINDS.index(_kind(tensor.dtype)):
            raise TypeError(f"{name} must have type {tensor.dtype}, not {array.dtype}")
        array = np.asarray(value, tensor.dtype)
    else:
        array = np.asarray(value)
        if _NARROW.get(array.dtype.name) == tensor.dtype.name:
            array = array.astype(tensor.dtype)
        if array.dtype != tensor.dtype:
            raise TypeError(f"{name} must have type {tensor.dtype}, not {array.dtype}")
    if array.shape != tensor.shape:
        raise TypeError(f"{name} must have shape {tensor.shape}, not {array.shape}")
    if array.ndim > 1:
        array = array.transpose(tensor.order)
    return np.ascontiguousarray(array).reshape(array.shape)


def _read_note(note, program, path):
    """The trees of the note that jax_plugins.tenon.aot writes, or None."""
    if not note:
        return None
    try:
        trees = json.loads(note)["jax"]
    except (ValueError, KeyError, TypeError):
        return None
    if trees.get("version") != 1:
        raise _library.TenonError(9, f"{path}: its trees of arguments have version "
                                     f"{trees.get('version')}; this package reads version 1")
    return trees
