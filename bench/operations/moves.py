"""Data movement, and gathers and scatters by computed indices."""
import jax
import jax.numpy as jnp
from jax import lax

from .registry import BOOLEANS, COMPLEX, FLOATS, REALS, operation


@operation(*REALS, *COMPLEX, *BOOLEANS)
def transpose(x):
    return x.T


@operation(*REALS, *COMPLEX)
def reverse_rows(x):
    return x[:, ::-1]


@operation(*REALS, *COMPLEX)
def roll_rows(x):
    return jnp.roll(x, 3, 1)


@operation(*REALS, *COMPLEX)
def roll_columns(x):
    return jnp.roll(x, 3, 0)


@operation(*REALS, *COMPLEX)
def pad(x):
    return jnp.pad(x, ((1, 2), (3, 4)))


@operation(*REALS)
def pad_by_reflection(x):
    return jnp.pad(x, 2, mode="reflect")


@operation(*REALS, *COMPLEX)
def concatenate_columns(x):
    return jnp.concatenate([x, x], 1)


@operation(*REALS)
def tile(x):
    return jnp.tile(x, (2, 3))


@operation(*REALS)
def repeat_columns(x):
    return jnp.repeat(x, 3, 1)


@operation(*REALS, *COMPLEX)
def strided_slice(x):
    return x[::2, ::3]


@operation(*REALS)
def interleave(x):
    return jnp.stack([x, x + x], -1).reshape(x.shape[0], -1)


@operation(*REALS)
def deinterleave(x):
    return x[:, :100].reshape(x.shape[0], -1, 2)[..., 0]


@operation(*REALS)
def lower_triangle(x):
    return jnp.tril(x)


@operation(*REALS)
def differences(x):
    return jnp.diff(x, axis=1)


@operation(*REALS, *COMPLEX)
def outer_product(x):
    return x[:, :1] * x[:1]


@operation(*REALS, *COMPLEX)
def gather_rows(x):
    return x[jnp.arange(x.shape[0]) * 7 % x.shape[0]]


@operation(*REALS, *COMPLEX)
def gather_columns(x):
    return x[:, jnp.arange(x.shape[1]) * 7 % x.shape[1]]


@operation(*REALS)
def take_along_rows(x):
    return jnp.take_along_axis(x, jnp.arange(x.size).reshape(x.shape) * 3 % x.shape[1], 1)


@operation(*REALS)
def add_to_rows(x):
    return jnp.zeros_like(x).at[jnp.arange(x.shape[0]) * 7 % 50].add(x)


@operation(*REALS)
def set_every_other_row(x):
    return x.at[::2].set(1)


@operation(*REALS)
def sum_of_segments(x):
    return jax.ops.segment_sum(x[0], jnp.arange(x.shape[1]) % 97, 97)


@operation("int32", "int64")
def one_hot(x):
    return jax.nn.one_hot(x[:, :50], 100)


@operation("bool")
def pack_bits(x):
    return jnp.packbits(x, axis=1)


@operation("uint8")
def unpack_bits(x):
    return jnp.unpackbits(x, axis=1)


@operation("float32", "int32", "float64")
def bytes_of(x):
    return lax.bitcast_convert_type(x, jnp.uint8)


@operation("float32")
def find_nonzero(x):
    return jnp.nonzero(x > 0, size=500)[0]


@operation(*FLOATS)
def histogram(x):
    return jnp.histogram(x.astype(jnp.float32), 20, (-3, 3))[0]
