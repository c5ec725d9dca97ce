"""The path of the plugin and the environment variables for Python processes that use it.

Import it before JAX. python/jax_plugins/tenon/_options.py describes what jax-tenon reads.
"""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python"  # jax_plugins.tenon
BUILD = pathlib.Path(os.environ.get("TENON_BUILD", ROOT / "build" / "release"))

# The variables that make jax-tenon register another platform than tenon, one at a time.
SELECTORS = ("TENON_REPLACE_CPU", "TENON_SIMULATE", "TENON_OPENCL", "TENON_CUDA")
# The OpenCL driver that scripts/install_opencl.sh installs.
OPENCL_VENDORS = ROOT / "build" / "opencl" / "vendors"


def library(build=BUILD, device="cpu"):
    """The path of the plugin in a build folder."""
    return pathlib.Path(build) / "lib" / f"pjrt_plugin_tenon_{device}.so"


def emulated_gpu(folder, build=BUILD):
    """The variables that give tenon_cuda the driver of tests/fake_cuda, which emulates GPUs. It finds
    the kernels' IR in `folder`, one for each process at a time. Products are exact."""
    driver = pathlib.Path(build) / "tests" / "fake_cuda" / "libtenon_fake_cuda.so"
    return {"TENON_CUDA_LIBRARY": str(driver), "TENON_DUMP_TO": str(folder), "TENON_TF32": "0"}


def default_plugin():
    """TENON_PLUGIN, or the plugin of TENON_BUILD (default: build/release)."""
    return pathlib.Path(os.environ.get("TENON_PLUGIN") or library()).resolve()


def add_argument(parser):
    parser.add_argument("--plugin", type=lambda path: pathlib.Path(path).resolve(),
                        default=default_plugin(), help="the plugin's shared library (default: "
                        "TENON_PLUGIN, or that of TENON_BUILD, build/release)")


def variables(plugin=None, platform="tenon", replace_cpu=False):
    """The variables that make JAX find `platform` and its built-in CPU.

    With `replace_cpu` the plugin is platform `cpu`, the only platform. The cache of generated code
    is off unless TENON_KERNEL_CACHE is set, because tests and benchmarks must generate code. Platform
    tenon_opencl gets the driver of scripts/install_opencl.sh unless OCL_ICD_VENDORS names another.
    """
    result = {"TENON_PLUGIN": str(plugin or default_plugin()),
              "TENON_KERNEL_CACHE": os.environ.get("TENON_KERNEL_CACHE", "off")}
    if replace_cpu:
        return {**result, "TENON_REPLACE_CPU": "1"}
    if platform == "tenon_cuda":
        result["TENON_CUDA"] = "1"
    if platform == "tenon_opencl":
        result["TENON_OPENCL"] = "1"
        if OPENCL_VENDORS.exists():
            result["OCL_ICD_VENDORS"] = os.environ.get("OCL_ICD_VENDORS", str(OPENCL_VENDORS))
    return {**result, "JAX_PLATFORMS": ",".join(dict.fromkeys((platform, "cpu")))}


def clean():
    """This process's environment without the variables of JAX and Tenon."""
    return {k: v for k, v in os.environ.items()
            if not k.startswith(("JAX_", "TENON_", "XLA_")) and k != "PYTHONPATH"}


def child(plugin=None, platform="tenon", replace_cpu=False, base=None, path=(), **more):
    """The environment for a child process, from `base` (default: this process's).

    `path` are folders for its PYTHONPATH, after that of jax-tenon.
    """
    env = dict(os.environ if base is None else base)
    for name in (*SELECTORS, "JAX_PLATFORMS"):
        env.pop(name, None)
    folders = [str(PACKAGE), *map(str, path), *filter(None, [env.get("PYTHONPATH")])]
    return {**env, **variables(plugin, platform, replace_cpu),
            "PYTHONPATH": os.pathsep.join(folders), **more}


def set_up(plugin=None, platform="tenon"):
    """Sets the variables in this process, so that JAX finds jax-tenon."""
    os.environ.update(variables(plugin, platform))
    sys.path.insert(0, str(PACKAGE))
