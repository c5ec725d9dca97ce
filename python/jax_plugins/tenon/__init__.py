"""JAX on Tenon: the package that JAX finds and that registers the plugin.

With this package installed JAX has a platform `tenon` (`JAX_PLATFORMS=tenon`,
`jax.devices("tenon")`). With TENON_REPLACE_CPU=1 the plugin takes the place of JAX's built-in
CPU backend instead and is called `cpu`, which brings everything that JAX reserves for that
name: the compilation cache, DLPack, and all CPU lowering rules.

Options are environment variables or, before the first use of a device, `configure`:

    variable            configure      meaning
    TENON_REPLACE_CPU   replace_cpu    take the place of the built-in CPU (0 or 1)
    TENON_DEVICE_COUNT  device_count   devices, each runs programs of its own (default 1)
    TENON_THREADS       threads        threads of the compute team (default: as many as cores)
    TENON_DUMP_TO       dump_to        folder into which each phase's IR is written
    TENON_PLUGIN        library_path   the plugin's shared library, if not this package's own
"""
from jax_plugins.tenon._options import configure, options
from jax_plugins.tenon._register import initialize, library_path

__all__ = ["configure", "initialize", "library_path", "options"]
