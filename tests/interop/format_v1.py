"""Objects of docs/format.md, written and read. Made from that page alone; nothing here knows the C code.

A run is a dict {rank: Rank}, a fact a tuple (path, source, type, value), a column a tuple (name, type); cells are the 64
bits of f64 and u64 columns, bytes of text and JSON. Whatever the page says cannot be is a Wrong.
"""
import hashlib
import struct
from dataclasses import dataclass, field

GROUPS = b"code config seeds determinism libraries hardware parallelism data lineage work session columns other".split()
HEAD, INDEX, KEYS, F64, U64, TEXT, CHUNK = range(1, 8)
NULL, BOOL, INT, FLOAT, STRING, NUMBER, EMPTY_OBJECT, EMPTY_ARRAY, LONG, ABSENT = range(10)
STEPS, SUPERSEDED, PIPELINE, DIGESTS, EVENTS, SKETCHES = 1, 2, 3, 4, 5, 6
C_F64, C_U64, C_TEXT, C_JSON = 1, 2, 3, 4
BLOCK_KIND = {C_F64: F64, C_U64: U64, C_TEXT: TEXT, C_JSON: TEXT}
NAN = 0x7FF8000000000000
CHUNK_BYTES, INDEX_BYTES = 1048560, 1048576


class Wrong(Exception):
    """Bytes that docs/format.md does not allow."""


def need(condition, what):
    if not condition:
        raise Wrong(what)


def bits(value):
    """Returns the bits of a double. Every NaN has the same bits."""
    return NAN if value != value else struct.unpack("<Q", struct.pack("<d", value))[0]


# Objects

def frame(kind, payload, references=()):
    layout = 1 if kind in (KEYS, F64, U64) else 0
    return b"tsob" + struct.pack("<BBBBII", kind, 1, layout, 0, len(references), 0) + b"".join(references) + payload


def identity(raw):
    return hashlib.sha256(raw).digest()


def unframe(raw, kind):
    """The payload and the references of an object of this kind."""
    need(16 <= len(raw) <= 2097152 and raw[:4] == b"tsob", "no object")
    got, version, layout, zero, count, zeros = struct.unpack_from("<BBBBII", raw, 4)
    need((got, version, zero, zeros) == (kind, 1, 0, 0), f"header {raw[:16].hex()} where kind {kind} belongs")
    payload = raw[16 + 32 * count:]
    need(len(raw) >= 16 + 32 * count, "references are cut")
    need(layout == (1 if kind in (KEYS, F64, U64) else 0) and not (layout and len(payload) % 8), "layout")
    need(not count or kind in (HEAD, INDEX), "references where there are none")
    return payload, [raw[16 + 32 * i:48 + 32 * i] for i in range(count)]


# Blocks

def keys_block(keys):
    return frame(KEYS, struct.pack(f"<{len(keys)}q", *keys))


def values_block(column_type, cells):
    if column_type in (C_F64, C_U64):
        return frame(BLOCK_KIND[column_type], struct.pack(f"<{len(cells)}Q", *cells))
    codes = {}
    rows = [codes.setdefault(cell, len(codes)) for cell in cells]
    texts = b"".join(struct.pack("<I", len(text)) + text for text in codes)
    return frame(TEXT, struct.pack("<II", len(rows), len(codes)) + texts + struct.pack(f"<{len(rows)}I", *rows))


def read_keys(raw):
    payload, _ = unframe(raw, KEYS)
    keys = struct.unpack(f"<{len(payload) // 8}q", payload)
    need(1 <= len(keys) <= 65536 and all(a < b for a, b in zip(keys, keys[1:])), "keys")
    return keys


def read_values(raw, column_type):
    payload, _ = unframe(raw, BLOCK_KIND[column_type])
    if column_type in (C_F64, C_U64):
        cells = struct.unpack(f"<{len(payload) // 8}Q", payload)
        need(1 <= len(cells) <= 65536, "rows of a block")
        if column_type == C_F64:
            need(all(c & ~(1 << 63) <= 0x7FF << 52 or c == NAN for c in cells), "NaN")
        return cells
    at = Reader(payload)
    rows, count = at.take("<II")
    need(1 <= rows <= 65536 and 1 <= count <= rows, "rows of a text block")
    texts = [at.bytes(at.take("<I")[0], 65536) for _ in range(count)]
    codes = at.take(f"<{rows}I")
    need(at.left() == 0 and len(set(texts)) == count, "dictionary")
    seen = 0
    for code in codes:
        need(code <= seen and code < count, "order of the dictionary")
        seen = max(seen, code + 1)
    need(seen == count, "a text that no row has")
    return [texts[code] for code in codes]


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def left(self):
        return len(self.data) - self.at

    def take(self, form):
        need(self.left() >= struct.calcsize(form), "cut")
        values = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return values

    def bytes(self, length, most):
        need(length <= most and length <= self.left(), "length")
        self.at += length
        return self.data[self.at - length:self.at]


# Facts

def escape(key):
    return b"".join(b"\\" + bytes([c]) if c in b".[]\\" else bytes([c]) for c in key)


def group_of(path):
    end = min((i for i in (path.find(b"."), path.find(b"[")) if i >= 0), default=len(path))
    need(path[:end] in GROUPS, f"group of {path}")
    return GROUPS.index(path[:end])


def fact_value(fact):
    _, _, kind, value = fact
    if kind == BOOL:
        return bytes([value])
    if kind == INT:
        return struct.pack("<q", value)
    if kind == FLOAT:
        return struct.pack("<Q", value)
    if kind in (STRING, NUMBER):
        return struct.pack("<I", len(value)) + value
    return struct.pack("<I", value[0]) if kind == LONG else b""


def fact_bytes(fact):
    path, source, kind, _ = fact
    return struct.pack("<BBH", kind, source, len(path)) + path + fact_value(fact)


def read_fact(at, references):
    kind, source, length = at.take("<BBH")
    path = at.bytes(length, 512)
    need(path and 1 <= source <= 4 and kind <= ABSENT, "fact")
    group_of(path)
    value = None
    if kind == BOOL:
        value = at.take("<B")[0]
        need(value < 2, "bool")
    elif kind == INT:
        value = at.take("<q")[0]
    elif kind == FLOAT:
        value = at.take("<Q")[0]
    elif kind in (STRING, NUMBER):
        value = at.bytes(at.take("<I")[0], 1024)
    elif kind == LONG:
        value = (at.take("<I")[0], next(references))
        need(1025 <= value[0] <= 1048576, "long text")
    return path, source, kind, value


def effective(facts):
    """Returns, for each path, the fact of its highest source. facts are sorted."""
    return list({fact[0]: fact for fact in facts}.values())


def digests(facts):
    sums = {}
    for fact in effective(facts):
        path, _, kind, value = fact
        data = struct.pack("<BH", kind, len(path)) + path + fact_value(fact) + (value[1] if kind == LONG else b"")
        sums.setdefault(group_of(path), hashlib.sha256()).update(data)
    return {group: sums[group].digest() for group in sorted(sums)}


# Tables

@dataclass
class Rank:
    facts: list = field(default_factory=list)        # all facts of this rank, sorted
    rows: dict = field(default_factory=dict)         # {table kind: [(key, {column: cell})]}, keys ascending
    files: dict = field(default_factory=dict)        # {name: content}
    precision: dict = field(default_factory=dict)    # {column: (precision, digits)}


def cell_bits(keys):
    first = keys[:64]
    if len(first) < 2:
        return 14
    steps = sorted((b - a) & (1 << 64) - 1 for a, b in zip(first, first[1:]))
    return min(63, 14 + steps[(len(first) - 2) // 2].bit_length() - 1)


def full_sets(rows, columns, keys_of):
    """For the text rule: at the i-th key of a table with these columns, the text columns of its group then."""
    signature = next(iter(columns))
    mine = keys_of[signature]

    def at(i):
        j = max(i, 63)
        return [c for c, keys in keys_of.items() if c[1] in (C_TEXT, C_JSON) and
                (keys[:j + 1] == mine[:j + 1] if len(mine) > j else keys == mine)]
    return at


def tables(rows):
    """[(columns, keys)] of one kind: columns with the same keys, the table without columns first."""
    keys_of, bare = {}, []
    for key, cells in rows:
        if not cells:
            bare.append(key)
        for column in cells:
            keys_of.setdefault(column, []).append(key)
    groups = {}
    for column in sorted(keys_of):
        groups.setdefault(tuple(keys_of[column]), []).append(column)
    found = [([], bare)] if bare else []
    return found + sorted(([columns, list(keys)] for keys, columns in groups.items()), key=lambda t: t[0][0]), keys_of


def cut(rows, columns, keys, keys_of):
    """Returns the blocks of a table as lists of keys."""
    b, cells, blocks, block, seen = cell_bits(keys), dict(rows), [], [], {}
    group_at = full_sets(rows, columns, keys_of) if columns else lambda i: []
    has_text = any(c[1] in (C_TEXT, C_JSON) for c in keys_of)
    group = group_at(63) if has_text else []
    for i, key in enumerate(keys):
        if block and (key >> b != block[-1] >> b or len(block) == 65536):
            blocks.append(block)
            block, seen = [], {}
        block.append(key)
        if has_text and i > 63 and len(group) > 0:
            group = group_at(i)
        for column in [c for c in keys_of if has_text and c[1] in (C_TEXT, C_JSON)]:
            if column in cells[key] and column in group:
                seen.setdefault(column, set()).add(cells[key][column])
        if any(sum(map(len, seen.get(c, ()))) >= 1048576 for c in group):
            blocks.append(block)
            block, seen = [], {}
    return b, blocks + ([block] if block else [])


def index_objects(number, rank, head_facts, put):
    """Writes the blocks of a rank by put(raw) -> id, then its index; returns the id of the index."""
    return pack_index(number, index_records(rank, head_facts, put), put)


def index_records(rank, head_facts, put):
    for fact in index_facts(rank.facts, head_facts):
        yield b"\x01" + fact_bytes(fact), [fact[3][1]] if fact[2] == LONG else [], None
    for kind in (STEPS, SUPERSEDED, PIPELINE, DIGESTS, EVENTS, SKETCHES):
        rows = rank.rows.get(kind, [])
        cells = dict(rows)
        found, keys_of = tables(rows)
        for columns, keys in found:
            b, blocks = cut(rows, columns, keys, keys_of)
            yield struct.pack("<BBB", 2, kind, b), [], None
            yield 3, [put(keys_block(block)) for block in blocks], [
                struct.pack("<qqI", block[0], block[-1], len(block)) for block in blocks]
            for column in columns:
                name, column_type = column
                precision = rank.precision.get(column, (0, 0))
                yield struct.pack("<BBBBH", 4, column_type, *precision, len(name)) + name, [], None
                yield 5, [put(values_block(column_type, [cells[k][column] for k in block])) for block in blocks], [
                    b""] * len(blocks)
    for name in sorted(rank.files):
        content = rank.files[name]
        yield struct.pack("<BQB", 6, len(content), len(name)) + name, [], None
        pieces = [content[i:i + CHUNK_BYTES] for i in range(0, len(content), CHUNK_BYTES)]
        if pieces:
            yield 7, [put(frame(CHUNK, piece)) for piece in pieces], [b""] * len(pieces)


def pack_index(number, records, put):
    room = INDEX_BYTES - 16 - 5 - 32
    objects, body, references = [], b"", []
    used = 0

    def close():
        nonlocal body, references, used
        objects.append((body, references))
        body, references, used = b"", [], 0

    for what, ids, elements in records:
        if elements is None:
            size = len(what) + 32 * len(ids)
            if used + size > room:
                close()
            body, references, used = body + what, references + ids, used + size
            continue
        done = 0
        each = len(elements[0]) + 32
        while done < len(ids):
            if used + 5 + each > room:
                close()
            n = min(len(ids) - done, (room - used - 5) // each)
            body += struct.pack("<BI", what, n) + b"".join(elements[done:done + n])
            references = references + ids[done:done + n]
            used += 5 + each * n
            done += n
    close()
    following = None
    for body, references in reversed(objects):
        following = put(frame(INDEX, struct.pack("<iB", number, following is not None) + body,
                              references + ([following] if following else [])))
    return following


def index_facts(own, head):
    """What a rank says that the head lacks or has otherwise; type 9 for what it does not say."""
    mine, theirs = {f[:2]: f for f in own}, {f[:2]: f for f in head}
    both = {key: fact for key, fact in mine.items() if theirs.get(key) != fact}
    both.update({key: (key[0], key[1], ABSENT, None) for key in theirs if key not in mine})
    return [both[key] for key in sorted(both)]


def run_objects(ranks):
    """(id of the run, {id: object}) of {rank: Rank}. The head's facts are those of the first rank that run.json says anything
    of, else of the first; the job (rank -1) has none."""
    objects = {}

    def put(raw):
        return objects.setdefault(identity(raw), raw) and identity(raw)

    numbers = sorted(ranks)
    speakers = [n for n in numbers if n >= 0]
    speakers = [n for n in speakers if any(fact[1] == 1 for fact in ranks[n].facts)] + speakers
    facts = sorted(ranks[speakers[0]].facts) if speakers else []
    references = [index_objects(n, ranks[n], facts if n >= 0 else [], put) for n in numbers]
    sums = digests(facts)
    payload = struct.pack(f"<I{len(numbers)}i", len(numbers), *numbers)
    payload += struct.pack("<H", sum(1 << g for g in sums)) + b"".join(sums.values())
    payload += struct.pack("<I", len(facts)) + b"".join(map(fact_bytes, facts))
    return put(frame(HEAD, payload, references + [f[3][1] for f in facts if f[2] == LONG])), objects


# Reading a run

def read_head(raw):
    """({rank: id of its index}, facts)."""
    need(len(raw) <= 65536, "a head of more than 64 KiB")
    payload, references = unframe(raw, HEAD)
    at, ids = Reader(payload), iter(references)
    numbers = at.take(f"<{at.take('<I')[0]}i")
    need(all(a < b for a, b in zip((-2,) + numbers, numbers)), "ranks")
    indexes = {n: next(ids) for n in numbers}
    mask = at.take("<H")[0]
    sums = {g: at.bytes(32, 32) for g in range(16) if mask >> g & 1}
    facts = [read_fact(at, ids) for _ in range(at.take("<I")[0])]
    need(at.left() == 0 and next(ids, None) is None, "more than a head")
    need([f[:2] for f in facts] == sorted({f[:2] for f in facts}) and all(f[2] != ABSENT for f in facts), "facts")
    need(digests(facts) == sums, "digests of groups")
    return indexes, facts


def read_index(first, get):
    """(rank, facts, [(kind, b, [(first, last, rows, id)], [(name, type, precision, digits, [id])])], [(name, size, [id], [id of its columns])])."""
    number, facts, found, files = None, [], [], []
    while first is not None:
        payload, references = unframe(get(first), INDEX)
        at, ids = Reader(payload), iter(references)
        rank, more = at.take("<iB")
        need(number in (None, rank) and more < 2, "chain")
        number = rank
        while at.left():
            tag = at.take("<B")[0]
            if tag == 1:
                facts.append(read_fact(at, ids))
            elif tag == 2:
                found.append((*at.take("<BB"), [], []))
            elif tag == 3:
                found[-1][2].extend([(*at.take("<qqI"), next(ids)) for _ in range(at.take("<I")[0])])
            elif tag == 4:
                column_type, precision, digit, length = at.take("<BBBH")
                found[-1][3].append((at.bytes(length, 512), column_type, precision, digit, []))
            elif tag == 5:
                found[-1][3][-1][4].extend(next(ids) for _ in range(at.take("<I")[0]))
            elif tag == 6:
                size, length = at.take("<QB")
                files.append((at.bytes(length, 255), size, [], []))
            elif tag == 7:
                files[-1][2].extend(next(ids) for _ in range(at.take("<I")[0]))
            elif tag == 8:
                need(not files[-1][3], "columns")
                files[-1][3].append(next(ids))
            else:
                raise Wrong(f"tag {tag}")
        first = next(ids) if more else None
        need(next(ids, None) is None, "a reference that nothing takes")
    return number, facts, found, files


def rank_rows(found, get):
    """{kind: [(key, {column: cell})]} and {column: (precision, digits)} of what read_index returned."""
    rows, precision = {}, {}
    for kind, b, blocks, columns in found:
        table = rows.setdefault(kind, {})
        for i, (low, high, count, key_id) in enumerate(blocks):
            keys = read_keys(get(key_id))
            need((keys[0], keys[-1], len(keys)) == (low, high, count), "the index says other keys")
            need(low >> b == high >> b, "a block of two cells")
            for key in keys:
                table.setdefault(key, {})
            for name, column_type, prec, digit, ids in columns:
                need(len(ids) == len(blocks), "blocks of a column")
                cells = read_values(get(ids[i]), column_type)
                need(len(cells) == len(keys), "rows of a column")
                for key, cell in zip(keys, cells):
                    need((name, column_type) not in table[key], "two values in a cell")
                    table[key][name, column_type] = cell
                precision[name, column_type] = (prec, digit)
    return {kind: sorted(table.items()) for kind, table in rows.items()}, precision


def all_ids(found, files, facts):
    ids = [f[3][1] for f in facts if f[2] == LONG]
    for _, _, blocks, columns in found:
        ids += [block[3] for block in blocks] + [i for column in columns for i in column[4]]
    return ids + [i for _, _, chunks, columns in files for i in chunks + columns]
