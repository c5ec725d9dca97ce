"""jax_plugins.tenon.aot: functions of JAX in files, and the same results without JAX."""
import collections
import ctypes
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import only_tenon

pytestmark = only_tenon("compiles with Tenon")
aot = pytest.importorskip("jax_plugins.tenon.aot")

Pair = collections.namedtuple("Pair", "first second")


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class State:
    weights: jax.Array
    step: jax.Array


def same(got, want):
    """Equal bits, types and shapes in trees of equal structure."""
    if isinstance(want, State):
        want = vars(want)
        got = vars(got)
    if isinstance(want, dict):
        assert set(got) == set(want)
        return all(same(got[key], want[key]) for key in want)
    if isinstance(want, (tuple, list)):
        assert isinstance(got, (tuple, list)) and len(got) == len(want)
        assert getattr(got, "_fields", None) == getattr(want, "_fields", None)
        return all(map(same, got, want))
    if want is None:
        return got is None
    want = np.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape
    assert got.tobytes() == want.tobytes()
    return True


def test_trees_names_and_static_arguments(tmp_path, device):
    def f(params, x, power, *, scale):
        """`params["none"]` and `params["unused"]` are not inputs of the program."""
        y = x @ params["w"] ** power * scale
        return {"y": y, "pair": Pair(x + 1, [y.sum(), None]), "by number": {2: State(params["s"].weights, power + 1)}}

    jitted = jax.jit(f, static_argnums=2)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    params = {"w": np.ones((3, 4), np.float32), "unused": np.zeros(7, np.float32), "none": None,
              "s": State(np.arange(3, dtype=np.int32), np.int32(7))}
    path = aot.compile(jitted, params, jax.ShapeDtypeStruct((2, 3), jnp.float32), 3, scale=2.0,
                       path=tmp_path / "f.tenon")
    program = aot.load(path)
    assert program.name == "jit_f"
    assert [tensor.name for tensor in program.inputs] == [
        "params['s'].weights", "params['w']", "x", "scale"]
    assert "result['y']" in {tensor.name for tensor in program.outputs}
    with jax.default_device(device):
        want = jitted(params, x, 3, scale=2.0)
    assert same(program(params, x, scale=2.0), want)
    assert same(program({**params, "unused": 1}, x.tolist(), scale=2), want)


@pytest.mark.parametrize("call, error", [
    (lambda f, x: f(x), "jit_f takes 2 arguments by position, not 1"),
    (lambda f, x: f(x, [x], 1), "takes 2 arguments by position, not 3"),
    (lambda f, x: f(x, [x], s=1), "unknown: 's'"),
    (lambda f, x: f(x, (x,)), "pair must be a list of 1, not a tuple of 1"),
    (lambda f, x: f(x, [x, x]), "pair must be a list of 1, not a list of 2"),
    (lambda f, x: f(x, [None]), r"pair\[0\] must be an array, not None"),
    (lambda f, x: f(x[:1], [x]), r"x must have shape \(2, 3\), not \(1, 3\)"),
    (lambda f, x: f(x, [x.astype(np.int32)]), r"pair\[0\] must have type float32, not int32"),
])
def test_arguments_of_another_structure(tmp_path, call, error):
    def f(x, pair):
        return x + pair[0]

    x = np.ones((2, 3), np.float32)
    f = aot.load(aot.compile(f, x, [x], path=tmp_path / "f.tenon"))
    with pytest.raises(TypeError, match=error):
        call(f, x)


@pytest.mark.parametrize("dtype", ["bool", "int4", "uint8", "int16", "int64", "float16", "bfloat16",
                                   "float8_e4m3fn", "float64", "complex64", "complex128"])
def test_types(tmp_path, x64, device, dtype):
    import ml_dtypes
    dtype = np.dtype(getattr(ml_dtypes, dtype, dtype))
    x = (np.arange(12).reshape(3, 4) % 5).astype(dtype)

    def f(x):
        return x, jnp.where(x == x[0], x, x[::-1]), x.T

    program = aot.load(aot.compile(jax.jit(f), x, path=tmp_path / "f.tenon"))
    with jax.default_device(device):
        assert same(program(x), jax.jit(f)(x))


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,)])
def test_shapes(tmp_path, shape):
    x = np.ones(shape, np.float32)
    program = aot.load(aot.compile(jax.jit(lambda x: x * 2), x, path=tmp_path / "f.tenon"))
    assert same(program(x), x * 2)


def test_strided_and_unaligned_arrays(tmp_path):
    wide = np.arange(60, dtype=np.float32).reshape(6, 10)
    x = wide[::2, 1::2]
    program = aot.load(aot.compile(jax.jit(lambda x: (x + 1, x.sum(1))), x, path=tmp_path / "f.tenon"))
    assert same(program(x), (x + 1, x.sum(1)))
    shifted = np.zeros(16, np.float32)[1:].reshape(3, 5)
    shifted[:] = x
    assert same(program(shifted), (x + 1, x.sum(1)))


def test_donated_arguments(tmp_path):
    step = jax.jit(lambda state, x: ({"n": state["n"] + x, "v": state["v"] * 2}, x), donate_argnums=0)
    state = {"n": np.arange(64, dtype=np.float32), "v": np.ones(64, np.float32)}
    x = np.ones(64, np.float32)
    path = aot.compile(step, state, x, path=tmp_path / "step.tenon")
    after, _ = aot.load(path)(state, x)
    assert state["n"][1] == 1 and after["n"][1] == 2, "copied unless asked for"
    in_place = aot.load(path, donate=True)
    memory = np.zeros(64 * 3, np.float32)
    start = -memory.ctypes.data % 64 // 4
    own = {"n": memory[start:start + 64], "v": np.ones(64, np.float32)}
    after, _ = in_place(own, x)
    assert after["n"].ctypes.data == own["n"].ctypes.data and own["n"][0] == 1
    # The same array twice: an update in place would change the other argument.
    after, second = in_place({"n": own["n"], "v": own["v"]}, own["n"])
    assert after["n"][0] == 2 and second[0] == 1 and own["n"][0] == 1


def test_several_targets(tmp_path):
    x = np.ones((8, 8), np.float32)
    path = aot.compile(jax.jit(lambda x: x @ x), x, path=tmp_path / "f.tenon",
                       cpu=["x86-64-v2", "x86-64-v3", "aarch64"])
    program = aot.load(path, threads=1)
    assert program.target.split(":")[-1] in ("x86-64-v2", "x86-64-v3", "aarch64")
    assert same(program(x), x @ x)
    with pytest.raises(Exception, match="unknown target 'z80'"):
        aot.compile(jax.jit(lambda x: x), x, path=tmp_path / "g.tenon", cpu="z80")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["f.tenon"], "no file is left behind"


def test_an_exported_function(tmp_path):
    x = np.ones((4, 3), np.float32)
    exported = jax.export.export(jax.jit(lambda x, y: {"z": jnp.sin(x) * y}), platforms=("cpu", "tenon"))(x, 2.0)
    exported = jax.export.deserialize(exported.serialize())
    program = aot.load(aot.compile(exported, x, 2.0, path=tmp_path / "f.tenon"))
    np.testing.assert_allclose(program(x, 2.0)["z"], np.sin(x) * 2, rtol=1e-6)


def test_the_file_is_written_again(tmp_path):
    """No cache of JAX swallows the second compilation, and open programs keep their file."""
    x = np.ones(3, np.float32)
    f = jax.jit(lambda x: x + 1)
    path = aot.compile(f, x, path=tmp_path / "f.tenon")
    program = aot.load(path)
    before = path.read_bytes()
    aot.compile(f, x, path=path)
    assert path.read_bytes() == before, "equal programs give equal files"
    assert same(program(x), x + 1) and same(aot.load(path)(x), x + 1)


def test_loops_random_numbers_and_constants(tmp_path, device):
    table = jnp.arange(4096, dtype=jnp.float32)

    def f(key, n):
        draws = jax.random.normal(jax.random.wrap_key_data(key), (64,))
        return jax.lax.fori_loop(0, n, lambda i, v: v * 0.5 + table[i], draws)

    key = np.array([1, 2], np.uint32)
    program = aot.load(aot.compile(jax.jit(f), key, np.int32(5), path=tmp_path / "f.tenon"))
    with jax.default_device(device):
        assert same(program(key, 5), jax.jit(f)(key, np.int32(5)))


def test_objects(tmp_path):
    x = np.linspace(-1, 1, 48, dtype=np.float32).reshape(6, 8)
    f = jax.jit(lambda x: jnp.tanh(x) * 2)
    path = aot.compile(f, x, path=tmp_path / "model.so")
    header = path.with_suffix(".h").read_text()
    assert "int model_run(const float x[48]," in header, header
    y = np.empty_like(x)
    arena = np.empty(4096, np.uint8)
    start = -arena.ctypes.data % 64
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (x, y, arena[start:])]
    assert ctypes.CDLL(str(path)).model_run(*pointers) == 0
    assert same(y, aot.load(aot.compile(f, x, path=tmp_path / "f.tenon"))(x))
    assert aot.compile(f, x, path=tmp_path / "model.o", options=["--freestanding"]).stat().st_size > 0


@pytest.mark.parametrize("options, error", [
    ({"path": "f.bin"}, "the suffix of 'f.bin' is not known; use one of .tenon, .o"),
    ({"path": "f.o", "cpu": ["x86-64-v2", "x86-64-v3"]}, "f.o is for one target; 2 were given"),
    ({"path": "f.o", "options": ["--frozen"]}, "(?s)tenon-compile.*--frozen"),
    ({"path": "f.tenon", "options": ["--freestanding"]}, "options are for tenon-compile"),
])
def test_misuse(tmp_path, monkeypatch, options, error):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=error):
        aot.compile(jax.jit(lambda x: x), np.ones(3, np.float32), **options)


@pytest.mark.parametrize("function, error", [
    (lambda x: jax.debug.print("{}", x), "calls Python"),
    (lambda x: jax.pure_callback(lambda x: x, x, x), "calls Python"),
])
@pytest.mark.parametrize("name", ["f.tenon", "f.o"])
def test_callbacks_are_refused(tmp_path, function, error, name):
    with pytest.raises(ValueError, match=error):
        aot.compile(function, np.ones(3, np.float32), path=tmp_path / name)


@pytest.mark.parametrize("value, dtype", [(1.9, "int32"), (np.float64(1.5), "int32"), ([1.5, 2.5], "int8"),
                                          (7, "bool"), (2.5, "bool"), (1j, "float32"), (np.int8(1), "int32")])
def test_numbers_are_not_cut(tmp_path, value, dtype):
    x = np.zeros(np.shape(value), dtype)
    program = aot.load(aot.compile(lambda x: x, x, path=tmp_path / "f.tenon"))
    with pytest.raises(TypeError, match="must have type"):
        program(value)


@pytest.mark.parametrize("value, dtype", [(2, "int4"), (True, "uint8"), (3, "float32"), (1.5, "bfloat16"),
                                          (2, "complex64"), (-1, "int32"), ([1, 0], "float8_e4m3fn")])
def test_numbers_of_python(tmp_path, value, dtype):
    import ml_dtypes
    x = np.zeros(np.shape(value), getattr(ml_dtypes, dtype, dtype))
    program = aot.load(aot.compile(lambda x: x, x, path=tmp_path / "f.tenon"))
    assert same(program(value), np.asarray(value, x.dtype))


def test_typed_keys(tmp_path, device):
    def f(key):
        return jax.random.uniform(key, (5,))

    program = aot.load(aot.compile(f, jax.random.key(0), path=tmp_path / "f.tenon"))
    with jax.default_device(device):
        assert same(program(np.asarray(jax.random.key_data(jax.random.key(3)))), jax.jit(f)(jax.random.key(3)))


def test_mappings_of_other_classes(tmp_path):
    flax = pytest.importorskip("flax.core")
    x = np.arange(3, dtype=np.float32)
    tree = flax.freeze({"a": {"b": x}, "c": x + 1})
    program = aot.load(aot.compile(lambda t: {"sum": t["a"]["b"] + t["c"]}, tree, path=tmp_path / "f.tenon"))
    assert same(program(tree), {"sum": 2 * x + 1}) and same(program(tree.unfreeze()), {"sum": 2 * x + 1})


def test_objects_have_the_bits_of_the_jit(tmp_path, device):
    """Functions that JAX's client expands itself before a plugin sees them."""
    z = (np.linspace(-3, 3, 97) + 1j * np.linspace(2, -2, 97)).astype(np.complex64)
    x = np.linspace(-0.999, 0.999, 97, dtype=np.float32)
    key = np.array([3, 4], np.uint32)

    def f(z, x, key):
        normal = jax.random.normal(jax.random.wrap_key_data(key), (64,))
        return jnp.arctan(z), jnp.sqrt(z), jax.lax.erf_inv(x), jax.lax.lgamma(x + 2), normal

    path = aot.compile(jax.jit(f), z, x, key, path=tmp_path / "f.so", options=["--threads=none"])
    with jax.default_device(device):
        want = [np.asarray(y) for y in jax.jit(f)(z, x, key)]
    got = [np.empty_like(y) for y in want]
    arena = np.empty(1 << 20, np.uint8)
    start = -arena.ctypes.data % 64
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (z, x, key, *got, arena[start:])]
    assert ctypes.CDLL(str(path)).f_run(*pointers) == 0
    assert same(got, want)


@pytest.mark.parametrize("stem", ["2x", "tenon_model", "été", "my-model.v2"])
def test_names_of_objects(tmp_path, stem):
    path = aot.compile(lambda x: x + 1, np.ones(3, np.float32), path=tmp_path / f"{stem}.o")
    assert "_run(" in path.with_suffix(".h").read_text()


def test_classes_without_names(tmp_path):
    @jax.tree_util.register_pytree_node_class
    class Nameless:
        def __init__(self, x):
            self.x = x

        def tree_flatten(self):
            return (self.x,), None

        @classmethod
        def tree_unflatten(cls, _, children):
            return cls(*children)

    with pytest.raises(TypeError, match="the children of .*Nameless have no names"):
        aot.compile(jax.jit(lambda n: n.x), Nameless(np.ones(3, np.float32)), path=tmp_path / "f.tenon")


def test_shardings_are_refused(tmp_path):
    mesh = jax.make_mesh((1,), ("x",), devices=jax.devices("cpu")[:1])
    spread = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))
    with pytest.raises(ValueError, match="shardings for devices of another platform"):
        aot.compile(jax.jit(lambda x: x, in_shardings=spread), np.ones(4, np.float32),
                    path=tmp_path / "f.tenon")
