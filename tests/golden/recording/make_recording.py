#!/usr/bin/env python3
"""make_recording.py: writes run/ and growing/ beside itself, by docs/recording.md alone: recordings without the space made ahead.

run/ was closed; growing/ is the same run after its first two steps."""
import os
import struct

PHASE, DEVICE_PHASE, REGION, NUMBER, MEMORY, AMOUNT, DIGEST, EVENT = range(1, 9)
MONO, UNIX, MS, NO_STEP = 5_000_000_000, 1795167217_000000000, 1_000_000, -2**63


def crc32c(data, crc=0):
    crc ^= 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def padded(data):
    return data + bytes(-len(data) % 8)


def frame(kind, body):
    body = padded(body)
    word = struct.pack("<I", 8 + len(body) | kind << 24)
    return word + struct.pack("<I", crc32c(body, crc32c(word))) + body


def header():
    text = b"\x89TSCR\r\n\x1a" + struct.pack("<II16siiqqII", 1, 65536, b"token of sixteen", 0, 1, UNIX, MONO, 4711, 1000)
    text = text.ljust(124, b"\0")
    chunk = struct.pack("<III", 0, 0, 0).ljust(24, b"\0")
    return text + struct.pack("<I", crc32c(text)) + struct.pack("<II", 0x4B4E4843, crc32c(chunk)) + chunk


def column(number, kind, name):
    return frame(1, struct.pack("<HBBI", number, kind, len(name), 0) + name.encode())


def cells(values):
    columns = padded(b"".join(struct.pack("<H", column) for column in values))
    return columns + b"".join(struct.pack("<d" if isinstance(v, float) else "<Q", v) for v in values.values())


def step(number, values):
    return frame(2, struct.pack("<qqqHHI", number, MONO + number * 10 * MS, 9 * MS, len(values), 0, 0) + cells(values))


def late(number, values):
    return frame(3, struct.pack("<qHHI", number, len(values), 0, 0) + cells(values))


def region(column, number, at, duration):
    return frame(4, struct.pack("<HHIqqq", column, 0, 0, number, MONO + at, duration))


def event(column, number, at, text):
    return frame(5, struct.pack("<HHIqq", column, 2, len(text), number, MONO + at) + text)


def frames(steps):
    yield header()
    for number, (kind, name) in enumerate([(PHASE, "forward"), (DEVICE_PHASE, "backward"), (REGION, "evaluate"), (NUMBER, "loss"),
                                           (AMOUNT, "tokens"), (DIGEST, "params"), (EVENT, "message")], 1):
        yield column(number, kind, name)
    for i in range(steps):
        if i == 1:
            yield region(3, i, 11 * MS, 3 * MS)
        yield step(i, {1: 4 * MS, 4: 2.5 - i / 4, 5: 512.0, 6: 0xDEADBEEF0000 + i})
        if i >= 1:
            yield late(i - 1, {2: 4 * MS + i})
        if i == 1:
            yield event(7, NO_STEP, 20 * MS, b"saved\n\x1b[31m")


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    end = frame(15, struct.pack("<qQQQII", MONO + 90 * MS, 4, 0, 0, 1, 0))
    for name, steps, tail in (("run", 4, end), ("growing", 2, b"")):
        os.makedirs(os.path.join(here, name), exist_ok=True)
        with open(os.path.join(here, name, "recording.tscope"), "wb") as file:
            file.write(b"".join(frames(steps)) + tail)
        with open(os.path.join(here, name, "run.json"), "w") as file:
            file.write('{"name": "recorded", "config": {"lr": 0.5}, "rank": 0, "world_size": 1}\n')


main()
