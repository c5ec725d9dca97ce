"""Trees of arguments and results (JAX's pytrees), described by JSON in the note of a file.

A description is one of

    3                                   leaf: the number of an input or output of the program
    -1                                  an argument that the program does not use
    null                                None
    {"tuple": [...]}, {"list": [...]}
    {"dict": [[key, tree], ...]}        keys are texts or integers
    {"namedtuple": name, "fields": [[name, tree], ...]}
    {"object": name, "fields": [[name, tree], ...]}       a class of the user's, by attributes

Objects are read by their attributes, so instances of the class itself will do, and are returned as
`types.SimpleNamespace`, since the class need not exist here.
"""
import collections
import collections.abc
import types


def flatten(description, value, leaves, path):
    """Puts the leaves of `value` into the dictionary `leaves`, by number.

    `path` says where `value` is, for errors. Raises TypeError if the structure differs.
    """
    if description is None:
        if value is not None:
            raise TypeError(f"{path} must be None, not {_kind(value)}")
    elif isinstance(description, int):
        if value is None:
            raise TypeError(f"{path} must be an array, not None")
        if description >= 0:
            leaves[description] = value, path
    elif "tuple" in description or "list" in description:
        kind = tuple if "tuple" in description else list
        children = description.get("tuple", description.get("list"))
        if not isinstance(value, kind) or len(value) != len(children):
            raise TypeError(f"{path} must be a {kind.__name__} of {len(children)}, not {_kind(value)}")
        for i, child in enumerate(children):
            flatten(child, value[i], leaves, f"{path}[{i}]")
    elif "dict" in description:
        _check_keys(description["dict"], value, path)
        for key, child in description["dict"]:
            flatten(child, value[key], leaves, f"{path}[{key!r}]")
    else:
        for name, child in description["fields"]:
            if not hasattr(value, name):
                kind = description.get("namedtuple") or description["object"]
                raise TypeError(f"{path} must be a {kind}: {_kind(value)} has no attribute {name!r}")
            flatten(child, getattr(value, name), leaves, f"{path}.{name}")


def flatten_keywords(description, keywords, leaves):
    """The same for arguments by keyword."""
    _check_keys(description["dict"], keywords, "the arguments by keyword")
    for name, child in description["dict"]:
        flatten(child, keywords[name], leaves, name)


def unflatten(description, leaves):
    """The tree whose leaf i is leaves[i]."""
    if description is None:
        return None
    if isinstance(description, int):
        return leaves[description]
    if "tuple" in description:
        return tuple(unflatten(child, leaves) for child in description["tuple"])
    if "list" in description:
        return [unflatten(child, leaves) for child in description["list"]]
    if "dict" in description:
        return {key: unflatten(child, leaves) for key, child in description["dict"]}
    fields = {name: unflatten(child, leaves) for name, child in description["fields"]}
    if "namedtuple" in description:
        return collections.namedtuple(description["namedtuple"], list(fields))(**fields)
    return types.SimpleNamespace(**fields)


def without_weights(trees, inputs):
    """The note's trees for a file with weights.

    `inputs` has the number of the input for each parameter that is one; the others are weights.
    """
    args = [_select(tree, inputs) for tree in trees["args"]["tuple"]]
    kept = [i for i, tree in enumerate(args) if tree is not _LEFT_OUT]
    kwargs = _select(trees["kwargs"], inputs)
    return {**trees, "args": {"tuple": [args[i] for i in kept]}, "names": [trees["names"][i] for i in kept],
            "kwargs": {"dict": []} if kwargs is _LEFT_OUT else kwargs}


_LEFT_OUT = object()  # instead of a tree: all of its leaves are weights


def _select(tree, inputs):
    if tree is None or isinstance(tree, int):
        return tree if tree is None or tree < 0 else inputs.get(tree, _LEFT_OUT)
    kind = next(kind for kind in ("tuple", "list", "dict", "fields") if kind in tree)
    if kind in ("tuple", "list"):
        children = [_select(child, inputs) for child in tree[kind]]
        changed = [None if child is _LEFT_OUT else child for child in children]
    else:
        pairs = [(name, _select(child, inputs)) for name, child in tree[kind]]
        children = [child for _, child in pairs]
        changed = [[name, child] for name, child in pairs if child is not _LEFT_OUT]
    if children and all(child is _LEFT_OUT or child == -1 for child in children) and _LEFT_OUT in children:
        return _LEFT_OUT
    return {**tree, kind: changed}


def _check_keys(children, value, path):
    if not isinstance(value, collections.abc.Mapping):
        raise TypeError(f"{path} must be a dict, not {_kind(value)}")
    wanted, given = {key for key, _ in children}, set(value)
    if wanted != given:
        missing, unknown = sorted(map(repr, wanted - given)), sorted(map(repr, given - wanted))
        raise TypeError(f"{path} must be a dict with the keys {sorted(map(repr, wanted))}"
                        + (f"; missing: {', '.join(missing)}" if missing else "")
                        + (f"; unknown: {', '.join(unknown)}" if unknown else ""))


def _kind(value):
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    return "None" if value is None else f"a {type(value).__name__}"
