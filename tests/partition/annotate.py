"""Adds random meshes, shardings, constraints, groups, barriers and manual computations to a program.

A program is text of the fuzzer (tests/fuzz/fuzzer), in which each op begins a line. The same seed
gives the same annotations on every machine.
"""
import re

import numpy as np

MESHES = [{"x": 2}, {"x": 4}, {"x": 8}, {"x": 2, "y": 2}, {"x": 4, "y": 2}, {"x": 2, "y": 4},
          {"x": 2, "y": 3}, {"x": 3, "y": 4}, {"x": 2, "y": 2, "z": 2}, {"x": 2, "y": 3, "z": 2},
          {"x": 6, "y": 2}, {"x": 8, "y": 1}]
TENSOR = r"tensor<(?:\d+x)*(?:complex<\w+>|\w+)>"
ATTRIBUTES = r'( \{(?:[^{}"]|"[^"]*")*\})?'
RESULT = re.compile(r"^(%\w+) = .*-> \(?(" + TENSOR + r")\)?$")
END_OF_REGIONS = re.compile(r"^\}\) : .*-> \(?(" + TENSOR + r")\)?$")


def shape_of(tensor):
    return [int(size) for size in re.findall(r"(\d+)x", tensor)]


class Annotator:
    def __init__(self, seed):
        self.random = np.random.default_rng([seed, 77])
        self.mesh = dict(MESHES[self.random.integers(len(MESHES))])
        self.with_priorities = self.chance(0.2)
        self.names = 0
        self.groups = {}

    def chance(self, p):
        return self.random.random() < p

    def choose(self, items):
        return items[self.random.integers(len(items))]

    def name(self):
        self.names += 1
        return f"%s{self.names}"

    def axes(self, without=()):
        """Disjoint axes and sub-axes, in random order."""
        found = []
        for name, size in self.mesh.items():
            if name in without or self.chance(0.35):
                continue
            factors = [f for f in range(2, size) if size % f == 0]
            if factors and self.chance(0.2):
                f = self.choose(factors)
                parts = [f'"{name}":(1){f}', f'"{name}":({f}){size // f}']
                found.append(parts if self.chance(0.3) else [self.choose(parts)])
            else:
                found.append([f'"{name}"'])
        flat = [part for parts in found for part in parts]
        self.random.shuffle(flat)
        return flat

    def sharding(self, shape, openness=0.5, extra=True, without=()):
        rank = len(shape)
        dims, rest = [[] for _ in range(rank)], []
        for axis in self.axes(without):
            dim = int(self.random.integers(rank)) if rank and not self.chance(0.15) else None
            # Neighbours of one axis must be merged, so that they go to different dimensions.
            if dim is None or any(a.split(":")[0] == axis.split(":")[0] for a in dims[dim]):
                rest.append(axis)
            else:
                dims[dim].append(axis)
        texts = []
        for axes in dims:
            is_open = self.chance(openness)
            priority = ""
            if self.with_priorities and (axes or is_open) and self.chance(0.4):
                priority = f"p{self.random.integers(3)}"
            texts.append("{" + ", ".join(axes + ["?"] * is_open) + "}" + priority)
        text = f"<@mesh, [{', '.join(texts)}]"
        rest = sorted(a for a in rest if ":" not in a)
        if extra and rest and self.chance(0.3):
            text += f", {self.choose(['replicated', 'unreduced'])}={{{', '.join(rest)}}}"
        return text + ">"

    def attribute(self, shape):
        return f"sdy.sharding = #sdy.sharding{self.sharding(shape)}"

    def signature(self, line):
        """Shardings of arguments and results of a function."""
        def add(match):
            tensor, attributes = match.group(2), match.group(3)
            if not self.chance(0.45):
                return match.group(0)
            inner = attributes.strip()[1:-1] + ", " if attributes else ""
            return f"{match.group(1)}{tensor} {{{inner}{self.attribute(shape_of(tensor))}}}"
        head, tail = line.split(") -> (", 1)
        pattern = r"(^|, )(" + TENSOR + ")" + ATTRIBUTES
        head = re.sub(r"(%arg\d+: )(" + TENSOR + ")" + ATTRIBUTES, add, head)
        tail = re.sub(pattern, add, tail) if self.chance(0.4) else tail
        return head + ") -> (" + tail

    def manual(self, value, tensor):
        """A manual computation of `value` over one axis, and the name of its result."""
        # Shardy keeps manual axes of size 1 in the list of replicated axes; Tenon has no such axes.
        axis = self.choose([name for name, size in self.mesh.items() if size > 1])
        size, shape = self.mesh[axis], shape_of(tensor)
        dims = [d for d, n in enumerate(shape) if n % size == 0]
        element = tensor[7:-1].split("x")[-1]
        if not dims or not re.fullmatch(r"f\d+|i\d+|bf16", element):
            return None, []
        dim = self.choose(dims)

        def sharding(dim, is_open):
            parts = [[] for _ in shape]
            if dim is not None:
                parts[dim].append(f'"{axis}"')
            others = [name for name in self.mesh if name != axis and self.chance(0.3)]
            if others and self.chance(0.5):
                parts[self.random.integers(len(parts))].append(f'"{others[0]}"')
            return "<@mesh, [" + ", ".join(
                "{" + ", ".join(p + ["?"] * is_open) + "}" for p in parts) + "]>"
        local = list(shape)
        local[dim] //= size
        inner = f"tensor<{''.join(f'{n}x' for n in local)}{element}>"
        result, argument, body = self.name(), self.name(), self.name()
        lines = [f"{result} = sdy.manual_computation({value}) in_shardings=["
                 f"{sharding(dim, self.chance(.6))}] out_shardings=["
                 f"{sharding(dim, self.chance(.6))}] manual_axes={{\"{axis}\"}} "
                 f"({argument}: {inner}) {{",
                 f"{body} = stablehlo.add {argument}, {argument} : {inner}",
                 f"sdy.return {body} : {inner}", f"}} : ({tensor}) -> {tensor}"]
        return result, lines

    def after(self, value, tensor):
        """Lines to add after the definition of a value, and what later uses see (or None)."""
        shape = shape_of(tensor)
        kind = self.random.random()
        if kind < 0.62:
            name = self.name()
            return ([f"{name} = sdy.sharding_constraint {value} {self.sharding(shape, .3)} : "
                     f"{tensor}"], name if self.chance(0.8) else None)
        if kind < 0.78:
            group = self.groups.setdefault(tensor, len(self.groups))
            return [f"sdy.sharding_group {value} group_id={group} : {tensor}"], None
        if kind < 0.85:
            name = self.name()
            direction = self.choose(["FORWARD", "BACKWARD", "NONE"])
            return ([f"{name} = sdy.propagation_barrier {value} allowed_direction={direction} : "
                     f"{tensor}"], name)
        name, lines = self.manual(value, tensor)
        return lines, name


def annotate(text, seed):
    """The program with annotations."""
    a = Annotator(seed)
    lines, out, pending = text.splitlines(), [], {}
    density = a.choose([0.05, 0.15, 0.3])
    depth, renamed = [], {}
    in_function = 0
    for line in lines:
        line = re.sub(r"%\w+", lambda m: renamed.get(m.group(0), m.group(0)), line)
        if line.startswith("module"):
            out += [line, "sdy.mesh @mesh = <[" + ", ".join(f'"{k}"={v}' for k, v in
                                                            a.mesh.items()) + "]>"]
            continue
        if line.startswith("func.func"):
            in_function += 1
            renamed = {}
            out.append(a.signature(line) if "@main(" in line or a.chance(0.1) else line)
            continue
        out.append(line)
        begin = re.match(r"^(%\w+) = .*\(\{$", line)
        if begin:
            depth.append(begin.group(1))
        elif re.match(r"^.*\(\{$", line) or line.startswith("}, {"):
            depth += [None] if not line.startswith("}") else []
        end, single = END_OF_REGIONS.match(line), RESULT.match(line)
        value = tensor = None
        if line.startswith("})") and depth:
            value = depth.pop()
            tensor = end.group(1) if end else None
        elif single and not line.endswith("({"):
            value, tensor = single.groups()
        if not value or not tensor or not shape_of(tensor) or not a.chance(density):
            continue
        added, name = a.after(value, tensor)
        out += added
        if name:
            renamed = {k: (name if v == value else v) for k, v in renamed.items()}
            renamed[value] = name
    return "\n".join(out) + "\n"
