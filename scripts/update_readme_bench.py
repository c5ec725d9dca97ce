#!/usr/bin/env python3
"""Puts the table of the last `make bench` (build/bench/bench.md) into README.md."""
import pathlib
import re

root = pathlib.Path(__file__).resolve().parent.parent
table = (root / "build" / "bench" / "bench.md").read_text().strip()
readme = root / "README.md"
text, count = re.subn(r"(<!-- bench: [^>]*-->\n).*?(<!-- /bench -->)",
                      lambda m: f"{m.group(1)}\n{table}\n\n{m.group(2)}", readme.read_text(),
                      flags=re.DOTALL)
if count != 1:
    raise SystemExit("README.md has no place for the table")
readme.write_text(text)
