"""The compiler's stages use only earlier stages, and no folders of tenon/ form a cycle.

The test fails if a stage is missing from STAGES, or includes or links a folder that its row does
not name. docs/design/0018-stage-order.md has the reasons. A new edge needs a row and a reason
there.
"""
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
TENON = ROOT / "tenon"

# Folders that the whole compiler may use.
BASE = {"base", "types", "dialects", "compiler/diagnostics_to_status.h",
        "compiler/call_partitioner.h", "compiler/tile_choices.h"}
# The folders that each stage may use besides itself and BASE: folders of tenon/compiler, which must
# be above it in this table, or other folders of tenon/ (by name).
STAGES = {
    # Shared properties of programs and machines.
    "analysis": set(),
    "math": set(),
    "targets": {"executable"},
    # Extensions of device vendors.
    "extension": set(),
    # The stages.
    "import": set(),
    "partition": {"analysis"},
    "legalize": {"analysis", "math"},
    "simplify": {"analysis", "reference"},
    "fusion": {"analysis", "targets"},
    "plan": {"analysis", "targets"},
    "kernels": {"analysis", "targets", "plan"},
    "buffer_assignment": {"analysis", "targets", "kernels", "executable", "ffi"},
    "codegen/elementwise": {"analysis", "math", "targets"},
    "codegen/ir": {"plan"},
    "codegen/contract": {"analysis", "targets", "plan", "codegen/elementwise", "codegen/ir"},
    "codegen/fft": {"targets", "plan", "codegen/elementwise", "codegen/ir"},
    "codegen/linalg": {"analysis", "targets", "plan", "codegen/elementwise", "codegen/ir"},
    "codegen/point": {"analysis", "targets", "plan", "codegen/elementwise", "codegen/ir"},
    "codegen/sort": {"analysis", "targets", "plan", "codegen/elementwise", "codegen/ir",
                     "codegen/point"},
    "codegen/kernel": {"analysis", "targets", "plan", "codegen/elementwise", "codegen/ir",
                       "codegen/contract", "codegen/fft", "codegen/linalg", "codegen/point",
                       "codegen/sort", "executable"},
    "codegen/matrix": {"targets", "codegen/ir"},
    "codegen/grid": {"analysis", "targets", "plan", "codegen/elementwise", "codegen/ir",
                     "codegen/fft", "codegen/linalg", "codegen/point", "codegen/sort",
                     "codegen/kernel", "codegen/matrix", "executable"},
    "codegen/program": {"analysis", "targets", "codegen/elementwise", "codegen/ir", "codegen/point",
                        "codegen/kernel", "executable"},
    "targets/link": {"executable", "format"},
    "cache": set(),
    # Runs all stages.
    "pipeline": {"compiler/compile.h", "analysis", "targets", "extension", "import", "partition",
                 "legalize", "simplify", "fusion", "kernels", "plan", "buffer_assignment",
                 "codegen/contract", "codegen/fft", "codegen/grid", "codegen/ir", "codegen/program",
                 "targets/link", "cache", "reference", "executable"},
    # Generates code that programs with the compiler contain.
    "built_in_code": {"compiler/compile.h", "targets", "pipeline"},
    # Replaces the pipeline's last phase.
    "object": {"compiler/compile.h", "targets", "codegen/ir", "codegen/kernel", "codegen/program",
               "pipeline", "executable", "ffi"},
}


def is_test(path):
    return re.search(r"_(test|fuzz|benchmark|benchmark_main)\.cc$|/testing\.h$", str(path))


def sources(folder):
    return sorted(p for s in ("*.h", "*.cc", "*.c", "*.inc", "*.td") for p in folder.rglob(s)
                  if not is_test(p))


def includes(path):
    return re.findall(r'^#?include "tenon/([^"]+)"', path.read_text(), re.MULTILINE)


def stage_of(path):
    """The stage of `path`, relative to tenon/, or the entry of BASE or a row that it belongs to."""
    parts = pathlib.PurePosixPath(path).parts
    if parts[0] != "compiler":
        return parts[0]
    for length in (3, 2):
        name = "/".join(parts[1:length])
        if name in STAGES and len(parts) > length:
            return name
    return str(path)


def may_use(stage, other):
    return other == stage or other in BASE or other in STAGES[stage]


def libraries():
    """(library, folder relative to tenon/, libraries it links) of every tenon_library."""
    for lists in sorted(TENON.rglob("CMakeLists.txt")):
        text = re.sub(r"#.*", "", lists.read_text())
        for name, rest in re.findall(r"tenon_library\((\w+)([^)]*)\)", text):
            deps = re.search(r"\bDEPS\b([^)]*?)(?=\b(?:TEST_DEPS|TABLEGEN)\b|$)", rest, re.DOTALL)
            yield name, lists.parent.relative_to(TENON), deps.group(1).split() if deps else []


def test_stages_depend_only_on_earlier_stages():
    above = set()
    for stage, used in STAGES.items():
        stages = {name for name in used if (TENON / "compiler" / name).is_dir()}
        assert stages <= above, f"{stage}: {stages - above}"
        above.add(stage)


def test_every_folder_of_the_compiler_is_a_stage():
    folders = {stage_of(p.relative_to(TENON)) for p in sources(TENON / "compiler")}
    front_door = {"compiler/compile.h", "compiler/call_partitioner.h",
                  "compiler/diagnostics_to_status.h", "compiler/diagnostics_to_status.cc",
                  "compiler/tile_choices.h"}
    assert folders - front_door == set(STAGES)


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_includes_only_listed_stages(stage):
    wrong = [f"{path.relative_to(ROOT)} includes {include}"
             for path in sources(TENON / "compiler" / stage)
             if stage_of(path.relative_to(TENON)) == stage
             for include in includes(path) if not may_use(stage, stage_of(include))]
    assert not wrong, "\n".join(wrong)


def test_a_stage_links_only_listed_stages():
    folder_of = {name: folder for name, folder, _ in libraries()}
    folder_of["tenon_diagnostics"] = "compiler/diagnostics_to_status.h"
    wrong = []
    for name, folder, deps in libraries():
        stage = stage_of(folder / "any.cc")
        if stage not in STAGES:
            continue
        for dep in deps:
            used = folder_of.get(dep)
            if used and not may_use(stage, stage_of(f"{used}/any.cc" if "." not in str(used)
                                                    else str(used))):
                wrong.append(f"{name} links {dep}")
    assert not wrong, "\n".join(wrong)


def test_no_folders_form_a_cycle():
    uses = {}
    for path in sources(TENON):
        top = path.relative_to(TENON).parts[0]
        others = {pathlib.PurePosixPath(i).parts[0] for i in includes(path)}
        uses.setdefault(top, set()).update(others - {top})
    while uses:
        leaves = {top for top, others in uses.items() if not others & uses.keys()}
        assert leaves, f"these include each other: { {t: o & uses.keys() for t, o in uses.items()} }"
        for leaf in leaves:
            del uses[leaf]
