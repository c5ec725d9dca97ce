"""The options of the plugin, from the environment or from `configure`."""
import dataclasses
import os
import re


def _flag(text):
    values = {"0": False, "false": False, "": False, "1": True, "true": True}
    return values[text.lower()]


@dataclasses.dataclass(frozen=True)
class _Option:
    name: str
    parse: type
    meaning: str
    default: object = None  # of options that the package reads; the plugin has its own defaults
    create_option: bool = True  # passed to the plugin as a create option
    only: str = None  # the platforms, if not all have it, separated by spaces

    @property
    def variable(self):
        return {"library_path": "TENON_PLUGIN"}.get(self.name, "TENON_" + self.name.upper())


# docs/options.md explains them and lists the plugin's defaults.
_OPTIONS = {option.name: option for option in (
    _Option("replace_cpu", _flag, "take the place of JAX's built-in CPU", False, False),
    _Option("simulate", _flag, "simulated accelerators, as platform tenon_sim", False, False),
    _Option("opencl", _flag, "OpenCL devices, as platform tenon_opencl", False, False),
    _Option("cuda", _flag, "NVIDIA's GPUs, as platform tenon_cuda", False, False),
    _Option("library_path", str, "the shared library, if not this package's own", None, False),
    _Option("device_count", int, "devices, each runs programs of its own"),
    _Option("threads", int, "threads that compute; 0: as many as processors"),
    _Option("affinity", str, "processors the threads run on, as 0-3,8"),
    _Option("device_affinity", str, "processors of each device, as 0-3;4-7", only="tenon"),
    _Option("spin_microseconds", int, "how long idle threads look for work before they sleep"),
    _Option("memory_limit", int, "bytes that buffers may take; 0: the machine's memory"),
    _Option("device_memory_limit", int, "the same, of each device; 0: one limit for all",
            only="tenon"),
    _Option("packed_limit", int, "bytes of weights kept in the layout of products; 0: none",
            only="tenon"),
    _Option("huge_pages", _flag, "ask for huge pages for large buffers"),
    _Option("cpu", str, "processor to compile for, by LLVM's name"),
    _Option("features", str, "LLVM feature string added to the processor's, as +a,-b"),
    _Option("optimization_level", int, "of machine code, 0 to 3"),
    _Option("compile_threads", int, "threads that compile; 0: as many as processors"),
    _Option("fold_constants", _flag, "compute what is constant when compiling"),
    _Option("ieee_denormals", _flag, "keep denormals instead of flushing them to zero"),
    _Option("kernel_cache", str, "folder that keeps generated code; off: none is kept"),
    _Option("dump_to", str, "folder into which the program is written after each phase"),
    _Option("perf_map", _flag, "name compiled functions for Linux perf"),
    _Option("collectives", str, "how processes exchange data: gloo or none"),
    _Option("collectives_hostname", str, "name or address of this process for the others"),
    _Option("collectives_interface", str, "network interface for the other processes"),
    _Option("collectives_library", str, "path of tenon_gloo.so, if not beside the plugin"),
    _Option("collectives_timeout", int, "seconds that a collective waits for other processes"),
    _Option("hosts", int, "hosts of the grid of simulated devices", only="tenon_sim"),
    _Option("latency_microseconds", int, "of each operation of a simulated device",
            only="tenon_sim"),
    _Option("copy_megabytes_per_second", int, "of simulated copies; 0: the host's speed",
            only="tenon_sim"),
    _Option("faults", str, "of simulated devices, as launch@3,lost@9:1", only="tenon_sim"),
    _Option("opencl_device", str, "gpu, cpu, or a part of the device's name",
            only="tenon_opencl"),
    _Option("opencl_library", str, "path of the OpenCL loader", only="tenon_opencl"),
    _Option("opencl_memory", str, "usm, svm or buffers, if not what the device has",
            only="tenon_opencl"),
    _Option("opencl_sub_devices", int, "into how many devices each is split; 0: none",
            only="tenon_opencl"),
    _Option("cuda_device", int, "number of the first GPU", only="tenon_cuda"),
    _Option("cuda_graphs", _flag, "start repeated sequences of kernels as graphs",
            only="tenon_cuda"),
    _Option("cuda_library", str, "path of NVIDIA's driver", only="tenon_cuda"),
    _Option("cuda_sync", _flag, "wait after each kernel, so that errors name it",
            only="tenon_cuda"),
    _Option("tf32", _flag, "round f32 operands of products to 10 bits of mantissa",
            only="tenon_cuda"),
    _Option("tune_products", _flag, "measure which tiles of products are fastest",
            only="tenon_opencl tenon_cuda"),
)}
# The options that select a platform other than tenon, and what it has.
_PLATFORMS = {"simulate": ("tenon_sim", "simulated accelerators"),
              "opencl": ("tenon_opencl", "OpenCL devices"),
              "cuda": ("tenon_cuda", "CUDA devices")}
_configured = {}


def configure(**values):
    from jax._src import xla_bridge
    if xla_bridge.backends_are_initialized():
        raise RuntimeError("tenon: configure() must be called before JAX uses a device")
    for name, value in values.items():
        if name not in _OPTIONS:
            raise TypeError(f"tenon: no option {name!r}; there are {', '.join(_OPTIONS)}")
        _configured[name] = value


configure.__doc__ = """Sets options before JAX first uses a device.

A value of None resets an option to its environment variable or default. Raises TypeError for an
unknown name, and RuntimeError if JAX's backends already exist.

""" + "\n".join(f"{o.name:20}{o.meaning} ({o.variable})" for o in _OPTIONS.values())


def get(name):
    """The value of one option; None if it is not set and has no default."""
    option = _OPTIONS[name]
    if _configured.get(name) is not None:
        return _configured[name]
    text = os.environ.get(option.variable)
    if text is None:
        return option.default
    try:
        return option.parse(text)
    except (ValueError, KeyError):
        raise ValueError(f"tenon: {option.variable}={text!r} is not "
                         f"{'0 or 1' if option.parse is _flag else 'an integer'}") from None


def _cpu_device_count():
    """The number of CPU devices in JAX's own options; None if they do not set it."""
    from jax._src import xla_bridge
    count = xla_bridge.num_cpu_devices.value  # jax_num_cpu_devices; -1: not set
    if count > 0:
        return count
    flags = re.findall(r"--?xla_force_host_platform_device_count=(\d+)",
                       os.environ.get("XLA_FLAGS", ""))
    return int(flags[-1]) if flags else None


def _cpu_collectives():
    """What jax_cpu_collectives_implementation asks for; None outside of a distributed job."""
    from jax._src import config, distributed, xla_bridge
    if distributed.global_state.client is None:
        return None
    option = getattr(config, "cpu_collectives_implementation",
                     getattr(xla_bridge, "CPU_COLLECTIVES_IMPLEMENTATION", None))
    name = "gloo" if option is None else option.value or "none"
    if name in ("gloo", "none"):
        return name
    raise ValueError(f"tenon: jax_cpu_collectives_implementation={name!r} is not supported; "
                     "set it to 'gloo' or 'none'")


def _selected():
    """The option that selects the platform; None: it is tenon."""
    given = [name for name in _PLATFORMS if get(name)]
    if len(given) > 1:
        raise ValueError(f"tenon: set {given[0]} or {given[1]}, not both")
    return given[0] if given else None


def platform():
    """The platform of the plugin: tenon, tenon_sim, tenon_opencl or tenon_cuda."""
    option = _selected()
    return _PLATFORMS[option][0] if option else "tenon"


def platform_name():
    """The platform name of the plugin in JAX."""
    option = _selected()
    if not get("replace_cpu"):
        return platform()
    if option:
        raise ValueError(f"tenon: {_PLATFORMS[option][1]} cannot take the place of the CPU: "
                         f"set replace_cpu or {option}, not both")
    return "cpu"


def options(device=None):
    """The create options for the plugin of a platform (default: that of the options)."""
    device = device or platform()
    values = {name: get(name) for name, option in _OPTIONS.items()
              if option.create_option and (option.only is None or device in option.only.split())}
    values = {name: value for name, value in values.items() if value is not None}
    # Always set, so that the variable TENON_PLATFORM_NAME cannot give the client a name other than
    # the registered one.
    values["platform_name"] = platform_name() if device == platform() else device
    if values["platform_name"] == "cpu":
        if "device_count" not in values and (count := _cpu_device_count()):
            values["device_count"] = count
        if "collectives" not in values and (collectives := _cpu_collectives()):
            values["collectives"] = collectives
    return values
