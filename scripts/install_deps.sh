#!/bin/bash
# Installs everything Tenon needs to build, test and run: Debian packages (as root or through
# sudo) and a Python environment in .venv with pinned packages from PyPI. This is the only
# list of dependencies: README's commands, .ci/run and developers all use it.
#
#   scripts/install_deps.sh [--no-apt] [--no-python]
#
# Fast if everything is installed. Logs are in build/logs. PYTHON=... selects the interpreter for
# .venv (3.11 or newer; default: python3).
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  # LLVM and MLIR, and the compiler that builds Tenon
  llvm-22-dev libmlir-22-dev mlir-22-tools llvm-22-tools
  clang-22 lld-22 libclang-rt-22-dev clang-format-22 clang-tidy-22
  # dependencies of LLVM's static libraries
  libzstd-dev zlib1g-dev libxml2-dev
  # build
  g++ cmake ninja-build ccache git make pkg-config ca-certificates
  # libraries
  libgtest-dev libgmock-dev libprotozero-dev libcli11-dev nlohmann-json3-dev
  # OpenCL's headers and loader; scripts/install_opencl.sh installs a driver
  opencl-c-headers ocl-icd-libopencl1
  # PoCL, a second driver, and what makes its bitcode from SPIR-V
  pocl-opencl-icd llvm-spirv-15
  # collectives between processes
  libgloo-dev
  # tests of images and objects for other processors
  qemu-user-static libstdc++-12-dev-arm64-cross
  libgcc-12-dev-riscv64-cross libc6-dev-riscv64-cross
  qemu-system-arm gcc-arm-none-eabi libnewlib-arm-none-eabi
  # tests of SPIR-V
  spirv-tools
  # the HTTP server of the examples
  libcpp-httplib-dev libssl-dev libbrotli-dev
  # Python
  python3 python3-venv
)
venv=.venv
logs=build/logs
with_apt=1
with_python=1
for argument in "$@"; do
  case $argument in
    --no-apt) with_apt=0 ;;
    --no-python) with_python=0 ;;
    *) sed -n '2,9s/^# \{0,1\}//p' "$0"; [[ $argument == --help ]]; exit ;;
  esac
done
mkdir -p $logs

# step LOG WORDS... -- COMMAND...: runs the command with its output in the log. Prints one line,
# which counts seconds on a terminal.
step() {
  local log=$logs/$1 words= start=$SECONDS pid
  shift
  while [[ $1 != -- ]]; do words+="$1 "; shift; done
  shift
  [[ -t 1 ]] || echo "deps: $words..."
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  while [[ -t 1 ]] && kill -0 $pid 2>/dev/null; do
    printf '\rdeps: %s... %d s' "$words" $((SECONDS - start))
    sleep 1
  done
  if ! wait $pid; then
    echo; echo "deps: failed: $* (full log: $log)" >&2
    tail -n 20 "$log" >&2
    exit 1
  fi
  if [[ -t 1 ]]; then printf '\r'; fi
  echo "deps: ${words}done in $((SECONDS - start)) s "
}

missing_packages() {
  dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null |
    sed -n 's/ installed$//p' | sort -u |
    comm -23 <(printf '%s\n' "${packages[@]}" | sort -u) -
}

if ((with_apt)); then
  mapfile -t missing < <(missing_packages)
  if ((${#missing[@]})); then
    root=()
    if ((EUID != 0)); then
      command -v sudo >/dev/null || {
        echo "deps: as root or with sudo, please; missing packages: ${missing[*]}" >&2
        exit 1
      }
      sudo -v
      root=(sudo)
    fi
    apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y
         -o Acquire::Retries=5 -o Dpkg::Use-Pty=0)
    step apt_update.log package lists -- "${apt[@]}" update
    step apt_install.log "${#missing[@]} Debian packages" -- \
      "${apt[@]}" install --no-install-recommends "${missing[@]}"
  fi
fi

# The first interpreter that is new enough and can create environments.
find_python() {
  local candidate
  for candidate in ${PYTHON:-} python3 /usr/bin/python3 python3.13 python3.12 python3.11; do
    if "$candidate" -c 'import sys, venv, ensurepip; assert sys.version_info >= (3, 11)' \
        2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  echo "deps: no Python of version 3.11 or newer with the venv module" >&2
  return 1
}

if ((with_python)); then
  stamp=$venv/.requirements.$(cat python/requirements.txt python/constraints.txt |
    sha256sum | cut -c1-16)
  if [[ ! -e $stamp ]] || ! $venv/bin/python -c '' 2>/dev/null; then
    python=$(find_python)
    step venv.log "Python environment ($($python --version))" -- \
      "$python" -m venv --clear "$(readlink -m $venv)"  # it may be a link
    step pip.log Python packages -- $venv/bin/python -m pip install \
      --disable-pip-version-check --no-input --retries 5 \
      -r python/requirements.txt -c python/constraints.txt
    touch "$stamp"
  fi
fi
echo "deps: ready"
