"""A network on a platform of JAX: `tenon`, or the built-in CPU, `cpu`."""
import time

import jax
import jax.numpy as jnp
import numpy as np

from . import ops, optimisers
from .jax_ops import TYPES, JaxOps


def training_step(program, fixed):
    """step(parameters, state, *inputs) -> (parameters, state, loss); `fixed` are not trained."""
    _, update = optimisers.OPTIMISERS[program.trains]

    def step(parameters, state, *inputs):
        constant = {n: p for n, p in parameters.items() if n in fixed}

        def loss(trained):
            o = JaxOps({**trained, **constant}, train=True)
            return program.function(o, *inputs), o.updates
        trained = {n: p for n, p in parameters.items() if n not in fixed}
        (value, updates), gradients = jax.value_and_grad(loss, has_aux=True)(trained)
        trained, state = update(trained, gradients, state)
        return {**trained, **constant, **updates}, state, value
    return step


class JaxPeer:
    def __init__(self, platform, threads):
        self._device = jax.devices(platform)[0]
        jax.block_until_ready(jax.device_put(1.0, self._device) * 2)

    def _put(self, kind, array, dtype):
        array = JaxOps.lay_out(kind, array)
        if array.dtype == np.float32:
            array = array.astype(TYPES[dtype])
        return jax.device_put(array, self._device)

    def load(self, program, dtype):
        """Returns {"compile_ms", "first_ms"}; then call() runs, `result` is what is compared."""
        shapes, _ = ops.collect(JaxOps, program)
        self._parameters = {name: self._put(kind, ops.make_parameter(name, shape, kind), dtype)
                            for name, (shape, kind) in shapes.items()}
        self._inputs = [self._put(i.kind, i.make(), dtype) for i in program.inputs]
        return self._load_step(program, shapes) if program.trains \
            else self._load_forward(program)

    def _compile(self, function, arguments, donate):
        jitted = jax.jit(function, donate_argnums=donate)
        lowered = jitted.lower(*arguments)
        start = time.perf_counter()
        compiled = lowered.compile()
        return compiled, {"compile_ms": 1e3 * (time.perf_counter() - start)}

    def _load_forward(self, program):
        caches = program.cache_inputs

        def forward(parameters, *inputs):
            return program.function(JaxOps(parameters), *inputs)
        compiled, times = self._compile(forward, (self._parameters, *self._inputs),
                                        [1 + i for i in caches])

        def call():
            out = jax.block_until_ready(compiled(self._parameters, *self._inputs))
            if program.caches:
                for i, new in zip(caches, out[1:], strict=True):
                    self._inputs[i] = new
            return out
        start = time.perf_counter()
        out = call()
        times["first_ms"] = 1e3 * (time.perf_counter() - start)
        first = out[0] if isinstance(out, tuple) else out
        self.result = JaxOps.canonical(program.result, np.asarray(first.astype(jnp.float32)))
        self.call = call
        return times

    def _load_step(self, program, shapes):
        fixed = {n for n, (_, kind) in shapes.items() if kind in ops.NOT_TRAINED}
        make_state, _ = optimisers.OPTIMISERS[program.trains]
        state = jax.device_put(make_state({n: p for n, p in self._parameters.items()
                                           if n not in fixed}), self._device)
        arguments = self._parameters, state, *self._inputs
        self._parameters = None  # they are donated
        compiled, times = self._compile(training_step(program, fixed), arguments, (0, 1))
        held = [arguments]

        def call():
            parameters, state, value = compiled(*held[0])
            held[0] = (parameters, state, *self._inputs)
            jax.block_until_ready((parameters, value))
            return value
        start = time.perf_counter()
        losses = [call()]
        times["first_ms"] = 1e3 * (time.perf_counter() - start)
        self.result = np.array([float(x) for x in (*losses, call(), call())], np.float32)
        self.call = call
        return times
