"""recording.py - an independent parser and builder of recording files, written from docs/recording.md with struct alone."""
import struct

CHUNK, FILE_HEADER, CHUNK_HEADER = 65536, 128, 32
MAGIC, CHUNK_MAGIC = b"\x89TSCR\r\n\x1a", 0x4B4E4843
NO_STEP = -(1 << 63)
COLUMN, STEP, LATE, REGION, EVENT, DIGEST, END = 1, 2, 3, 4, 5, 6, 15
KINDS = ["", "phase", "device_phase", "region", "number", "memory", "amount", "digest", "event"]


def _table():
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        yield byte


TABLE = list(_table())


def crc32c(data, crc=0):
    crc ^= 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def pad(data):
    return data + bytes(-len(data) % 8)


# Builder.

def frame(kind, body):
    body = pad(body)
    word = struct.pack("<I", len(body) + 8 | kind << 24)
    return word + struct.pack("<I", crc32c(word + body)) + body


def file_header(token, rank, world, unix_ns, mono_ns, process, flush_ms):
    head = MAGIC + struct.pack("<II16siiqqII", 1, CHUNK, token, rank, world, unix_ns, mono_ns, process, flush_ms)
    head += bytes(124 - len(head))
    return head + struct.pack("<I", crc32c(head))


def chunk(number, lane, ordinal, frames, before=b""):
    rest = struct.pack("<III12x", number, lane, ordinal)
    data = before + struct.pack("<II", CHUNK_MAGIC, crc32c(rest)) + rest + b"".join(frames)
    assert len(data) <= CHUNK
    return data + bytes(CHUNK - len(data))


def cells(pairs):
    """pairs: (column, 8 bytes of its value)."""
    return pad(b"".join(struct.pack("<H", c) for c, _ in pairs)) + b"".join(v for _, v in pairs)


def column(number, kind, name):
    return frame(COLUMN, struct.pack("<HBBI", number, KINDS.index(kind), len(name.encode()), 0) + name.encode())


def step(number, begin, duration, pairs):
    return frame(STEP, struct.pack("<qqqHHI", number, begin, duration, len(pairs), 0, 0) + cells(pairs))


def late(number, pairs):
    return frame(LATE, struct.pack("<qHHI", number, len(pairs), 0, 0) + cells(pairs))


def region(col, lane, number, begin, duration):
    return frame(REGION, struct.pack("<HHIqqq", col, 0, lane, number, begin, duration))


def event(col, number, time, value):
    if isinstance(value, float):
        return frame(EVENT, struct.pack("<HHIqqd", col, 1, 0, number, time, value))
    return frame(EVENT, struct.pack("<HHIqq", col, 2, len(value), number, time) + value)


def digest(number, out, in_, kind, occurrence, name):
    return frame(DIGEST, struct.pack("<qQQBBHI", number, out, in_ or 0, in_ is not None, kind, len(name), occurrence) + name.encode())


def end(time, steps, lost, waits, reason):
    return frame(END, struct.pack("<qQQQII", time, steps, lost, waits, reason, 0))


def i64(v):
    return struct.pack("<q", v)


def f64(v):
    return struct.pack("<d", v)


# Parser.

class Recording:
    def __init__(self):
        self.columns, self.steps, self.lates, self.regions, self.events, self.digests = {}, [], [], [], [], []
        self.end, self.chunks, self.bad = None, [], []  # bad: (chunk, byte in the file, what)

    def named(self, pairs):
        """{kind.name: value} of a step's cells."""
        named = {}
        for col, raw in pairs:
            kind, name = self.columns.get(col, ("unknown", str(col)))
            form = "<q" if kind in ("phase", "device_phase") else "<Q" if kind == "digest" else "<d"
            named[f"{kind}.{name}"] = struct.unpack(form, raw)[0]
        return named


def parse_cells(body, at, count):
    columns = struct.unpack_from(f"<{count}H", body, at)
    at += (2 * count + 7) // 8 * 8
    if at + 8 * count > len(body):
        raise ValueError("cells beyond the frame")
    return [(c, bytes(body[at + 8 * i:at + 8 * i + 8])) for i, c in enumerate(columns)]


def take(r, kind, body):
    if kind == COLUMN:
        number, k, n = struct.unpack_from("<HBB", body)
        r.columns[number] = KINDS[k], bytes(body[8:8 + n]).decode()
    elif kind == STEP:
        number, begin, duration, count = struct.unpack_from("<qqqH", body)
        r.steps.append((number, begin, duration, parse_cells(body, 32, count)))
    elif kind == LATE:
        number, count = struct.unpack_from("<qH", body)
        r.lates.append((number, parse_cells(body, 16, count)))
    elif kind == REGION:
        r.regions.append(struct.unpack_from("<HHIqqq", body))
    elif kind == EVENT:
        col, form, n, number, time = struct.unpack_from("<HHIqq", body)
        r.events.append((col, number, time, bytes(body[24:24 + n]) if form == 2 else struct.unpack_from("<d", body, 24)[0]))
    elif kind == DIGEST:
        number, out, in_, has, k, n, occurrence = struct.unpack_from("<qQQBBHI", body)
        r.digests.append((number, bytes(body[32:32 + n]).decode(), out, in_ if has else None, k, occurrence))
    elif kind == END:
        r.end = struct.unpack_from("<qQQQI", body)
    else:
        r.bad.append((None, None, f"kind {kind}"))


def sound(data, at, stop):
    """Returns (length, kind) of the frame at `at` if its length and checksum are right, (length, None) if only its length may be, else None."""
    word = struct.unpack_from("<I", data, at)[0]
    length = word & 0xFFFFFF
    if length < 8 or length % 8 or at + length > stop:
        return None
    good = struct.unpack_from("<I", data, at + 4)[0] == crc32c(data[at + 8:at + length], crc32c(data[at:at + 4]))
    return length, word >> 24 if good else None


def parse_chunk(r, data, number):
    start = number * CHUNK
    at, stop = start + (FILE_HEADER if number == 0 else 0), min(start + CHUNK, len(data))
    if stop - at < CHUNK_HEADER or struct.unpack_from("<I", data, at)[0] != CHUNK_MAGIC:
        return
    crc, here, lane, ordinal = struct.unpack_from("<IIII", data, at + 4)
    if crc != crc32c(data[at + 8:at + 32]) or here != number:
        r.bad.append((number, at, "chunk header"))
        return
    r.chunks.append((number, lane, ordinal))
    at += CHUNK_HEADER
    while at + 8 <= stop and struct.unpack_from("<I", data, at)[0]:
        found = sound(data, at, stop)
        if not found or found[1] is None:
            r.bad.append((number, at, "frame"))
            follows = found and at + found[0] + 8 <= stop and sound(data, at + found[0], stop)
            if not follows or follows[1] is None:
                return
        else:
            take(r, found[1], data[at + 8:at + found[0]])
        at += found[0]


def parse(data):
    r = Recording()
    if data[:8] != MAGIC or struct.unpack_from("<I", data, 124)[0] != crc32c(data[:124]):
        raise ValueError("no recording")
    fields = struct.unpack_from("<II16siiqqII", data, 8)
    r.head = dict(zip(("version", "chunk", "token", "rank", "world", "unix_ns", "mono_ns", "process", "flush_ms"), fields))
    for number in range((len(data) + CHUNK - 1) // CHUNK):
        parse_chunk(r, data, number)
    return r
