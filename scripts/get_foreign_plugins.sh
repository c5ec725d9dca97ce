#!/bin/bash
# Fetches the three builds of XLA:CPU as a PJRT plugin that PyPI has, into
# build/foreign_plugins/NAME.so: 190 MB to download, 735 MB on disk. The tests of the C++ client
# and bench/cpp_client use them if they are there.
#
#   scripts/get_foreign_plugins.sh [--from FOLDER]    FOLDER has the wheels, for no network
set -euo pipefail
cd "$(dirname "$0")/.."

wheels=(lammps-jax-pjrt-cpu==0.11.2 fastatomstruct-xla-cpu==2026.6.23 xla-cpu-pjrt==0.0.1)
from=()
if [[ ${1:-} == --from ]]; then
  from=(--no-index --find-links "$2")
elif (($#)); then
  sed -n '2,6s/^# \{0,1\}//p' "$0"; [[ $1 == --help ]]; exit
fi
folder=build/foreign_plugins
mkdir -p $folder
temporary=$(mktemp -d)
trap 'rm -r "$temporary"' EXIT
.venv/bin/python -m pip download -q --disable-pip-version-check --no-deps "${from[@]}" \
  -d "$temporary" "${wheels[@]}"
for wheel in "$temporary"/*.whl; do
  name=$(basename "$wheel" | cut -d- -f1)
  .venv/bin/python - "$wheel" "$folder/$name.so" <<'PYTHON'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    library, = [n for n in wheel.namelist() if n.endswith(".so")]
    with open(sys.argv[2], "wb") as out:
        out.write(wheel.read(library))
PYTHON
  echo "$PWD/$folder/$name.so"
done
