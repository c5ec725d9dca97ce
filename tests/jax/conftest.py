"""Registers Tenon besides JAX's built-in CPU in this process, before JAX is imported.

TENON_PLUGIN (or build/release) is the plugin; TENON_TEST_PLATFORM=cpu runs the tests on the
built-in CPU itself, to test the tests.
"""
import os
import sys

import plugin_env

ROOT = plugin_env.ROOT
PLATFORM = os.environ.get("TENON_TEST_PLATFORM", "tenon")
plugin_env.set_up(platform=PLATFORM)
sys.path.insert(0, str(ROOT / "tests" / "jax"))

import jax  # noqa: E402
import pytest  # noqa: E402


def only_tenon(why, replacement=False):
    """Skips tests on the built-in CPU; with `replacement` not where Tenon replaces it."""
    builtin = PLATFORM == "cpu" and not (replacement and os.environ.get("TENON_REPLACE_CPU"))
    return pytest.mark.skipif(builtin, reason=f"{why}: run without TENON_TEST_PLATFORM=cpu")


@pytest.fixture(scope="session")
def device():
    """The device under test."""
    return jax.devices(PLATFORM)[0]


@pytest.fixture(scope="session")
def cpu():
    """The built-in CPU, the reference."""
    return jax.devices("cpu")[0]


@pytest.fixture(autouse=True)
def _start_from_the_same_configuration():
    jax.config.update("jax_enable_x64", False)
    yield
    jax.config.update("jax_enable_x64", False)


@pytest.fixture
def x64():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)
