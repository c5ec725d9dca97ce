#!/bin/bash
# Configures build/PRESET if needed and builds targets in it, with progress.
#
#   scripts/build.sh PRESET [TARGET...]     default: all targets
#
# Prints ninja's status line on a terminal, otherwise one line per tenth of the work.
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
  ninja -C "$directory" --quiet -n "$@" >/dev/null  # reports an unknown target before the build
  ninja -C "$directory" "$@"
else
  last=0 all=0
  ninja -C "$directory" "$@" 2>&1 | tee "$log" | while IFS= read -r line; do
    if [[ $line =~ ^\[([0-9]+)/([0-9]+), ]]; then
      failed=
      ((BASH_REMATCH[2] == all)) || last=0  # configuring again counts its own steps
      all=${BASH_REMATCH[2]}
      tenth=$((10 * BASH_REMATCH[1] / all))
      if ((tenth > last)); then
        echo "build: $directory ${BASH_REMATCH[1]} of $all steps, $((SECONDS - start)) s"
        last=$tenth
      fi
    elif [[ $line =~ ^FAILED || $line =~ ^"ninja: error" || $line =~ "CMake Error" ]]; then
      failed=1
    fi
    [[ -z ${failed:-} ]] || printf '%s\n' "$line"
  done
fi
echo "build: $directory up to date ($((SECONDS - start)) s)"
