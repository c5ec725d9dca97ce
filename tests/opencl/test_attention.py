"""Attention and its gradients on the device, in blocks of scores in local and in global memory."""
import pytest
from device_run import compare, needs_device

pytestmark = needs_device


def softmax(scores):
    """%p, the softmax of %s over its last dimension."""
    t = f"tensor<{scores}xf32>"
    rows = scores.rsplit("x", 1)[0]
    r = f"tensor<{rows}xf32>"
    dims = ", ".join(str(d) for d in range(rows.count("x") + 1))
    last = rows.count("x") + 1
    return f"""
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [{last}] : ({t}, tensor<f32>) -> {r}
  %mb = stablehlo.broadcast_in_dim %m, dims = [{dims}] : ({r}) -> {t}
  %d = stablehlo.subtract %s, %mb : {t}
  %e = stablehlo.exponential %d : {t}
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [{last}] : ({t}, tensor<f32>) -> {r}
  %tb = stablehlo.broadcast_in_dim %t, dims = [{dims}] : ({r}) -> {t}
  %p = stablehlo.divide %e, %tb : {t}"""


def dot(name, x, y, tx, ty, dims, result, t="f32"):
    return f"""
  %{name} = stablehlo.dot_general %{x}, %{y}, batching_dims = [0] x [0], contracting_dims = [{dims[0]}] x [{dims[1]}] : (tensor<{tx}x{t}>, tensor<{ty}x{t}>) -> tensor<{result}x{t}>"""


# Batches, rows and columns of scores, depth of the scores, columns of the result.
SIZES = [(4, 128, 160, 32, 32), (3, 145, 200, 16, 24), (1, 100, 1025, 32, 16), (40, 64, 64, 16, 16),
         (1, 300, 257, 64, 64)]


@pytest.mark.parametrize("sizes", SIZES)
def test_forward(tmp_path, sizes):
    b, n, m, k, d = sizes
    q, keys, v, s = f"{b}x{n}x{k}", f"{b}x{m}x{k}", f"{b}x{m}x{d}", f"{b}x{n}x{m}"
    out = f"{b}x{n}x{d}"
    compare(tmp_path, f"""
func.func @main(%q: tensor<{q}xf32>, %k: tensor<{keys}xf32>, %v: tensor<{v}xf32>) -> tensor<{out}xf32> {{
{dot("s", "q", "k", q, keys, (2, 2), s)}
{softmax(s)}
{dot("o", "p", "v", s, v, (2, 1), out)}
  return %o : tensor<{out}xf32>
}}
""", rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("sizes", SIZES)
def test_gradients(tmp_path, sizes):
    b, n, m, k, d = sizes
    q, keys, v, s = f"{b}x{n}x{k}", f"{b}x{m}x{k}", f"{b}x{m}x{d}", f"{b}x{n}x{m}"
    out, rows = f"{b}x{n}x{d}", f"{b}x{n}"
    compare(tmp_path, f"""
func.func @main(%q: tensor<{q}xf32>, %k: tensor<{keys}xf32>, %v: tensor<{v}xf32>, %g: tensor<{out}xf32>)
    -> (tensor<{q}xf32>, tensor<{keys}xf32>, tensor<{v}xf32>) {{
{dot("s", "q", "k", q, keys, (2, 2), s)}
{softmax(s)}
{dot("dv", "p", "g", s, out, (1, 1), v)}
{dot("dp", "g", "v", out, v, (2, 2), s)}
  %w = stablehlo.multiply %p, %dp : tensor<{s}xf32>
  %ws = stablehlo.reduce(%w init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<{s}xf32>, tensor<f32>) -> tensor<{rows}xf32>
  %wb = stablehlo.broadcast_in_dim %ws, dims = [0, 1] : (tensor<{rows}xf32>) -> tensor<{s}xf32>
  %u = stablehlo.subtract %dp, %wb : tensor<{s}xf32>
  %ds = stablehlo.multiply %p, %u : tensor<{s}xf32>
{dot("dq", "ds", "k", s, keys, (2, 1), q)}
{dot("dk", "ds", "q", s, q, (1, 1), keys)}
  return %dq, %dk, %dv : tensor<{q}xf32>, tensor<{keys}xf32>, tensor<{v}xf32>
}}
""", results=3, rtol=1e-3, atol=1e-4)
