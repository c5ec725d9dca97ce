"""All cases: the type table (operation by element type) and the forms of each operation."""
from . import (algebra, conversions, elementwise, forms_chlo, forms_contractions, forms_control,
               forms_elementwise, forms_indexing, forms_linear_algebra, forms_random,
               forms_reductions, forms_shape, structural)
from .case import file_text

FORMS = (forms_elementwise, forms_shape, forms_indexing, forms_reductions,
         forms_contractions, forms_linear_algebra, forms_control, forms_random, forms_chlo)
# Operations that the reference evaluator does not support, because legalization replaces them.
NOT_EVALUATED = {"dynamic_broadcast_in_dim", "dynamic_conv",
                 "dynamic_gather", "dynamic_iota", "dynamic_pad", "dynamic_reshape", "einsum",
                 "real_dynamic_slice", "unary_einsum"}


def type_rows():
    yield from elementwise.rows()
    yield from conversions.rows()
    yield from structural.rows()
    yield from algebra.rows()


def type_files(only=()):
    """(operation, text) of the type table."""
    for op, cases in type_rows():
        if not only or op in only:
            yield op, text_of(list(cases))


def text_of(cases):
    return file_text("", cases)


def header(op):
    lines = ["// Written by scripts/make_op_tests.py.", "// REQUIRES: plugin",
             "// RUN: tenon-run --check --quiet --plugin %plugin %s"]
    if op not in NOT_EVALUATED:
        lines.append("// RUN: tenon-run --check --quiet --reference %s")
    return "\n".join(lines) + "\n\n"


def form_files():
    """(operation, text) of tests/ops."""
    for family in FORMS:
        for op, cases in family.files():
            yield op, file_text(header(op), list(cases))
