"""Registers the plugin with JAX: finds and loads the shared library and names the platform."""
import dataclasses
import os

from jax_plugins.tenon import _features, _options

# By platform. The wheel has only the first.
_LIBRARIES = {"tenon": "pjrt_plugin_tenon_cpu.so", "tenon_sim": "pjrt_plugin_tenon_sim.so",
              "tenon_opencl": "pjrt_plugin_tenon_opencl.so",
              "tenon_cuda": "pjrt_plugin_tenon_cuda.so"}
# Above all platforms that JAX ships, so that this package, once installed, is the default.
_PRIORITY = 600


def library_path(platform=None):
    """The path of the shared library: from the option, a package, or the checkout's build."""
    given = _options.get("library_path")
    if given and platform in (None, _options.platform()):
        return os.path.abspath(given)
    platform = platform or _options.platform()
    library = _LIBRARIES[platform]
    here = os.path.dirname(os.path.abspath(__file__))
    own = os.path.join(here, library)
    folders = (os.path.join(here, os.pardir, platform),  # a wheel of its own
               os.path.join(here, *[os.pardir] * 3, "build", "release", "lib"))
    for path in (own, *(os.path.join(folder, library) for folder in folders)):
        if os.path.exists(path):
            return os.path.normpath(path)
    return own


def initialize(platform=None):
    """Registers the platform of the options. JAX calls this once, before it creates backends.

    JAX only logs exceptions of this function. Therefore a library that cannot be loaded is
    registered as a platform whose first use raises an error with the path and the reason.

    A package of another platform passes its name. JAX then uses the platform only by name, and
    works without it if it cannot start, such as on a machine without the device.
    """
    from jax._src import xla_bridge
    path, name = _LIBRARIES["tenon"], "tenon"
    try:
        name = platform or _options.platform_name()
        path = library_path(platform)
        _features.silence_experimental_warning(name)
        c_api = xla_bridge.register_plugin(
            name, library_path=_check_readable(path), options=_options.options(platform),
            priority=0 if name == "cpu" else _PRIORITY - (platform is not None))
        if platform:
            _fail_quietly(xla_bridge, name)
    except Exception as error:  # any failure is raised when the platform is used
        _register_failure(xla_bridge, name, path, error)
        return
    _register_topology(xla_bridge, name, c_api, platform)
    _features.register(name, c_api)


def _fail_quietly(xla_bridge, name):
    factories = getattr(xla_bridge, "_backend_factories", {})
    if dataclasses.is_dataclass(factories.get(name)):
        factories[name] = dataclasses.replace(factories[name], fail_quietly=True)


def _register_topology(xla_bridge, name, c_api, platform):
    """Makes topologies describe the devices that a client would have."""
    from jax._src.lib import xla_client
    factories = getattr(xla_bridge, "_topology_factories", {})
    if name not in factories:
        return

    def make(topology_name="", **options):
        return xla_client.make_c_api_device_topology(
            c_api, topology_name, **{**_options.options(platform), **options})

    factories[name] = make


def _check_readable(path):
    if not os.path.exists(path):
        raise FileNotFoundError("no such file; build it with `make plugin`, or set "
                                "TENON_PLUGIN to its path")
    return path


def _register_failure(xla_bridge, name, path, error):
    message = f"tenon: cannot load the plugin {path}: {error}"

    def fail():
        raise RuntimeError(message) from error

    xla_bridge.register_backend_factory(
        name, fail, priority=0 if name == "cpu" else _PRIORITY, fail_quietly=False)
