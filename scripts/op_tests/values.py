"""Element types by their StableHLO names, and typed arrays as MLIR text."""
import dataclasses

import ml_dtypes
import numpy as np

# StableHLO's name: NumPy's (or ml_dtypes') type.
TYPES = {
    "i1": np.bool_,
    "i2": ml_dtypes.int2, "i4": ml_dtypes.int4, "i8": np.int8, "i16": np.int16, "i32": np.int32,
    "i64": np.int64,
    "ui2": ml_dtypes.uint2, "ui4": ml_dtypes.uint4, "ui8": np.uint8, "ui16": np.uint16,
    "ui32": np.uint32, "ui64": np.uint64,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn, "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn, "f8E3M4": ml_dtypes.float8_e3m4,
    "f8E4M3": ml_dtypes.float8_e4m3, "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2": ml_dtypes.float8_e5m2, "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32, "f64": np.float64,
    "complex<f32>": np.complex64, "complex<f64>": np.complex128,
}
BITS = {"i1": 1, "i2": 2, "ui2": 2, "i4": 4, "ui4": 4, "f4E2M1FN": 4, "f6E2M3FN": 6,
        "f6E3M2FN": 6}
BOOL = ("i1",)
SIGNED = ("i2", "i4", "i8", "i16", "i32", "i64")
UNSIGNED = ("ui2", "ui4", "ui8", "ui16", "ui32", "ui64")
INTEGERS = SIGNED + UNSIGNED
SMALL_FLOATS = ("f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E3M4", "f8E4M3", "f8E4M3B11FNUZ",
                "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ", "f8E8M0FNU")
WIDE_FLOATS = ("bf16", "f16", "f32", "f64")
FLOATS = SMALL_FLOATS + WIDE_FLOATS
COMPLEX = ("complex<f32>", "complex<f64>")
ALL = BOOL + INTEGERS + FLOATS + COMPLEX


def bits_of(type_name):
    return BITS.get(type_name, np.dtype(TYPES[type_name]).itemsize * 8)


@dataclasses.dataclass
class Value:
    """An array of a StableHLO element type."""
    type: str
    array: np.ndarray

    def __init__(self, type_name, array):
        self.type = type_name
        with np.errstate(all="ignore"):
            self.array = np.asarray(array).astype(TYPES[type_name])

    @property
    def tensor(self):
        dims = "".join(f"{size}x" for size in self.array.shape)
        return f"tensor<{dims}{self.type}>"

    def constant(self):
        """The value as an attribute: a list if it is short and exact, else the bytes in hex."""
        array = self.array
        if array.size == 0:
            return f"dense<> : {self.tensor}"
        if array.size > 1 and self.type != "i1" and is_splat(array):
            return Value(self.type, array.flat[0]).constant().split(" :")[0] + f" : {self.tensor}"
        if self.type == "i1" or (self.type in INTEGERS and array.size <= 64):
            return f"dense<{nested(array, integer_text)}> : {self.tensor}"
        if self.type in ("f32", "f64") and array.size <= 32 and np.isfinite(array).all():
            return f"dense<{nested(array, float_text)}> : {self.tensor}"
        return f'dense<"0x{np.ascontiguousarray(array).tobytes().hex().upper()}"> : {self.tensor}'


def is_splat(array):
    raw = np.ascontiguousarray(array).tobytes()
    return raw == raw[:array.itemsize] * array.size


def nested(array, text):
    if array.ndim == 0:
        return text(array[()])
    return "[" + ", ".join(nested(row, text) for row in array) + "]"


def integer_text(value):
    return str(bool(value)).lower() if isinstance(value, (bool, np.bool_)) else str(int(value))


def float_text(value):
    text = np.format_float_scientific(value, unique=True, trim="0", exp_digits=2)
    return text
