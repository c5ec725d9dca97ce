"""Targets of object files, and the shell commands that link and run a batch of programs for each.

tenon_test_objects_main.cc says what is in the folder where such a command runs.
"""
import glob
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
CLANG = "clang-22"
DRIVER = f"-w -O1 -I. {HERE / 'driver.c'} p*.o -o driver"
CORTEX = f"-mthumb -mfloat-abi=hard --specs=rdimon.specs -T board.ld {HERE / 'cortex_m.c'}"
BOARD = "-nographic -monitor none -serial none -semihosting-config enable=on,target=native"


def emulated(triple, qemu):
    return (f"{CLANG} --target={triple} -fuse-ld=lld -static -DWITH_STACK {DRIVER} && {qemu} ./driver",
            [CLANG, "ld.lld-22", qemu.split()[0], f"/usr/lib/gcc-cross/{triple}/*/libgcc.a"])


def x86(cpu):
    return emulated("x86_64-linux-gnu", f"qemu-x86_64-static -cpu {cpu}")[0], \
        ["qemu-x86_64-static", CLANG, "/lib64/ld-linux-x86-64.so.2"]


def board(machine, cpu, code, ram):
    """`code` and `ram`: addresses and sizes of memories."""
    def memory(name, place):
        return "-e 's/@{}@/ORIGIN = {}, LENGTH = {}/'".format(name, *place.split())
    script = f"sed {memory('code', code)} {memory('ram', ram)} {HERE / 'cortex_m.ld'} > board.ld"
    return (f"{script} && arm-none-eabi-gcc -mcpu={cpu} {CORTEX} -DWITH_STACK {DRIVER} -lm 2>/dev/null && "
            f"timeout 120 qemu-system-arm -M {machine} {BOARD} -kernel driver",
            ["arm-none-eabi-gcc", "qemu-system-arm",
             "/usr/lib/arm-none-eabi/newlib/thumb/v7e-m+fp/hard/rdimon-crt0.o"])


def wasm(driver, needs):
    return (f"wasm-ld-22 --no-entry --stack-first -zstack-size=1048576 --export-all --export-memory "
            f"p*.o -o batch.wasm && {driver}", ["wasm-ld-22", needs])


AARCH64 = emulated("aarch64-linux-gnu", "qemu-aarch64-static -cpu max")
RISCV = "qemu-riscv64-static -cpu rv64,v=true,vlen=256,vext_spec=v1.0"

# Name: command and what it needs; options of tenon-test-objects.
TARGETS = {
    "x86-64-v2": (*x86("Nehalem"), ["--target", "x86-64-v2", "--freestanding"]),
    "x86-64-v3": (*x86("Haswell"), ["--target", "x86-64-v3", "--freestanding"]),
    "aarch64": (*AARCH64, ["--target", "aarch64", "--freestanding"]),
    "aarch64-bf16": (*AARCH64, ["--target", "neoverse-v1", "--freestanding"]),
    "riscv64": (*emulated("riscv64-linux-gnu", "qemu-riscv64-static -cpu rv64"),
                ["--target", "riscv64", "--freestanding"]),
    "riscv64-v": (*emulated("riscv64-linux-gnu", RISCV),
                  ["--target", "riscv64", "--features", "+v", "--freestanding"]),
    "wasm32-node": (*wasm(f"node {HERE / 'driver.mjs'}", "node"),
                    ["--target", "wasm32", "--freestanding"]),
    "wasm32-wasmtime": (*wasm(f"{sys.executable} {HERE / 'driver_wasmtime.py'}", "wasmtime"),
                        ["--target", "wasm32", "--freestanding"]),
    "cortex-m4": (*board("mps2-an386", "cortex-m4", "0x00000000 4M", "0x20000000 4M"),
                  ["--target", "cortex-m4", "--batch", "20"]),
    "cortex-m55": (*board("mps3-an547", "cortex-m55", "0x00000000 512K", "0x60000000 16M"),
                   ["--target", "cortex-m55", "--batch", "10"]),
}


def missing(needs):
    """Those of the programs, files and Python modules that are not there."""
    def found(need):
        if need == "wasmtime":
            try:
                import wasmtime  # noqa: F401
            except ImportError:
                return False
            return True
        return glob.glob(need) if need.startswith("/") else shutil.which(need)
    return [need for need in needs if not found(need)]
