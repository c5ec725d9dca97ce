#!/usr/bin/env python3
"""Corrects the table by which exceptions find the unwind information of functions.

  fix_unwind_table.py FILE           # an ELF file for 64 bits that lld has linked
  fix_unwind_table.py --check FILE   # exit status 1 if the file needs corrections

LLVM contains empty functions (code that is never reached), which have the same address as the
function behind them. lld writes one entry for each address to .eh_frame_hdr, and takes the first
function's, which covers no byte. An exception that meets the other function ends the process. This
script makes the entry refer to the other function. (GNU ld leaves empty functions out.)
"""
import argparse
import struct
import sys

PC_RELATIVE_SDATA4 = 0x1b
DATA_RELATIVE_SDATA4 = 0x3b
UDATA4 = 0x03


def find_sections(data):
    """The sections: name -> (address, offset in the file, size)."""
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not an ELF file for 64 bits with the lower byte first")
    table, = struct.unpack_from("<Q", data, 0x28)
    entry_size, count, names = struct.unpack_from("<HHH", data, 0x3a)
    headers = [struct.unpack_from("<IIQQQQ", data, table + i * entry_size) for i in range(count)]
    names_at = headers[names][4]
    result = {}
    for name, _, _, address, offset, size in headers:
        begin = names_at + name
        result[bytes(data[begin:data.index(b"\0", begin)]).decode()] = (address, offset, size)
    return result


def check_encoding(data, begin, end):
    """Raises unless the addresses of a CIE's functions are relative and have 4 bytes."""
    text_end = data.index(b"\0", begin + 9, end)
    augmentation = bytes(data[begin + 9:text_end])
    if augmentation[:1] != b"z":
        raise ValueError(f"unwind information with the unknown augmentation {augmentation}")
    at = text_end + 1
    for _ in range(4):   # factors of code and data, return register, length of what follows
        while data[at] & 0x80:
            at += 1
        at += 1
    for letter in augmentation[1:].decode():
        if letter == "R":
            if data[at] != PC_RELATIVE_SDATA4:
                raise ValueError(f"unwind information with addresses of encoding {data[at]:#x}")
            return
        at += {"L": 1, "P": 5, "S": 0, "B": 0}[letter]
    raise ValueError("unwind information with absolute addresses")


def find_functions(data, section):
    """Yields address, size and the address of the unwind information of each function."""
    address, offset, size = section
    at, end = offset, offset + size
    while at < end:
        length, cie = struct.unpack_from("<II", data, at)
        if length == 0:
            return
        if cie == 0:
            check_encoding(data, at, at + 4 + length)
        else:
            relative, code_size = struct.unpack_from("<iI", data, at + 8)
            yield address + at - offset + 8 + relative, code_size, address + at - offset
        at += 4 + length


def correct(data):
    """Corrects the table in the file's bytes; returns the number of changed entries."""
    sections = find_sections(data)
    address, offset, size = sections[".eh_frame_hdr"]
    version, _, count_encoding, encoding = data[offset:offset + 4]
    if (version, count_encoding, encoding) != (1, UDATA4, DATA_RELATIVE_SDATA4):
        raise ValueError("a table of unwind information of an unknown form")
    empty, full = set(), {}
    for function, code_size, information in find_functions(data, sections[".eh_frame"]):
        if code_size == 0:
            empty.add(information)
        else:
            full.setdefault(function, information)
    count, = struct.unpack_from("<I", data, offset + 8)
    if 12 + 8 * count > size:
        raise ValueError("the table of unwind information exceeds its section")
    corrected = 0
    for at in range(offset + 12, offset + 12 + 8 * count, 8):
        function, information = struct.unpack_from("<ii", data, at)
        if address + information in empty and address + function in full:
            struct.pack_into("<i", data, at + 4, full[address + function] - address)
            corrected += 1
    return corrected


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing")
    parser.add_argument("file")
    options = parser.parse_args()
    with open(options.file, "rb") as file:
        data = bytearray(file.read())
    corrected = correct(data)
    if options.check:
        print(f"{options.file}: {corrected} wrong entries")
        return 1 if corrected else 0
    if corrected:
        with open(options.file, "r+b") as file:
            file.write(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
