"""Gather, scatter, slices, transposes, concatenation, padding."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..registry import add, bf16, f32, indices


def _scatter_add(table, index, update):
    return table.at[index].add(update)


add("gather_rows_4096_of_50000x256", lambda t, i: t[i],
    lambda: (f32(50000, 256), indices(4096, 50000)), "movement", bytes=8.0 * 4096 * 256)
add("gather_scalars_1e6", lambda t, i: t[i],
    lambda: (f32(100_000), indices(1_000_000, 100_000)), "movement", bytes=8e6)
add("take_along_axis_4096x256", lambda x, i: jnp.take_along_axis(x, i, 1),
    lambda: (f32(4096, 256), indices((4096, 256), 256)), "movement", bytes=12.0 * 4096 * 256)
add("scatter_add_scalars_1e6", _scatter_add,
    lambda: (f32(100_000), indices(1_000_000, 100_000), f32(1_000_000, seed=1)), "movement",
    bytes=8.8e6)
add("scatter_add_rows_4096x256", _scatter_add,
    lambda: (f32(10000, 256), indices(4096, 10000), f32(4096, 256, seed=1)), "movement",
    bytes=8.0 * 10000 * 256 + 4.0 * 4096 * 256)
add("segment_sum_1e6_to_1000", lambda d, i: jax.ops.segment_sum(d, i, 1000),
    lambda: (f32(1_000_000), indices(1_000_000, 1000)), "movement", bytes=8e6)
add("segment_sum_rows_100000x64_to_5000", lambda d, i: jax.ops.segment_sum(d, i, 5000),
    lambda: (f32(100_000, 64), indices(100_000, 5000)), "movement", bytes=4.0 * 105_000 * 64)
add("dynamic_slice_256_of_4096sq", lambda x, i: lax.dynamic_slice(x, (i, i), (256, 256)),
    lambda: (f32(4096, 4096), np.int32(77)), "movement", bytes=8.0 * 65536)
add("dynamic_update_slice_2048sq", lambda x, u, i: lax.dynamic_update_slice(x, u, (i, i)),
    lambda: (f32(2048, 2048), f32(64, 64, seed=1), np.int32(77)), "movement",
    bytes=8.0 * 2048 * 2048)
add("concatenate_8x_256x1024", lambda *a: jnp.concatenate(a, 1),
    lambda: tuple(f32(256, 1024, seed=i) for i in range(8)), "movement",
    bytes=8.0 * 8 * 256 * 1024)
add("concatenate_short_rows_400000x3", lambda x: jnp.concatenate([x, x]) * 2,
    lambda: (f32(400_000, 3),), "movement", bytes=4.0 * 3 * 3 * 400_000)
add("pad_1022sq", lambda x: jnp.pad(x, 1), lambda: (f32(1022, 1022),), "movement",
    bytes=8.0 * 2**20)
add("roll_1024sq", lambda x: jnp.roll(x, (3, 5), (0, 1)), lambda: (f32(1024, 1024),), "movement",
    bytes=8.0 * 2**20)
add("transpose_2048sq", lambda x: x.T + 0, lambda: (f32(2048, 2048),), "movement",
    bytes=8.0 * 2048**2)
add("transpose_1000x3000", lambda x: x.T + 0, lambda: (f32(1000, 3000),), "movement",
    bytes=24e6)
add("transpose_bf16_2048sq", lambda x: x.T + 0, lambda: (bf16(2048, 2048),), "movement",
    bytes=4.0 * 2048**2)
add("transpose_nhwc_nchw_8x56x56x64", lambda x: jnp.transpose(x, (0, 3, 1, 2)),
    lambda: (f32(8, 56, 56, 64),), "movement", bytes=8.0 * 8 * 56 * 56 * 64)
add("split_heads_8x512x512",
    lambda x: x.reshape(8, 512, 8, 64).transpose(0, 2, 1, 3) * 1.0,
    lambda: (f32(8, 512, 512),), "movement", bytes=8.0 * 8 * 512 * 512)
add("one_hot_4096x1000", lambda i: jax.nn.one_hot(i, 1000), lambda: (indices(4096, 1000),),
    "movement", bytes=4.0 * 4096 * 1000)
