"""The environment that scripts and tests give to processes with the plugin."""
import sys

import plugin_env
import pytest

sys.path.insert(0, str(plugin_env.PACKAGE))
from jax_plugins.tenon import _options  # noqa: E402


def test_all_variables_that_select_a_platform_are_known():
    selectors = {"TENON_REPLACE_CPU", *(f"TENON_{name.upper()}" for name in _options._PLATFORMS)}
    assert set(plugin_env.SELECTORS) == selectors


@pytest.mark.parametrize("variable", plugin_env.SELECTORS)
def test_a_child_has_the_platform_that_it_was_given(variable):
    """Whatever the parent runs on: two selectors at a time are an error of the package."""
    base = {variable: "1", "PATH": "/bin"}
    assert variable not in plugin_env.child("p.so", base=base)
    for platform in ("tenon_opencl", "tenon_cuda"):
        env = plugin_env.child("p.so", platform, base=base)
        assert [name for name in plugin_env.SELECTORS if name in env] == [platform.upper()]
    env = plugin_env.child("p.so", replace_cpu=True, base=base)
    assert [name for name in plugin_env.SELECTORS if name in env] == ["TENON_REPLACE_CPU"]
