"""Compiles functions of JAX ahead of time, into files that run without JAX.

    from jax_plugins.tenon import aot

    aot.compile(jax.jit(f), params, x, path="f.tenon", cpu=["x86-64-v2", "x86-64-v4"])
    y = aot.load("f.tenon")(params, x)            # needs the package tenon_runtime, not JAX

docs/deploy.md is the guide.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import jax
from jax_plugins.tenon import _options, _register

_EMITS = {".o": "object", ".a": "archive", ".so": "shared", ".wasm": "wasm"}


def compile(jitted, *args, path, cpu=None, options=(), **kwargs):
    """Compiles `jitted` for arguments of the shapes and types of `args` and `kwargs`.

    Args:
      jitted: what `jax.jit` returns, another function, or a `jax.export.Exported`.
      *args, **kwargs: the arguments: arrays, `jax.ShapeDtypeStruct`, trees of them; static ones by
        value. Arrays are not read.
      path: the file to write. By its suffix:
        .tenon: an executable that `load`, libtenon_runtime (C, C++) and the plugins run. Has the
          names and trees of the arguments and results.
        .o, .a, .so, .wasm: an object file, archive, shared library or WebAssembly module, with a
          C header beside it (the same name with .h). Needs the program `tenon-compile`.
      cpu: a target or a list of targets (docs/options.md), for example ["x86-64-v2",
        "x86-64-v4", "aarch64"]: a .tenon file has code for each, and the best for the machine is
        chosen when it is loaded. An object is for one. Default: this machine.
      options: more options for `tenon-compile`, for example ["--freestanding"]; objects only.

    Returns the path as a `pathlib.Path`. Raises ValueError for a suffix or an option that is not
    known, and for a function that is for several devices or other platforms, or calls Python.
    """
    path = pathlib.Path(path)
    targets = [cpu] if isinstance(cpu, str) else list(cpu or [])
    if path.suffix != ".tenon" and path.suffix not in _EMITS:
        raise ValueError(f"aot.compile: the suffix of {str(path)!r} is not known; "
                         f"use one of .tenon, {', '.join(_EMITS)}")
    # Objects are compiled by tenon-compile, which has more targets than the plugin.
    lowered, names = _lower(jitted, targets if path.suffix == ".tenon" else [], args, kwargs)
    compiled = lowered._lowering.compile_args
    if compiled["num_devices"] != 1:
        raise ValueError(f"aot.compile: the function is for {compiled['num_devices']} devices; "
                         "compile one that is for one device")
    if compiled["host_callbacks"] or compiled["keepalive"]:
        raise ValueError("aot.compile: the function calls Python (a callback or jax.debug.print), "
                         "which is not there when the file runs")
    if path.suffix == ".tenon":
        if options:
            raise ValueError("aot.compile: options are for tenon-compile, which does not write "
                             ".tenon files here")
        _write_file(lowered, path, names)
    else:
        _write_object(lowered, path, targets, options)
    return path


def load(path, threads=0, donate=False, weights=None):
    """Opens a .tenon file as a function of NumPy arrays; see `tenon_runtime.load`.

    Neither JAX nor the compiler is used. The package tenon_runtime is enough to do the same.
    """
    try:
        import tenon_runtime
    except ImportError as error:
        raise ImportError("aot.load needs the package tenon_runtime: pip install jax-tenon[aot]") from error
    return tenon_runtime.load(path, threads, donate, weights)


def _lower(jitted, targets, args, kwargs):
    """The lowered function, and the names of its arguments by position."""
    from jax.experimental import topologies
    if isinstance(jitted, jax.export.Exported):
        jitted = jitted.call
    if not hasattr(jitted, "lower"):
        jitted = jax.jit(jitted)
    described = {"cpu": ",".join(targets)} if targets else {}
    topology = topologies.get_topology_desc(
        topology_name="", platform=_options.platform_name(), **described)
    args, kwargs = jax.tree.map(_without_device, (args, kwargs))
    with jax.default_device(topology.devices[0]):
        traced = jitted.trace(*args, **kwargs)
        lowered = traced.lower()
    return lowered, _argument_names(traced, lowered)


def _without_device(leaf):
    if not isinstance(leaf, jax.Array) or isinstance(leaf, jax.core.Tracer):
        return leaf
    # Typed keys of jax.random have no weak types.
    return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, weak_type=getattr(leaf, "weak_type", False))


def _compile(lowered, path, option, **others):
    """Compiles with the option `option`, which makes the compiler write the file `path`."""
    # Another name each time, so that no cache of JAX has this compilation. Renamed when complete,
    # so that programs that have the old file open keep it.
    descriptor, temporary = tempfile.mkstemp(dir=path.absolute().parent, prefix=path.name, suffix=".part")
    os.close(descriptor)
    try:
        lowered.compile(compiler_options={option: temporary, **others})
    except Exception as error:
        if "No such compile option" in str(error):
            raise ValueError(
                "aot.compile: the function has shardings for devices of another platform, which it "
                "must not have, or the plugin is older than this package") from error
        raise
    else:
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def _write_file(lowered, path, names):
    trees = {"version": 1, "names": names, **_trees(lowered)}
    _compile(lowered, path, "tenon_file", tenon_file_note=json.dumps({"jax": trees}))


def _write_object(lowered, path, targets, options):
    if len(targets) > 1:
        raise ValueError(f"aot.compile: {path.name} is for one target; {len(targets)} were given")
    if path.suffix == ".wasm":
        targets = targets or ["wasm32"]
    command = [_find_compiler(), "-o", str(path), f"--emit={_EMITS[path.suffix]}",
               "--header", str(path.with_suffix(".h"))]
    if not any(option.split("=")[0] == "--name" for option in options):
        command += ["--name", _c_name(path.stem)]
    if targets:
        command += ["--target", targets[0]]
    command += list(options)
    with tempfile.TemporaryDirectory(prefix="tenon-aot-") as folder:
        # The program that the plugin gets, not the text of `lowered`: JAX's client expands some
        # functions itself, and the object must have the same bits as the .tenon file.
        program = pathlib.Path(folder, "program")
        _compile(lowered, program, "tenon_program_file")
        done = subprocess.run([*command, str(program)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ValueError(f"aot.compile: {' '.join(command)}\n{done.stderr.strip()}")


def _c_name(stem):
    """A C identifier for the object's functions: `model_2x` for the file 2x.o."""
    name = re.sub(r"[\W_]+", "_", stem, flags=re.ASCII).strip("_")
    return name if re.match("(?!tenon_)[A-Za-z]", name) else ("model_" + name).rstrip("_")


def _find_compiler():
    given = os.environ.get("TENON_COMPILE")
    built = os.path.join(os.path.dirname(_register.library_path()), os.pardir, "bin", "tenon-compile")
    found = given or shutil.which("tenon-compile") or (built if os.path.exists(built) else None)
    if found is None:
        raise FileNotFoundError("aot.compile: object files need the program tenon-compile; put it "
                                "on the PATH, or set TENON_COMPILE to its path")
    return os.path.normpath(found)


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _argument_names(traced, lowered):
    """Names of the arguments by position, without static ones: `x` of the leaf `x['w'][0]`."""
    info = getattr(traced.jaxpr.jaxpr, "debug_info", None)
    leaves = getattr(info, "arg_names", None) or ()
    names, start = [], 0
    for i, argument in enumerate(lowered.in_tree.children()[0].children()):
        known = argument.num_leaves and start < len(leaves) and leaves[start]
        names.append(re.split(r"[.\[]", leaves[start])[0] if known else f"argument {i}")
        start += argument.num_leaves
    return names


def _trees(lowered):
    """Describes the trees of arguments and results, as tenon_runtime/_trees.py reads them."""
    kept = sorted(lowered._lowering.compile_args["kept_var_idx"])
    numbers = {argument: i for i, argument in enumerate(kept)}
    leaves = [numbers.get(i, -1) for i in range(lowered.in_tree.num_leaves)]
    args, kwargs = _describe(lowered.in_tree, leaves)["tuple"]
    return {"args": args, "kwargs": kwargs,
            "result": _describe(lowered.out_tree, list(range(lowered.out_tree.num_leaves)))}


def _describe(tree, leaves):
    data = tree.node_data()
    if data is None:
        return leaves[0] if tree.num_leaves else None
    kind, parts, start = data[0], [], 0
    for child in tree.children():
        parts.append(_describe(child, leaves[start:start + child.num_leaves]))
        start += child.num_leaves
    if kind is type(None):
        return None
    if kind in (tuple, list):
        return {kind.__name__: parts}
    names = _names(tree)
    if issubclass(kind, dict) or _has_dict_keys(tree):
        if not all(isinstance(name, (str, int)) for name in names):
            raise TypeError(f"aot.compile: a dict with the keys {names}; "
                            "keys must be texts or integers")
        return {"dict": [list(item) for item in zip(names, parts)]}
    if hasattr(kind, "_fields"):
        return {"namedtuple": kind.__name__, "fields": [list(item) for item in zip(kind._fields, parts)]}
    if any(name is None for name in names):
        raise TypeError(f"aot.compile: the children of {kind.__qualname__} have no names; register "
                        "it with jax.tree_util.register_dataclass or register_pytree_with_keys")
    return {"object": kind.__qualname__, "fields": [list(item) for item in zip(map(str, names), parts)]}


def _keys(tree):
    root = jax.tree.unflatten(tree, range(tree.num_leaves))
    children, _ = jax.tree_util.tree_flatten_with_path(root, is_leaf=lambda node: node is not root)
    return [path[0] for path, _ in children]


def _has_dict_keys(tree):
    """Whether the node is a mapping of a class of its own, as Flax's FrozenDict."""
    keys = _keys(tree)
    return bool(keys) and all(isinstance(key, jax.tree_util.DictKey) for key in keys)


def _names(tree):
    """The key or attribute of each child, or None."""
    keys = _keys(tree)
    return [None if isinstance(key, jax.tree_util.FlattenedIndexKey)
            else getattr(key, "key", getattr(key, "name", None)) for key in keys]
