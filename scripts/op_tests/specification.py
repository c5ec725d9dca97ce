"""Which element types the StableHLO specification lets each operation take, statically.

Written from the constraints of each operation (I: integers, F: floats, C: complex, P: booleans).
Types are those that the operation computes on: the operand's, or the result's if it has none.
"""
from .values import (ALL, BOOL, COMPLEX, FLOATS, INTEGERS, SIGNED)

P, I, F, C = BOOL, INTEGERS, FLOATS, COMPLEX
ALLOWED = {
    "abs": SIGNED + F + C, "add": ALL, "after_all": (), "all_gather": ALL, "all_reduce": ALL,
    "all_to_all": ALL, "and": P + I, "async_done": ALL, "async_start": ALL, "atan2": F + C,
    "batch_norm_grad": F, "batch_norm_inference": F, "batch_norm_training": F,
    "bitcast_convert": ALL, "broadcast": ALL, "broadcast_in_dim": ALL, "case": ALL,
    "cbrt": F + C, "ceil": F, "cholesky": F + C, "clamp": ALL, "collective_broadcast": ALL,
    "collective_permute": ALL, "collective_reduce": ALL, "compare": ALL,
    "complex": ("f32", "f64"), "composite": ALL, "concatenate": ALL, "constant": ALL,
    "convert": ALL, "convolution": ALL, "cosine": F + C, "count_leading_zeros": I,
    "create_token": (), "cross-replica-sum": ALL, "custom_call": ALL, "divide": I + F + C,
    "dot": ALL, "dot_general": ALL, "dynamic_broadcast_in_dim": ALL, "dynamic_conv": ALL,
    "dynamic_gather": ALL, "dynamic_iota": I + F + C, "dynamic_pad": ALL, "dynamic_reshape": ALL,
    "dynamic_slice": ALL, "dynamic_update_slice": ALL, "einsum": ALL, "exponential": F + C,
    "exponential_minus_one": F + C, "fft": ("f32", "f64") + C, "floor": F, "gather": ALL,
    "get_dimension_size": ALL, "get_tuple_element": ALL, "if": ALL,
    "imag": ("f32", "f64") + C, "infeed": ALL, "iota": I + F + C, "is_finite": F, "log": F + C,
    "log_plus_one": F + C, "logistic": F + C, "map": ALL, "maximum": ALL, "minimum": ALL,
    "multiply": ALL, "negate": I + F + C, "not": P + I, "optimization_barrier": ALL,
    "or": P + I, "outfeed": ALL, "pad": ALL, "partition_id": ("ui32",), "popcnt": I,
    "power": I + F + C, "real": ("f32", "f64") + C, "real_dynamic_slice": ALL, "recv": ALL,
    "reduce": ALL, "reduce_precision": F, "reduce_scatter": ALL, "reduce_window": ALL,
    "remainder": I + F + C, "replica_id": ("ui32",), "reshape": ALL, "return": ALL,
    "reverse": ALL, "rng": P + I + F, "rng_bit_generator": I + F, "round_nearest_afz": F,
    "round_nearest_even": F, "rsqrt": F + C, "scatter": ALL, "select": ALL,
    "select_and_scatter": ALL, "send": ALL, "set_dimension_size": ALL, "shift_left": I,
    "shift_right_arithmetic": I, "shift_right_logical": I, "sign": SIGNED + F + C,
    "sine": F + C, "slice": ALL, "sort": ALL, "sqrt": F + C, "subtract": I + F + C,
    "tan": F + C, "tanh": F + C, "torch_index_select": ALL, "transpose": ALL,
    "triangular_solve": F + C, "tuple": ALL, "unary_einsum": ALL, "uniform_dequantize": (),
    "uniform_quantize": F, "while": ALL, "xor": P + I,
}
WITHOUT_TYPES = {"after_all", "create_token"}  # tokens only

HOST = "moves data between host and program; PJRT has no such transfers: refused"
ASYNCHRONOUS = "no framework sends it; later work with collectives: refused"
QUANTIZED = "quantized types are later work: refused"
BOUNDED = "its result has a dynamic size, which is later work: refused"
ELSEWHERE = "tests/jax/test_ffi.py and tests/jax/test_linalg.py call handlers of each type"
PASSED_ON = "passes on values of any type unchanged: one type is shown"
NO_ZERO = "the type has no zero, or no minus, that the operation needs"
# (operation, type) or operation: why there is no test.
REASONS = {
    "infeed": HOST, "outfeed": HOST, "send": HOST, "recv": HOST, "async_start": ASYNCHRONOUS,
    "async_done": ASYNCHRONOUS, "uniform_quantize": QUANTIZED, "uniform_dequantize": QUANTIZED,
    "set_dimension_size": BOUNDED, "custom_call": ELSEWHERE, "composite": PASSED_ON,
    "return": PASSED_ON,
    ("iota", "f8E8M0FNU"): NO_ZERO, ("dynamic_iota", "f8E8M0FNU"): NO_ZERO,
    ("batch_norm_training", "f8E8M0FNU"): NO_ZERO, ("batch_norm_grad", "f8E8M0FNU"): NO_ZERO,
    ("rng", "f8E8M0FNU"): "fractions of the type have no bits to draw",
    ("rng", "i1"): "no two bounds hold a range in between",
    **{("remainder", t): "the specification leaves it open (TBD)" for t in COMPLEX},
    **{("rng_bit_generator", t): "there is no integer of 6 bits to draw: refused"
       for t in ("f6E2M3FN", "f6E3M2FN")},
}
