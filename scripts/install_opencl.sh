#!/bin/bash
# Installs an OpenCL driver for CPUs that takes SPIR-V, so that the platform tenon_opencl runs and is
# tested on machines without a GPU: Intel's runtime, from PyPI, in an environment of its own.
#
#   scripts/install_opencl.sh [--optional]
#
# With --optional, a failure is an error in continuous integration only (CI is set); elsewhere the
# tests that need the driver are skipped.
# Writes build/opencl: the environment, and vendors/intel.icd. 280 MB to download, 830 MB on disk.
# Fast if it is installed. The tests find it; other programs need
#   export OCL_ICD_VENDORS=$PWD/build/opencl/vendors
# Leave LD_LIBRARY_PATH unset: the driver finds its own libraries, and must not get Debian's TBB.
# The driver is proprietary (Intel EULA for Developer Tools): for tests only, never part of a wheel.
set -euo pipefail
cd "$(dirname "$0")/.."

# The second package has libraries that the first one needs and does not name.
packages=(intel-opencl-rt==2026.2.0 intel-cmplr-lib-rt==2026.2.0 tbb==2023.2.0)
case ${1:-} in
  '') ;;
  --optional)
    if [[ $(uname -m) != x86_64 ]]; then
      echo "opencl: no driver for $(uname -m); its tests will be skipped" >&2; exit
    fi
    if scripts/install_opencl.sh; then exit; fi
    [[ -z ${CI:-} ]] || exit 1
    echo "opencl: not installed; its tests will be skipped" >&2; exit ;;
  *) sed -n '2,13s/^# \{0,1\}//p' "$0"; [[ $1 == --help ]]; exit ;;
esac
folder=build/opencl
stamp=$folder/.installed.$(printf '%s\n' "${packages[@]}" | sha256sum | cut -c1-16)
scripts/install_deps.sh --no-python
if [[ ! -e $stamp ]]; then
  python=python3
  [[ ! -x .venv/bin/python ]] || python=.venv/bin/python
  "$python" -m venv --clear "$folder/venv"
  "$folder/venv/bin/python" -m pip install -q --disable-pip-version-check --no-input --retries 5 \
    "${packages[@]}"
  touch "$stamp"
fi
# The wheel's own file names a folder that does not exist. Written each time, because the checkout
# may have moved.
mkdir -p $folder/vendors
echo "$PWD/$folder/venv/lib/libintelocl.so" >$folder/vendors/intel.icd
echo "opencl: ready; OCL_ICD_VENDORS=$PWD/$folder/vendors"
