"""Factorizations by blocks on an OpenCL device: every type, sizes around that of a block, special
values."""
import pathlib
import subprocess
import sys

import device_run
import plugin_env
import pytest
from opencl_driver import environment, missing

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())
PROGRAMS = pathlib.Path(__file__).with_name("factorization_programs.py")


@pytest.mark.parametrize("name", ["cholesky", "cholesky_fails", "lu", "lu_of_a_long_panel", "lu_of_special_values",
                                  "lu_of_tall_matrices_with_nan", "callbacks_beside_exchanges",
                                  "triangular_solve", "solve_of_one_vector"])
def test_factorization(name):
    done = subprocess.run([sys.executable, PROGRAMS, name], capture_output=True, text=True,
                          env={**environment(), "PYTHONPATH": str(plugin_env.PACKAGE)}, timeout=1200)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("ok\n")


def test_upper_factor(tmp_path):
    # JAX has the lower one alone. The lower triangle of the operand is not read.
    device_run.compare(tmp_path, """
func.func @main() -> tensor<2x129x129xf32> {
  %i = stablehlo.iota dim = 1 : tensor<2x129x129xf32>
  %j = stablehlo.iota dim = 2 : tensor<2x129x129xf32>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<2x129x129xf32>
  %diagonal = stablehlo.constant dense<150.0> : tensor<2x129x129xf32>
  %s = stablehlo.multiply %i, %j : tensor<2x129x129xf32>
  %c = stablehlo.cosine %s : tensor<2x129x129xf32>
  %eq = stablehlo.compare EQ, %i, %j : (tensor<2x129x129xf32>, tensor<2x129x129xf32>) -> tensor<2x129x129xi1>
  %gt = stablehlo.compare GT, %i, %j : (tensor<2x129x129xf32>, tensor<2x129x129xf32>) -> tensor<2x129x129xi1>
  %d = stablehlo.select %eq, %diagonal, %c : tensor<2x129x129xi1>, tensor<2x129x129xf32>
  %a = stablehlo.select %gt, %nan, %d : tensor<2x129x129xi1>, tensor<2x129x129xf32>
  %0 = stablehlo.cholesky %a, lower = false : tensor<2x129x129xf32>
  return %0 : tensor<2x129x129xf32>
}
""", rtol=1e-5, atol=1e-6)
