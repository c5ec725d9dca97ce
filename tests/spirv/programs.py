"""The programs of tests/ops as functions of their inputs, without the checks."""
import pathlib
import re

OPS = pathlib.Path(__file__).resolve().parents[1] / "ops"
_CHECK = re.compile(r"\n *stablehlo\.custom_call @check\.\w+\((%[\w.#]+)[^\n]*: \((.*)\) -> \(\)")


def _split(types):
    """The types of a list that is separated by commas."""
    result, depth = [""], 0
    for character in types:
        depth += (character in "<(") - (character in ">)")
        if character == "," and depth == 0:
            result.append("")
        else:
            result[-1] += character
    return [t.strip() for t in result if t.strip()]


def _without_checks(text):
    """None for programs that take no inputs in this way, or check nothing."""
    main = re.search(r"func\.func @main\(\) *\{(.*?)\n  \}", text, re.DOTALL)
    if not main:
        return None
    body, arguments = main.group(1), []
    inputs = re.search(r"\n *(%[^=\n]*) = call @inputs\(\) : \(\) -> (.*)\n", body)
    if inputs:
        types = inputs.group(2).strip()
        types = _split(types[1:-1] if types.startswith("(") else types)
        arguments = [f"{name.strip()}: {t}" for name, t in zip(inputs.group(1).split(","), types)]
        body = body[:inputs.start()] + "\n" + body[inputs.end():]
    results = [(check.group(1), _split(check.group(2))[0]) for check in _CHECK.finditer(body)]
    if not results:
        return None
    body = re.sub(r"\n *return *$", "", _CHECK.sub("", body).rstrip())
    names, types = (", ".join(part) for part in zip(*results))
    return (text[:main.start()] + f"func.func @main({', '.join(arguments)}) -> ({types}) {{{body}\n"
            f"    return {names} : {types}\n  }}" + text[main.end():])


def programs(per_file):
    """(name, text) of the first programs of each file."""
    for path in sorted(OPS.glob("*.mlir")):
        modules = [m for m in map(_without_checks,
                                  re.split(r"^// -----$", path.read_text(), flags=re.MULTILINE)) if m]
        for number, text in enumerate(modules[:per_file]):
            yield f"{path.stem}.{number}", text
