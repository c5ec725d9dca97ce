"""All cases: the type table (operation by element type) and the forms of each operation."""
from . import (conversions, elementwise, forms_contractions, forms_control, forms_indexing,
               forms_linear_algebra, forms_random, forms_reductions, forms_shape, structural)
from .case import file_text

FORMS = (forms_shape, forms_indexing, forms_reductions, forms_contractions,
         forms_linear_algebra, forms_control, forms_random)
# Operations that the reference evaluator does not take: legalization replaces them.
NOT_EVALUATED = {"collective_permute", "composite", "dynamic_conv", "dynamic_broadcast_in_dim", "dynamic_gather",
                 "dynamic_iota", "dynamic_pad", "dynamic_reshape", "einsum",
                 "real_dynamic_slice", "unary_einsum"}


def type_rows():
    yield from elementwise.rows()
    yield from conversions.rows()
    yield from structural.rows()


def type_files(only=()):
    """(operation, text) of the type table."""
    for op, cases in type_rows():
        if not only or op in only:
            yield op, file_text("", list(cases))


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
