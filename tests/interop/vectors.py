"""Holds format_v1.py to tests/golden/format-v1/vectors.txt, whose long vectors docs/format.md tells how to generate."""
import hashlib
import os
import struct

import format_v1 as f

VECTORS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden/format-v1/vectors.txt")


def text(word):
    return b"" if word == "-" else bytes.fromhex(word)


def read():
    items = []
    with open(VECTORS, encoding="ascii") as file:
        for line in file:
            key, *rest = line.split()
            if key == "vector":
                items.append((rest[0], rest[1], []))
            elif key != "end":
                items[-1][2].append((key, rest))
    return items


def generated(tag, i):
    return hashlib.sha256(b"%s %d" % (tag, i)).digest()


def chain(blocks, columns):
    yield struct.pack("<BBB", 2, f.STEPS, 14), [], None
    yield 3, [generated(b"keys", i) for i in range(blocks)], [
        struct.pack("<qqI", 16384 * i, 16384 * i + 16383, 16384) for i in range(blocks)]
    for j in range(columns):
        name = b"scalars.%05d" % j
        yield struct.pack("<BBBBH", 4, f.C_F64, 0, 0, len(name)) + name, [], None
        yield 5, [generated(b"values", 1000000 * j + i) for i in range(blocks)], [b""] * blocks
    yield struct.pack("<BQB", 6, f.CHUNK_BYTES * 40000, 10) + b"trace.json", [], None
    yield 7, [generated(b"chunk", i) for i in range(40000)], [b""] * 40000


def rows(n):
    steps, superseded = [], []
    for i in range(n):
        cells = {(b"scalars.loss", f.C_F64): f.bits(i / 8)}
        if i % 100 == 0:
            cells[b"scalars.eval", f.C_F64] = f.bits(-float(i) if i else 0.0)
        if i >= 70 and i % 1000 != 999:
            cells[b"digests.w", f.C_U64] = i * 11400714819323198485 & (1 << 64) - 1
        if i % 997 != 300:
            cells[b"tags.text", f.C_TEXT] = b"x" * 20000 + b"%d" % (i % 90)
            if i >= 50:
                cells[b"extra.list", f.C_JSON] = b"[%d]" % (i % 7)
        if i < 5000 and i != 40:
            cells[b"tags.word", f.C_TEXT] = b"t%d" % (i % 3)
        steps.append((7 * i - 100000 + i * i % 5, cells))
        if i % 500 == 0:
            superseded.append((i // 500, {(b"scalars.loss", f.C_F64): f.bits(float(i))}))
    return f.Rank(rows={f.STEPS: steps, f.SUPERSEDED: superseded})


def index_lengths(first, objects):
    lengths = []
    while first is not None:
        lengths.append([str(len(objects[first])), first.hex()])
        payload, references = f.unframe(objects[first], f.INDEX)
        first = references[-1] if payload[4] else None
    return lengths


def check(most_rows):
    """Checks each vector with `rows` up to most_rows. Returns how many there are of each kind."""
    count = {}
    for kind, name, lines in read():
        what = dict((key, rest) for key, rest in lines)
        objects = {}

        def put(raw):
            objects[f.identity(raw)] = raw
            return f.identity(raw)

        if kind in ("chain", "rows"):
            if kind == "rows" and int(what["rows"][0]) > most_rows:
                continue
            first = (f.pack_index(7, chain(*map(int, what["chain"])), put) if kind == "chain" else
                     f.index_objects(0, rows(int(what["rows"][0])), [], put))
            assert index_lengths(first, objects) == [rest for key, rest in lines if key == "length"], f"{kind} {name}"
        else:
            raws = [bytes.fromhex(rest[0]) for key, rest in lines if key == "object"]
            cells = [rest[0] for key, rest in lines if key == "row"]
            objects = {f.identity(raw): raw for raw in raws}
            if kind == "keys":
                assert f.keys_block([int(c) for c in cells]) == raws[0] and len(f.read_keys(raws[0])) == len(cells)
            elif kind in ("f64", "u64"):
                values = [int(c, 16) for c in cells]
                values = [f.bits(struct.unpack("<d", struct.pack("<Q", v))[0]) for v in values] if kind == "f64" else values
                column = f.C_F64 if kind == "f64" else f.C_U64
                assert f.values_block(column, values) == raws[0] and list(f.read_values(raws[0], column)) == values, name
            elif kind == "text":
                assert f.values_block(f.C_TEXT, [text(c) for c in cells]) == raws[0], name
                assert f.read_values(raws[0], f.C_TEXT) == [text(c) for c in cells], name
            elif kind == "chunk":
                assert f.frame(f.CHUNK, text(cells[0])) == raws[0], name
            elif kind == "head":
                indexes, facts = f.read_head(raws[0])
                assert len(facts) == sum(key == "fact" for key, _ in lines), name
            else:
                number, facts, found, files = f.read_index(f.identity(raws[0]), objects.get)
                assert number == int(what["rank"][0]) and len(found) == sum(key == "table" for key, _ in lines), name
            assert f.identity(raws[0]).hex() == what["id"][0], name
        count[kind] = count.get(kind, 0) + 1
    return count


if __name__ == "__main__":
    print(check(1 << 62))
