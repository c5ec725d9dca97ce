"""JAX on Tenon: the package that JAX finds and that registers the plugin.

With this package installed JAX has a platform `tenon` (`JAX_PLATFORMS=tenon`,
`jax.devices("tenon")`). With TENON_REPLACE_CPU=1 the plugin takes the place of JAX's built-in
CPU backend instead and is called `cpu`, which brings everything that JAX reserves for that
name: the compilation cache, DLPack, and all CPU lowering rules.

Options are environment variables or, before the first use of a device, `configure`:

    variable               configure        meaning
    TENON_REPLACE_CPU      replace_cpu      take the place of the built-in CPU (0 or 1)
    TENON_DEVICE_COUNT     device_count     devices, each runs programs of its own (default 1)
    TENON_THREADS          threads          threads that compute (default: as many as cores)
    TENON_COMPILE_THREADS  compile_threads  threads that compile (default: as many as cores)
    TENON_DUMP_TO          dump_to          folder into which each phase's IR is written
    TENON_MEMORY_LIMIT     memory_limit     bytes buffers may take (default: the machine's)
    TENON_IEEE_DENORMALS   ieee_denormals   keep denormals instead of flushing them (0 or 1)
    TENON_PERF_MAP         perf_map         name compiled functions for Linux perf (0 or 1)
    TENON_CPU              cpu              processor to compile for, by LLVM's name
    TENON_FEATURES         features         LLVM feature string added to the processor's
    TENON_PLUGIN           library_path     the shared library, if not this package's own
"""
from jax_plugins.tenon._options import configure, options
from jax_plugins.tenon._register import initialize, library_path

__all__ = ["configure", "initialize", "library_path", "options"]
