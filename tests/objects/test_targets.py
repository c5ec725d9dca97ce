"""Object files for other processors: op programs run under emulation and pass their checks.

TENON_ALL_OBJECTS=1 takes all programs of tests/ops. A test is skipped where its tools are missing.
"""
import glob
import platform
import shutil
import subprocess

import plugin_env
import pytest
from test_objects import HERE, RUNNER, TOOLS, run_programs

CLANG = "clang-22"
DRIVER = f"-w -O1 -I. {HERE / 'driver.c'} p*.o -o driver"
CORTEX = f"-mthumb -mfloat-abi=hard --specs=rdimon.specs -T board.ld {HERE / 'cortex_m.c'}"
BOARD = "-nographic -monitor none -serial none -semihosting-config enable=on,target=native"


def emulated(triple, qemu):
    return (f"{CLANG} --target={triple} -fuse-ld=lld -static -DWITH_STACK {DRIVER} && {qemu} ./driver",
            [CLANG, "ld.lld-22", qemu.split()[0], f"/usr/lib/gcc-cross/{triple}/*/libgcc.a"])


def board(machine, cpu, bytes):
    script = f"sed 's/LENGTH = 4M/LENGTH = {bytes}/' {HERE / 'cortex_m.ld'} > board.ld"
    return (f"{script} && arm-none-eabi-gcc -mcpu={cpu} {CORTEX} {DRIVER} -lm 2>/dev/null && "
            f"timeout 120 qemu-system-arm -M {machine} {BOARD} -kernel driver",
            ["arm-none-eabi-gcc", "qemu-system-arm",
             "/usr/lib/arm-none-eabi/newlib/thumb/v7e-m+fp/hard/rdimon-crt0.o"])


X86 = emulated("x86_64-linux-gnu", "qemu-x86_64-static -cpu Nehalem")[0]
WASM = (f"wasm-ld-22 --no-entry --export-all --export-memory p*.o -o batch.wasm && "
        f"node {HERE / 'driver.mjs'}", ["wasm-ld-22", "node"])
AARCH64 = emulated("aarch64-linux-gnu", "qemu-aarch64-static -cpu max")
RISCV = "qemu-riscv64-static -cpu rv64,v=true,vlen=256,vext_spec=v1.0"

# Name: command and what it needs; options of tenon-test-objects.
TARGETS = {
    "x86-64-v2": (X86, ["qemu-x86_64-static", CLANG], ["--target", "x86-64-v2", "--freestanding"]),
    "x86-64-v3": (X86.replace("Nehalem", "Haswell"), ["qemu-x86_64-static", CLANG],
                  ["--target", "x86-64-v3", "--freestanding"]),
    "aarch64": (*AARCH64, ["--target", "aarch64", "--freestanding"]),
    "aarch64-bf16": (*AARCH64, ["--target", "neoverse-v1", "--freestanding"]),
    "riscv64": (*emulated("riscv64-linux-gnu", "qemu-riscv64-static -cpu rv64"),
                ["--target", "riscv64", "--freestanding"]),
    "riscv64-v": (*emulated("riscv64-linux-gnu", RISCV),
                  ["--target", "riscv64", "--features", "+v", "--freestanding"]),
    "wasm32": (*WASM, ["--target", "wasm32"]),
    "cortex-m4": (*board("mps2-an386", "cortex-m4", "4M"), ["--target", "cortex-m4", "--batch", "20"]),
    "cortex-m55": (*board("mps3-an547", "cortex-m55", "512K"),
                   ["--target", "cortex-m55", "--batch", "5"]),
}


def require(needs):
    missing = [need for need in needs
               if not (glob.glob(need) if need.startswith("/") else shutil.which(need))]
    if missing or not RUNNER.exists():
        pytest.skip("not found: " + ", ".join(missing or [RUNNER.name]))


@pytest.mark.parametrize("target", TARGETS)
def test_programs_are_right(tmp_path, target):
    run, needs, options = TARGETS[target]
    if target.startswith("x86") and platform.machine() != "x86_64":
        pytest.skip("needs the C library of x86-64")
    require(needs)
    run_programs(tmp_path, run, "--sum-tolerance", 16, *options, every=25)


def test_code_for_a_higher_level_says_so(tmp_path):
    if platform.machine() != "x86_64":
        pytest.skip("needs the C library of x86-64")
    require(["qemu-x86_64-static", CLANG])
    (tmp_path / "main.c").write_text(
        '#include "model.h"\nint main(void) { return model_supported(); }\n')
    (tmp_path / "add.mlir").write_text(ADD)
    for target, cpu, expected in [("x86-64-v3", "Nehalem", 0), ("x86-64-v3", "Haswell", 1),
                                  ("x86-64-v4", "Haswell", 0), ("x86-64-v2", "Nehalem", 1)]:
        subprocess.run([TOOLS / "tenon-compile", "add.mlir", "--emit=object", "-o", "model.o",
                        "--header", "model.h", "--target", target], cwd=tmp_path, check=True,
                       timeout=60)
        subprocess.run([CLANG, "-static", "main.c", "model.o", "-o", "main"], cwd=tmp_path, check=True,
                       timeout=60)
        done = subprocess.run(["qemu-x86_64-static", "-cpu", cpu, "./main"], cwd=tmp_path, timeout=60)
        assert done.returncode == expected, (target, cpu)


def test_the_plugin_has_no_backend_for_objects_only():
    names = subprocess.run(["nm", plugin_env.default_plugin()], capture_output=True, text=True,
                           check=True).stdout
    if "LLVMInitializeX86Target" not in names:
        pytest.skip("the plugin has no symbols")
    assert not any(f"LLVMInitialize{name}Target" in names
                   for name in ("RISCV", "WebAssembly", "ARM"))


ADD = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""

WASM_MAIN = """
import {readFileSync} from 'node:fs';
const {instance: {exports: e}} = await WebAssembly.instantiate(readFileSync('add.wasm'), {});
const base = (e.__heap_base.value + 63) & ~63;
const at = i => new Float32Array(e.memory.buffer, base + 64 * i, 4);
at(0).set([1, 2, 3, 4]);
if (e.add_run(base, base + 64, base + 128) !== 0) process.exit(1);
console.log(at(1).join(' '));
"""


def test_a_webassembly_module(tmp_path):
    require(["wasm-ld-22", "node"])
    (tmp_path / "add.mlir").write_text(ADD)
    subprocess.run([TOOLS / "tenon-compile", "add.mlir", "--emit=wasm", "-o", "add.wasm", "--name",
                    "add", "--target", "wasm32"], cwd=tmp_path, check=True, timeout=60)
    (tmp_path / "main.mjs").write_text(WASM_MAIN)
    done = subprocess.run(["node", "main.mjs"], cwd=tmp_path, capture_output=True, text=True,
                          timeout=60)
    assert (done.returncode, done.stdout) == (0, "2 4 6 8\n"), done.stderr
