"""Fourier transforms, scatters and transposes on the device."""
import pytest
from device_run import compare, needs_device

pytestmark = needs_device


@pytest.mark.parametrize("length", [2, 8, 17, 60, 128, 1000, 1024, 2048, 2310, 4093, 4096])
@pytest.mark.parametrize("kind", ["FFT", "IFFT"])
def test_complex_transform(tmp_path, length, kind):
    t = f"tensor<5x{length}xcomplex<f32>>"
    compare(tmp_path, f"""
func.func @main(%x: {t}) -> {t} {{
  %0 = stablehlo.fft %x, type = {kind}, length = [{length}] : ({t}) -> {t}
  return %0 : {t}
}}
""", rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("shape", [(9,), (16,), (1024,), (2053,), (4106,), (6, 10), (2053, 4),
                                   (4, 3, 12)])
@pytest.mark.parametrize("real", ["f32", "f64"])
def test_real_transform(tmp_path, shape, real):
    """Forward and back again."""
    sizes = "x".join(map(str, shape))
    half = "x".join(map(str, (*shape[:-1], shape[-1] // 2 + 1)))
    lengths = ", ".join(map(str, shape))
    x, y = f"tensor<3x{sizes}x{real}>", f"tensor<3x{half}xcomplex<{real}>>"
    compare(tmp_path, f"""
func.func @main(%x: {x}) -> ({y}, {x}) {{
  %0 = stablehlo.fft %x, type = RFFT, length = [{lengths}] : ({x}) -> {y}
  %1 = stablehlo.fft %0, type = IRFFT, length = [{lengths}] : ({y}) -> {x}
  return %0, %1 : {y}, {x}
}}
""", results=2, rtol=1e-4, atol=1e-4)


def scatter(rows, places, width, unique, body, modulus):
    return f"""
func.func @main(%x: tensor<{places}x{width}xi32>, %u: tensor<{rows}x{width}xi32>) -> tensor<{places}x{width}xi32> {{
  %i = stablehlo.iota dim = 0 : tensor<{rows}xi32>
  %f = stablehlo.constant dense<7> : tensor<{rows}xi32>
  %j = stablehlo.multiply %i, %f : tensor<{rows}xi32>
  %m = stablehlo.constant dense<{modulus}> : tensor<{rows}xi32>
  %k = stablehlo.remainder %j, %m : tensor<{rows}xi32>
  %p = stablehlo.reshape %k : (tensor<{rows}xi32>) -> tensor<{rows}x1xi32>
  %r = "stablehlo.scatter"(%x, %p, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = {unique}}}> ({{
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    {body}
    stablehlo.return %s : tensor<i32>
  }}) : (tensor<{places}x{width}xi32>, tensor<{rows}x1xi32>, tensor<{rows}x{width}xi32>) -> tensor<{places}x{width}xi32>
  return %r : tensor<{places}x{width}xi32>
}}
"""


@pytest.mark.parametrize("rows,places,width", [(1000, 100, 3), (17, 40000, 1), (300, 7, 20000)])
def test_scatter_keeps_the_order(tmp_path, rows, places, width):
    """Subtraction from twice the element: the result depends on the order of the updates. Some
    places are outside of the array."""
    body = "%d = stablehlo.add %a, %a : tensor<i32>\n    %s = stablehlo.subtract %d, %b : tensor<i32>"
    compare(tmp_path, scatter(rows, places, width, "false", body, places + 2))


@pytest.mark.parametrize("rows,places,width", [(1000, 100, 3), (5000, 2, 1), (1000, 1, 7)])
@pytest.mark.parametrize("op", ["add", "multiply", "minimum", "xor"])
def test_sums_of_long_runs(tmp_path, rows, places, width, op):
    compare(tmp_path, scatter(rows, places, width, "false", f"%s = stablehlo.{op} %a, %b : tensor<i32>",
                              places + 1))


@pytest.mark.parametrize("op", ["add", "maximum"])
def test_sums_of_floats(tmp_path, op):
    """Of small whole numbers, so that every order gives the same sum."""
    program = scatter(3000, 40, 5, "false", f"%s = stablehlo.{op} %a, %b : tensor<f32>", 42)
    for shape in ("40x5", "3000x5"):
        program = program.replace(f"tensor<{shape}xi32>", f"tensor<{shape}xf32>")
    compare(tmp_path, program.replace("tensor<i32>", "tensor<f32>"), rtol=1e-5, atol=1e-4)


def test_last_update_stays(tmp_path):
    body = "%s = stablehlo.maximum %b, %b : tensor<i32>"
    compare(tmp_path, scatter(1000, 100, 3, "false", body, 102))


@pytest.mark.parametrize("rows", [2, 100])
@pytest.mark.parametrize("body", ["%s = stablehlo.add %a, %b : tensor<i32>",
                                  "%s = stablehlo.maximum %b, %b : tensor<i32>",
                                  "%d = stablehlo.add %a, %a : tensor<i32>\n"
                                  "%s = stablehlo.subtract %d, %b : tensor<i32>"])
def test_scatter_of_windows_that_overlap(tmp_path, rows, body):
    """Row i has four elements from place i % 9 of 11 on; 8 is too far."""
    x, u, p = "tensor<11x2xi32>", f"tensor<{rows}x4x2xi32>", f"tensor<{rows}x1xi32>"
    compare(tmp_path, f"""
func.func @main(%x: {x}, %u: {u}) -> {x} {{
  %i = stablehlo.iota dim = 0 : {p}
  %m = stablehlo.constant dense<9> : {p}
  %p = stablehlo.remainder %i, %m : {p}
  %r = "stablehlo.scatter"(%x, %p, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}}> ({{
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    {body}
    stablehlo.return %s : tensor<i32>
  }}) : ({x}, {p}, {u}) -> {x}
  return %r : {x}
}}
""")


@pytest.mark.parametrize("rows,places,width", [(1000, 1001, 3), (1, 5, 1)])
def test_scatter_to_different_places(tmp_path, rows, places, width):
    body = "%s = stablehlo.add %a, %b : tensor<i32>"
    compare(tmp_path, scatter(rows, places, width, "true", body, 1009))


@pytest.mark.parametrize("shape,order", [("1000x500", (1, 0)), ("17x33", (1, 0)), ("64x64", (1, 0)),
                                         ("3x100x65", (0, 2, 1)), ("65x3x100", (2, 1, 0))])
@pytest.mark.parametrize("t", ["i8", "f32", "complex<f64>"])
def test_transpose(tmp_path, shape, order, t):
    sizes = shape.split("x")
    x, y = f"tensor<{shape}x{t}>", f"tensor<{'x'.join(sizes[d] for d in order)}x{t}>"
    compare(tmp_path, f"""
func.func @main(%x: {x}) -> {y} {{
  %0 = stablehlo.transpose %x, dims = {list(order)} : ({x}) -> {y}
  return %0 : {y}
}}
""")
