# How lit runs the .mlir tests of tests/ and (through tenon/lit.cfg.py) of tenon/**/test/.
#
#   .venv/bin/lit -v tests tenon [--param build=build/dev]
#
# Tools come from BUILD/bin, FileCheck and not from LLVM. Features: `plugin` if the plugin is
# built, `host-<machine>` for the machine that runs the tests.
import os
import platform
import subprocess

import lit.formats

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = os.path.abspath(lit_config.params.get(
    "build", os.environ.get("TENON_BUILD", os.path.join(root, "build", "release"))))
llvm_bin = subprocess.run(["llvm-config-22", "--bindir"], capture_output=True, text=True,
                          check=True).stdout.strip()
plugin = os.path.join(build, "lib", "pjrt_plugin_tenon_cpu.so")

config.name = "tests"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_exec_root = os.path.join(build, "lit")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(build, "bin"), llvm_bin, os.environ["PATH"]])
config.environment["TENON_KERNEL_CACHE"] = "off"  # tests must generate code
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.available_features.add(f"host-{platform.machine()}")
if os.path.exists(plugin):
    config.available_features.add("plugin")
config.substitutions.append(("%plugin", plugin))
