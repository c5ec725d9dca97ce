"""Exceptions find the unwind information of all functions (cmake/fix_unwind_table.py)."""
import pathlib
import struct
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
sys.path.insert(0, str(ROOT / "cmake"))
import fix_unwind_table  # noqa: E402
import plugin_env  # noqa: E402

FIRST, SECOND, THIRD = 0x1000, 0x1040, 0x1080


def make_object(sizes):
    """Bytes of an ELF file with the functions (address, size), the table made as lld makes it."""
    hdr_at, frame_at = 0x100, 0x200
    cie = struct.pack("<II", 16, 0) + b"\1zR\0\1\x78\x10\1\x1b\0\0\0"
    frame, table = bytearray(cie), {}
    for address, size in sizes:
        at = frame_at + len(frame)
        frame += struct.pack("<IIiIBBBB", 16, at + 4 - frame_at, address - at - 8, size, 0, 0, 0, 0)
        table.setdefault(address, at)
    frame += bytes(4)
    hdr = struct.pack("<BBBBiI", 1, 0x1b, 3, 0x3b, frame_at - hdr_at - 4, len(table))
    hdr += b"".join(struct.pack("<ii", address - hdr_at, at - hdr_at)
                    for address, at in sorted(table.items()))
    names = b"\0.eh_frame\0.eh_frame_hdr\0.shstrtab\0"
    data = bytearray(0x1000)
    data[:6] = b"\x7fELF\x02\x01"
    data[hdr_at:hdr_at + len(hdr)], data[frame_at:frame_at + len(frame)] = hdr, frame
    data[0x800:0x800 + len(names)] = names
    struct.pack_into("<Q", data, 0x28, 0x900)
    struct.pack_into("<HHH", data, 0x3a, 64, 3, 2)
    for i, (name, at, size) in enumerate([(1, frame_at, len(frame)), (11, hdr_at, len(hdr)),
                                          (25, 0x800, len(names))]):
        struct.pack_into("<IIQQQQ", data, 0x900 + 64 * i, name, 1, 0, at, at, size)
    return data


def find(data, address):
    """The size of the function whose unwind information the table has for the address."""
    begin, count = 0x100, struct.unpack_from("<I", data, 0x108)[0]
    for i in range(count):
        function, information = struct.unpack_from("<ii", data, begin + 12 + 8 * i)
        if begin + function == address:
            return struct.unpack_from("<I", data, begin + information + 12)[0]
    return None


def test_empty_functions_do_not_hide_others():
    data = make_object([(FIRST, 0x40), (SECOND, 0), (SECOND, 0x40), (THIRD, 0)])
    assert find(data, SECOND) == 0
    assert fix_unwind_table.correct(data) == 1
    assert [find(data, at) for at in (FIRST, SECOND, THIRD)] == [0x40, 0x40, 0]
    assert fix_unwind_table.correct(data) == 0


def test_other_forms_are_refused():
    data = make_object([(FIRST, 0x40)])
    data[0x103] = 0x0b
    with pytest.raises(ValueError, match="unknown form"):
        fix_unwind_table.correct(data)


def test_the_plugin_is_corrected():
    run = subprocess.run([sys.executable, ROOT / "cmake" / "fix_unwind_table.py", "--check",
                          plugin_env.default_plugin()], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
