"""Random forms, compared with the specification's formulas.

TENON_RANDOM_FORMS=SEED:COUNT runs other forms than the fixed ones.
"""
import os

import pytest

import tenon_run
from op_tests import random_forms, tables

SEED, COUNT = (int(n) for n in os.environ.get("TENON_RANDOM_FORMS", "0:60").split(":"))


@pytest.mark.parametrize("on", ["plugin", "reference"])
@pytest.mark.parametrize("kind", random_forms.KINDS, ids=lambda k: k.__name__)
def test_random_forms(kind, on):
    status, output = tenon_run.check(tables.text_of(random_forms.cases(kind, SEED, COUNT)), on)
    assert status == 0, output
