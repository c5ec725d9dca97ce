"""The programs in Rust and Go that have the network inside."""
import re

import pytest
from example_tools import right

ERRORS = [("1 2 3\n", "line 1: 3 numbers, not 64"), ("x " * 64, "is not a number")]


@pytest.mark.needs("cargo", "cc")
def test_rust_object(run, example, digits):
    folder = example("rust_object")
    run("cargo build --offline --quiet", cwd=folder, timeout=200)
    program = folder / "target" / "debug" / "classify"
    assert right(digits.labels, run(f"{program} < {digits.images}", cwd=folder)) > 0.95
    for text, message in ERRORS:
        assert message in run(str(program), code=1, input=text, cwd=folder)
    (folder / "digits.mlir").unlink()
    assert "digits.mlir is missing" in run("cargo build --offline --quiet", code=101, cwd=folder)


@pytest.mark.needs("go", "cc", "pkg-config")
def test_go_runtime(run, example, digits):
    folder = example("go_runtime")
    run("tenon-compile digits.mlir -o digits.tenon", cwd=folder)
    run("go vet ./... && go build", cwd=folder, timeout=300)
    assert right(digits.labels, run(f"./classify < {digits.images}", cwd=folder)) > 0.95
    assert re.fullmatch(r"\w* f32\[1 64\] -> \w* f32\[1 10\]\n",
                        run("./classify --signature", cwd=folder))
    for text, message in ERRORS:
        assert message in run("./classify", code=1, input=text, cwd=folder)
    (folder / "digits.tenon").write_bytes((folder / "digits.tenon").read_bytes()[:3000])
    run("go build", cwd=folder)
    assert "truncated" in run("./classify", code=1, input="", cwd=folder)
