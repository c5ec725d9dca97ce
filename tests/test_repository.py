"""Rules of the source tree that no compiler checks."""
import os
import pathlib
import re
import subprocess

import plugin_env
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
TENON = ROOT / "tenon"
SOURCES = sorted(p for s in ("*.h", "*.hpp", "*.cc", "*.c", "*.inc", "*.td")
                 for p in TENON.rglob(s))
PLUGIN = plugin_env.default_plugin()


def includes(path):
    return re.findall(r'^#include "(tenon/[^"]+)"', path.read_text(), re.MULTILINE)


def is_test(path):
    return re.search(r"_(test|fuzz|benchmark|benchmark_main)\.cc$|/testing\.h$", str(path))


@pytest.mark.parametrize("folder, forbidden", [
    ("compiler", ("tenon/runtime/", "tenon/pjrt/", "tenon/devices/")),
    ("runtime", ("tenon/compiler/", "tenon/pjrt/", "tenon/devices/")),
    ("executable", ("tenon/compiler/", "tenon/runtime/", "tenon/pjrt/", "tenon/devices/")),
    ("pjrt/c_api", ("tenon/compiler/", "tenon/runtime/", "tenon/pjrt/client/",
                    "tenon/devices/")),
    ("pjrt/interface", ("tenon/compiler/", "tenon/runtime/", "tenon/pjrt/client/")),
    ("base", ("tenon/types/", "tenon/compiler/", "tenon/runtime/", "tenon/pjrt/"))])
def test_folders_do_not_include_each_other(folder, forbidden):
    wrong = [f"{path.relative_to(ROOT)} includes {include}" for path in SOURCES
             if path.is_relative_to(TENON / folder) and not is_test(path)
             for include in includes(path) if include.startswith(forbidden)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("folder", ["runtime", "executable", "ffi", "base", "types", "pjrt"])
def test_no_llvm_or_mlir_outside_the_compiler(folder):
    wrong = [str(path.relative_to(ROOT)) for path in SOURCES
             if path.is_relative_to(TENON / folder)
             and re.search(r'#include "(llvm|mlir)/', path.read_text())]
    assert not wrong, "\n".join(wrong)


def test_targets_are_named_in_their_folders_only():
    # Architectures, extensions, registers, instructions, vendors and models, also in our own names.
    name = re.compile(r"x86|avx|sse\d|amx|aarch64|nvptx|vnni|vpdp|vdpbf|_mm\d*_|immintrin|"
                      r"(?<![a-z])([xyz]mm|neon|sve|arm|intel|amd|zen\d|znver|skylake|haswell|"
                      r"nehalem|sapphire)(?![a-z])", re.IGNORECASE)
    elsewhere = [TENON / "devices", TENON / "compiler" / "targets",
                 TENON / "compiler" / "import" / "xla_options.inc",  # XLA's own names
                 # names that images carry, and how a processor is asked for them
                 TENON / "executable" / "architectures.inc",
                 TENON / "executable" / "x86_features.inc"]
    wrong = []
    for path in SOURCES:
        if is_test(path) or any(path.is_relative_to(place) for place in elsewhere):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            # Compiler builtins are allowed, because __has_builtin guards them.
            if name.search(re.sub(r"__builtin_\w+", "", line)):
                wrong.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    assert not wrong, "\n".join(wrong)


def test_header_guards_are_named_after_their_paths():
    wrong = []
    for path in SOURCES:
        if path.suffix in (".h", ".hpp"):
            guard = re.sub(r"[/.]", "_", str(path.relative_to(ROOT))).upper() + "_"
            if f"#ifndef {guard}\n#define {guard}" not in path.read_text():
                wrong.append(f"{path.relative_to(ROOT)}: {guard}")
    assert not wrong, "\n".join(wrong)


def test_a_source_includes_its_own_header_first():
    wrong = []
    for path in SOURCES:
        own = path.with_suffix(".h")
        if path.suffix == ".cc" and own.exists():
            first = re.search(r'^#include [<"]([^>"]+)', path.read_text(), re.MULTILINE)
            if first and first.group(1) != str(own.relative_to(ROOT)):
                wrong.append(f"{path.relative_to(ROOT)}: {first.group(1)}")
    assert not wrong, "\n".join(wrong)


def test_scripts_parse():
    for path in sorted((ROOT / "scripts").glob("*.sh")) + [ROOT / ".ci" / "run"]:
        subprocess.run(["bash", "-n", path], check=True)
        assert os.access(path, os.X_OK), path


def test_plugin_exports_one_symbol():
    symbols = subprocess.run(["nm", "-D", "--defined-only", PLUGIN], capture_output=True,
                             text=True, check=True).stdout.split("\n")
    names = [line.split()[-1].split("@")[0] for line in symbols if line.strip()]
    assert [n for n in names if n != "TENON"] == ["GetPjrtApi"]


def test_plugin_is_never_unloaded():
    flags = subprocess.run(["readelf", "-d", PLUGIN], capture_output=True, text=True,
                           check=True).stdout
    assert "NODELETE" in flags
    needed = set(re.findall(r"\(NEEDED\).*\[(.*?)\]", flags))
    assert not any("LLVM" in n or "MLIR" in n for n in needed), needed


def test_plugin_is_at_most_70_mb_stripped(tmp_path):
    stripped = tmp_path / "plugin.so"
    subprocess.run(["strip", "-o", stripped, PLUGIN], check=True)
    assert stripped.stat().st_size <= 70e6


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")) + [
    ROOT / "README.md", ROOT / "CONTRIBUTING.md"], ids=lambda p: p.name)
def test_links_in_the_docs_lead_somewhere(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if not target.startswith(("http:", "https:")):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)}: {target}"


def test_every_design_note_is_in_the_list():
    folder = ROOT / "docs" / "design"
    listed = re.findall(r"\]\((\d+-[^)]+)\)", (folder / "README.md").read_text())
    assert listed == sorted(path.name for path in folder.glob("[0-9]*.md"))
