#!/usr/bin/env python3
"""Small JAX programs, each checked against NumPy: does this jaxlib work with Tenon?

Runs on any JAX from 0.5.3 on with only NumPy (JAX's export needs absl-py and
flatbuffers). The environment selects the platform: JAX_PLATFORMS=tenon,cpu, or
TENON_REPLACE_CPU=1. scripts/test_jaxlibs.py runs it on every supported jaxlib.
"""
import argparse
import pathlib
import re
import sys
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))

import isolated_worker  # noqa: E402
import jax  # noqa: E402
import smoke_language  # noqa: E402
import smoke_machinery  # noqa: E402
import smoke_numerics  # noqa: E402
import smoke_outside  # noqa: E402
import smoke_tools  # noqa: E402


def programs():
    """{name: function} of all programs: a module's functions named `check_...`."""
    modules = (smoke_numerics, smoke_language, smoke_machinery, smoke_outside)
    return {name.removeprefix("check_"): function for module in modules
            for name, function in vars(module).items() if name.startswith("check_")}


def run(name):
    """One program's status (PASS, FAIL or NONE: not applicable) and message."""
    try:
        programs()[name]()
        return {"status": "PASS", "message": ""}
    except smoke_tools.NotApplicable as reason:
        return {"status": "NONE", "message": str(reason)}
    except Exception as error:
        traceback.print_exc()
        return {"status": "FAIL", "message": f"{type(error).__name__}: {error}"[:2000]}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="regular expression on program names")
    parser.add_argument("--ffi-library", type=pathlib.Path,
                        help="tests/clients/ffi_handlers.cc, built with this jaxlib's headers")
    parser.add_argument("--serve", action="store_true",
                        help="answer names of programs (scripts/isolated_worker.py)")
    options = parser.parse_args()
    smoke_tools.ffi_library = options.ffi_library
    if options.serve:
        device = jax.devices()[0]
        isolated_worker.serve(run, programs=list(programs()), jaxlib=jax.lib.__version__,
                              python=sys.version.split()[0],
                              platform=device.platform, version=device.client.platform_version)
    failed = 0
    for name in programs():
        if re.search(options.only, name):
            result = run(name)
            print(result["status"], name, result["message"], flush=True)
            failed += result["status"] == "FAIL"
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
