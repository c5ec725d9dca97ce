"""Every operation on every element type, compared with NumPy and ml_dtypes.

scripts/op_tests generates the programs (make_op_tests.py --types writes them to a folder);
tenon-run runs them on the plugin and, if it supports the operation, on the reference evaluator.
"""
import pytest

import tenon_run
from op_tests import tables

ROWS = {op: list(cases) for op, cases in tables.type_rows()}
RUNS = [pytest.param(op, on, id=f"{op}-{on}") for op in ROWS for on in ("plugin", "reference")
        if on == "plugin" or op not in tables.NOT_EVALUATED]


@pytest.mark.parametrize("op, on", RUNS)
def test_types(op, on):
    status, output = tenon_run.check(tables.text_of(ROWS[op]), on)
    assert status == 0, output


def test_every_wrong_element_is_found():
    """The check can fail: one wrong expected element in one case of many."""
    cases = [c for c in ROWS["add"]]
    cases[3].expected["r"].array = cases[3].expected["r"].array.copy()
    cases[3].expected["r"].array[-1] += 1
    for on in ("plugin", "reference"):
        status, output = tenon_run.check(tables.text_of(cases), on)
        assert status == 1 and f"1 of {len(cases)} cases" in output, output
        assert f"case {cases[3].name}: " in output and "1 of" in output


def test_operations_that_the_evaluator_rejects():
    """The list is as short as it can be."""
    for op in sorted(tables.NOT_EVALUATED & set(ROWS)):
        _, output = tenon_run.check(tables.text_of(ROWS[op][:1]), "reference")
        assert "not evaluated by the reference" in output, op
