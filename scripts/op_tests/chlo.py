"""CHLO operations for tests/ops/test_chlo.py, with their expected results."""
import numpy as np
import scipy.special as special

from .values import COMPLEX, WIDE_FLOATS

# name: (function, lowest and highest argument, whether on complex numbers, factor of the tolerance)
UNARY = {
    "acos": (np.arccos, -0.99, 0.99, True, 1), "acosh": (np.arccosh, 1.1, 50, True, 1),
    "asin": (np.arcsin, -0.99, 0.99, True, 1), "asinh": (np.arcsinh, -50, 50, True, 1),
    "atan": (np.arctan, -50, 50, True, 1), "atanh": (np.arctanh, -0.99, 0.99, True, 1),
    "bessel_i1e": (special.i1e, -20, 20, False, 4), "cosh": (np.cosh, -9, 9, True, 1),
    "digamma": (special.digamma, 0.1, 20, False, 8), "erf": (special.erf, -4, 4, False, 1),
    "erf_inv": (special.erfinv, -0.99, 0.99, False, 8),
    "erfc": (special.erfc, -4, 4, False, 4), "lgamma": (special.gammaln, 0.1, 30, False, 8),
    "sinh": (np.sinh, -9, 9, True, 1), "square": (np.square, -9, 9, True, 1),
    "tan": (np.tan, -1.5, 1.5, True, 4),
}
UNARY_RUNS = [(op, t) for op, row in UNARY.items()
              for t in WIDE_FLOATS + (COMPLEX if row[3] else ())]
BROADCASTS = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply,
              "maximum": np.maximum, "minimum": np.minimum}
BIT_BROADCASTS = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
                  "shift_left": np.left_shift, "shift_right_arithmetic": np.right_shift}
OTHERS = ("broadcast_atan2", "broadcast_compare", "broadcast_complex", "broadcast_divide",
          "broadcast_next_after", "broadcast_polygamma", "broadcast_power", "broadcast_remainder",
          "broadcast_shift_right_logical", "broadcast_zeta", "conj", "constant", "constant_like",
          "is_inf", "is_neg_inf", "is_pos_inf", "mulhi", "next_after", "polygamma", "ragged_dot",
          "top_k", "zeta")
