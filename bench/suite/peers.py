"""Routines of NumPy, SciPy and oneDNN, and C loops, that are equivalent to workloads.

PEERS: workload -> {name: function of the workload's arguments, giving a function of none}.
"""
import ctypes
import functools
import pathlib
import subprocess
import tempfile

import numpy as np
import scipy.fft
import scipy.linalg
import scipy.special

from . import onednn

PEERS: dict[str, dict] = {}


def _numpy(workload, function, library="numpy"):
    PEERS.setdefault(workload, {})[library] = lambda *a: functools.partial(function, *a)


for _size in ("1e3", "1e5", "1e6", "1e7"):
    _numpy(f"add_{_size}", lambda x: x + np.float32(1.5))
    _numpy(f"exp_{_size}", np.exp)
_numpy("tanh_1e6", np.tanh)
_numpy("sin_1e6", np.sin)
_numpy("erf_1e6", scipy.special.erf, "scipy")
_numpy("sum_1e6", np.sum)
_numpy("sum_1e7", np.sum)
_numpy("sum_rows_4096x1024", lambda x: x.sum(1))
_numpy("sum_columns_4096x1024", lambda x: x.sum(0))
_numpy("argmax_4096x1024", lambda x: x.argmax(-1).astype(np.int32))
_numpy("cumsum_1e6", np.cumsum)
_numpy("sort_1e6", np.sort)
_numpy("sort_i32_1e6", np.sort)
_numpy("sort_rows_1000x1000", lambda x: np.sort(x, -1))
_numpy("argsort_1e5", lambda x: np.argsort(x, kind="stable").astype(np.int32))
_numpy("median_1e5", np.median)
for _size in (16, 64, 128, 256, 512, 1024, 2048):
    _numpy(f"matmul_f32_{_size}", np.matmul)
_numpy("matmul_f32_333x555x777", np.matmul)
_numpy("matmul_f32_nt_1024", lambda a, b: a @ b.T)
_numpy("matmul_f32_tn_1024", lambda a, b: a.T @ b)
_numpy("matmul_f32_tall_65536x64x64", np.matmul)
_numpy("matmul_f32_skinny_8x4096x4096", np.matmul)
_numpy("matmul_f32_batched_512x32x32", np.matmul)
_numpy("matvec_f32_4096", np.matmul)
_numpy("matvec_f32_512", np.matmul)
_numpy("gather_rows_4096_of_50000x256", lambda t, i: t[i])
_numpy("gather_scalars_1e6", lambda t, i: t[i])
_numpy("concatenate_8x_256x1024", lambda *a: np.concatenate(a, 1))
_numpy("pad_1022sq", lambda x: np.pad(x, 1))
_numpy("transpose_2048sq", lambda x: np.ascontiguousarray(x.T))
_numpy("transpose_1000x3000", lambda x: np.ascontiguousarray(x.T))
_numpy("segment_sum_1e6_to_1000",
       lambda d, i: np.bincount(i, d, 1000).astype(np.float32))
_numpy("fft_2^20", scipy.fft.fft, "scipy")
_numpy("fft_batch_1024x1024", scipy.fft.fft, "scipy")
_numpy("fft_batch_1000x360", scipy.fft.fft, "scipy")
_numpy("rfft2_512x512", scipy.fft.rfft2, "scipy")
for _name in ("fft_prime_101x1000", "fft_prime_1021x64", "fft_prime_4093", "fft_prime_1000003"):
    _numpy(_name, scipy.fft.fft, "scipy")
_numpy("rfft_odd_3375", scipy.fft.rfft, "scipy")
_numpy("irfft_odd_1001", lambda x: scipy.fft.irfft(x, 1001), "scipy")
_numpy("cholesky_512", np.linalg.cholesky)
_numpy("triangular_solve_512x512",
       lambda a, b: scipy.linalg.solve_triangular(a, b, lower=True), "scipy")
_numpy("lu_solve_512", np.linalg.solve)

_C_LOOPS = """
#include <stddef.h>
#include <math.h>
void add(const float* x, float* y, size_t n) { for (size_t i = 0; i < n; ++i) y[i] = x[i] + 1.5f; }
void sum(const float* x, float* y, size_t n) {
  float s = 0;
  for (size_t i = 0; i < n; ++i) s += x[i];
  *y = s;
}
void relu(const float* x, const float* b, float* y, size_t rows, size_t n) {
  for (size_t r = 0; r < rows; ++r)
    for (size_t i = 0; i < n; ++i) y[r * n + i] = fmaxf(x[r * n + i] + b[i], 0);
}
void transpose(const float* x, float* y, size_t rows, size_t n) {
  for (size_t i = 0; i < n; ++i)
    for (size_t r = 0; r < rows; ++r) y[i * rows + r] = x[r * n + i];
}
void prefix(const float* x, float* y, size_t n) {
  float s = 0;
  for (size_t i = 0; i < n; ++i) y[i] = s += x[i];
}
"""


@functools.cache
def _c_library():
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "loops.c").write_text(_C_LOOPS)
    subprocess.run(["clang-22", "-O3", "-march=native", "-ffast-math", "-shared", "-fPIC",
                    folder / "loops.c", "-o", folder / "loops.so", "-lm"], check=True)
    return ctypes.CDLL(folder / "loops.so")


def _c_loop(workload, function, shape=lambda x, *_: x.shape,
            sizes=lambda x, *_: (x.size,)):
    def make(*arguments):
        loop = getattr(_c_library(), function)
        out = np.empty(shape(*arguments), np.float32)
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in (*arguments, out)]
        numbers = [ctypes.c_size_t(n) for n in sizes(*arguments)]

        def run():
            loop(*pointers, *numbers)
            return out
        return run
    PEERS.setdefault(workload, {})["c_loop"] = make


for _size in ("1e3", "1e5", "1e6", "1e7"):
    _c_loop(f"add_{_size}", "add")
_c_loop("sum_1e6", "sum", shape=lambda x: ())
_c_loop("sum_1e7", "sum", shape=lambda x: ())
_c_loop("bias_relu_2048x1024", "relu", sizes=lambda x, b: x.shape)
_c_loop("transpose_2048sq", "transpose", lambda x: x.shape[::-1], lambda x: x.shape)
_c_loop("transpose_1000x3000", "transpose", lambda x: x.shape[::-1], lambda x: x.shape)
_c_loop("cumsum_1e6", "prefix")

if onednn.library_path():
    for _workload, _makers in onednn.peers().items():
        PEERS.setdefault(_workload, {}).update(_makers)
