"""The workloads, a module a family; importing this registers all."""
from . import (convolutions, dispatch, elementwise, linear_algebra, loops, models,  # noqa: F401
               movement, networks, overlap, products, random, reductions, scientific)
