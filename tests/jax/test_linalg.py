"""jnp.linalg and jax.scipy.linalg, every public function, in both modes of the plugin; sparse
matrices, whose rules JAX registers after the plugin."""
import functools
import pickle
import subprocess
import sys

import jax
import jax.numpy as jnp
import linalg_cases
import numpy as np
import plugin_env
import pytest
from compare import assert_same, check_sum, epsilon
from conftest import PLATFORM, only_tenon

CASES = [(kind, name) for kind in linalg_cases.TYPES for name in linalg_cases.calls(kind)]


@functools.cache
def builtin(kind, name):
    with jax.default_device(jax.devices("cpu")[0]), jax.enable_x64(True):
        return linalg_cases.evaluate(linalg_cases.calls(kind)[name])


def assert_as_builtin(ours, kind, name):
    theirs = builtin(kind, name)
    assert not isinstance(theirs, str), f"the built-in CPU fails: {theirs}"
    assert not isinstance(ours, str), ours
    # Residuals that are zero up to rounding are small relative to the data, which are about 1.
    assert_same(ours, theirs, ulps=256, scale=1, atol=256 * epsilon(kind))


def run(command, mode):
    """Runs Python in a process where Tenon is platform `cpu` or, in mode `own`, `tenon`."""
    env = plugin_env.child(replace_cpu=mode == "replacement")
    done = subprocess.run([sys.executable, *command], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def replaced(tmp_path_factory):
    """The results of all cases, from a process where Tenon is platform `cpu`."""
    file = tmp_path_factory.mktemp("linalg") / "results.pickle"
    run([linalg_cases.__file__, str(file)], "replacement")
    platform, results = pickle.loads(file.read_bytes())
    assert "tenon" in platform
    return results


def test_every_public_function_is_called():
    missing = linalg_cases.public_functions() - set(linalg_cases.calls("float32"))
    assert not missing, f"no case for {', '.join(sorted(missing))}"


@pytest.mark.parametrize("kind, name", CASES)
def test_own_name(kind, name, x64):
    with jax.default_device(jax.devices(PLATFORM)[0]):
        assert_as_builtin(linalg_cases.evaluate(linalg_cases.calls(kind)[name]), kind, name)


@only_tenon("about the replacement of the built-in CPU")
@pytest.mark.parametrize("kind, name", CASES)
def test_replacement(kind, name, replaced):
    assert_as_builtin(replaced[kind, name], kind, name)


@pytest.mark.parametrize("shape", [(0, 0), (3, 0, 0), (0, 2, 2)])
def test_matrices_without_elements(shape, x64):
    x = np.zeros(shape, np.complex128)
    check_sum(lambda x: (jnp.linalg.eig(x), jnp.linalg.eigh(x), jnp.linalg.cholesky(x),
                         jnp.linalg.qr(x), jnp.linalg.inv(x), jnp.linalg.det(x),
                         jax.lax.linalg.schur(x), jax.lax.linalg.lu(x)), x)


SPARSE = """
import jax, jax.numpy as jnp, numpy as np
from jax.experimental import sparse
from jax.experimental.sparse import linalg
a = np.diag(np.arange(1., 6, dtype=np.float32)) + np.eye(5, k=2, dtype=np.float32)
x = np.arange(10, dtype=np.float32).reshape(5, 2)
multiply = jax.jit(lambda m, x: m @ x)
for kind in (sparse.BCSR, sparse.BCOO, sparse.CSR, sparse.CSC, sparse.COO):
    m = kind.fromdense(jnp.array(a))
    np.testing.assert_array_equal(multiply(m, x), a @ x)
    np.testing.assert_array_equal(multiply(m, x[:, 0]), a @ x[:, 0])
m = sparse.BCSR.fromdense(jnp.array(a))
assert "cpu_csr_sparse_dense_ffi" in multiply.lower(m, x).as_text()
solved = jax.jit(linalg.spsolve)(m.data, m.indices, m.indptr, x[:, 1])
np.testing.assert_allclose(solved, np.linalg.solve(a, x[:, 1]), rtol=1e-5)
print(next(iter(solved.devices())).client.platform_version)
"""


@only_tenon("about rules that the package registers")
@pytest.mark.parametrize("mode", ["own", "replacement"])
def test_sparse_matrices(mode):
    assert "tenon" in run(["-c", SPARSE], mode)
