"""Registers the plugin with JAX: finds and loads the shared library and names the platform."""
import os

from jax_plugins.tenon import _features, _options

# By platform. The wheel has only the first.
_LIBRARIES = {"tenon": "pjrt_plugin_tenon_cpu.so", "tenon_sim": "pjrt_plugin_tenon_sim.so",
              "tenon_opencl": "pjrt_plugin_tenon_opencl.so"}
# Above all platforms that JAX ships, so that this package, once installed, is the default.
_PRIORITY = 600


def library_path():
    """The path of the shared library: from the option, the package, or the checkout's build."""
    given = _options.get("library_path")
    if given:
        return os.path.abspath(given)
    library = _LIBRARIES[_options.platform()]
    here = os.path.dirname(os.path.abspath(__file__))
    own = os.path.join(here, library)
    built = os.path.join(here, *[os.pardir] * 3, "build", "release", "lib", library)
    if not os.path.exists(own) and os.path.exists(built):
        return os.path.normpath(built)
    return own


def initialize():
    """Registers the platform. JAX calls this once, before it creates backends.

    JAX only logs exceptions of this function. Therefore a library that cannot be loaded is
    registered as a platform whose first use raises an error with the path and the reason.
    """
    from jax._src import xla_bridge
    path, name = _LIBRARIES["tenon"], "tenon"
    try:
        name = _options.platform_name()
        path = library_path()
        _features.silence_experimental_warning(name)
        c_api = xla_bridge.register_plugin(
            name, library_path=_check_readable(path), options=_options.options(),
            priority=0 if name == "cpu" else _PRIORITY)
    except Exception as error:  # any failure is raised when the platform is used
        _register_failure(xla_bridge, name, path, error)
        return
    _register_topology(xla_bridge, name, c_api)
    _features.register(name, c_api)


def _register_topology(xla_bridge, name, c_api):
    """Makes topologies describe the devices that a client would have."""
    from jax._src.lib import xla_client
    factories = getattr(xla_bridge, "_topology_factories", {})
    if name not in factories:
        return

    def make(topology_name="", **options):
        return xla_client.make_c_api_device_topology(
            c_api, topology_name, **{**_options.options(), **options})

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
