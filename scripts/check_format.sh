#!/bin/bash
# Fails if clang-format would change files, and lists them. --fix formats them.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(git ls-files '*.cc' '*.h' '*.hpp' '*.c')
if [[ ${1:-} == --fix ]]; then
  clang-format-22 -i "${files[@]}"
else
  printf '%s\n' "${files[@]}" | xargs -P 2 -n 20 clang-format-22 --dry-run --Werror
  echo "format: ${#files[@]} files are formatted"
fi
