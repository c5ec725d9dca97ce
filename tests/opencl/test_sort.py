"""Sorts on the device: rows of every kind of length, ties, NaN, any comparator, top-k."""
import pytest
from device_run import compare, needs_device

pytestmark = needs_device


def comparator(types, body):
    arguments = ", ".join(f"%a{i}: tensor<{t}>, %b{i}: tensor<{t}>" for i, t in enumerate(types))
    return f"({{\n^bb0({arguments}):\n{body}\n  stablehlo.return %r : tensor<i1>\n}})"


def less(t, direction="LT"):
    kind = ", TOTALORDER" if t[0] in "bf" else ""
    return f"  %r = stablehlo.compare {direction}, %a0, %b0{kind} : (tensor<{t}>, tensor<{t}>) -> tensor<i1>"


def sort(shape, types, dim, body, make):
    """Sorts the tensors %x0, %x1, ... that `make` computes from %x."""
    tensors = [f"tensor<{shape}x{t}>" for t in types]
    names = ", ".join(f"%x{i}" for i in range(len(types)))
    results = ", ".join(f"%s#{i}" for i in range(len(types)))
    all_types = ", ".join(tensors)
    return f"""
func.func @main(%x: tensor<{shape}xi32>) -> ({all_types}) {{
{make}
  %s:{len(types)} = "stablehlo.sort"({names}) <{{dimension = {dim} : i64, is_stable = true}}>
    {comparator(types, body)} : ({all_types}) -> ({all_types})
  return {results} : {all_types}
}}
"""


def keys(shape, t, modulus=7):
    """%x0: values with many ties; the last operand of a sort, %x1, tells them apart."""
    i = f"tensor<{shape}xi32>"
    convert = (f"  %x0 = stablehlo.convert %k : ({i}) -> tensor<{shape}x{t}>" if t != "i32" else
               f"  %x0 = stablehlo.add %k, %k : {i}")
    return f"""  %c = stablehlo.constant dense<{modulus}> : {i}
  %k = stablehlo.remainder %x, %c : {i}
{convert}"""


def positions(shape, dim):
    return f"\n  %x1 = stablehlo.iota dim = {dim} : tensor<{shape}xi32>"


LENGTHS = (1, 2, 3, 17, 64, 1000, 1025, 2048, 2049, 4096, 4097, 6144, 12289)


@pytest.mark.parametrize("length", LENGTHS)
def test_argsort_is_stable(tmp_path, length):
    shape = f"3x{length}"
    make = keys(shape, "f32") + positions(shape, 1)
    compare(tmp_path, sort(shape, ["f32", "i32"], 1, less("f32"), make), results=2)


@pytest.mark.parametrize("shape,dim", [("1000x3", 0), ("1000x3", 1), ("257x5x3", 1), ("0x4", 1),
                                       ("4x0", 1), ("3000", 0)])
def test_dimensions(tmp_path, shape, dim):
    make = keys(shape, "i32", 1000) + positions(shape, dim)
    compare(tmp_path, sort(shape, ["i32", "i32"], dim, less("i32"), make), results=2)


@pytest.mark.parametrize("t", ["i8", "i16", "i64", "ui8", "ui32", "ui64", "f16", "bf16", "f64"])
@pytest.mark.parametrize("length", [1000, 3000, 4500])
def test_types(tmp_path, t, length):
    make = keys(str(length), t, 100) + positions(str(length), 0)
    compare(tmp_path, sort(str(length), [t, "i32"], 0, less(t, "GT"), make), results=2)


@pytest.mark.parametrize("length", [100, 5000])
def test_nan_and_zeros(tmp_path, length):
    """NaN, infinities and zeros of both signs: 0 / 0, 1 / 0 and so on."""
    f = f"tensor<{length}xf32>"
    make = keys(str(length), "i32", 5).replace("%x0 =", "%i =") + f"""
  %n = stablehlo.convert %i : (tensor<{length}xi32>) -> {f}
  %d = stablehlo.convert %x : (tensor<{length}xi32>) -> {f}
  %z = stablehlo.constant dense<0.0> : {f}
  %q = stablehlo.multiply %d, %z : {f}
  %x0 = stablehlo.divide %n, %q : {f}""" + positions(str(length), 0)
    compare(tmp_path, sort(str(length), ["f32", "i32"], 0, less("f32"), make), results=2)


@pytest.mark.parametrize("length", [33, 1000, 5000])
def test_unknown_order(tmp_path, length):
    """By the remainder, the larger second key first: no order that the compiler knows."""
    body = """  %three = stablehlo.constant dense<3> : tensor<i32>
  %p = stablehlo.remainder %a0, %three : tensor<i32>
  %q = stablehlo.remainder %b0, %three : tensor<i32>
  %l = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e = stablehlo.compare EQ, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %g = stablehlo.compare GT, %a2, %b2 : (tensor<i8>, tensor<i8>) -> tensor<i1>
  %f = stablehlo.and %e, %g : tensor<i1>
  %r = stablehlo.or %l, %f : tensor<i1>"""
    shape = f"2x{length}"
    make = keys(shape, "i32", 1000) + positions(shape, 1) + f"""
  %x2 = stablehlo.convert %x : (tensor<{shape}xi32>) -> tensor<{shape}xi8>"""
    compare(tmp_path, sort(shape, ["i32", "i32", "i8"], 1, body, make), results=3)


@pytest.mark.parametrize("length,k", [(17, 3), (1000, 1), (1000, 100), (5000, 10), (2049, 256),
                                      (30000, 100), (20000, 3000)])
def test_top_k(tmp_path, length, k):
    make = keys(f"2x{length}", "f32", 200)
    compare(tmp_path, f"""
func.func @main(%x: tensor<2x{length}xi32>) -> (tensor<2x{k}xf32>, tensor<2x{k}xi32>) {{
{make}
  %v, %i = chlo.top_k(%x0, k = {k}) : tensor<2x{length}xf32> -> (tensor<2x{k}xf32>, tensor<2x{k}xi32>)
  return %v, %i : tensor<2x{k}xf32>, tensor<2x{k}xi32>
}}
""", results=2)


@pytest.mark.parametrize("rows,length,k", [(1, 30000, 10), (3, 5000, 100)])
@pytest.mark.parametrize("direction", ["LT", "GT"])
def test_top_k_of_sorted_rows(tmp_path, rows, length, k, direction):
    """In one of the two directions each element is better than those before. NaN comes last or
    first; each number is there three times."""
    i, f, r = f"tensor<{rows}x{length}xi32>", f"tensor<{rows}x{length}xf32>", f"tensor<{rows}x{k}x"
    compare(tmp_path, f"""
func.func @main(%x: {i}) -> ({r}f32>, {r}i32>) {{
  %i = stablehlo.iota dim = 1 : {i}
  %three = stablehlo.constant dense<3> : {i}
  %j = stablehlo.divide %i, %three : {i}
  %n = stablehlo.convert %j : ({i}) -> {f}
  %big = stablehlo.constant dense<{length // 3 - 2}.0> : {f}
  %nan = stablehlo.constant dense<0x7FC00000> : {f}
  %is_big = stablehlo.compare GT, %n, %big : ({f}, {f}) -> tensor<{rows}x{length}xi1>
  %y = stablehlo.select %is_big, %nan, %n : tensor<{rows}x{length}xi1>, {f}
  %s:2 = "stablehlo.sort"(%y, %i) <{{dimension = 1 : i64, is_stable = true}}>
    {comparator(["f32", "i32"], less("f32", direction))} : ({f}, {i}) -> ({f}, {i})
  %v = stablehlo.slice %s#0 [0:{rows}, 0:{k}] : ({f}) -> {r}f32>
  %p = stablehlo.slice %s#1 [0:{rows}, 0:{k}] : ({i}) -> {r}i32>
  return %v, %p : {r}f32>, {r}i32>
}}
""", results=2)
