"""The pytest plugin of run_jax_tests.py: selects tests and records their start and end.

Runs in the process of one file of JAX's tests. TENON_JAX_TESTS is the path of a JSON file with the
options. The journal has one JSON object per line:

    {"selected": [ids]}  {"start": id}  {"end": id, "outcome": ..., "seconds": ..., "message": ...}
"""
import functools
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import sys
import time

import pytest

with open(os.environ["TENON_JAX_TESTS"]) as _file:
    _options = json.load(_file)
_journal = open(_options["journal"], "a", buffering=1)
_state = {}


def _write(**event):
    _journal.write(json.dumps(event) + "\n")


def _id(item):
    """file::Class::test, with the file relative to the folder of tests."""
    _, _, rest = item.nodeid.partition("::")
    path = item.path.relative_to(_options["tests"])
    return path.with_suffix("").as_posix() + "::" + rest


def _in_sample(name):
    numerator, denominator = _options["sample"]
    digest = hashlib.sha256(f"{_options['sample_seed']}\0{name}".encode()).digest()
    return int.from_bytes(digest[:8], "big") * denominator < numerator << 64


def _use_case_seed(seed):
    """Replaces the seed 42, with which JAX draws generated cases in two places."""
    import numpy
    from jax._src import test_util

    @functools.cache
    def choice(n, m):
        return numpy.random.RandomState(seed).choice(n, size=m, replace=False)

    class Random:
        def __getattr__(self, name):
            return getattr(numpy.random, name)

        def RandomState(self, own=None):
            return numpy.random.RandomState(seed if own == 42 else own)

    test_util._choice = choice
    test_util.npr = Random()


def _find_hypothesis_test_util():
    """Loads a module that two test files need and JAX's wheel lacks; it is beside the tests."""
    name = "jax._src.hypothesis_test_util"
    path = pathlib.Path(_options["tests"]).parent / "jax" / "_src" / "hypothesis_test_util.py"
    if importlib.util.find_spec("hypothesis") and not importlib.util.find_spec(name) and \
            path.exists():
        import jax._src
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = jax._src.hypothesis_test_util = module
        spec.loader.exec_module(module)


@pytest.hookimpl(tryfirst=True)
def pytest_make_collect_report(collector):
    """Configures JAX just before the import of the file. test_util stores the current sys.stdout,
    which must be the one that pytest captures."""
    if not isinstance(collector, pytest.File):
        return
    import jax
    if _options["label"]:
        from jax._src import test_util  # noqa: F401  defines the option
        jax.config.update("jax_test_dut", _options["label"])
    if _options["case_seed"] is not None:
        _use_case_seed(_options["case_seed"])
    _find_hypothesis_test_util()


def pytest_collectreport(report):
    if report.failed:
        _write(error=str(report.longrepr)[-1500:])


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    only = _options["only"] and set(_options["only"])  # None: the whole file
    selected = [item for item in items
                if (only is None or _id(item) in only) and _in_sample(_id(item))
                and re.search(_options["pattern"] or "", _id(item))]
    _write(selected=[_id(item) for item in selected])
    done = set(_options["done"])
    items[:] = [item for item in selected if _id(item) not in done]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    _write(start=_id(item))
    _state.update(outcome="passed", message="")
    start = time.monotonic()
    yield
    _write(end=_id(item), seconds=round(time.monotonic() - start, 2), **_state)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(call):
    report = (yield).get_result()
    if report.failed:
        error = call.excinfo
        if _state["outcome"] == "passed":
            _state["outcome"] = "failed"
            _state["message"] = \
                f"{error.typename}: {error.value}"[:600] if error else str(report.longrepr)[:600]
    elif report.skipped and _state["outcome"] == "passed":
        text = report.longrepr
        _state["outcome"] = "skipped"
        _state["message"] = (text[2] if isinstance(text, tuple) else str(text))[:200]
