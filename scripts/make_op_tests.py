#!/usr/bin/env python3
"""Writes tests/ops/<op>.mlir: self-checking programs for every StableHLO operation.

  make_op_tests.py                     # write the files that changed
  make_op_tests.py --check             # exit status 1 if a file is out of date
  make_op_tests.py --types OUT [OPS]   # the type table, operation by type, to a folder

The cases are in scripts/op_tests, one module per family. Expected values come from the formulas and
examples of the specification, or from NumPy, ml_dtypes and SciPy in a wider type, never from a
compiler.
"""
import argparse
import os
import pathlib
import sys

# NumPy has other logarithms for processors with AVX-512. The files must be the same everywhere.
os.environ["NPY_DISABLE_CPU_FEATURES"] = "X86_V4 AVX512_ICL AVX512_SPR"

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    from op_tests import tables
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "tests" / "ops")
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    parser.add_argument("--types", type=pathlib.Path, metavar="OUT",
                        help="write the type table's files to this folder")
    parser.add_argument("ops", nargs="*", help="operations of the type table (default: all)")
    options = parser.parse_args()
    if options.types:
        options.types.mkdir(parents=True, exist_ok=True)
        for op, text in tables.type_files(options.ops):
            (options.types / f"{op}.mlir").write_text(text)
        return 0
    stale = []
    for name, text in tables.form_files():
        path = options.out / f"{name}.mlir"
        if path.exists() and path.read_text() == text:
            continue
        stale.append(path.name)
        if not options.check:
            path.write_text(text)
    print(f"{len(stale)} files {'differ' if options.check else 'written'}", *stale)
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
