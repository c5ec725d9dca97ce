"""Programs of the suites `wide`, `operations` and `libraries`: their class, table and argument generators.

A program is a function in the style of a tutorial, with arguments from fixed seeds. It must also
trace with 64-bit types and f64 arguments; that evaluation is the reference for its results. Random
numbers inside a program therefore have an explicit type such as f32, which gives the same numbers
in both. A library may not allow that; `tolerance` then replaces the reference.
"""
import dataclasses
import functools
import importlib
import pathlib
import sys
from typing import Callable

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent.parent  # of the suites' packages


@dataclasses.dataclass
class Program:
    name: str
    domain: str
    function: Callable
    arguments: Callable[[], tuple]
    # Share of elements (of every result) that may differ because rounding decides a comparison,
    # such as a step's acceptance or an escape time. The other branch is then also correct.
    flips: float = 0.0
    # Not 0: there is no f64 reference, because the library's random numbers depend on the default
    # type or its types are fixed. The result may then differ from the built-in CPU's by this much,
    # relative to the largest value.
    tolerance: float = 0.0
    carry: dict = dataclasses.field(default_factory=dict)  # as in suite.registry; unused here


PROGRAMS: dict[str, Program] = {}


class MissingLibrary(Exception):
    """A domain imports a library that this Python does not have."""


def program(arguments: Callable[[], tuple], flips: float = 0.0, name: str | None = None,
            tolerance: float = 0.0):
    """Registers a function under its own name, in the domain of its module's name."""
    def register(function):
        label = name or function.__name__
        if label in PROGRAMS:
            raise ValueError(f"two programs are called {label}")
        domain = function.__module__.rsplit(".", 1)[-1]
        PROGRAMS[label] = Program(label, domain, function, arguments, flips, tolerance)
        return function
    return register


def load(package=__package__):
    """Imports every domain of a suite's package and returns its programs."""
    for path in sorted((FOLDER / package).glob("*.py")):
        if path.stem in ("__init__", "agreement", "registry", "measure", "report"):
            continue
        try:
            importlib.import_module(f"{package}.{path.stem}")
        except ModuleNotFoundError as error:
            raise MissingLibrary(
                f"bench/{package}/{path.name} needs the module {error.name}, which "
                f"{sys.executable} does not have; run `make {package}`, which installs it"
            ) from error
    return {n: p for n, p in PROGRAMS.items() if p.function.__module__.startswith(package + ".")}


def once(make):
    """`make`, which is called once for each argument, outside any trace, with 32-bit types.

    The built-in CPU computes what it makes, such as a library's object that contains arrays.
    """
    @functools.cache
    def made(*arguments):
        import jax
        with (jax.ensure_compile_time_eval(), jax.enable_x64(False),
              jax.default_device(jax.devices("cpu")[0])):
            return make(*arguments)
    return made


def initial(make):
    """Arguments that a library makes, such as a model's initial weights, as a function of none."""
    def arrays():
        import jax
        return jax.tree.map(np.asarray, make())
    return once(arrays)


def normal(*shape, seed=0, scale=1.0):
    return (np.random.RandomState(seed).standard_normal(shape) * scale).astype(np.float32)


def uniform(*shape, low=0.0, high=1.0, seed=0):
    return np.random.RandomState(seed).uniform(low, high, shape).astype(np.float32)


def integers(*shape, high, low=0, seed=0):
    return np.random.RandomState(seed).randint(low, high, shape).astype(np.int32)


def key(seed=0):
    return np.array([0, seed], np.uint32)


def complex_normal(*shape, seed=0):
    return (normal(*shape, seed=seed) + 1j * normal(*shape, seed=seed + 1)).astype(np.complex64)


def weights(*shape, seed=0):
    """A layer's weights; all but the last dimension are inputs."""
    return normal(*shape, seed=seed, scale=1 / np.sqrt(np.prod(shape[:-1])))
