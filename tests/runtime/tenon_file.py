"""Reads and rewrites the frame of .tenon files (tenon/format/layout.h), for tests."""
import os
import struct

HEADER = struct.Struct("<8sHHHHIIQ24sQ")
SECTION = struct.Struct("<IIIIQQQQ")
METADATA, CODE, CONSTANTS, DEBUG = 1, 2, 3, 4
MASK = (1 << 64) - 1
P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                      0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)


def xxh64(data):
    def rotate(value, bits):
        return (value << bits | value >> 64 - bits) & MASK

    def step(lane, value):
        return rotate((lane + value * P2) & MASK, 31) * P1 & MASK

    at = 0
    hash = P5
    if len(data) >= 32:
        lanes = [(P1 + P2) & MASK, P2, 0, -P1 & MASK]
        for at in range(0, len(data) - 31, 32):
            lanes = [step(*pair) for pair in zip(lanes, struct.unpack_from("<4Q", data, at))]
        at += 32
        hash = sum(rotate(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            hash = ((hash ^ step(0, lane)) * P1 + P4) & MASK
    hash = (hash + len(data)) & MASK
    while len(data) - at >= 8:
        hash = (rotate(hash ^ step(0, struct.unpack_from("<Q", data, at)[0]), 27) * P1 + P4) & MASK
        at += 8
    if len(data) - at >= 4:
        word = struct.unpack_from("<I", data, at)[0]
        hash = (rotate(hash ^ word * P1 & MASK, 23) * P2 + P3) & MASK
        at += 4
    for byte in data[at:]:
        hash = rotate(hash ^ byte * P5 & MASK, 11) * P1 & MASK
    hash = (hash ^ hash >> 33) * P2 & MASK
    hash = (hash ^ hash >> 29) * P3 & MASK
    return hash ^ hash >> 32


def sections(data):
    """(kind, index, flags, alignment, offset, size, hash, reserved) of each section."""
    count = HEADER.unpack_from(data)[6]
    return [SECTION.unpack_from(data, HEADER.size + SECTION.size * i) for i in range(count)]


def frame(data, table, size, **changes):
    """The header and section table for a file of `size` bytes, with correct checksums."""
    names = ["magic", "major", "minor", "header_bytes", "section_bytes", "abi", "count", "size",
             "reserved", "hash"]
    values = dict(zip(names, HEADER.unpack_from(data)))
    values.update({"count": len(table), "size": size, "hash": 0, **changes})
    rows = b"".join(SECTION.pack(*row) for row in table)
    values["hash"] = xxh64(HEADER.pack(*values.values()) + rows)
    return HEADER.pack(*values.values()) + rows


def enlarge_constants(source, path, size):
    """Writes `source` with `size` more bytes of constants, which take no space on the disk."""
    data = source.read_bytes()
    table = [list(row) for row in sections(data) if row[0] != DEBUG]
    constants = next(row for row in table if row[0] == CONSTANTS)
    assert constants == table[-1]
    constants[5] += size
    end = constants[4] + constants[5]
    with open(path, "wb") as file:
        file.write(data[:constants[4] + constants[5] - size])
        file.truncate(end)
        file.seek(0)
        file.write(frame(data, table, end))
    return os.stat(path).st_size
