#!/bin/bash
# Builds the jax-tenon wheel into dist/ and prints its path last.
set -euo pipefail
cd "$(dirname "$0")/.."
log=build/logs/wheel.log
mkdir -p build/logs dist
echo "wheel: building (log: $log)"
.venv/bin/python -m build --wheel --no-isolation --outdir dist . >"$log" 2>&1 ||
  { tail -n 40 "$log" >&2; exit 1; }
ls -t "$PWD"/dist/*.whl | head -n 1
