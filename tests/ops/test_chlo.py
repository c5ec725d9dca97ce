"""CHLO operations: as text that Tenon parses, as Go and Rust clients send it, and through the PJRT
client of jaxlib, which expands them or converts them to composites.

Compared with SciPy and NumPy in double precision. tests/ops/chlo_*.mlir tests the composites.
"""
import os
import re
import subprocess
import tempfile

import numpy as np
import pytest

import plugin_env

PLATFORM = os.environ.get("TENON_TEST_PLATFORM", "tenon")
plugin_env.set_up(platform=PLATFORM)

import jax  # noqa: E402
import run_conformance  # noqa: E402
import scipy.special as special  # noqa: E402
from op_tests.chlo import BIT_BROADCASTS, BROADCASTS, UNARY, UNARY_RUNS  # noqa: E402
from op_tests.samples import plain  # noqa: E402
from op_tests.values import COMPLEX, TYPES, WIDE_FLOATS, Value  # noqa: E402

EPSILON = {"f16": 2e-3, "bf16": 1.6e-2, "f32": 4e-6, "f64": 1e-13, "complex<f32>": 4e-6,
           "complex<f64>": 1e-13}


@pytest.fixture(scope="module", autouse=True)
def x64():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def program_of(op, inputs, results, attributes, body, constants=False):
    """One operation in the generic form, on arguments or on constants."""
    names = ", ".join(f"%{i}" for i in range(len(inputs)))
    arguments = ", ".join(f"%{i}: {v.tensor}" for i, v in enumerate(inputs))
    operands, out = ", ".join(v.tensor for v in inputs), ", ".join(results)
    returned = ", ".join(f"%r#{i}" for i in range(len(results)))
    values = ""
    if constants:
        arguments = ""
        values = "\n".join(f"%{i} = stablehlo.constant {v.constant()}"
                           for i, v in enumerate(inputs))
    return f"""func.func public @main({arguments}) -> ({out}) {{
      {values}
      %r:{len(results)} = "{op}"({names}) {body} {attributes} : ({operands}) -> ({out})
      return {returned} : {out}
    }}"""


def run_expanded(op, inputs, results, attributes="", body=""):
    program = program_of(op, inputs, results, attributes, body)
    return run_conformance.execute(jax.devices(PLATFORM)[0], program,
                                   [v.array for v in inputs])


def run_text(op, inputs, results, attributes="", body=""):
    program = program_of(op, inputs, results, attributes, body, constants=True)
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([plugin_env.BUILD / "bin" / "tenon-run", "-", "--quiet", "--plugin",
                              plugin_env.default_plugin(), "--option=fold_constants=0",
                              f"--output-prefix={folder}/r"], input=program,
                             capture_output=True, text=True, timeout=60)
        assert run.returncode == 0, run.stderr
        out = []
        for i, result in enumerate(results):
            dims, element = re.match(r"tensor<((?:\d+x)*)(.*)>", result).groups()
            array = np.load(f"{folder}/r{i}.npy")
            assert array.shape == tuple(map(int, dims.split("x")[:-1]))
            out.append(array.view(TYPES[element]) if array.dtype.kind == "V" else array)
        return out


@pytest.fixture(params=[run_expanded, run_text], ids=["expanded", "text"])
def run(request):
    """The results, in NumPy, of one operation."""
    if request.param is run_text and PLATFORM != "tenon":
        pytest.skip("about Tenon's reader")
    return request.param


def arguments(t, low, high, seed=0):
    random = np.random.default_rng(seed)
    x = random.uniform(low, high, 40)
    if t in COMPLEX:
        x = x + 1j * random.uniform(-2, 2, 40)
    return Value(t, x)


def wide(value):
    return value.array.astype(np.complex128 if value.type in COMPLEX else np.float64)


def assert_near(result, expected, t, factor=1):
    expected = np.asarray(expected)
    scale = np.maximum(np.abs(expected), 1e-2)
    np.testing.assert_array_less(np.abs(result.astype(expected.dtype) - expected) / scale,
                                 factor * EPSILON[t])


@pytest.mark.parametrize("op, t", UNARY_RUNS)
def test_unary(run, op, t):
    function, low, high, _, factor = UNARY[op]
    x = arguments(t, low, high)
    result, = run(f"chlo.{op}", [x], [x.tensor])
    if op == "lgamma" and t in ("f16", "bf16"):
        factor *= 4
    assert_near(result, function(wide(x)), t, factor)


@pytest.mark.parametrize("t", COMPLEX)
def test_conj(run, t):
    x = arguments(t, -3, 3)
    result, = run("chlo.conj", [x], [x.tensor])
    np.testing.assert_array_equal(result, np.conj(x.array))


@pytest.mark.parametrize("op, function", [("is_inf", np.isinf), ("is_neg_inf", np.isneginf),
                                          ("is_pos_inf", np.isposinf)])
@pytest.mark.parametrize("t", WIDE_FLOATS)
def test_infinities(run, op, function, t):
    x = Value(t, [0, 1, np.inf, -np.inf, np.nan])
    result, = run(f"chlo.{op}", [x], ["tensor<5xi1>"])
    np.testing.assert_array_equal(result, function(wide(x)))


@pytest.mark.parametrize("t", ("f16", "bf16", "f32", "f64"))
def test_next_after(run, t):
    x = Value(t, [1, 1, -1, 0, 0, 3, np.inf])
    y = Value(t, [2, 0, 0, 1, -1, 3, 0])
    result, = run("chlo.next_after", [x, y], [x.tensor])
    np.testing.assert_array_equal(result, np.nextafter(x.array, y.array))


@pytest.mark.parametrize("t", ("f32", "f64"))
@pytest.mark.parametrize("op, function, first", [("polygamma", special.polygamma, 0),
                                                 ("zeta", special.zeta, 2)])
def test_binary_functions(run, op, function, first, t):
    x = Value(t, np.arange(first, first + 5).repeat(8))
    y = arguments(t, 0.5, 9)
    result, = run(f"chlo.{op}", [x, y], [x.tensor])
    assert_near(result, function(wide(x).astype(int) if op == "polygamma" else wide(x), wide(y)),
                t, 64)


@pytest.mark.parametrize("op", (*BROADCASTS, *BIT_BROADCASTS))
def test_broadcast_binary(run, op):
    t = "i32"
    x, y = plain(t, (3, 1)), Value(t, np.abs(plain(t, (4,), 1).array))
    function = {**BROADCASTS, **BIT_BROADCASTS}[op]
    result, = run(f"chlo.broadcast_{op}", [x, y], ["tensor<3x4xi32>"])
    np.testing.assert_array_equal(result, function(x.array, y.array))


@pytest.mark.parametrize("op, function", [("divide", np.divide), ("power", np.power),
                                          ("remainder", np.fmod), ("atan2", np.arctan2),
                                          ("next_after", np.nextafter)])
def test_broadcast_floats(run, op, function):
    x, y = Value("f32", [[1], [2.5], [3]]), Value("f32", [0.5, 2, 7, 1])
    result, = run(f"chlo.broadcast_{op}", [x, y], ["tensor<3x4xf32>"])
    assert_near(result, function(x.array, y.array).astype(np.float64), "f32")


def test_broadcast_others(run):
    x, y = Value("f32", [[1], [2.5]]), Value("f32", [0.5, 2, 2.5])
    result, = run("chlo.broadcast_complex", [x, y], ["tensor<2x3xcomplex<f32>>"])
    np.testing.assert_array_equal(result, x.array + 1j * y.array)
    result, = run("chlo.broadcast_compare", [x, y], ["tensor<2x3xi1>"],
                  "{comparison_direction = #chlo<comparison_direction LT>}")
    np.testing.assert_array_equal(result, x.array < y.array)
    u = Value("ui32", [[2**31], [5]])
    result, = run("chlo.broadcast_shift_right_logical", [u, Value("ui32", [1, 4])],
                  ["tensor<2x2xui32>"])
    np.testing.assert_array_equal(result, u.array >> np.array([1, 4], np.uint32))
    x, y = Value("f64", [[2], [3]]), Value("f64", [1.5, 4])
    result, = run("chlo.broadcast_zeta", [x, y], ["tensor<2x2xf64>"])
    assert_near(result, special.zeta(x.array, y.array), "f64", 64)
    result, = run("chlo.broadcast_polygamma", [x, y], ["tensor<2x2xf64>"])
    assert_near(result, special.polygamma(x.array.astype(int), y.array), "f64", 64)


@pytest.mark.parametrize("t", ("i8", "i16", "i32", "ui8", "ui16", "ui32"))
def test_mulhi(run, t):
    bits = int(t.lstrip("ui"))
    low, high = (0, 2**bits - 1) if t[0] == "u" else (-2**(bits - 1), 2**(bits - 1) - 1)
    random = np.random.default_rng(2)
    x, y = (Value(t, random.integers(low, high, 30, endpoint=True)) for _ in range(2))
    result, = run("chlo.mulhi", [x, y], [x.tensor])
    np.testing.assert_array_equal(result, [int(a) * int(b) >> bits
                                           for a, b in zip(x.array, y.array)])


@pytest.mark.parametrize("t", ("f32", "f16", "i32", "ui8"))
def test_top_k(run, t):
    x = plain(t, (3, 40))
    values, where = run("chlo.top_k", [x], [f"tensor<3x7x{t}>", "tensor<3x7xi32>"],
                        "{k = 7 : i64}")
    key = -x.array.astype(np.float64)
    order = np.argsort(key, 1, kind="stable")[:, :7]
    np.testing.assert_array_equal(where, order)
    np.testing.assert_array_equal(values, np.take_along_axis(x.array, order, 1))


def test_constants(run):
    x = plain("f32", (3, 4))
    result, = run("chlo.constant_like", [x], [x.tensor], "{value = 2.5 : f32}")
    np.testing.assert_array_equal(result, np.full((3, 4), 2.5, np.float32))
    result, = run("chlo.constant", [], ["tensor<2xi32>"], "{value = dense<[1, 2]> : tensor<2xi32>}")
    np.testing.assert_array_equal(result, [1, 2])


def test_ragged_dot(run):
    """Rows of the left operand in groups, each group with its own matrix."""
    x, y = plain("f32", (10, 4)), plain("f32", (3, 4, 5), 1)
    sizes = Value("i64", [3, 2, 5])
    result, = run("chlo.ragged_dot", [x, y, sizes], ["tensor<10x5xf32>"], """
        {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [],
         rhs_batching_dimensions = [], lhs_contracting_dimensions = [1],
         rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0],
         rhs_group_dimensions = [0]>}""")
    group = np.repeat(np.arange(3), sizes.array)
    np.testing.assert_array_equal(result, np.einsum("ij,ijk->ik", x.array, y.array[group]))
