"""Shrinks a failing program: fewer results, operations, attributes, smaller shapes.

Removing an operation replaces its result (as computed by the built-in CPU) by an argument. Each
step keeps the kind of failure (`differs`, `refused`, `crash`, ...). Candidates run in a separate
process. The result is written as a test that tenon-run --check understands.
"""
import dataclasses
import re

import numpy as np

from . import execute, types
from .builder import dense
from .generate import Program, generate
from .session import Session


class Module:
    """A program's module, to be changed and printed."""

    def __init__(self, program):
        from jax._src.interpreters import mlir
        from jaxlib.mlir import ir
        self.ir, self.program = ir, program
        self.context = mlir.make_ir_context()
        with self.context:
            self.module = ir.Module.parse(program.text)
        self.inputs, self.outputs = list(program.inputs), list(program.outputs)
        self.layouts, self.donated = list(program.layouts), list(program.donated)
        self.main = next(op for op in self.module.body.operations
                         if op.attributes["sym_name"].value == "main")
        self.block = self.main.regions[0].blocks[0]

    @property
    def ops(self):
        return list(self.block.operations)

    def set_results(self, values, outputs):
        terminator = self.ops[-1]
        terminator.operation.erase()
        with self.context, self.ir.Location.unknown(), self.ir.InsertionPoint(self.block):
            self.ir.Operation.create("func.return", operands=list(values))
        self.outputs = list(outputs)

    def results(self):
        return list(self.ops[-1].operands)

    def cut(self, op, values):
        """The operation's results become arguments."""
        with self.context, self.ir.Location.unknown():
            for result, value in zip(list(op.results), values):
                argument = self.block.add_argument(result.type, self.ir.Location.unknown())
                result.replace_all_uses_with(argument)
                self.inputs.append(value)
                self.layouts.append(None)
                self.donated.append(False)
            op.operation.erase()

    def nested(self, op=None):
        """All operations but main's terminator, outermost first."""
        for block in (b for o in ([op] if op else self.module.body.operations)
                      for r in o.regions for b in r.blocks):
            for inner in list(block.operations):
                if not inner.operation.name.endswith("return"):
                    yield inner
                    yield from self.nested(inner)

    def drop_unused(self):
        text = str(self.module)
        for function in list(self.module.body.operations):
            name = function.attributes["sym_name"].value
            if name != "main" and f"call @{name}(" not in text:
                function.operation.erase()
        changed = True
        while changed:
            changed = False
            for op in reversed(list(self.nested())):
                if not any(list(r.uses) for r in op.results):
                    op.operation.erase()
                    changed = True
                    break

    def finished(self, attributes=True):
        """The changed program."""
        ir = self.ir
        self.drop_unused()
        keep = [i for i, a in enumerate(self.block.arguments) if list(a.uses)]
        with self.context, ir.Location.unknown():
            old = self.main.attributes["arg_attrs"] if "arg_attrs" in self.main.attributes else []
            attrs = [old[i] if i < len(old) and attributes else ir.DictAttr.get({}) for i in keep]
            for i in reversed(range(len(self.block.arguments))):
                if i not in keep:
                    self.block.erase_argument(i)
            results = self.results()
            if len(results) != len(self.program.outputs) or not attributes:
                if "res_attrs" in self.main.attributes:
                    del self.main.attributes["res_attrs"]
                attrs = [ir.DictAttr.get({k.name if hasattr(k, "name") else k: a[k]
                                          for k in ("jax.buffer_donor", "mhlo.layout_mode")
                                          if k in a}) if attributes else ir.DictAttr.get({})
                         for a in attrs]
            self.main.attributes["arg_attrs"] = ir.ArrayAttr.get(attrs)
            self.main.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(
                [a.type for a in self.block.arguments], [r.type for r in results]))
        self.module.operation.verify()
        text = self.module.operation.get_asm(print_generic_op_form=True)
        layouts = [self.layouts[i] if "mhlo.layout_mode" in str(a) else None
                   for i, a in zip(keep, attrs)]
        donated = ["buffer_donor" in str(a) or "aliasing" in str(a) for a in attrs]
        return Program(text, [self.inputs[i] for i in keep], self.outputs, layouts, donated,
                       [op.operation.name for op in self.ops])


def computed(program, cpu):
    """The results of each operation of main, from the built-in CPU."""
    module = Module(program)
    values = [r for op in module.ops[:-1] for r in op.results]
    counts = [len(op.results) for op in module.ops[:-1]]
    for key in ("arg_attrs", "res_attrs"):
        if key in module.main.attributes:
            del module.main.attributes[key]
    module.set_results(values, program.outputs)
    ir = module.ir
    with module.context, ir.Location.unknown():
        module.main.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(
            [a.type for a in module.block.arguments], [v.type for v in values]))
    everything = dataclasses.replace(
        program, text=str(module.module), layouts=[None] * len(program.inputs),
        donated=[True] * len(program.inputs))
    results = iter(execute.run(everything, cpu))
    return [[next(results) for _ in range(count)] for count in counts]


def candidates(program, cpu):
    """Smaller programs, boldest first."""
    count = len(program.outputs)
    if count > 1:
        for i in range(count):
            module = Module(program)
            module.set_results([module.results()[i]], [program.outputs[i]])
            yield module.finished
    values = computed(program, cpu)
    for i in reversed(range(len(values))):
        module = Module(program)
        op = module.ops[i]
        if op.operation.name != "stablehlo.constant":
            module.cut(op, values[i])
            yield module.finished
    if "{jax." in program.text or "mhlo." in program.text or "tf." in program.text:
        yield lambda: Module(program).finished(attributes=False)
    names = [op for op in Module(program).nested()]
    for i in range(len(names)):
        module = Module(program)
        op = list(module.nested())[i]
        if op.operation.parent.name not in ("func.func", "stablehlo.while", "stablehlo.if",
                                            "stablehlo.case"):
            continue   # a combiner stays one
        for j, result in enumerate(op.results):
            for k, operand in enumerate(op.operands):
                if operand.type == result.type and len(op.results) == 1:
                    def replaced(i=i, j=j, k=k):
                        m = Module(program)
                        o = list(m.nested())[i]
                        o.results[j].replace_all_uses_with(o.operands[k])
                        return m.finished()
                    yield replaced
    yield from smaller_shapes(program)


def smaller_shapes(program):
    """One extent made smaller wherever it occurs, in types and array attributes."""
    sizes = {int(s) for t in re.findall(r"tensor<([\dx]+)x", program.text)
             for s in t.split("x") if s}
    for size in sorted(sizes, reverse=True):
        for new in (1, 2, 3, size // 4, size // 2, size - 1):
            if not 0 < new < size:
                continue

            def shrunk(size=size, new=new):
                text = re.sub(r"(?<=[<x])%d(?=x)" % size, str(new), program.text)
                text = re.sub(r"(?<=[ \[])%d(?=[,>\]])" % size, str(new), text)
                inputs = [x[tuple(slice(0, new if s == size else s) for s in x.shape)]
                          for x in program.inputs]
                small = dataclasses.replace(program, text=text, inputs=inputs)
                return Module(small).finished()
            yield shrunk


def shrink(program, session, cpu, say=print):
    status, message = session.ask_program(program)
    say(f"{status}: {message}")
    if status in ("ok", "skipped", "generator"):
        return program, status, message
    progress = True
    while progress:
        progress = False
        steps = candidates(program, cpu)
        while True:
            try:
                step = next(steps)
                small = step()
            except StopIteration:
                break
            except Exception:   # no valid program
                continue
            if weight(small) >= weight(program):
                continue
            now, why = session.ask_program(small)
            if now == status:
                program, message, progress = small, why, True
                say(f"  {len(program.ops)} operations, {len(program.text)} characters: {why[:150]}")
                break
    return program, status, message


def weight(program):
    return (len(program.outputs), program.text.count("stablehlo."),
            sum(x.size for x in program.inputs), len(program.text))


def write_test(program, path, title, cpu):
    """The program as a file for tenon-run --check: main calls it with the results of @inputs and
    compares with what the built-in CPU computes."""
    module = Module(program)
    expected = execute.run(program, cpu)
    with module.context:
        for key in ("arg_attrs", "res_attrs"):
            if key in module.main.attributes:
                del module.main.attributes[key]
        module.main.attributes["sym_name"] = module.ir.StringAttr.get("program")
        module.main.attributes["sym_visibility"] = module.ir.StringAttr.get("private")
    functions = [str(op) for op in module.module.body.operations]
    kinds = [types.BY_NAME_OF_DTYPE[x.dtype.name] for x in program.inputs]
    shapes = [types.tensor(x.shape, etype) for x, etype in zip(program.inputs, kinds)]
    results = [types.tensor(x.shape, etype) for x, (etype, _) in zip(expected, program.outputs)]
    lines = [f"// {title}", "// REQUIRES: plugin", "// RUN: tenon-run --check %s -p %plugin -q",
             "// RUN: tenon-run --check %s --reference -q", "func.func @main() {"]
    if shapes:
        lines.append(f"  %in{many(shapes)} = call @inputs() : () -> ({', '.join(shapes)})")
    lines.append(f"  %out{many(results)} = call @program({', '.join(names('%in', shapes))}) : "
                 f"({', '.join(shapes)}) -> ({', '.join(results)})")
    for name, x, kind, (etype, value_range) in zip(names("%out", results), expected, results,
                                          program.outputs):
        check = "expect_eq" if value_range.exact or not etype.is_inexact else "expect_almost_eq"
        want = f"%want_{name[1:].replace('#', '')}"
        lines += [f"  {want} = stablehlo.constant {dense(x, etype)}",
                  f"  stablehlo.custom_call @check.{check}({name}, {want}) "
                  f"{{has_side_effect = true}} : ({kind}, {kind}) -> ()"]
    lines += ["  return", "}"]
    if shapes:
        lines.append(f"func.func private @inputs() -> ({', '.join(shapes)}) {{")
        lines += [f"  %{i} = stablehlo.constant {dense(x, etype)}"
                  for i, (x, etype) in enumerate(zip(program.inputs, kinds))]
        values = ", ".join(f"%{i}" for i in range(len(shapes)))
        lines += [f"  return {values} : {', '.join(shapes)}", "}"]
    path.write_text("\n".join(lines + functions) + "\n")


def many(items):
    return f":{len(items)}" if len(items) > 1 else ""


def names(value, items):
    return [value] if len(items) == 1 else [f"{value}#{i}" for i in range(len(items))]


def shrink_seed(options):
    _, cpu = execute.start(options.plugin)
    program, status, message = shrink(generate(options.seed, options.kind), Session(options), cpu)
    print(program.text)
    for x in program.inputs:
        print(np.array2string(np.asarray(x).ravel(), threshold=40))
    print(f"{status}: {message}")
    if status != "ok" and str(options.shrink) != "-":
        write_test(program, options.shrink, "Found by scripts/fuzz.py: TITLE.", cpu)
    return 0
