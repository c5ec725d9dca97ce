"""Compares the shardings that Tenon propagates with those of Shardy, op by op."""
import re

import shardy

# Shardy's pipeline up to propagation, without its export.
PROPAGATION = (
    "symbol-dce,sdy-lift-inlined-meshes,sdy-remove-size-one-axes,"
    "sdy-propagate-sharding-from-func-to-call,sdy-constant-or-scalar-splitter,symbol-dce,"
    "sdy-manual-axes-cleanup,sdy-add-data-flow-edges,sdy-flatten-call-graph,symbol-dce,"
    "sdy-import-func-calls{add-data-flow-edges-on-named-computations=true},symbol-dce,"
    "sdy-apply-sharding-constraints,sdy-sharding-group-import,sdy-pre-order-funcs,"
    "sdy-user-priority-propagate,func.func(sdy-sink-data-flow-edges)")

SAME_OP = {"sdy.constant": "stablehlo.constant"}


def split(text):
    """The elements of a list in text, separated by commas outside of brackets."""
    parts, depth, begin = [], 0, 0
    for i, c in enumerate(text):
        depth += c in "[{(<"
        depth -= c in "]})>"
        if c == "," and depth == 0:
            parts.append(text[begin:i].strip())
            begin = i + 1
    parts.append(text[begin:].strip())
    return [part for part in parts if part]


def normal(sharding):
    """A sharding as text; None if it says nothing, as no sharding does."""
    if sharding is None:
        return None
    mesh, dims = re.fullmatch(r"<([^,]*(?:<.*?>)?), (.*)>", sharding).groups()
    if mesh.startswith("@maximal"):
        return mesh
    if re.fullmatch(r"\[(\{\?\}(, )?)*\]", dims):
        return None
    return f"{mesh} {dims}"


def per_value(attribute, count):
    if attribute is None:
        return [None] * count
    text = str(attribute)
    inner = text[text.index("<[") + 2:text.rindex("]>")]
    return [normal(part) for part in split(inner)]


def stripped(attribute):
    text = str(attribute)
    return normal(text[text.index("<"):])


def of_op(op):
    """The shardings of an op: of its results, and of what its body receives."""
    attributes = op.attributes
    if op.name in ("sdy.sharding_constraint", "sdy.reshard"):
        return [stripped(attributes["sharding"])]
    if op.name in ("sdy.manual_computation", "sdy.named_computation"):
        arguments = len(op.regions[0].blocks[0].arguments)
        lists = []
        for name, count in (("in_shardings", arguments), ("out_shardings", len(op.results))):
            lists += per_value(attributes[name] if name in attributes else None, count)
        return lists
    if not len(op.results):
        return []
    return per_value(attributes["sdy.sharding"] if "sdy.sharding" in attributes else None,
                     len(op.results))


def of_function(op):
    """The shardings of a function's arguments and results."""
    shardings = []
    for name, count in (("arg_attrs", len(op.regions[0].blocks[0].arguments)),
                        ("res_attrs", None)):
        if name in op.attributes:
            for entry in op.attributes[name]:
                shardings.append(stripped(entry["sdy.sharding"]) if "sdy.sharding" in entry
                                 else None)
        elif count:
            shardings += [None] * count
    while shardings and shardings[-1] is None:
        shardings.pop()
    return shardings


def main_of(module):
    functions = [op.operation for op in module.body.operations
                 if op.operation.name == "func.func"]
    for op in functions:
        if op.attributes["sym_name"].value == "main":
            return op
    return functions[0]


def differences(ours, theirs):
    """Lines that say where the shardings of two modules differ."""
    a, b = main_of(ours), main_of(theirs)
    wrong = []
    if of_function(a) != of_function(b):
        wrong.append(f"function: {of_function(a)}, not {of_function(b)}")
    left, right = list(shardy.operations(a)), list(shardy.operations(b))
    names = [[SAME_OP.get(op.name, op.name) for op in ops] for ops in (left, right)]
    if names[0] != names[1]:
        for i, (x, y) in enumerate(zip(*names)):
            if x != y:
                return wrong + [f"op {i} is {left[i]}, not {right[i]}"]
        return wrong + [f"{len(left)} ops, not {len(right)}"]
    for x, y in zip(left, right):
        if of_op(x) != of_op(y):
            wrong.append(f"{str(y).splitlines()[0][:300]}: {of_op(x)}, not {of_op(y)}")
    return wrong


def chlo_rules(text):
    """The program with Tenon's rules on chlo ops, which XLA expands before Shardy sees them."""
    if "chlo." not in text:
        return text
    module = shardy.parse(text)
    ruled = shardy.tenon(text, "--populate-sharding-rules")
    for op, same in zip(shardy.operations(module.operation), shardy.operations(ruled.operation),
                        strict=True):
        if op.name.startswith("chlo.") and "sdy.sharding_rule" in same.attributes:
            op.attributes["sdy.sharding_rule"] = same.attributes["sdy.sharding_rule"]
    return str(module)


def boundary_differences(ours, theirs):
    """Where the shardings of arguments and results differ; both are closed."""
    a, b = of_function(main_of(ours)), of_function(main_of(theirs))
    count = max(len(a), len(b))

    def padded(shardings):
        # A closed sharding without axes is what no sharding is.
        shardings = [None if s and "\"" not in s else s for s in shardings]
        return shardings + [None] * (count - len(shardings))
    a, b = padded(a), padded(b)
    return [f"boundary: {x}, not {y}" for x, y in zip(a, b) if x != y]
