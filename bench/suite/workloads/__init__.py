"""The workloads, one module per family. Importing this package registers all."""
from . import (collectives, convolutions, dispatch, elementwise, linear_algebra, loops, models,  # noqa: F401
               movement, networks, overlap, products, random, reductions, scientific,
               sharded_models)
