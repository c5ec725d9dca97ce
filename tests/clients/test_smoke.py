"""The smoke programs on the installed jaxlib; scripts/test_jaxlibs.py runs them on all."""
import argparse
import sys

import plugin_env
import pytest
import test_jaxlibs


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return test_jaxlibs.build_handlers(sys.executable, tmp_path_factory.mktemp("ffi"))


@pytest.mark.parametrize("mode", test_jaxlibs.MODES)
def test_programs(mode, library):
    result = test_jaxlibs.run_mode(sys.executable, library, mode, argparse.Namespace(
        plugin=plugin_env.default_plugin(), only="", timeout=120))
    assert not result.failures
    assert result.counts["PASS"] > 70 and "NONE" not in result.counts
