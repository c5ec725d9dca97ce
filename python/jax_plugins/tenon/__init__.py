"""JAX on Tenon: JAX imports this package, which registers the plugin.

With this package installed JAX has a platform `tenon` (`JAX_PLATFORMS=tenon`,
`jax.devices("tenon")`). With TENON_REPLACE_CPU=1 the plugin replaces JAX's built-in CPU backend
under the name `cpu`, with all features that JAX reserves for that name: the compilation cache,
DLPack, and all CPU lowering rules.

Set options by environment variables (TENON_THREADS for `threads`), or by `configure` before JAX
first uses a device. `help(jax_plugins.tenon.configure)` lists them; docs/options.md explains them.

`jax_plugins.tenon.aot` compiles functions into files that run without JAX.

`explain_sharding(jax.jit(f).lower(x))` says what a sharded program communicates, and why.
"""
from jax_plugins.tenon._explain import explain_sharding
from jax_plugins.tenon._options import configure, options
from jax_plugins.tenon._register import initialize, library_path

__all__ = ["configure", "explain_sharding", "initialize", "library_path", "options"]
