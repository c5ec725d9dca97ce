"""What driver.mjs does, in wasmtime."""
import ctypes
import pathlib
import re
import struct
import sys

import wasmtime

PAINT = 0xA5


class Instance:
    """The module with fresh memory."""

    def __init__(self, engine, module):
        self.store = wasmtime.Store(engine)
        self.exports = wasmtime.Instance(self.store, module, []).exports(self.store)
        self.memory = self.exports["memory"]
        self.end = self.value("__heap_base")
        self.stack_top = self.value("__stack_pointer")

    def value(self, name):
        return self.exports[name].value(self.store)

    def allocate(self, size):
        address = (self.end + 63) & ~63
        self.end = address + size
        lacking = self.end - self.memory.data_len(self.store)
        if lacking > 0:
            self.memory.grow(self.store, -(-lacking // 65536))
        return address

    def write(self, data, address):
        self.memory.write(self.store, bytes(data), address)

    def read(self, address, size):
        return bytes(self.memory.read(self.store, address, address + size))

    def word(self, address):
        return struct.unpack("<I", self.read(address, 4))[0]

    def long(self, address):
        return struct.unpack("<Q", self.read(address, 8))[0]

    def table(self, addresses):
        at = self.allocate(4 * len(addresses))
        self.write(struct.pack(f"<{len(addresses)}I", *addresses), at)
        return at

    def sizes(self, tensors, count):
        """Bytes and aliases of `count` structures tenon_model_tensor."""
        rows = [self.read(tensors + 32 * i + 16, 16) for i in range(count)]
        return [struct.unpack("<Qii", row)[::2] for row in rows]

    def paint(self):
        base = ctypes.addressof(self.memory.data_ptr(self.store).contents)
        ctypes.memset(base, PAINT, self.stack_top)

    def used(self):
        """Bytes of the stack that are no longer painted."""
        stack = self.read(0, self.stack_top)
        return len(stack.lstrip(bytes([PAINT])))


def main():
    programs = re.findall(r"X\((\w+), (\d+)\)", pathlib.Path("programs.h").read_text())
    inputs = pathlib.Path("inputs.bin").read_bytes()
    engine = wasmtime.Engine()
    module = wasmtime.Module.from_file(engine, "batch.wasm")
    results, failed, read = b"", False, 0
    for name, stated in programs:
        code = Instance(engine, module)
        info = code.value(f"{name}_info")
        num_args, num_results, arena_bytes = (code.long(info + 16 + 8 * i) for i in range(3))
        arena = code.allocate(arena_bytes)
        args = []
        for size, _ in code.sizes(code.word(info + 8), num_args):
            args.append(code.allocate(size))
            code.write(inputs[read:read + size], args[-1])
            read += size
        tensors = code.sizes(code.word(info + 12), num_results)
        outs = [args[alias] if alias >= 0 else code.allocate(size) for size, alias in tensors]
        arg_table, out_table = code.table(args), code.table(outs)
        code.paint()
        if code.exports[f"{name}_call"](code.store, 0, arg_table, out_table, arena) != 0:
            failed = True
        if code.used() > int(stated):
            print(f"{name}: {code.used()} bytes of stack used, {stated} stated")
            failed = True
        results += b"".join(code.read(at, size) for at, (size, _) in zip(outs, tensors, strict=True))
    pathlib.Path("results.bin").write_bytes(results)
    return failed


if __name__ == "__main__":
    sys.exit(main())
