"""Test programs that JAX writes: a function, its operands, and what it returns in 32 bits on the CPU."""
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np


def constant(array):
    element = {"bfloat16": "bf16", "float16": "f16", "float32": "f32", "uint16": "ui16"}[array.dtype.name]
    kind = f"tensor<{'x'.join(map(str, array.shape))}x{element}>"
    return kind, f'stablehlo.constant dense<"0x{array.tobytes().hex()}"> : {kind}'


def program(function, operands, tolerance):
    """The text of a test that checks all results of function(*operands)."""
    wide = jax.tree.map(lambda x: x.astype(np.float32), operands)
    with jax.default_matmul_precision("highest"):
        expected = jax.tree.leaves(jax.jit(function)(*wide))
    results = jax.tree.leaves(jax.eval_shape(function, *operands))
    expected = [np.asarray(x).astype(r.dtype) for x, r in zip(expected, results)]
    return comparison(function, operands, expected, "expect_almost_eq", f"tolerance = {tolerance} : f64")


def exact_program(function, operands, expected):
    """The text of a test that function(*operands) is equal to `expected`."""
    return comparison(function, operands, expected, "expect_eq", "")


def comparison(function, operands, expected, check, configuration):
    text = jax.jit(function).lower(*operands).as_text().rstrip()
    assert text.endswith("}")
    text = text[:-1].replace("func.func public @main(", "func.func private @of_jax(")
    inputs = [constant(np.asarray(x)) for x in jax.tree.leaves(operands)]
    outputs = [constant(x) for x in expected]

    def returning(name, constants):
        kinds = ", ".join(kind for kind, _ in constants)
        lines = [f"%{i} = {value}" for i, (_, value) in enumerate(constants)]
        values = ", ".join(f"%{i}" for i in range(len(constants)))
        return "\n".join([f"func.func private @{name}() -> ({kinds}) {{", *lines,
                          f"return {values} : {kinds}", "}"])

    def call(result, name, arguments, kinds, returned):
        return (f"%{result}:{len(returned)} = call @{name}({arguments}) : ({', '.join(kinds)}) -> "
                f"({', '.join(returned)})")
    kinds, wanted = [k for k, _ in inputs], [k for k, _ in outputs]
    arguments = ", ".join(f"%x#{i}" for i in range(len(inputs)))
    checks = [f"stablehlo.custom_call @check.{check}(%r#{i}, %e#{i}) {{has_side_effect = true, "
              f"api_version = 4 : i32, backend_config = {{{configuration}}}}} : "
              f"({kind}, {kind}) -> ()" for i, kind in enumerate(wanted)]
    return "\n".join([text, returning("inputs", inputs), returning("expected", outputs),
                      "func.func @main() {", call("x", "inputs", "", [], kinds),
                      call("e", "expected", "", [], wanted), call("r", "of_jax", arguments, kinds, wanted),
                      *checks, "return", "}", "}", ""])


def with_gradient(function):
    def both(cotangent, *operands):
        out, vjp = jax.vjp(function, *operands)
        return out, vjp(cotangent)
    return both


def factorization_programs():
    """Two blocks each, with padding and without."""
    random = np.random.default_rng(0)
    a = random.standard_normal((80, 80)).astype(np.float32)
    b = random.standard_normal((2, 128, 128)).astype(np.float32) / 64 + 2 * np.eye(128, dtype=np.float32)
    x = random.standard_normal((128, 5)).astype(np.float32)

    def lu(a):
        factors, pivots, order = jax.lax.linalg.lu(a)
        return factors, pivots.astype(jnp.float32), order.astype(jnp.float32)

    def solve(b, x):
        return jax.scipy.linalg.solve_triangular(b, x, trans=1)
    programs = [(lu, (a,)), (lu, (a[:, :70],)), (jnp.linalg.cholesky, (b @ b.swapaxes(-1, -2),)),
                (solve, (b[0], x))]
    return "\n// -----\n\n".join(program(*p, 1e-4) for p in programs)


def attention_programs():
    """dot_product_attention and one by hand, with gradients."""
    rng = np.random.default_rng(3)

    def operands(*shape):
        return [jnp.asarray(rng.standard_normal(shape), jnp.bfloat16) for _ in range(4)]

    def causal(q, k, v):
        return jax.nn.dot_product_attention(q, k, v, is_causal=True)

    def by_hand(q, k, v):
        s = jnp.einsum("bhqd,bhkd->bhqk", q, k, preferred_element_type=jnp.float32)
        w = jax.nn.softmax(s * q.shape[-1] ** -0.5, axis=-1).astype(q.dtype)
        return jnp.einsum("bhqk,bhkd->bhqd", w, v)
    programs = [program(with_gradient(causal), operands(2, 160, 3, 32), 0.04),
                program(with_gradient(by_hand), operands(2, 3, 160, 32), 0.04),
                program(causal, operands(2, 160, 3, 64)[:3], 0.03)]
    return "\n// -----\n\n".join(programs)


if __name__ == "__main__":
    print(attention_programs())
