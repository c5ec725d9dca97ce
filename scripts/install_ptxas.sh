#!/bin/bash
# Installs ptxas, the assembler of PTX, into build/ptxas, from PyPI. Tests assemble generated
# PTX with it; building and running Tenon do not need it. NVIDIA's licence is its own.
#
#   scripts/install_ptxas.sh            # prints the program's path
#
# The version goes with driver 580. Without a network, tests that need ptxas are skipped;
# in continuous integration (CI is set) that is an error.
set -euo pipefail
cd "$(dirname "$0")/.."

version=13.0.88
folder=build/ptxas/$version
program=$folder/nvidia/cu13/bin/ptxas
if [[ ! -x $program ]]; then
  mkdir -p build/logs
  if ! .venv/bin/python -m pip install --disable-pip-version-check --no-input --quiet --no-deps \
      --target "$folder.part" "nvidia-cuda-nvcc==$version" >build/logs/ptxas.log 2>&1; then
    rm -rf "$folder.part"
    echo "ptxas: not installed (log: build/logs/ptxas.log); its tests will be skipped" >&2
    [[ -z ${CI:-} ]]
    exit
  fi
  chmod +x "$folder.part/nvidia/cu13/bin/ptxas"
  rm -rf "$folder"
  mv "$folder.part" "$folder"
fi
echo "$program"
