"""JAX on NVIDIA's GPUs: JAX imports this package, which registers the plugin of the wheel.

With this package installed JAX has a platform `tenon_cuda` beside `tenon` and beside JAX's own
`cuda` (`JAX_PLATFORMS=tenon_cuda`, `jax.devices("tenon_cuda")`), unless there is no GPU or no
driver. The options are those of `jax_plugins.tenon`.
"""
from jax_plugins.tenon import _options, _register


def initialize():
    """Registers the platform, if jax_plugins.tenon does not do it because of TENON_CUDA."""
    if _options.platform() != "tenon_cuda":
        _register.initialize("tenon_cuda")
