#!/bin/bash
# Makes an environment for this example in build/stable_diffusion/venv (1 GB): JAX, Flax, diffusers
# and transformers, from PyPI. Fast if it is there.
#
#   examples/stable_diffusion/install.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
if (($#)); then
  sed -n '2,5s/^# \{0,1\}//p' "$0"; [[ $1 == --help ]]; exit
fi
venv=build/stable_diffusion/venv
requirements=examples/stable_diffusion/requirements.txt
stamp=$venv/.installed.$(cat $requirements python/constraints.txt | sha256sum | cut -c1-16)
scripts/install_deps.sh
if [[ ! -e $stamp ]]; then
  .venv/bin/python -m venv --clear $venv
  $venv/bin/python -m pip install -q --disable-pip-version-check --no-input --retries 5 \
    -r $requirements -c python/constraints.txt
  touch "$stamp"
fi
echo "stable diffusion: ready; $venv/bin/python examples/stable_diffusion/generate.py"
