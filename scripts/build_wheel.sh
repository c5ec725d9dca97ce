#!/bin/bash
# Builds the jax-tenon wheel into dist/ and prints its path on the last line. Rebuilds the plugin in
# build/release first.
set -euo pipefail
cd "$(dirname "$0")/.."
log=build/logs/wheel.log
mkdir -p build/logs dist
scripts/build.sh release pjrt_plugin_tenon_cpu tenon_gloo
.venv/bin/python -m build --wheel --no-isolation --outdir dist \
    --config-setting=build-dir=build/release . >"$log" 2>&1 ||
  { tail -n 40 "$log" >&2; exit 1; }
ls -t "$PWD"/dist/*.whl | head -n 1
