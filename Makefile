# The commands of the project. Each first installs missing packages (scripts/install_deps.sh).
PYTHON := .venv/bin/python
PRESET ?= release
PLUGIN := build/release/lib/pjrt_plugin_tenon_cpu.so
TSAN_TESTS := $(addprefix tenon_,$(addsuffix _test,base transport runtime client c_api pjrt_cpp cpu_device sim_device cuda_device))

.DEFAULT_GOAL := help
.PHONY: help deps plugin demo test wheel dev asan tsan check bench suite wide operations libraries networks clean

help:  ## this list
	@sed -n 's/^\([a-z]*\):[^#]*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 18

deps:  ## install dependencies (Debian packages and .venv)
	@scripts/install_deps.sh

plugin: deps  ## build the plugin; its path is the last line printed
	@scripts/build.sh release pjrt_plugin_tenon_cpu tenon_gloo
	@echo $(CURDIR)/$(PLUGIN)

demo: deps  ## train two models on Tenon and on JAX's built-in CPU, side by side
	@scripts/build.sh release pjrt_plugin_tenon_cpu
	@$(PYTHON) examples/run_demo.py --plugin $(PLUGIN)

test: deps  ## build and run every test; the last line is the total
	@scripts/install_ptxas.sh
	@scripts/install_opencl.sh --optional
	@scripts/build.sh $(PRESET)
	@$(PYTHON) bench/smoke.py --plugin build/$(PRESET)/lib/pjrt_plugin_tenon_cpu.so
	@$(PYTHON) scripts/run_tests.py --build build/$(PRESET)

wheel: deps  ## the wheels jax-tenon and tenon-runtime, in dist/
	@scripts/build_wheel.sh

dev: deps  ## fast build with assertions, in build/dev
	@scripts/build.sh dev

asan: deps  ## C++ tests under AddressSanitizer and UBSan
	@scripts/build.sh asan
	@$(PYTHON) scripts/run_tests.py --build build/asan --only gtest

tsan: deps  ## tests of runtime, client and devices under ThreadSanitizer
	@scripts/build.sh tsan $(TSAN_TESTS)
	@$(PYTHON) scripts/run_tests.py --build build/tsan --only gtest \
	  --filter "^($$(echo $(TSAN_TESTS) | tr ' ' '|'))$$"

check: deps  ## formatting and the fast tests
	@scripts/check_format.sh
	@scripts/build.sh dev
	@$(PYTHON) scripts/run_tests.py --build build/dev --only gtest,lit

bench: deps  ## Tenon against built-in CPU on eleven programs, in build/bench
	@scripts/build.sh release pjrt_plugin_tenon_cpu null_plugin
	@$(PYTHON) bench/bench.py --plugin $(PLUGIN)

suite: deps  ## the whole benchmark suite; updates docs/performance.md
	@scripts/build.sh release pjrt_plugin_tenon_cpu null_plugin
	@$(PYTHON) -m pip install -q -r bench/suite/requirements.txt -c python/constraints.txt || true
	@$(PYTHON) bench/run_suite.py --plugin $(PLUGIN) --null build/release/lib/null_plugin.so \
	  --peers --iree --more --document

wide: deps  ## small programs of tutorials against the built-in CPU; writes docs/wide.md
	@scripts/build.sh release pjrt_plugin_tenon_cpu
	@$(PYTHON) bench/run_wide.py --plugin $(PLUGIN) --document

operations: deps  ## each operation for every type against the built-in CPU; writes docs/operations.md
	@scripts/build.sh release pjrt_plugin_tenon_cpu
	@$(PYTHON) bench/run_wide.py --suite operations --plugin $(PLUGIN) --document

libraries: deps  ## real libraries on JAX against the built-in CPU; writes docs/libraries.md
	@scripts/build.sh release pjrt_plugin_tenon_cpu
	@$(PYTHON) bench/environment.py bench/libraries/requirements.txt build/libraries/venv
	@build/libraries/venv/bin/python bench/run_wide.py --suite libraries --plugin $(PLUGIN) --document

networks: deps  ## whole networks against torch, ONNX Runtime, OpenVINO; writes docs/networks.md
	@scripts/build.sh release pjrt_plugin_tenon_cpu
	@$(PYTHON) bench/run_networks.py --plugin $(PLUGIN) --install --layers --document

clean:  ## remove what was built (not .venv)
	rm -rf build dist
