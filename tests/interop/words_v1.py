"""Streams of words of docs/sealed.md, made and opened."""
import struct

import zstandard

from format_v1 import Wrong, need

ALL = (1 << 64) - 1


def make_words(payload):
    """Decimals where they give the payload back, differences of order 2, 1 or 0 by length, each mode of a plane once."""
    values = list(struct.unpack(f"<{len(payload) // 8}Q", payload))
    decimals, values = as_decimals(values)
    order = min(2, len(values))
    seeds = values[:1] + ([values[1] - values[0] & ALL] if order == 2 else [])
    steps = [b - a & ALL for a, b in zip(values, values[1:])]
    residual = [b - a & ALL for a, b in zip(steps, steps[1:])] if order == 2 else steps
    base = residual[0] if residual else 0
    offsets = [r - base & ALL for r in residual]
    low = 0
    while any(offsets) and not any(o >> low & 1 for o in offsets):
        low += 1
    offsets = [o >> low for o in offsets]
    planes = max((o.bit_length() + 7 >> 3 for o in offsets), default=0)
    out = struct.pack("<BBBBQ", decimals, order, low, planes, base) + b"".join(struct.pack("<Q", s & ALL) for s in seeds)
    for j in range(planes):
        plane = bytes(o >> 8 * j & 255 for o in offsets)
        small = zstandard.compress(plane)
        if len(set(plane)) == 1:
            out += b"\x00" + plane[:1]
        elif len(small) < len(plane):
            out += b"\x02" + struct.pack("<I", len(small))[:3] + small
        else:
            out += b"\x01" + plane
    return out


def as_decimals(values):
    doubles = [struct.unpack("<d", struct.pack("<Q", v))[0] for v in values]
    if all(abs(d) < 2 ** 20 for d in doubles):
        for decimals in range(10):
            scaled = [round(d * 10 ** decimals) for d in doubles]
            if all(abs(s) <= 1 << 51 for s in scaled) and [word(s, decimals) for s in scaled] == values:
                return decimals, [s & ALL for s in scaled]
    return 255, values


def word(integer, decimals):
    return struct.unpack("<Q", struct.pack("<d", integer / 10 ** decimals))[0]


def open_words(data, length):
    """The words, of so many bytes together, as bytes."""
    n = length // 8
    decimals, order, low, planes, base = struct.unpack_from("<BBBBQ", data)
    need((decimals <= 9 or decimals == 255) and order <= min(2, n) and low < 64 and planes <= 8, "words")
    at = 12
    seeds = struct.unpack_from(f"<{order}Q", data, at)
    at += 8 * order
    m = n - order
    offsets = [0] * m
    for j in range(planes):
        mode, at = data[at], at + 1
        if mode == 0:
            plane, at = data[at:at + 1] * m, at + 1
        elif mode == 1:
            plane, at = data[at:at + m], at + m
        elif mode == 2:
            length = int.from_bytes(data[at:at + 3], "little")
            plane = zstandard.ZstdDecompressor().decompress(data[at + 3:at + 3 + length], max_output_size=m)
            at += 3 + length
        else:
            raise Wrong(f"mode {mode}")
        need(len(plane) == m, "plane")
        offsets = [o + (p << 8 * j) for o, p in zip(offsets, plane)]
    need(at == len(data), "something follows the last plane")
    residual = [(o << low) + base & ALL for o in offsets]
    if order == 0:
        values = residual
    elif order == 1:
        values = [seeds[0]]
        for r in residual:
            values.append(values[-1] + r & ALL)
    else:
        d = seeds[1]
        values = [seeds[0], seeds[0] + d & ALL]
        for r in residual:
            d = d + r & ALL
            values.append(values[-1] + d & ALL)
    if decimals != 255:
        values = [v - (1 << 64) if v >> 63 else v for v in values]
        need(all(abs(v) <= 1 << 51 for v in values), "2^51")
        values = [word(v, decimals) for v in values]
    return struct.pack(f"<{n}Q", *values)
