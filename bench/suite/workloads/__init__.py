"""The workloads, one module per family. Importing this package registers all."""
from . import (collectives, convolutions, dispatch, elementwise, gpu, linear_algebra, loops,  # noqa: F401
               models, movement, networks, overlap, products, random, reductions, scientific,
               sharded_models)
