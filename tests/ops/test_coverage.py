"""docs/coverage.md is up to date with scripts/make_coverage.py and has a reason for every gap."""
import plugin_env

import make_coverage


def test_page_is_up_to_date():
    message = make_coverage.difference(make_coverage.PAGE.read_text())
    assert message is None, message


def test_a_gap_is_found(monkeypatch):
    from op_tests import specification
    monkeypatch.setitem(specification.ALLOWED, "popcnt", ("f32",))
    assert "('popcnt', 'f32')" in make_coverage.difference(make_coverage.PAGE.read_text())


def test_every_operation_is_there():
    """The specification's list has every operation of the dialect."""
    import re

    from op_tests.specification import ALLOWED
    names = set()
    for file in (plugin_env.ROOT / "tenon/dialects/stablehlo").glob("*.td"):
        names |= set(re.findall(r"def StableHLO_\w+Op\s*:\s*StableHLO_\w+<\"([\w-]+)\"",
                                file.read_text()))
    assert names - set(ALLOWED) == set() and len(names) > 110
