#!/usr/bin/env python3
"""Writes vectors.txt: objects of the canonical format with their ids, made from input.json.

Written from docs/format.md alone, so that it and the C code check each other. It needs nothing but Python.

    python3 tests/golden/format-v1/make.py          writes vectors.txt beside itself
    python3 tests/golden/format-v1/make.py --check  exits 1 if vectors.txt is not what it would write
"""
import hashlib
import json
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
HEAD, INDEX, KEYS, F64, U64, TEXT, CHUNK = range(1, 8)
GROUPS = ["code", "config", "seeds", "determinism", "libraries", "hardware", "parallelism", "data", "lineage", "work",
          "session", "columns", "other"]
SOURCES = {"run.json": 1, "facts.json": 2, "host": 3, "pusher": 4}
TYPES = {"null": 0, "bool": 1, "int": 2, "float": 3, "text": 4, "number": 5, "object": 6, "array": 7, "long": 8,
         "absent": 9}
ROOM = 1048576 - 16 - 5 - 32
CHUNK_BYTES = 1048560


def sha(data):
    return hashlib.sha256(data).digest()


def made_id(tag, i):
    return sha(f"{tag} {i}".encode())


def obj(kind, payload, refs=()):
    layout = 1 if kind in (KEYS, F64, U64) else 0
    return struct.pack("<4sBBBBII", b"tsob", kind, 1, layout, 0, len(refs), 0) + b"".join(refs) + payload


def double_bits(text):
    """A JSON number, or 16 hex digits for bits that JSON cannot say."""
    bits = int(text, 16) if isinstance(text, str) else struct.unpack("<Q", struct.pack("<d", text))[0]
    return bits


def canonical(bits):
    exponent, mantissa = bits >> 52 & 0x7FF, bits & (1 << 52) - 1
    return 0x7FF8 << 48 if exponent == 0x7FF and mantissa else bits


def keys_block(rows):
    return obj(KEYS, struct.pack(f"<{len(rows)}q", *rows))


def f64_block(rows):
    return obj(F64, struct.pack(f"<{len(rows)}Q", *[canonical(double_bits(r)) for r in rows]))


def u64_block(rows):
    return obj(U64, struct.pack(f"<{len(rows)}Q", *[int(r) for r in rows]))


def text_block(rows):
    entries = []
    for row in rows:
        if row not in entries:
            entries.append(row)
    out = struct.pack("<II", len(rows), len(entries))
    for entry in entries:
        out += struct.pack("<I", len(entry)) + entry
    return obj(TEXT, out + struct.pack(f"<{len(rows)}I", *[entries.index(r) for r in rows]))


class Fact:
    def __init__(self, spec):
        self.path = spec["path"].encode()
        self.type = spec["type"]
        self.source = spec["source"]
        self.value = spec.get("value")
        if self.type == "long":
            self.text = self.value["repeat"].encode() * self.value["times"]
            self.ref = sha(obj(CHUNK, self.text))

    def value_bytes(self):
        if self.type == "bool":
            return struct.pack("<B", self.value)
        if self.type == "int":
            return struct.pack("<q", self.value)
        if self.type == "float":
            return struct.pack("<Q", canonical(double_bits(self.value)))
        if self.type in ("text", "number"):
            raw = self.value.encode()
            return struct.pack("<I", len(raw)) + raw
        if self.type == "long":
            return struct.pack("<I", len(self.text))
        return b""

    def refs(self):
        return [self.ref] if self.type == "long" else []

    def encode(self):
        return (struct.pack("<BBH", TYPES[self.type], SOURCES[self.source], len(self.path)) + self.path +
                self.value_bytes())

    def for_digest(self):
        return (struct.pack("<BH", TYPES[self.type], len(self.path)) + self.path + self.value_bytes() +
                b"".join(self.refs()))

    def line(self):
        value = {"bool": lambda: str(int(self.value)), "int": lambda: str(self.value),
                 "float": lambda: f"{canonical(double_bits(self.value)):016x}",
                 "text": lambda: hexed(self.value.encode()), "number": lambda: hexed(self.value.encode()),
                 "long": lambda: f"{len(self.text)}:{self.ref.hex()}"}.get(self.type, lambda: "-")()
        return f"fact {hexed(self.path)} {TYPES[self.type]} {SOURCES[self.source]} {value}"


def sorted_facts(specs):
    return sorted([Fact(s) for s in specs], key=lambda f: (f.path, SOURCES[f.source]))


def group_of(path):
    first = path.split(b".")[0].split(b"[")[0].decode()
    return GROUPS.index(first)


def head(ranks, facts):
    refs = [index for _, index in ranks] + [r for f in facts for r in f.refs()]
    out = struct.pack("<I", len(ranks)) + b"".join(struct.pack("<i", r) for r, _ in ranks)
    effective = {f.path: f for f in facts}  # sorted by source: the last stays
    digests, mask = b"", 0
    for g in range(len(GROUPS)):
        of_group = [f for f in effective.values() if group_of(f.path) == g]
        if of_group:
            mask |= 1 << g
            digests += sha(b"".join(f.for_digest() for f in sorted(of_group, key=lambda f: f.path)))
    out += struct.pack("<H", mask) + digests + struct.pack("<I", len(facts))
    return obj(HEAD, out + b"".join(f.encode() for f in facts), refs)


def stream(index):
    """Records in order: ('one', bytes, refs) or ('list', tag, [(bytes, ref), ...])."""
    for fact in index["facts"]:
        yield "one", b"\x01" + fact.encode(), fact.refs()
    for table in index["tables"]:
        yield "one", struct.pack("<BBB", 2, table["kind"], table["b"]), []
        yield "list", 3, [(struct.pack("<qqI", first, last, rows), key) for first, last, rows, key in table["blocks"]]
        for column in table["columns"]:
            name = column["name"]
            yield "one", struct.pack("<BBBBH", 4, column["type"], column["precision"], column["digits"],
                                     len(name)) + name, []
            yield "list", 5, [(b"", ref) for ref in column["values"]]
    for file in index["files"]:
        yield "one", struct.pack("<BQB", 6, file["size"], len(file["name"])) + file["name"], []
        if file["chunks"]:
            yield "list", 7, [(b"", ref) for ref in file["chunks"]]
        if file.get("columns"):
            yield "one", b"\x08", [file["columns"]]


def index_chain(index):
    """The objects, first to last."""
    parts = [(bytearray(), [])]
    left = ROOM

    def close():
        nonlocal left
        parts.append((bytearray(), []))
        left = ROOM

    for kind, head_, rest in stream(index):
        if kind == "one":
            size = len(head_) + 32 * len(rest)
            if size > left:
                close()
            parts[-1][0].extend(head_)
            parts[-1][1].extend(rest)
            left -= size
            continue
        size = len(rest[0][0]) + 32
        while rest:
            if left < 5 + size:
                close()
            n = min(len(rest), (left - 5) // size)
            parts[-1][0].extend(struct.pack("<BI", head_, n) + b"".join(b for b, _ in rest[:n]))
            parts[-1][1].extend(ref for _, ref in rest[:n])
            left -= 5 + n * size
            rest = rest[n:]
    objects = []
    following = None
    for payload, refs in reversed(parts):
        more = following is not None
        out = obj(INDEX, struct.pack("<iB", index["rank"], more) + bytes(payload), refs + ([following] if more else []))
        following = sha(out)
        objects.insert(0, out)
    return objects


def hexed(data):
    return data.hex() or "-"


def index_of(spec):
    tables = []
    for t in spec["tables"]:
        columns = [{"name": c["name"].encode(), "type": c["type"], "precision": c.get("precision", 0),
                    "digits": c.get("digits", 0), "values": [made_id(c["name"], i) for i in range(len(t["blocks"]))]}
                   for c in t["columns"]]
        columns.sort(key=lambda c: (c["name"], c["type"]))
        blocks = [(first, last, rows, made_id("keys", first)) for first, last, rows in t["blocks"]]
        tables.append({"kind": t["kind"], "b": t["b"], "columns": columns, "blocks": blocks})
    tables.sort(key=lambda t: (t["kind"], [(c["name"], c["type"]) for c in t["columns"][:1]]))
    files = [{"name": f["name"].encode(), "size": f["size"],
              "chunks": [made_id(f["name"], i) for i in range(-(-f["size"] // CHUNK_BYTES))],
              "columns": made_id(f["name"] + " columns", 0) if f.get("columns") else None} for f in spec["files"]]
    files.sort(key=lambda f: f["name"])
    return {"rank": spec["rank"], "facts": sorted_facts(spec["facts"]), "tables": tables, "files": files}


def index_lines(index):
    yield f"rank {index['rank']}"
    for fact in index["facts"]:
        yield fact.line()
    for t in index["tables"]:
        yield f"table {t['kind']} {t['b']}"
        for first, last, rows, key in t["blocks"]:
            yield f"block {first} {last} {rows} {key.hex()}"
        for c in t["columns"]:
            yield f"column {hexed(c['name'])} {c['type']} {c['precision']} {c['digits']}"
            for ref in c["values"]:
                yield f"value {ref.hex()}"
    for f in index["files"]:
        yield f"file {hexed(f['name'])} {f['size']}"
        for ref in f["chunks"]:
            yield f"chunk {ref.hex()}"
        if f.get("columns"):
            yield f"columns {f['columns'].hex()}"


def generated_chain(blocks, columns):
    return {"rank": 7, "facts": [], "tables": [{
        "kind": 1, "b": 14,
        "blocks": [(16384 * i, 16384 * i + 16383, 16384, made_id("keys", i)) for i in range(blocks)],
        "columns": [{"name": f"scalars.{j:05}".encode(), "type": 1, "precision": 0, "digits": 0,
                     "values": [made_id("values", 1000000 * j + i) for i in range(blocks)]} for j in range(columns)],
    }], "files": [{"name": b"trace.json", "size": CHUNK_BYTES * 40000,
                   "chunks": [made_id("chunk", i) for i in range(40000)]}]}


def generated_rows(n):
    """{(kind, name, type): {key: value}} as docs/format.md has it."""
    columns = {}

    def put(kind, name, type_, key, value):
        columns.setdefault((kind, name, type_), {})[key] = value

    for i in range(n):
        key = 7 * i - 100000 + i * i % 5
        put(1, "scalars.loss", 1, key, i / 8)
        if i % 100 == 0:
            put(1, "scalars.eval", 1, key, float(-i))
        if i >= 70 and i % 1000 != 999:
            put(1, "digests.w", 2, key, i * 11400714819323198485 % 2**64)
        if i % 997 != 300:
            put(1, "tags.text", 3, key, b"x" * 20000 + str(i % 90).encode())
        if i < 5000 and i != 40:
            put(1, "tags.word", 3, key, b"t" + str(i % 3).encode())
        if i % 997 != 300 and i >= 50:
            put(1, "extra.list", 4, key, b"[" + str(i % 7).encode() + b"]")
        if i % 500 == 0:
            put(2, "scalars.loss", 1, i // 500, float(i))
    return columns


def common_prefix(a, b):
    n = 0
    for x, y in zip(a, b):
        if x != y:
            break
        n += 1
    return n


def cut(keys, others):
    """b and the blocks [from, to) of a table; others: (keys, values) of all text columns of its kind."""
    first = keys[:64]
    b = 14
    if len(first) > 1:
        differences = sorted(y - x for x, y in zip(first, first[1:]))
        b = min(63, 14 + differences[(len(first) - 2) // 2].bit_length() - 1)
    shared = [(common_prefix(keys, k), len(k), v) for k, v in others]
    blocks, start = [], 0
    sizes = {}
    for i, key in enumerate(keys):
        if i > start and key >> b != keys[start] >> b:
            blocks.append((start, i))
            start, sizes = i, {}
        j = max(i, 63)
        full = False
        for c, (prefix, length, values) in enumerate(shared):
            texts, total = sizes.get(c, (set(), 0))
            if prefix > i and values[i] not in texts:
                texts.add(values[i])
                total += len(values[i])
            sizes[c] = (texts, total)
            in_group = prefix > j or len(keys) <= j and prefix == len(keys) == length
            full = full or in_group and total >= 1048576
        if i + 1 - start == 65536 or full:
            blocks.append((start, i + 1))
            start, sizes = i + 1, {}
    if start < len(keys):
        blocks.append((start, len(keys)))
    return b, blocks


ENCODE = {1: f64_block, 2: u64_block, 3: text_block, 4: text_block}


def rows_index(n):
    columns = generated_rows(n)
    by_keys = {}
    for (kind, name, type_), cells in columns.items():
        by_keys.setdefault((kind, tuple(cells)), []).append((name, type_, list(cells.values())))
    tables = []
    for (kind, keys), members in by_keys.items():
        texts = [(list(c), list(c.values())) for (k, _, t), c in columns.items() if k == kind and t in (3, 4)]
        b, blocks = cut(keys, texts)
        tables.append({
            "kind": kind, "b": b,
            "blocks": [(keys[x], keys[y - 1], y - x, sha(keys_block(keys[x:y]))) for x, y in blocks],
            "columns": sorted([{"name": name.encode(), "type": type_, "precision": 0, "digits": 0,
                                "values": [sha(ENCODE[type_](values[x:y])) for x, y in blocks]}
                               for name, type_, values in members], key=lambda c: (c["name"], c["type"]))})
    tables.sort(key=lambda t: (t["kind"], t["columns"][0]["name"], t["columns"][0]["type"]))
    return {"rank": 0, "facts": [], "tables": tables, "files": []}


def vectors(spec):
    def done(kind, name, lines, objects, shown=True):
        yield f"vector {kind} {name}"
        yield from lines
        for o in objects:
            yield f"object {o.hex()}" if shown else f"length {len(o)} {sha(o).hex()}"
        yield f"id {sha(objects[0]).hex()}"
        yield "end"

    for name, rows in spec["keys"].items():
        yield from done("keys", name, [f"row {r}" for r in rows], [keys_block(rows)])
    for name, rows in spec["f64"].items():
        yield from done("f64", name, [f"row {double_bits(r):016x}" for r in rows], [f64_block(rows)])
    for name, rows in spec["u64"].items():
        yield from done("u64", name, [f"row {int(r):016x}" for r in rows], [u64_block(rows)])
    for name, rows in spec["text"].items():
        raw = [r.encode("utf-8", "surrogateescape") for r in rows]
        yield from done("text", name, [f"row {hexed(r)}" for r in raw], [text_block(raw)])
    for name, text in spec["chunk"].items():
        yield from done("chunk", name, [f"row {hexed(text.encode())}"], [obj(CHUNK, text.encode())])
    indexes = {}
    for name, one in spec["index"].items():
        index = index_of(one)
        objects = index_chain(index)
        indexes[name] = sha(objects[0])
        yield from done("index", name, index_lines(index), objects)
    for name, (blocks, columns) in spec["chain"].items():
        objects = index_chain(generated_chain(blocks, columns))
        yield from done("chain", name, [f"chain {blocks} {columns}"], objects, shown=False)
    for name, n in spec["rows"].items():
        yield from done("rows", name, [f"rows {n}"], index_chain(rows_index(n)), shown=False)
    for name, one in spec["head"].items():
        ranks = sorted((r["rank"], indexes[r["index"]]) for r in one["ranks"])
        facts = sorted_facts(one["facts"])
        lines = [f"rank {r} {i.hex()}" for r, i in ranks] + [f.line() for f in facts]
        yield from done("head", name, lines, [head(ranks, facts)])


def main():
    spec = json.loads((HERE / "input.json").read_text())
    text = "".join(line + "\n" for line in vectors(spec))
    out = HERE / "vectors.txt"
    if "--check" in sys.argv[1:]:
        sys.exit(out.read_text() != text)
    out.write_text(text)


main()
