#!/bin/bash
# Runs the plugin under AddressSanitizer and UBSan inside Python: programs of the fuzzer, and a
# sample of about 100 of JAX's own tests if their folder is given.
#
#   scripts/run_sanitized.sh [JAX_TESTS [PYTHON]]    PYTHON: has a pytest older than 9
#
# TENON_PLUGIN is a sanitized plugin (default: builds it in build/asan). PROGRAMS (default 300) is
# the number of programs, SAMPLE (default 1/60) the fraction of the tests.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ -z ${TENON_PLUGIN:-} ]]; then
  scripts/build.sh asan pjrt_plugin_tenon_cpu
  export TENON_PLUGIN=$PWD/build/asan/lib/pjrt_plugin_tenon_cpu.so
fi
runtime=$(clang++-22 -print-file-name=libclang_rt.asan-x86_64.so)
if [[ ! -e $runtime ]]; then
  echo "run_sanitized: clang++-22 has no shared runtime of AddressSanitizer" >&2
  exit 1
fi
# As in run_tests.py. Python does not free everything at its end, and jaxlib is not instrumented.
export ASAN_OPTIONS=detect_container_overflow=0:allow_user_poisoning=0:allocator_may_return_null=1:detect_leaks=0
export UBSAN_OPTIONS=print_stacktrace=1
export ASAN_SYMBOLIZER_PATH=/usr/bin/llvm-symbolizer-22
# The sanitizer runtime looks for the C++ library's functions when it starts.
preload="$runtime $(gcc -print-file-name=libstdc++.so.6)"

echo "== programs of the fuzzer"
LD_PRELOAD=$preload python3 scripts/fuzz.py --count "${PROGRAMS:-300}" --evaluate-every 0
if [[ $# -gt 0 ]]; then
  echo "== JAX's tests"
  LD_PRELOAD=$preload "${2:-python3}" scripts/run_jax_tests.py "$1" --plugin "$TENON_PLUGIN" \
    --files lax_control_flow_test,linalg_test,lax_numpy_indexing_test,random_lax_test,ffi_test,python_callback_test,api_test,export_test,fft_test \
    --sample "${SAMPLE:-1/60}" --timeout 600 --jobs 1 --no-builtin --out build/jax_tests/sanitized.json
fi
