"""The smoke programs on the installed jaxlib; scripts/test_jaxlibs.py runs them on all."""
import argparse
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import test_jaxlibs  # noqa: E402


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return test_jaxlibs.build_handlers(sys.executable, tmp_path_factory.mktemp("ffi"))


@pytest.mark.parametrize("mode", test_jaxlibs.MODES)
def test_programs(mode, library):
    plugin = os.environ.get("TENON_PLUGIN",
                            ROOT / "build" / "release" / "lib" / "pjrt_plugin_tenon_cpu.so")
    result = test_jaxlibs.run_mode(sys.executable, library, mode, argparse.Namespace(
        plugin=plugin, only="", timeout=120))
    assert not result.failures
    assert result.counts["PASS"] > 70 and "NONE" not in result.counts
