#!/usr/bin/env python3
"""Writes docs/coverage.md: which test proves which operation on which element type.

  make_coverage.py             # write it
  make_coverage.py --check     # exit status 1 if the file is out of date

Sources: the type table and the forms of scripts/op_tests (run by tests/ops), and the passing test
programs of StableHLO (tests/conformance/passing.txt; the programs are in ../shared/conformance).
scripts/op_tests/specification.py lists what the specification allows. A combination that it allows
without a test or a reason is an error.
"""
import argparse
import collections
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "coverage.md"
SHORT = {"complex<f32>": "c64", "complex<f64>": "c128", "f4E2M1FN": "f4 E2M1", "f6E2M3FN":
         "f6 E2M3", "f6E3M2FN": "f6 E3M2", "f8E3M4": "f8 E3M4", "f8E4M3": "f8 E4M3",
         "f8E4M3B11FNUZ": "f8 E4M3 B11", "f8E4M3FN": "f8 E4M3 FN", "f8E4M3FNUZ": "f8 E4M3 FNUZ",
         "f8E5M2": "f8 E5M2", "f8E5M2FNUZ": "f8 E5M2 FNUZ", "f8E8M0FNU": "f8 E8M0"}
HEADER = """# Coverage: operation by element type

`scripts/make_coverage.py` writes this page from the tests. `tests/ops/test_coverage.py` fails if
the page is out of date, or if an operation and type that the specification allows statically has
neither a test nor a reason.

| in a cell | the test that proves it |
|---|---|
| T | the type table: `tests/ops/test_types.py` (one case per operation and type, from NumPy and ml_dtypes, on the plugin and on the evaluator) |
| F | forms: `tests/ops/<operation>.mlir`, run by lit |
| a number | the number of StableHLO's own test programs, `tests/conformance` |
| a letter in brackets | not tested, for the reason below the table |
| empty | the specification does not allow it |

The type is that of the operand that an operation computes on. Where the specification and XLA
differ, Tenon follows XLA, as JAX expects: a scatter window that is partly out of bounds is skipped
as a whole, and the words of ThreeFry and Philox have XLA's layout.

"""


def load_cases():
    from op_tests import tables
    proofs = collections.defaultdict(lambda: collections.defaultdict(set))
    for op, cases in tables.type_rows():
        for case in cases:
            proofs[op][case.about].add("T")
    for family in tables.FORMS:
        for op, cases in family.files():
            for case in cases:
                proofs[op][case.about].add("F")
    return proofs


def element_type(value_type):
    match = re.match(r"tensor<(?:[\d?]+x)*(.*?)(?:, .*)?>$", str(value_type))
    return match and match.group(1)


def testdata_counts():
    """{(operation, type): programs that pass and have it}; None if the programs are not here."""
    import run_conformance
    if not run_conformance.DATA.exists():
        return None
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    from jax._src.interpreters import mlir as jax_mlir
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo
    names = set(run_conformance.unpack(run_conformance.DATA)) & set(
        (ROOT / "tests/conformance/passing.txt").read_text().split())
    counts = collections.Counter()
    with jax_mlir.make_ir_context() as context, ir.Location.unknown():
        for name in sorted(names):
            artifact = (run_conformance.WORK / "testdata" / f"{name}.mlir.bc").read_bytes()
            module = stablehlo.deserialize_portable_artifact(context, artifact)
            if not isinstance(module, ir.Module):
                module = ir.Module.parse(module)
            for function in module.body.operations:
                if function.attributes["sym_name"].value not in ("inputs", "expected"):
                    counts.update(set(pairs_of(function)))
    return counts


def pairs_of(operation):
    for region in operation.regions:
        for block in region.blocks:
            for op in block.operations:
                values = list(op.operands) or list(op.results)
                if op.operation.name.startswith("stablehlo.") and values:
                    t = element_type(values[0].type)
                    if t:
                        yield op.operation.name.removeprefix("stablehlo."), t
                yield from pairs_of(op.operation)


def page(counts):
    from op_tests.specification import ALLOWED, REASONS, WITHOUT_TYPES
    from op_tests.values import ALL
    proofs, reasons, missing = load_cases(), {}, []
    lines = ["| operation | " + " | ".join(SHORT.get(t, t) for t in ALL) + " |",
             "|---|" + ":-:|" * len(ALL)]
    for op in sorted(ALLOWED):
        cells = []
        for t in ALL:
            cell = "".join(sorted(proofs[op].get(t, ()), reverse=True))
            if not cell and t in ALLOWED[op]:
                reason = REASONS.get((op, t)) or REASONS.get(op)
                if reason:
                    letter = reasons.setdefault(reason, chr(ord("a") + len(reasons)))
                    cell = f"({letter})"
                else:
                    missing.append((op, t))
            if counts and counts[op, t]:
                cell += f" {counts[op, t]}"
            cells.append(cell.strip())
        name = op
        if any("F" in kinds for kinds in proofs[op].values()):
            name = f"[{op}](../tests/ops/{op}.mlir)"
        lines.append(f"| {name} | {' | '.join(cells)} |")
    missing += [(op, "tokens") for op in WITHOUT_TYPES if not proofs[op]]
    notes = [f"- ({letter}) {reason}." for reason, letter in reasons.items()]
    text = HEADER + "\n".join(lines) + "\n\n" + "\n".join(notes) + "\n" + chlo_section(proofs)
    return text, missing


def chlo_section(proofs):
    from op_tests import chlo
    from op_tests.values import COMPLEX, WIDE_FLOATS
    columns = WIDE_FLOATS + COMPLEX
    lines = ["", "## CHLO", "", "F: `tests/ops/chlo_<operation>.mlir`, composites as JAX sends "
             "them. C: `tests/ops/test_chlo.py`, the operation itself through jaxlib's client.", "",
             "| operation | " + " | ".join(SHORT.get(t, t) for t in columns) + " |",
             "|---|" + ":-:|" * len(columns)]
    runs = set(chlo.UNARY_RUNS)
    names = {op for op, _ in runs} | {op.removeprefix("chlo_") for op in proofs
                                      if op.startswith("chlo_")}
    others = set(chlo.OTHERS) | {f"broadcast_{op}" for op in
                                 (*chlo.BROADCASTS, *chlo.BIT_BROADCASTS)}
    for op in sorted(names - others):
        cells = ["".join(sorted(proofs[f"chlo_{op}"].get(t, ()))) + "C" * ((op, t) in runs)
                 for t in columns]
        lines.append(f"| {op} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n\nOn the types they are for (`tests/ops/test_chlo.py`): " + \
        ", ".join(sorted(others)) + ".\n"


def without_counts(text):
    """The page without the counts of StableHLO's test programs, which may be missing."""
    return re.sub(r" *\d* +(?=\|)", " ", text)


def difference(written):
    """Why the page is out of date, or None."""
    counts = testdata_counts()
    text, missing = page(counts)
    if missing:
        return f"neither a test nor a reason: {missing}"
    same = written == text if counts else without_counts(written) == without_counts(text)
    return None if same else "docs/coverage.md is stale: run scripts/make_coverage.py"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    options = parser.parse_args()
    if options.check:
        message = difference(PAGE.read_text())
        print(message or "docs/coverage.md is up to date")
        return 1 if message else 0
    counts = testdata_counts()
    if counts is None:
        print("the test programs are not here: their numbers would be lost; nothing is written")
        return 1
    text, missing = page(counts)
    if missing:
        print(f"neither a test nor a reason: {missing}")
        return 1
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
