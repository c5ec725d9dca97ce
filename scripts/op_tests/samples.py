"""Arguments of the tests: every value of a narrow type, special and random ones of a wide one."""
import ml_dtypes
import numpy as np

from .values import BITS, BOOL, COMPLEX, FLOATS, INTEGERS, TYPES, UNSIGNED, Value, bits_of

REAL_OF = {"complex<f32>": "f32", "complex<f64>": "f64"}


def info(type_name):
    return ml_dtypes.finfo(TYPES[type_name])


def has_nan(type_name):
    return type_name not in ("f4E2M1FN", "f6E2M3FN", "f6E3M2FN")


def has_inf(type_name):
    return type_name in ("f8E3M4", "f8E4M3", "f8E5M2", "bf16", "f16", "f32", "f64")


def integer_range(type_name):
    bits = bits_of(type_name)
    return (0, 2**bits - 1) if type_name in UNSIGNED else (-2**(bits - 1), 2**(bits - 1) - 1)


def wrap(array, type_name):
    """Wraps integers to the two's complement of the type's width."""
    low, high = integer_range(type_name)
    return np.array([(int(v) - low) % (high - low + 1) + low for v in np.ravel(array)],
                    object).reshape(np.shape(array)).astype(TYPES[type_name])


def every(type_name):
    """All values of a type of at most 8 bits."""
    if type_name in BOOL:
        return np.array([False, True])
    if type_name in INTEGERS:
        low, high = integer_range(type_name)
        return np.arange(low, high + 1).astype(TYPES[type_name])
    return np.arange(2**bits_of(type_name), dtype=np.uint8).view(TYPES[type_name])


def special(type_name):
    """Values that often fail. No subnormals, because compiled code flushes them."""
    if type_name in INTEGERS:
        low, high = integer_range(type_name)
        values = sorted({low, low + 1, high, high - 1, 0, 1, 2, 3, 7, high // 3})
        return np.array(values + ([-1, -2, -3, -7] if low else []), object) \
            .astype(TYPES[type_name])
    limits = np.finfo(TYPES[type_name]) if type_name in ("f32", "f64", "f16") else \
        info(type_name)
    with np.errstate(all="ignore"):
        return np.array([0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -7.0, np.inf,
                         -np.inf, np.nan, limits.max, limits.min, limits.smallest_normal,
                         -limits.smallest_normal]).astype(TYPES[type_name])


def unary(type_name, low=-8.0, high=8.0, count=48, seed=0):
    """Arguments of a function of one number; floats between `low` and `high`, and special."""
    if type_name in REAL_OF:
        return complex_numbers(type_name, low, high, count, seed)
    if type_name in BOOL or bits_of(type_name) <= 8:
        return every(type_name)
    random = np.random.default_rng(seed)
    if type_name in INTEGERS:
        more = random.integers(*integer_range(type_name), count, endpoint=True,
                               dtype=TYPES[type_name])
    else:
        more = random.uniform(low, high, count).astype(TYPES[type_name])
    return np.concatenate([special(type_name), more])


def complex_numbers(type_name, low=-4.0, high=4.0, count=48, seed=0):
    random = np.random.default_rng(seed)
    low, high = max(low, -4.0), min(high, 4.0)
    return (random.uniform(low, high, count) + 1j * random.uniform(-4, 4, count)) \
        .astype(TYPES[type_name])


def binary(type_name, low=-8.0, high=8.0):
    """Pairs: all if there are at most 256 values, else special and random pairs."""
    if type_name in REAL_OF:
        return (complex_numbers(type_name, low, high, seed=1),
                complex_numbers(type_name, low, high, seed=2))
    if bits_of(type_name) <= 4:
        one = every(type_name)
        return tuple(a.ravel() for a in np.meshgrid(one, one, indexing="ij"))
    if bits_of(type_name) <= 8:
        random, one = np.random.default_rng(1), every(type_name)
        return random.permutation(np.repeat(one, 3)), random.permutation(np.repeat(one, 3))
    one = special(type_name)
    x, y = (a.ravel() for a in np.meshgrid(one, one, indexing="ij"))
    return (np.concatenate([x, unary(type_name, low, high, seed=1)]),
            np.concatenate([y, unary(type_name, low, high, seed=2)]))


def plain(type_name, shape, seed=0):
    """Small integers that the type can represent, for operations that move or sum."""
    random = np.random.default_rng(seed)
    if type_name in BOOL:
        return Value(type_name, random.integers(0, 2, shape).astype(bool))
    if type_name == "f8E8M0FNU":
        return Value(type_name, np.exp2(random.integers(-4, 5, shape)))
    low, high = (-2, 2) if type_name in FLOATS + COMPLEX else integer_range(type_name)
    low, high = max(low, -4), min(high, 4)
    values = random.integers(low, high, shape, endpoint=True)
    if type_name in COMPLEX:
        values = values + 1j * random.integers(low, high, shape, endpoint=True)
    return Value(type_name, values)
