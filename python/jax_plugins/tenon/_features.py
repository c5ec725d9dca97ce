"""Enables features that JAX grants by platform name.

They use private parts of JAX, which differ between versions. A feature that a version lacks is
skipped. In replacement mode the name `cpu` already enables most of them.
"""
import functools
import logging
import types

from jax_plugins.tenon import _buffer_callbacks, _callbacks, _dlpack, _ffi, _versions

_logger = logging.getLogger(__name__)

# Linear algebra: JAX's CPU rules call LAPACK kernels of jaxlib through the XLA FFI. Without them
# a platform with another name has no rule, or a rule that calls targets of other devices.
_LAPACK_PRIMITIVES = frozenset((
    "cholesky", "eig", "eigh", "geqp3", "geqrf", "hessenberg", "householder_product", "lu",
    "ormqr", "schur", "svd", "triangular_solve", "tridiagonal", "tridiagonal_solve"))
# Sparse matrices, in JAX modules that are imported on first use: jaxlib's kernels, and a callback
# of SciPy's solver.
_SPARSE_PRIMITIVES = frozenset(("bcsr_dot_general", "csr_spmm", "csr_spmv", "spsolve"))
# Primitives whose rules only pass a Python function to emit_python_callback.
_CALLBACK_PRIMITIVES = frozenset(("check", "debug_callback", "debug_print"))


def silence_experimental_warning(name):
    from jax._src import xla_bridge
    known = getattr(xla_bridge, "_nonexperimental_plugins", None)
    if isinstance(known, set):
        known.add(name)


def register(name, c_api):
    """Enables the features for platform `name` of the plugin `c_api` (a capsule)."""
    _allow_donation(name)
    _analyse_cost_of_lowered_programs(name)
    has_ffi = _pass_on_ffi_handlers(name, c_api)
    if has_ffi:
        _callbacks.install(name)
        _buffer_callbacks.install(name)
    if name == "cpu":
        _dlpack.install()
        return
    _use_compilation_cache(name)
    _dlpack.install_export(name)
    if has_ffi:
        _copy_cpu_lowerings(
            name, _LAPACK_PRIMITIVES | _SPARSE_PRIMITIVES | _CALLBACK_PRIMITIVES)


def _allow_donation(name):
    from jax._src.interpreters import mlir
    platforms = getattr(mlir, "_platforms_with_donation", None)
    if isinstance(platforms, list) and name not in platforms:
        platforms.append(name)


def _analyse_cost_of_lowered_programs(name):
    """Enables cost analysis before compilation, which JAX supports only for jaxlib's clients."""
    from jax._src.interpreters import pxla
    original = getattr(getattr(pxla, "MeshComputation", None), "cost_analysis", None)
    if original is None:
        return

    @functools.wraps(original)
    def cost_analysis(self):
        try:
            return original(self)
        except NotImplementedError:
            if self.compile_args["backend"].platform != name:
                raise
            costs = self.compile().cost_analysis()
            return costs[0] if isinstance(costs, list) else costs

    pxla.MeshComputation.cost_analysis = cost_analysis


def _use_compilation_cache(name):
    """Enables the compilation cache, which JAX uses only for a list of platforms."""
    from jax._src import compilation_cache
    original = getattr(compilation_cache, "is_cache_used", None)
    if original is None:
        return

    @functools.wraps(original)
    def is_cache_used(backend):
        if getattr(backend, "platform", None) == name:
            backend = types.SimpleNamespace(platform="cpu",
                                            supports_executable_serialization=True)
        return original(backend)

    compilation_cache.is_cache_used = is_cache_used


def _pass_on_ffi_handlers(name, c_api):
    """Connects jax.ffi.register_ffi_target(..., platform=name) to the plugin's FFI extension.

    Returns whether the plugin has one. Skips jaxlib's kernels of another FFI version.
    """
    from jax._src.lib import xla_client
    try:
        registrar = _ffi.Registrar(c_api)
    except LookupError as error:
        _logger.debug("tenon: %s", error)
        return False

    replaying = True

    def handler(*args, **kwargs):
        try:
            registrar.register_handler(*args, **kwargs)
        except RuntimeError as error:
            if not replaying:
                raise
            _logger.debug("%s", error)

    # Types first: handlers whose stages create states need the ids of the types.
    for function in ("register_custom_type_handler", "register_custom_type_id_handler"):
        if hasattr(xla_client, function):  # depends on the jaxlib version
            getattr(xla_client, function)(name, registrar.register_type)
            break
    for target, capsule in _ffi.jaxlib_handlers():
        handler(target, capsule, name)
    # Registers the targets that were registered before this call.
    xla_client.register_custom_call_handler(name, handler)
    replaying = False
    for target in (_callbacks.TARGET, _callbacks.PARTITIONED_TARGET):
        registrar.register_handler(target, _callbacks.handler_address(), name)
    return True


def _copy_cpu_lowerings(name, wanted):
    """Copies JAX's CPU rules to `name`, including rules that JAX registers later."""
    from jax._src.interpreters import mlir
    rules = getattr(mlir, "_platform_specific_lowerings", {})
    for primitive, entry in list(rules.get("cpu", {}).items()):
        if primitive.name in wanted and primitive not in rules.get(name, {}):
            _versions.copy_lowering(primitive, entry, name)
    original = mlir.register_lowering

    @functools.wraps(original)
    def register_lowering(prim, rule, platform=None, **options):
        result = original(prim, rule, platform=platform, **options)
        if platform == "cpu" and prim.name in wanted:
            original(prim, rule, platform=name, **options)
        return result

    mlir.register_lowering = register_lowering
    from jax.interpreters import mlir as public
    if getattr(public, "register_lowering", None) is original:
        public.register_lowering = register_lowering
