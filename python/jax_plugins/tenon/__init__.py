"""JAX on Tenon: the package that JAX finds and that registers the plugin.

With this package installed JAX has a platform `tenon` (`JAX_PLATFORMS=tenon`,
`jax.devices("tenon")`). With TENON_REPLACE_CPU=1 the plugin takes the place of JAX's built-in
CPU backend instead and is called `cpu`, which brings everything that JAX reserves for that
name: the compilation cache, DLPack, and all CPU lowering rules.

Options are environment variables or, before the first use of a device, `configure`: the variable
of `threads` is TENON_THREADS. `help(jax_plugins.tenon.configure)` lists them, docs/options.md says
more.
"""
from jax_plugins.tenon._options import configure, options
from jax_plugins.tenon._register import initialize, library_path

__all__ = ["configure", "initialize", "library_path", "options"]
