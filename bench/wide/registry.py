"""Programs of the wide suite: their class, their table, and their argument generators.

A program is a function in the style of a tutorial, with arguments from fixed seeds. It must also
trace with 64-bit types and f64 arguments; that evaluation is the reference for its results. Random
numbers inside a program therefore have an explicit type such as f32, which gives the same numbers
in both.
"""
import dataclasses
import importlib
import pathlib
from typing import Callable

import numpy as np


@dataclasses.dataclass
class Program:
    name: str
    domain: str
    function: Callable
    arguments: Callable[[], tuple]
    # Share of elements (of every result) that may differ because rounding decides a comparison,
    # such as a step's acceptance or an escape time. The other branch is then also correct.
    flips: float = 0.0
    carry: dict = dataclasses.field(default_factory=dict)  # as in suite.registry; unused here


PROGRAMS: dict[str, Program] = {}


def program(arguments: Callable[[], tuple], flips: float = 0.0, name: str | None = None):
    """Registers a function under its own name, in the domain of its module's name."""
    def register(function):
        label = name or function.__name__
        if label in PROGRAMS:
            raise ValueError(f"two programs are called {label}")
        domain = function.__module__.rsplit(".", 1)[-1]
        PROGRAMS[label] = Program(label, domain, function, arguments, flips)
        return function
    return register


def load():
    """Imports every domain and returns the table."""
    folder = pathlib.Path(__file__).resolve().parent
    for path in sorted(folder.glob("*.py")):
        if path.stem not in ("__init__", "agreement", "registry", "measure", "report"):
            importlib.import_module(f"{__package__}.{path.stem}")
    return PROGRAMS


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
