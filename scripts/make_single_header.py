#!/usr/bin/env python3
"""Writes the C++ client (tenon/pjrt.hpp and all it includes) as one header.

    scripts/make_single_header.py [OUT]      default: build/tenon_pjrt.hpp

For programs that want a file to copy instead of a package.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'#include "(tenon/[^"]+)"')


def inline(name, seen):
    """The lines of a header in which each header of Tenon is replaced by its lines, once."""
    seen.add(name)
    for line in (ROOT / name).read_text().splitlines():
        include = INCLUDE.fullmatch(line)
        if not include:
            yield line
        elif include.group(1) not in seen:
            yield from inline(include.group(1), seen)


def main():
    if len(sys.argv) > 2 or "--help" in sys.argv:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "tenon_pjrt.hpp")
    lines = ["// One file of Tenon's C++ client, from scripts/make_single_header.py.",
             "// Apache License, Version 2.0; see the LICENSE file of Tenon."]
    out.write_text("\n".join([*lines, *inline("tenon/pjrt.hpp", set())]) + "\n")
    print(f"{out}: {len(out.read_text().splitlines())} lines")


if __name__ == "__main__":
    main()
