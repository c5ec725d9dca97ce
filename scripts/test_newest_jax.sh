#!/bin/bash
# Runs the JAX tests with the newest JAX that a Python can install, in a throw-away environment.
#
#   scripts/test_newest_jax.sh PYTHON [PYTEST-ARGUMENT...]
#
# The plugin is TENON_PLUGIN or build/release. Without arguments: basics, training, memory and
# the package's modes.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -m venv "$folder"
"$folder"/bin/pip install --quiet --disable-pip-version-check jax flax optax pytest
"$folder"/bin/python -c 'import jax, sys; print(f"jax {jax.__version__}, Python {sys.version}")'
if (($# == 0)); then
  set -- tests/jax/test_{basics,training,memory,package}.py
fi
"$folder"/bin/python -m pytest -q -p no:cacheprovider --tb=short -c tests/pytest.ini "$@"
