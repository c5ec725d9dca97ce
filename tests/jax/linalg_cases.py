"""Calls of each public function of jnp.linalg and jax.scipy.linalg.

As a program, it runs all of them on the default device and pickles the results for tests in
another process:  linalg_cases.py FILE
"""
import pickle
import sys
import types

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np

TYPES = ("float32", "complex128")


def matrix(name, *shape, seed=0):
    random = np.random.default_rng(seed)
    values = random.standard_normal(shape)
    if np.dtype(name).kind == "c":
        values = values + 1j * random.standard_normal(shape)
    return values.astype(name)


def definite(a):
    """Hermitian and positive definite."""
    return a @ a.conj().swapaxes(-1, -2) + a.shape[-1] * np.eye(a.shape[-1], dtype=a.dtype)


def calls(name):
    """{function: [a call of it on data of the type `name`, ...]}."""
    a, b = matrix(name, 5, 5), matrix(name, 5, 5, seed=1)
    wide, batch = matrix(name, 3, 5, seed=2), matrix(name, 2, 4, 4, seed=3)
    s, v, w = definite(a), matrix(name, 5, seed=4), matrix(name, 4, seed=5)
    real = np.abs(matrix(name, 5, seed=6))
    la = jnp.linalg
    return {
        "numpy.cholesky": [lambda: la.cholesky(s), lambda: la.cholesky(definite(batch)),
                           lambda: la.cholesky(s, upper=True)],
        "numpy.cond": [lambda: la.cond(a), lambda: la.cond(a, p=1)],
        "numpy.cross": [lambda: la.cross(a[:, :3], b[:, :3])],
        "numpy.det": [lambda: la.det(a), lambda: la.det(batch)],
        "numpy.diagonal": [lambda: la.diagonal(batch, offset=1)],
        "numpy.eig": [lambda: la.eig(a), lambda: la.eig(batch)],
        "numpy.eigh": [lambda: la.eigh(s), lambda: la.eigh(s, UPLO="U"),
                       lambda: la.eigh(definite(batch))],
        "numpy.eigvals": [lambda: la.eigvals(a)],
        "numpy.eigvalsh": [lambda: la.eigvalsh(s)],
        "numpy.inv": [lambda: la.inv(a), lambda: la.inv(batch)],
        "numpy.lstsq": [lambda: la.lstsq(wide.T, v), lambda: la.lstsq(wide, b[:3])],
        "numpy.matmul": [lambda: la.matmul(a, b), lambda: la.matmul(batch, w)],
        "numpy.matrix_norm": [lambda: la.matrix_norm(a, ord="nuc"),
                              lambda: la.matrix_norm(batch)],
        "numpy.matrix_power": [lambda: la.matrix_power(a, 3), lambda: la.matrix_power(a, -2)],
        "numpy.matrix_rank": [lambda: la.matrix_rank(np.diag(np.arange(4)).astype(name))],
        "numpy.matrix_transpose": [lambda: la.matrix_transpose(batch)],
        "numpy.multi_dot": [lambda: la.multi_dot([wide, a, b, v])],
        "numpy.norm": [lambda: la.norm(a), lambda: la.norm(a, 2), lambda: la.norm(v, 3),
                       lambda: la.norm(batch, axis=1)],
        "numpy.outer": [lambda: la.outer(v, w)],
        "numpy.pinv": [lambda: la.pinv(wide), lambda: la.pinv(s, hermitian=True)],
        "numpy.qr": [lambda: la.qr(wide), lambda: la.qr(wide.T), lambda: la.qr(batch),
                     lambda: la.qr(wide.T, mode="complete"), lambda: la.qr(wide, mode="r"),
                     lambda: la.qr(a, mode="raw")],
        "numpy.slogdet": [lambda: la.slogdet(a), lambda: la.slogdet(batch),
                          lambda: la.slogdet(a.real, method="qr")],
        "numpy.solve": [lambda: la.solve(a, b), lambda: la.solve(a, v),
                        lambda: la.solve(batch, batch)],
        "numpy.svd": [lambda: la.svd(wide), lambda: la.svd(batch, full_matrices=False),
                      lambda: la.svd(s, hermitian=True)],
        "numpy.svdvals": [lambda: la.svdvals(wide)],
        "numpy.tensordot": [lambda: la.tensordot(batch, batch, axes=((0, 1), (0, 2)))],
        "numpy.tensorinv": [lambda: la.tensorinv(matrix(name, 4, 6, 8, 3), ind=2)],
        "numpy.tensorsolve": [lambda: la.tensorsolve(matrix(name, 2, 3, 6), wide[:2, :3])],
        "numpy.trace": [lambda: la.trace(batch)],
        "numpy.vecdot": [lambda: la.vecdot(a, b)],
        "numpy.vector_norm": [lambda: la.vector_norm(a), lambda: la.vector_norm(a, ord=1)],
        "scipy.block_diag": [lambda: jsl.block_diag(a, wide, v)],
        "scipy.cho_factor": [lambda: jsl.cho_factor(s)[0]],
        "scipy.cho_solve": [lambda: jsl.cho_solve(jsl.cho_factor(s), b)],
        "scipy.cholesky": [lambda: jsl.cholesky(s), lambda: jsl.cholesky(s, lower=True)],
        "scipy.circulant": [lambda: jsl.circulant(v)],
        "scipy.companion": [lambda: jsl.companion(v)],
        "scipy.convolution_matrix": [lambda: jsl.convolution_matrix(v, 7)],
        "scipy.det": [lambda: jsl.det(a)],
        "scipy.dft": [lambda: jsl.dft(6, scale="sqrtn")],
        "scipy.eigh": [lambda: jsl.eigh(s), lambda: jsl.eigh(s, eigvals_only=True)],
        "scipy.eigh_tridiagonal": [lambda: jsl.eigh_tridiagonal(
            real, real[:-1], eigvals_only=True)],
        "scipy.expm": [lambda: jsl.expm(a), lambda: jsl.expm(np.triu(a), upper_triangular=True),
                       lambda: jsl.expm(batch * 8)],
        "scipy.expm_frechet": [lambda: jsl.expm_frechet(a, b)],
        "scipy.fiedler": [lambda: jsl.fiedler(v)],
        "scipy.fiedler_companion": [lambda: jsl.fiedler_companion(v)],
        "scipy.funm": [lambda: jsl.funm(s, lambda x: x * x)],
        "scipy.hadamard": [lambda: jsl.hadamard(8, dtype=name)],
        "scipy.hankel": [lambda: jsl.hankel(v, v)],
        "scipy.helmert": [lambda: jsl.helmert(5)],
        "scipy.hessenberg": [lambda: jsl.hessenberg(a, calc_q=True),
                             lambda: jsl.hessenberg(batch)],
        "scipy.hilbert": [lambda: jsl.hilbert(5)],
        "scipy.inv": [lambda: jsl.inv(a)],
        "scipy.invhilbert": [lambda: jsl.invhilbert(4)],
        "scipy.invpascal": [lambda: jsl.invpascal(5)],
        "scipy.leslie": [lambda: jsl.leslie(v, w)],
        "scipy.lu": [lambda: jsl.lu(a), lambda: jsl.lu(wide),
                     lambda: jsl.lu(wide.T, permute_l=True)],
        "scipy.lu_factor": [lambda: jsl.lu_factor(a)],
        "scipy.lu_solve": [lambda: jsl.lu_solve(jsl.lu_factor(a), b),
                           lambda: jsl.lu_solve(jsl.lu_factor(a), v, trans=2)],
        "scipy.pascal": [lambda: jsl.pascal(5)],
        "scipy.polar": [lambda: jsl.polar(a), lambda: jsl.polar(wide.T, method="svd")],
        "scipy.qr": [lambda: jsl.qr(wide.T), lambda: jsl.qr(a, mode="economic"),
                     lambda: jsl.qr(wide, pivoting=True), lambda: jsl.qr(wide, mode="r")],
        "scipy.qr_multiply": [lambda: jsl.qr_multiply(a, b),
                              lambda: jsl.qr_multiply(a, b, mode="left", conjugate=True)],
        "scipy.rsf2csf": [lambda: jsl.rsf2csf(*jsl.schur(a))],
        "scipy.schur": [lambda: jsl.schur(a), lambda: jsl.schur(a, output="complex")],
        "scipy.solve": [lambda: jsl.solve(a, b), lambda: jsl.solve(s, v, assume_a="pos")],
        "scipy.solve_sylvester": [lambda: jsl.solve_sylvester(a, b, s)],
        "scipy.solve_triangular": [
            lambda: jsl.solve_triangular(a, b), lambda: jsl.solve_triangular(a, v, lower=True),
            lambda: jsl.solve_triangular(a, b, trans="C", unit_diagonal=True)],
        "scipy.sqrtm": [lambda: jsl.sqrtm(s)],
        "scipy.svd": [lambda: jsl.svd(wide), lambda: jsl.svd(a, compute_uv=False)],
        "scipy.toeplitz": [lambda: jsl.toeplitz(v, w)],
    }


def public_functions():
    return {f"{prefix}.{name}" for prefix, module in (("numpy", jnp.linalg), ("scipy", jsl))
            for name, value in vars(module).items()
            if not name.startswith("_") and not isinstance(value, types.ModuleType)}


def evaluate(functions):
    """Results of one program with all calls, as NumPy arrays, or the error text."""
    try:
        return jax.tree.map(np.asarray, jax.jit(lambda: [jax.tree.leaves(f())
                                                         for f in functions])())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    results = {(kind, name): evaluate(functions) for kind in TYPES
               for name, functions in calls(kind).items()}
    with open(sys.argv[1], "wb") as file:
        pickle.dump((jax.devices()[0].client.platform_version, results), file)
