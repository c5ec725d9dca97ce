"""The suite of libraries: what can be tested without them, and its programs where they exist."""
import importlib.metadata
import pathlib
import re
import subprocess
import sys

import numpy as np
import plugin_env
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import environment  # noqa: E402
import run_wide  # noqa: E402
from wide import agreement, measure, registry, report  # noqa: E402

FOLDER = ROOT / "bench" / "libraries"
DOMAINS = sorted(p for p in FOLDER.glob("*.py") if p.stem != "__init__")
VENV = ROOT / "build" / "libraries" / "venv"


def program_names(path):
    """Names of the programs of a domain, without importing it."""
    return re.findall(r"^@program\((?:.|\n)*?^def (\w+)\(", path.read_text(), re.MULTILINE)


def test_names_are_unique():
    found = [name for path in DOMAINS for name in program_names(path)]
    wide = [name for path in (ROOT / "bench" / "wide").glob("*.py") for name in program_names(path)]
    assert 40 <= len(found) and not set(found) & set(wide)
    assert len(set(found)) == len(found)


def test_every_library_is_pinned():
    pins = run_wide.libraries("libraries")
    assert len(pins) == sum(line.partition("#")[0].strip() != "" for line in
                            (FOLDER / "requirements.txt").read_text().splitlines())
    assert all(re.fullmatch(r"[\w.-]+ [\w.]+", pin) for pin in pins)
    assert f"jax {importlib.metadata.version('jax')}" in pins
    assert run_wide.libraries("wide") == ()


def list_programs(python, path=()):
    return subprocess.run([python, ROOT / "bench" / "run_wide.py", "--suite", "libraries",
                           "--list"], capture_output=True, text=True,
                          env=plugin_env.child(path=path))


def test_a_missing_library_is_named(tmp_path):
    (tmp_path / "diffrax.py").write_text("raise ModuleNotFoundError('no', name='diffrax')\n")
    done = list_programs(sys.executable, [tmp_path])
    assert done.returncode == 1 and not done.stdout
    assert "needs the module diffrax" in done.stderr and "`make libraries`" in done.stderr
    assert "Traceback" not in done.stderr


def test_programs_of_the_environment():
    python = VENV / "bin" / "python"
    if not python.exists():
        pytest.skip("no environment: run `make libraries`")
    done = list_programs(python)
    assert done.returncode == 0, done.stderr
    domains = {path.stem for path in DOMAINS}  # MJX also prints to standard output
    lines = map(str.split, done.stdout.splitlines())
    listed = [words for words in lines if words and words[0] in domains]
    assert listed == [[path.stem, name] for path in DOMAINS for name in program_names(path)]


def test_suites_are_loaded_separately(tmp_path, monkeypatch):
    package = tmp_path / "suite_of_test"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "domain.py").write_text(
        "from wide import registry\n"
        "@registry.program(lambda: (1,), tolerance=1e-3)\n"
        "def a_program_of_the_test(x):\n    return x\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "PROGRAMS", dict(registry.PROGRAMS))
    monkeypatch.setattr(registry, "FOLDER", tmp_path)
    loaded = registry.load("suite_of_test")
    assert list(loaded) == ["a_program_of_the_test"]
    assert loaded["a_program_of_the_test"].tolerance == 1e-3
    assert loaded["a_program_of_the_test"].domain == "domain"
    (package / "another.py").write_text("import a_library_that_nobody_wrote\n")
    with pytest.raises(registry.MissingLibrary, match="a_library_that_nobody_wrote"):
        registry.load("suite_of_test")


def test_initial_arguments_are_made_once_with_32_bit_types():
    import jax
    import jax.numpy as jnp
    calls = []

    @registry.initial
    def make():
        calls.append(0)
        return dict(w=jnp.arange(3) / 2, n=None)
    with jax.enable_x64(True):
        first = jax.jit(lambda: make()["w"])()
    assert len(calls) == 1 and make()["n"] is None and make() is make()
    assert isinstance(make()["w"], np.ndarray) and make()["w"].dtype == np.float32
    np.testing.assert_array_equal(first, [0, 0.5, 1])


def test_tolerance_replaces_the_reference():
    program = registry.Program("p", "d", None, None, tolerance=1e-3)
    builtin = np.linspace(1, 2, 50, dtype=np.float32)

    def complaint(got):
        return agreement.compare(program, [got], [builtin], [builtin])["complaint"]
    assert complaint(builtin + np.float32(1e-3)) is None
    assert "at (0,)" in complaint(builtin + np.float32(4e-3) * (np.arange(50) == 0))


def test_a_program_with_a_tolerance_is_not_evaluated_in_f64(monkeypatch):
    def fail(*_):
        raise AssertionError("no reference is needed")
    monkeypatch.setattr(agreement, "reference", fail)
    monkeypatch.setattr(measure, "SUBJECT", measure.REFERENCE)
    program = registry.Program("p", "d", lambda x: x * 2, lambda: (np.ones(3, np.float32),),
                               tolerance=1e-5)
    row = measure.measure(program, 0, 1, lambda stage: None)
    assert row["complaint"] is None and row["error"] == 0


@pytest.mark.parametrize("suite, title, command", [
    ("wide", "# Wide suite", "`make wide`"), ("libraries", "# Libraries on JAX",
                                              "`make libraries`")])
def test_head_of_the_page(suite, title, command):
    row = dict(program="p", domain="d", error=0, tolerance=1e-6, complaint=None, compile_ms_cpu=2,
               compile_ms_tenon=1)
    context = report.Context("2026-01-01", "cpu", 2, "abc", suite=suite,
                             libraries=run_wide.libraries(suite))
    head, rest = report.markdown([row], context).split("## Losses")
    assert head.startswith(title + "\n") and command in head
    assert ("Versions: " in head and "diffrax 0" in head) == (suite == "libraries")
    assert ("no f64 reference" in rest) == (suite == "libraries")


def test_an_environment_is_made_when_its_requirements_change(tmp_path, monkeypatch):
    calls = []

    def install(command, check):
        calls.append(command)
        venv.mkdir(exist_ok=True)
    monkeypatch.setattr(subprocess, "run", install)
    requirements, venv = tmp_path / "requirements.txt", tmp_path / "venv"
    for text, count in (("a==1\n", 2), ("a==1\n", 2), ("a==2\n", 4)):
        requirements.write_text(text)
        environment.create(requirements, venv)
        assert len(calls) == count


def test_defaults_of_the_command(monkeypatch):
    for suite in ("wide", "libraries"):
        monkeypatch.setattr(sys, "argv", ["run_wide.py", "--suite", suite])
        assert run_wide.parse_arguments().out == ROOT / "build" / suite
