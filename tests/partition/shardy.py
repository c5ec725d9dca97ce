"""Shardy's passes inside jaxlib, the oracle of these tests, and Tenon's tool beside them."""
import os
import pathlib
import subprocess

os.environ.setdefault("JAX_PLATFORMS", "cpu")

from jax._src.interpreters import mlir as jax_mlir  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402
from jaxlib.mlir.passmanager import PassManager  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
TENON_OPT = pathlib.Path(os.environ.get("TENON_BUILD", ROOT / "build" / "release")) / "bin" / "tenon-opt"
PROGRAMS = ROOT.parent / "shared" / "conformance" / "spmd" / "dumps"

CONTEXT = jax_mlir.make_ir_context()
CONTEXT.allow_unregistered_dialects = True


def parse(text):
    with CONTEXT:
        return ir.Module.parse(text)


def shardy(text, passes):
    """The module after passes of Shardy."""
    module = parse(text)
    with CONTEXT:
        PassManager.parse(f"builtin.module({passes})").run(module.operation)
    return module


def tenon(text, *options):
    """The module after passes of tenon-opt; RuntimeError with its message if it fails."""
    run = subprocess.run([TENON_OPT, *options, "-"], input=text, capture_output=True, text=True,
                         timeout=300)
    if run.returncode:
        raise RuntimeError(run.stderr.strip()[-2000:])
    return parse(run.stdout)


def operations(op):
    """All operations inside `op`, in order."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield inner.operation
                yield from operations(inner.operation)


def tenon_many(texts, *options):
    """The modules after passes of tenon-opt, in one run."""
    separator = "\n// -----\n"
    run = subprocess.run([TENON_OPT, "--split-input-file", *options, "-"],
                         input=separator.join(texts), capture_output=True, text=True, timeout=600)
    if run.returncode:
        raise RuntimeError(run.stderr.strip()[-2000:])
    parts = run.stdout.split("// -----")
    assert len(parts) == len(texts)
    return [parse(part) for part in parts]
