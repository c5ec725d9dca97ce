"""Differences of JAX's private functions between versions, from 0.5.3 on."""
import inspect


def ir_type(ctx, aval):
    """The MLIR type of `aval` in the lowering context `ctx`."""
    from jax._src.interpreters import mlir
    return _with_context(ctx, mlir.aval_to_ir_type, aval)


def set_sharding(ctx, op, sharding):
    from jax._src.interpreters import mlir
    return _with_context(ctx, mlir.set_sharding, op, sharding)


def _with_context(ctx, function, *args):
    if next(iter(inspect.signature(function).parameters)) == "ctx":  # since 0.10
        return function(ctx.module_context, *args)
    return function(*args)


def keep_out_of_cache(ctx, callback):
    """Records a host callback, so that JAX's compilation cache skips the program, which refers to
    a function of this process."""
    import jax
    if jax.__version_info__ >= (0, 6):  # jaxlib 0.5 accepts only its own objects
        ctx.module_context.add_host_callback(callback)


def copy_lowering(primitive, entry, platform):
    """Registers another platform's rule of `primitive`, as JAX stores it, for `platform`."""
    from jax._src.interpreters import mlir
    if callable(entry):  # before 0.7: the rule itself
        mlir.register_lowering(primitive, entry, platform=platform)
    else:
        mlir.register_lowering(primitive, entry.rule, platform=platform, inline=entry.inline)
