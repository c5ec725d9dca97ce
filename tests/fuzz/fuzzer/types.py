"""The element types programs are made of."""
import dataclasses

import ml_dtypes
import numpy as np


@dataclasses.dataclass(frozen=True)
class ElementType:
    name: str          # as MLIR spells it
    dtype: np.dtype
    kind: str          # "bool", "int", "float" or "complex"
    bits: int
    precision: int = 0   # of the significand, the hidden bit included
    limit: float = 0.0   # largest magnitude programs may reach
    smallest: float = 0.0
    signed: bool = True

    @property
    def unit(self):
        """Relative error of one rounding."""
        return 2.0 ** -self.precision

    @property
    def is_float(self):
        return self.kind == "float"

    @property
    def is_inexact(self):
        return self.kind in ("float", "complex")

    @property
    def is_narrow(self):
        return self.kind == "float" and self.bits <= 8

    def __str__(self):
        return self.name


def _float(name, dtype):
    info = ml_dtypes.finfo(dtype)
    return ElementType(name, np.dtype(dtype), "float", info.bits, info.nmant + 1,
                       float(info.max) / 4, float(info.smallest_normal))


def _integer(name, dtype, bits, signed):
    return ElementType(name, np.dtype(dtype), "int", bits, signed=signed)


def _complex(name, dtype, part):
    return ElementType(name, np.dtype(dtype), "complex", 2 * part.bits, part.precision,
                       part.limit ** 0.5, part.smallest)


BOOL = ElementType("i1", np.dtype(bool), "bool", 1, signed=False)
F16, BF16 = _float("f16", np.float16), _float("bf16", ml_dtypes.bfloat16)
F32, F64 = _float("f32", np.float32), _float("f64", np.float64)
C64, C128 = _complex("complex<f32>", np.complex64, F32), \
    _complex("complex<f64>", np.complex128, F64)
NARROW = tuple(_float(name, getattr(ml_dtypes, dtype)) for name, dtype in (
    ("f8E4M3FN", "float8_e4m3fn"), ("f8E5M2", "float8_e5m2"), ("f8E4M3", "float8_e4m3"),
    ("f8E3M4", "float8_e3m4"), ("f8E4M3FNUZ", "float8_e4m3fnuz"),
    ("f8E5M2FNUZ", "float8_e5m2fnuz"), ("f8E4M3B11FNUZ", "float8_e4m3b11fnuz"),
    ("f4E2M1FN", "float4_e2m1fn")))
SIGNED = tuple(_integer(f"i{bits}", getattr(ml_dtypes if bits < 8 else np, f"int{bits}"),
                        bits, True) for bits in (2, 4, 8, 16, 32, 64))
UNSIGNED = tuple(_integer(f"ui{bits}", getattr(ml_dtypes if bits < 8 else np, f"uint{bits}"),
                          bits, False) for bits in (2, 4, 8, 16, 32, 64))
I2, I4, I8, I16, I32, I64 = SIGNED
U2, U4, U8, U16, U32, U64 = UNSIGNED
FLOATS = (F16, BF16, F32, F64)
COMPLEX = (C64, C128)
ALL = (BOOL, *SIGNED, *UNSIGNED, *FLOATS, *NARROW, *COMPLEX)
BY_NAME_OF_DTYPE = {t.dtype.name: t for t in ALL}

# How often a new value has a type.
WEIGHTS = {F32: 30, I32: 14, BF16: 7, F16: 5, F64: 6, BOOL: 6, I8: 4, U8: 4, I16: 3, U16: 2,
           U32: 4, I64: 4, U64: 2, C64: 4, C128: 2, I4: 2, U4: 2, I2: 1, U2: 1,
           **{t: 0.6 for t in NARROW}}


def part_of(complex_type):
    return F32 if complex_type is C64 else F64


def complex_of(part):
    return C64 if part is F32 else C128


def tensor(shape, etype):
    return f"tensor<{''.join(f'{d}x' for d in shape)}{etype}>"
