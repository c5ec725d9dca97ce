"""JAX on OpenCL devices: JAX imports this package, which registers the plugin of the wheel.

With this package installed JAX has a platform `tenon_opencl` beside `tenon`
(`JAX_PLATFORMS=tenon_opencl`, `jax.devices("tenon_opencl")`), unless no OpenCL device takes SPIR-V.
The options are those of `jax_plugins.tenon`.
"""
from jax_plugins.tenon import _options, _register


def initialize():
    """Registers the platform, if jax_plugins.tenon does not do it because of TENON_OPENCL."""
    if _options.platform() != "tenon_opencl":
        _register.initialize("tenon_opencl")
