"""What JAX gives by platform name only, claimed for ours.

All of it is private to JAX and differs between its versions: what a version lacks is left out,
and the feature is missing there. In replacement mode the name `cpu` brings most of it.
"""
import logging

from jax_plugins.tenon import _buffer_callbacks, _callbacks, _ffi, _versions

_logger = logging.getLogger(__name__)

# Linear algebra: JAX's CPU rules call LAPACK kernels of jaxlib through the XLA FFI. Without
# these rules a platform of its own has no rule at all, or one that calls targets of other
# devices.
_LAPACK_PRIMITIVES = frozenset((
    "cholesky", "eig", "eigh", "geqp3", "geqrf", "hessenberg", "householder_product", "lu",
    "ormqr", "schur", "svd", "triangular_solve", "tridiagonal", "tridiagonal_solve"))
# Rules that only hand a Python function to emit_python_callback.
_CALLBACK_PRIMITIVES = frozenset(("check", "debug_callback", "debug_print"))


def silence_experimental_warning(name):
    from jax._src import xla_bridge
    known = getattr(xla_bridge, "_nonexperimental_plugins", None)
    if isinstance(known, set):
        known.add(name)


def register(name, c_api):
    """Claims the features for platform `name` of the plugin `c_api` (a capsule)."""
    _allow_donation(name)
    has_ffi = _pass_on_ffi_handlers(name, c_api)
    if has_ffi:
        _callbacks.install(name)
        _buffer_callbacks.install(name)
    if has_ffi and name != "cpu":
        _copy_cpu_lowerings(name, _LAPACK_PRIMITIVES | _CALLBACK_PRIMITIVES)


def _allow_donation(name):
    from jax._src.interpreters import mlir
    platforms = getattr(mlir, "_platforms_with_donation", None)
    if isinstance(platforms, list) and name not in platforms:
        platforms.append(name)


def _pass_on_ffi_handlers(name, c_api):
    """jax.ffi.register_ffi_target(..., platform=name) reaches the plugin's FFI extension.

    True if there is one. jaxlib's own kernels of another FFI version are left out.
    """
    from jax._src.lib import xla_client
    register = _ffi.make_registrar(c_api)
    if register is None:
        _logger.debug("tenon: the plugin has no FFI extension")
        return False

    replaying = True

    def handler(*args, **kwargs):
        try:
            register(*args, **kwargs)
        except RuntimeError as error:
            if not replaying:
                raise
            _logger.debug("%s", error)

    for target, capsule in _ffi.jaxlib_lapack_handlers():
        handler(target, capsule, name)
    # Replays what was registered before us.
    xla_client.register_custom_call_handler(name, handler)
    replaying = False
    register(_callbacks.TARGET, _callbacks.handler_address(), name)
    return True


def _copy_cpu_lowerings(name, wanted):
    from jax._src.interpreters import mlir
    rules = getattr(mlir, "_platform_specific_lowerings", {})
    for primitive, entry in list(rules.get("cpu", {}).items()):
        if primitive.name in wanted and primitive not in rules.get(name, {}):
            _versions.copy_lowering(primitive, entry, name)
