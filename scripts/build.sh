#!/bin/bash
# Configures build/PRESET if needed and builds targets in it, with progress.
#
#   scripts/build.sh PRESET [TARGET...]     no target: everything
#
# On a terminal ninja's one line; elsewhere a line for each tenth of the work.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
directory=build/$preset
log=build/logs/build_$preset.log
mkdir -p build/logs
if [[ ! -e $directory/build.ninja ]]; then
  echo "build: configuring $directory"
  cmake --preset "$preset" >"$log" 2>&1 || { tail -n 40 "$log" >&2; exit 1; }
fi
export NINJA_STATUS="[%f/%t, %e s] "
start=$SECONDS
if [[ -t 1 ]]; then
  ninja -C "$directory" --quiet -n "$@" >/dev/null  # reports a bad target before the long run
  ninja -C "$directory" "$@"
else
  ninja -C "$directory" "$@" 2>&1 | tee "$log" | awk -v directory="$directory" '
    match($0, /^\[[0-9]+\/[0-9]+/) {
      split(substr($0, 2, RLENGTH - 1), n, "/")
      tenth = int(10 * n[1] / n[2])
      if (tenth > last || n[1] == n[2]) {
        printf "build: %s %d of %d\n", directory, n[1], n[2]; fflush(); last = tenth
      }
      failed = 0
    }
    /^FAILED/ { failed = 1 }
    failed { print; fflush() }
    /^ninja: error|CMake Error/ { print; fflush() }'
fi
echo "build: $directory up to date ($((SECONDS - start)) s)"
