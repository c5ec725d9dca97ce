#!/bin/bash
# Builds the wheels into dist/ and prints their paths on the last lines: tenon-runtime, which runs
# .tenon files, and jax-tenon. With --opencl also jax-tenon-opencl, with --cuda also jax-tenon-cuda,
# which come first. Rebuilds the plugins in build/release first.
set -euo pipefail
cd "$(dirname "$0")/.."
log=build/logs/wheel.log
mkdir -p build/logs dist
targets=(pjrt_plugin_tenon_cpu tenon_gloo)
devices=()
for option in "$@"; do
  case $option in
    --opencl | --cuda) devices+=("${option#--}") ;;
    *) echo "usage: $0 [--opencl] [--cuda]" >&2; exit 2 ;;
  esac
done
for device in "${devices[@]}"; do targets+=("pjrt_plugin_tenon_$device"); done
scripts/build.sh release "${targets[@]}"
: >"$log"
wheel() {  # NAME, FOLDER, BUILD FOLDER
  .venv/bin/python -m build --wheel --no-isolation --outdir dist \
      --config-setting=build-dir="$PWD/$3" "$2" >>"$log" 2>&1 ||
    { tail -n 40 "$log" >&2; exit 1; }
  ls -t "$PWD"/dist/"$1"-*.whl | head -n 1
}
for device in "${devices[@]}"; do
  wheel "jax_tenon_$device" "python/tenon_$device" build/release
done
wheel tenon_runtime python/tenon_runtime build/wheel-runtime
wheel jax_tenon . build/release
