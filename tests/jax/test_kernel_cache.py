"""The cache of generated code (docs/design/0017-kernel-cache.md), across processes."""
import concurrent.futures
import os
import pathlib

import pytest
from conftest import only_tenon
from own_process import run

pytestmark = only_tenon("the cache is part of Tenon")

# A product, a transform and a sort, run; prints a hash of the bits of the results.
WORK = """
    import hashlib, jax, jax.numpy as jnp, numpy as np
    x = np.linspace(-3, 5, 64 * 64, dtype=np.float32).reshape(64, 64)
    def f(x):
        return jnp.sort(x @ x.T, axis=-1), jnp.fft.fft(x), jnp.tanh(x) @ x
    digest = hashlib.sha256()
    for value in jax.jit(f)(x):
        digest.update(np.asarray(value).tobytes())
    print(digest.hexdigest())
"""


def work(folder, **variables):
    return run(WORK, JAX_PLATFORMS="tenon", TENON_KERNEL_CACHE=str(folder), **variables)


def values(folder):
    """The inodes of the cache's files, by name; rewriting a value creates another file."""
    return {path.name: path.stat().st_ino for path in pathlib.Path(folder).iterdir()
            if path.name != "account"}


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "made" / "by" / "tenon"


def test_next_process_generates_nothing(folder):
    expected = work("off")
    assert work(folder) == expected
    first = values(folder)
    assert len(first) >= 4 and all(len(name) == 64 for name in first)
    assert work(folder) == expected
    assert values(folder) == first


# For the default options, the four functions of the transform and the tile of the products are built
# into the plugin. Without FMA, or a level of features, each kernel has its own.
@pytest.mark.parametrize("variables, functions", [
    ({"TENON_IEEE_DENORMALS": "1"}, 5), ({"TENON_OPTIMIZATION_LEVEL": "1"}, 5),
    ({"TENON_FEATURES": "-fma"}, 0), ({"TENON_CPU": "x86-64"}, 0)])
def test_cache_key_has_the_options(folder, variables, functions):
    expected = work("off", **variables)
    work(folder)
    first = values(folder)
    assert work(folder, **variables) == expected
    second = values(folder)
    assert len(second) == 2 * len(first) + functions and first.items() < second.items()


def test_cache_key_has_the_compiler_options(folder):
    # Sums of bf16 that are either rounded before the multiplication or not.
    code = """
    import jax, jax.numpy as jnp, numpy as np
    x = jnp.linspace(1, 2, 256).astype(jnp.bfloat16)
    f = jax.jit(lambda x: (x + x * x) * (x - 3) + x).lower(x)
    for excess in (False, True, False):
        g = f.compile(compiler_options={"xla_allow_excess_precision": excess})
        print(float(jnp.sum(jnp.abs(g(x).astype(jnp.float32)))))"""
    for _ in range(2):
        rounds, excess, again = run(code, JAX_PLATFORMS="tenon",
                                    TENON_KERNEL_CACHE=str(folder)).split("\n")
        assert rounds == again != excess


def test_damaged_files_are_replaced(folder):
    expected = work(folder)
    first = values(folder)
    for name in first:
        path = folder / name
        data = bytearray(path.read_bytes())
        data[len(data) * 2 // 3] ^= 64
        path.write_bytes(data if int(name[0], 16) % 2 else data[:-7])
    assert work(folder) == expected
    second = values(folder)
    # A cached program is found without a lookup of its kernels.
    assert set(second) == set(first) and not second.items() & first.items()
    assert work(folder) == expected
    assert values(folder) == second


def test_folders_that_others_may_write_are_not_used(folder):
    expected = work(folder)
    first = values(folder)
    folder.chmod(0o770)
    stamp = {name: (folder / name).stat().st_atime_ns for name in first}
    assert work(folder) == expected
    assert values(folder) == first
    assert stamp == {name: (folder / name).stat().st_atime_ns for name in first}
    for path in folder.iterdir():
        path.unlink()
    assert work(folder) == expected
    assert not values(folder)


@pytest.mark.parametrize("where", ["/proc/nowhere", "/dev/null/x"])
def test_unwritable_folder(where):
    assert work(where) == work("off")


def test_unwritable_home():
    assert work("", HOME="/proc", XDG_CACHE_HOME="") == work("off")
    assert work("", HOME="", XDG_CACHE_HOME="relative") == work("off")


def test_default_is_the_folder_of_the_user(tmp_path):
    work("", HOME=str(tmp_path), XDG_CACHE_HOME="")
    assert len(values(tmp_path / ".cache" / "tenon")) >= 4
    work("", HOME=str(tmp_path / "other"), XDG_CACHE_HOME=str(tmp_path / "xdg"))
    assert len(values(tmp_path / "xdg" / "tenon")) >= 4
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("off", ["off", "0"])
def test_off(tmp_path, off):
    work(off, HOME=str(tmp_path), XDG_CACHE_HOME="")
    assert not os.listdir(tmp_path)


def test_processes_at_once(folder):
    expected = work("off")
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        assert set(pool.map(lambda _: work(folder), range(3))) == {expected}
    first = values(folder)
    assert work(folder) == expected
    assert values(folder) == first


def test_dumps_are_complete(folder, tmp_path):
    for name in ("first", "second"):
        work(folder, TENON_DUMP_TO=str(tmp_path / name))
    first, second = (sorted(path.name for path in (tmp_path / name).iterdir())
                     for name in ("first", "second"))
    assert first == second and any(name.endswith("code.s") for name in first)
    assert not folder.exists()
