"""A test case: inputs, the body of a program, and expected results."""
import string
import textwrap

from .values import Value


class Case:
    """One module of a test file.

    `inputs` and `expected` map names of SSA values to Values. In `body`, $name is the tensor type
    of that value; the results have the names of `expected`. Results may differ by `close` units in
    the last place, or by the absolute and relative tolerance `almost`; without either they are
    equal bit by bit. `functions` is text after main. `about` is the element type that the case
    tests (default: that of the first input).
    """

    def __init__(self, name, inputs, body, expected, close=None, almost=None, functions="",
                 about=None):
        self.name, self.body, self.functions = name, body, functions
        self.inputs = {k: v if isinstance(v, Value) else Value(*v) for k, v in inputs.items()}
        self.expected = {k: v if isinstance(v, Value) else Value(*v)
                         for k, v in expected.items()}
        self.close, self.almost = close, almost
        first = next(iter((self.inputs or self.expected).values()))
        self.about = about or first.type

    def check(self, name, value):
        kind, config = "expect_eq", ""
        if self.close is not None:
            kind = "expect_close"
            config = f"max_ulp_difference = {self.close} : i64"
        elif self.almost is not None:
            kind, config = "expect_almost_eq", f"tolerance = {self.almost:.1e} : f64"
        if config:
            config = f", api_version = 4 : i32, backend_config = {{{config}}}"
        return (f"stablehlo.custom_call @check.{kind}(%{name}, %{name}_expected) "
                f"{{has_side_effect = true{config}}} : ({value.tensor}, {value.tensor}) -> ()")

    def text(self):
        values = {**self.inputs, **self.expected}
        types = {name: value.tensor for name, value in values.items()}
        types |= {f"{name}_e": value.type for name, value in values.items()}
        body = string.Template(textwrap.dedent(self.body).strip("\n")).substitute(types)
        lines = [f"module @{self.name} {{"]
        if self.inputs:
            signature = ", ".join(v.tensor for v in self.inputs.values())
            lines += [f"  func.func private @inputs() -> ({signature}) {{"]
            lines += [f"    %{n} = stablehlo.constant {v.constant()}"
                      for n, v in self.inputs.items()]
            names = ", ".join(f"%{n}" for n in self.inputs)
            lines += [f"    return {names} : {signature}", "  }"]
        lines += ["  func.func @main() {"]
        if self.inputs:
            lines += [f"    {names} = call @inputs() : () -> ({signature})"]
        lines += ["    " + line if line else "" for line in body.splitlines()]
        for name, value in self.expected.items():
            lines += [f"    %{name}_expected = stablehlo.constant {value.constant()}"]
        lines += ["    " + self.check(n, v) for n, v in self.expected.items()]
        lines += ["    return", "  }"]
        if self.functions:
            functions = string.Template(self.functions).substitute(types)
            lines += textwrap.indent(textwrap.dedent(functions).strip("\n"), "  ").splitlines()
        return "\n".join(lines + ["}"]) + "\n"


def file_text(header, cases):
    return header + "\n// -----\n\n".join(case.text() for case in cases)
