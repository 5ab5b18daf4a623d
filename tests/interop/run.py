#!/usr/bin/env python3
"""A second implementation of docs/format.md, docs/sealed.md and docs/protocol.md meets the built programs.

    tests/interop/run.py        TS_BUILD=build/dev names the folder with tscope and tscoped

Exits 77 where a Python package is missing that the test group of deploy/packages has.
"""
import gzip
import json
import math
import os
import random
import re
import shutil
import struct
import base64
import contextlib
import hashlib
from concurrent import futures
import subprocess
import sys
import tempfile
import time

try:
    from google.protobuf import descriptor_pb2
    import grpc  # noqa: F401
    import xxhash  # noqa: F401
    import zstandard  # noqa: F401
except ImportError as missing:
    print(f"skipped: no Python package {missing.name}; ./dev test installs python3-grpcio python3-protobuf python3-zstandard "
          "python3-xxhash")
    sys.exit(77)

import format_v1 as f
import sealed_v1
import vectors
from client import ROOT, Client, Server, refused

BUILD = os.path.abspath(os.environ.get("TS_BUILD", os.path.join(ROOT, "build", "dev")))
F64, U64, TEXT, JSON = f.C_F64, f.C_U64, f.C_TEXT, f.C_JSON


# What docs/run-directory.md makes of a directory, as far as the runs here need it

def columns_of(line, key_of_row="step", words=()):
    """{column: cell} of one line of steps.jsonl, or of another file with no key_of_row; words: the keys whose 16 hex digits are a word.
    Lists keep the escapes that they were written with."""
    cells, ascii_only = {}, line.isascii()

    def put(path, value):
        if value is None:
            return
        if isinstance(value, dict) and value:
            for key, inner in value.items():
                put(path + b"." + f.escape(key.encode()), inner)
        elif isinstance(value, (dict, list, bool)):
            cells[path, JSON] = json.dumps(value, separators=(",", ":"), ensure_ascii=ascii_only).encode()
        elif isinstance(value, str):
            cells[path, TEXT] = value.encode()
        elif float(value) != value and value == value:
            cells[path, JSON] = b"%d" % value
        else:
            cells[path, F64] = f.bits(float(value))

    for key, value in parse(line).items():
        if key == "digests":
            for name, digits in value.items():
                if isinstance(digits, str) and re.fullmatch("[0-9a-fA-F]{16}", digits):
                    cells[b"digests." + f.escape(name.encode()), U64] = int(digits, 16)
                else:
                    put(b"digests." + f.escape(name.encode()), digits)
        elif key in words:
            cells[key.encode(), U64] = int(value, 16)
        elif key != key_of_row:
            put(b"segment[0]" if key == "segment" else f.escape(key.encode()), value)
    return cells


def parse(line):
    return json.loads(line, parse_int=lambda digits: -0.0 if digits == "-0" else int(digits))


def rows_of(lines):
    """{table kind: rows} of the lines of steps.jsonl. A line with a number below a later step of its column begins an execution, and any other joins the row of its
    step; these lines have neither rows out of order nor epochs."""
    first, last, rows = [None], {}, {}
    for line in lines:
        step, cells = int(parse(line)["step"]), columns_of(line)
        numbers = [column for column in cells if column[1] in (F64, U64) and column[0] != b"timestamp"]
        if any(last.get(column, step) > step for column in numbers):
            first.append(step)
            last = {}
        last.update((column, max(step, last.get(column, step))) for column in numbers)
        wrote = max(n for n, begun in enumerate(first) if begun is None or begun <= step)
        rows.setdefault((step, wrote), {}).update(cells)
    steps, superseded = [], []
    for (step, wrote), cells in sorted(rows.items(), key=lambda row: row[0]):
        if len(first) > 1:
            cells[b"segment", F64] = f.bits(float(wrote))
        if not any(begun <= step for begun in first[wrote + 1:]):
            steps.append((step, cells))
            continue
        if float(step) == step:
            cells[b"step", F64] = f.bits(float(step))
        else:
            cells[b"step", JSON] = b"%d" % step
        superseded.append((len(superseded), cells))
    return {f.STEPS: steps, f.SUPERSEDED: superseded}


def beside_steps(folder):
    """The rows of pipeline.jsonl, digests.jsonl, events.jsonl and sketches.jsonl, whose lines are all good; only of those that are there."""
    rows = {}
    for kind, name, words in ((f.PIPELINE, "pipeline.jsonl", ()), (f.DIGESTS, "digests.jsonl", ("in", "out")),
                              (f.EVENTS, "events.jsonl", ()), (f.SKETCHES, "sketches.jsonl", ())):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                rows[kind] = [(n, columns_of(line, None, words)) for n, line in enumerate(file)]
    return rows


def leaves(path, value):
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(path + b"." + f.escape(key.encode()), inner)
    elif isinstance(value, list) and value:
        for i, inner in enumerate(value):
            yield from leaves(path + b"[%d]" % i, inner)
    else:
        yield path, value


RUN_JSON = {b"session": "name started wall_time n_steps", b"parallelism": "world_size", b"work": "flops_per_step peak_flops"}
ENVIRONMENT = {b"libraries": "python torch cuda", b"determinism": "cudnn_deterministic cudnn_benchmark env",
               b"hardware": "platform machine processor cpu_count cuda_available gpu gpu_count"}


def fact_of(path, source, value, put):
    if value is None:
        return path, source, f.NULL, None
    if isinstance(value, bool):
        return path, source, f.BOOL, int(value)
    if isinstance(value, int):
        if -1 << 63 <= value < 1 << 63:
            return path, source, f.INT, value
        return path, source, f.NUMBER, b"%d" % value
    if isinstance(value, float):
        return path, source, f.FLOAT, f.bits(value)
    if isinstance(value, str):
        text = value.encode()
        if len(text) > 1024:
            return path, source, f.LONG, (len(text), put(f.frame(f.CHUNK, text)))
        return path, source, f.STRING, text
    return path, source, f.EMPTY_OBJECT if isinstance(value, dict) else f.EMPTY_ARRAY, None


def facts_of(run_json, facts_json, put):
    def place(key, inner):
        for table, value in ((RUN_JSON, run_json), (ENVIRONMENT, run_json.get("environment", {}))):
            for group, keys in table.items():
                if key in keys.split() and value is inner:
                    return group + b"."
        return b"other." if inner is run_json else b"other.environment."

    pairs = []
    for key, value in run_json.items():
        if key == "config":
            pairs += [(1, *leaf) for leaf in leaves(b"config", value)]
        elif key == "environment":
            for inner, fact in value.items():
                pairs += [(1, *leaf) for leaf in leaves(place(inner, value) + f.escape(inner.encode()), fact)]
        elif key != "rank":
            pairs += [(1, *leaf) for leaf in leaves(place(key, run_json) + f.escape(key.encode()), value)]
    for key, value in facts_json.items():
        if key != "format":
            pairs += [(2, *leaf) for leaf in leaves(key.encode(), value)]
    return sorted(fact_of(path, source, value, put) for source, path, value in pairs)


# Runs made here

def small_run(path):
    """Writes a run directory of two ranks: several tables, gaps, special doubles, digests, text, lists, odd keys, a trace."""
    rnd = random.Random(1)
    run_json = {"name": "interop", "world_size": 2, "started": 1795176038.25, "wall_time": 12.5, "n_steps": 300,
                "config": {"lr": 1e-3, "layers": [64, 64], "odd.key [x]\\": "é", "none": None, "empty": {}, "list": [],
                           "big": 1 << 70, "negative": -7, "on": True, "text": "y" * 1025},
                "environment": {"python": "3.11.2", "cpu_count": 2, "conda": "no"}, "comment": ""}
    for rank in (0, 1):
        folder = os.path.join(path, f"rank{rank}")
        os.makedirs(folder)
        facts = {"format": 1, "seeds": {"torch": 1234 + rank}, "data": {"shards": rank}, "config": {"lr": 2e-3}}
        if rank == 0:
            facts["code"] = {"branch": "main"}
            facts["columns"] = {"scalars.loss": {"role": "trajectory", "precision": "f32"}, "memory.alloc": {"precision": 17}, "tokens": {"precision": 18},
                                "scalars.a\\.b\\[0\\]\\\\": {"precision": "f64"}}
        with open(os.path.join(folder, "steps.jsonl"), "w", encoding="utf-8") as file:
            for i in range(300):
                record = {"step": 3 * i - 20 if i < 250 else 200000 + i, "timestamp": 1795176039.5 + i / 8,
                          "phases": {"forward": rnd.randrange(1, 10 ** 8) / 1e9, "backward": rnd.randrange(1, 10 ** 8) / 1e9},
                          "scalars": {"loss": rnd.random() if i % 37 else [math.nan, math.inf, -math.inf, -0.0][i // 37 % 4],
                                      "a.b[0]\\": float(i)},
                          "memory": {"alloc": 1 << 30}, "tokens": 8192,
                          "digests": {"w": "%016x" % rnd.getrandbits(64)}, "tags": ["warm", "é"] if i % 2 else []}
                if i % 50 == 0:
                    record["eval"] = {"acc": i / 300, "by": {"set": f"dev{rank}"}, "ok": True}
                if i == 7:
                    record = {"step": record["step"]}
                file.write(json.dumps(record, separators=(",", ":"), ensure_ascii=i % 3 == 0) + "\n")
        for name, value in (("run.json", dict(run_json, rank=rank)), ("facts.json", facts)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                json.dump(value, file)
    for name, events in (("rank1/", 100), ("", 2)):
        with open(os.path.join(path, name + "pipeline.jsonl"), "w", encoding="utf-8") as file:
            for i in range(events):
                event = {"stage": i % 4, "start": 1795176039.5 + i / 64, "end": 1795176039.5 + (i + 1) / 64, "microbatch": i // 4, "step": -i}
                file.write(json.dumps(event if i % 7 else event | {"segment": "s", "kind": {"name": "forward"}}) + "\n")
    for name, records in (("rank1/", 200), ("", 1)):
        with open(os.path.join(path, name + "digests.jsonl"), "w", encoding="utf-8") as file:
            for i in range(records):
                record = {"step": i // 40, "name": f"layers.{i % 20}.mlp", "out": "%016x" % rnd.getrandbits(64)}
                record |= {"in": "%016X" % rnd.getrandbits(64)} if i % 3 else {"occurrence": i % 40 // 20, "kind": "param"}
                file.write(json.dumps(record if i % 7 else record | {"shape": [8, 16], "dtype": "bf16"}) + "\n")
    for name, records in (("rank0/", 300), ("", 2)):
        with open(os.path.join(path, name + "events.jsonl"), "w", encoding="utf-8") as file:
            for i in range(records):
                record = {"time": 1795176039.5 + i / 32, "name": f"evaluate.{i % 5}", "lane": i % 3}
                record |= [{"duration": i / 64}, {"value": rnd.random()}, {"text": "saved\n"}][i % 3] | ({"step": i // 4} if i % 4 else {})
                file.write(json.dumps(record) + "\n")
    for name, records in (("rank1/", 40), ("", 1)):
        with open(os.path.join(path, name + "sketches.jsonl"), "w", encoding="utf-8") as file:
            for i in range(records):
                sums = base64.b64encode(struct.pack("<256d", *(rnd.gauss(0, 1) for _ in range(256)))).decode()
                record = {"step": i // 20, "name": f"layers.{i % 10}", "kind": ("output", "grad")[i // 10 % 2], "count": 4096, "squares": rnd.random()}
                file.write(json.dumps(record | {"sums": sums} | ({"shard": i % 4 == 1, "dtype": "bf16"} if i % 2 else {"nonfinite": 0})) + "\n")
    for name, size in (("rank1/trace.json", f.CHUNK_BYTES + 1), ("kineto.json", 0), ("trace.json", 7)):
        with open(os.path.join(path, name), "wb") as file:
            file.write(bytes(rnd.randrange(97, 101) for _ in range(size)))
    with open(os.path.join(path, "facts.json"), "w", encoding="utf-8") as file:
        json.dump({"format": 1, "lineage": {"parent": "none"}, "seeds": {"torch": 1}}, file)


def long_run(path, steps):
    """Writes one rank with one file, constant memory, and doubles with all digits, so that every codec is used."""
    rnd = random.Random(2)
    os.makedirs(path)
    with open(os.path.join(path, "steps.jsonl"), "w", encoding="utf-8") as file:
        for i in range(steps):
            file.write(json.dumps({"step": i, "timestamp": 1795167217.5 + i * 0.0226, "phases": {"forward": rnd.randrange(10 ** 7) / 1e9},
                                   "scalars": {"loss": 2 / (1 + i / 999) + rnd.gauss(0, 0.1), "lr": 3e-4},
                                   "memory": {"peak_alloc": 8912345600.0}, "tags": ["e%d" % (i // 1000)]}) + "\n")
    with open(os.path.join(path, "run.json"), "w", encoding="utf-8") as file:
        json.dump({"name": "long", "rank": 0, "world_size": 1, "config": {"steps": steps}, "started": 1795167217.5}, file)


def odd_run(path):
    """Writes one rank that was restarted twice, with values whose types do not fit their keys."""
    odd = [r'{"step":2,"scalars":{"a":9007199254740993,"b":9007199254740992,"c":-18446744073709551616,"d":"text","e":true}}',
           r'{"step":3,"scalars":{"f":[1.0,2.5,"\u00e9"],"g":{},"h":{"x":1},"i":null,"j":-0,"k":1e400}}',
           r'{"step":4,"digests":{"w":"12","v":"00000000000000AB","u":7},"tags":"\u00e9\ud83d\ude00","samples":"many"}',
           r'{"step":5.0,"list":[{"a":1},null],"segment":3,"extra":{"y":[],"z":{}},"t.u":1}']
    plain = ['{"step":%d,"scalars":{"loss":%d.5}}' % (step, n) for n, step in enumerate([*range(10), *range(5, 13), 3, 4, 8])]
    huge = ['{"step":9007199254740993,"scalars":{"loss":%d}}' % n for n in (1, 2)]
    os.makedirs(path)
    with open(os.path.join(path, "steps.jsonl"), "w", encoding="utf-8") as file:
        file.write("\n".join(plain + huge + odd) + "\n")


def text_run(path):
    """Writes ranks whose traces are text, compressed by a level each: as one member; behind random bytes, so that the last chunk begins within a block of
    text; and as two members. None is a trace, so there are no columns of one."""
    rnd = random.Random(3)
    text = b"".join(b'step %d: loss %.4f, grad_norm %.9f, "lr": {"decay": 0.%03d}\n' % (i, 2 + rnd.random(), rnd.random() * 9, rnd.randrange(1000))
                    for i in range(3200))
    front = rnd.randbytes(f.CHUNK_BYTES - 15000)
    for rank, (level, members) in enumerate(((1, [text]), (6, [front + text]), (9, [text[:50000], text[50000:]]))):
        folder = os.path.join(path, f"rank{rank}")
        os.makedirs(folder)
        for name, content in (("steps.jsonl", b'{"step":1,"scalars":{"loss":2.5}}\n'), ("trace.json", text[rank:]),
                              ("trace.json.gz", b"".join(gzip.compress(member, level, mtime=0) for member in members))):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)


def rank_folders(path):
    found = {int(name[4:]): os.path.join(path, name) for name in os.listdir(path) if name.startswith("rank")}
    return found or {0: path}


def own_facts(folder, put):
    def load(name):
        if not os.path.exists(os.path.join(folder, name)):
            return {}
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return json.load(file)
    return facts_of(load("run.json"), load("facts.json"), put)


def files_of(folder):
    found = {}
    for name in ("trace.json", "trace.json.gz", "kineto.json", "kineto.json.gz"):
        if os.path.exists(os.path.join(folder, name)):
            with open(os.path.join(folder, name), "rb") as file:
                found[name.encode()] = file.read()
    return found


def precision_of(facts, columns):
    """{column: (precision, digits)} by the facts columns.<name>.precision."""
    said = {path: value for path, _, _, value in f.effective(facts)}
    words = {None: (0, 0), b"f64": (0, 0), b"f32": (1, 0)}
    found = {}
    for name, column_type in columns:
        value = said.get(b"columns." + f.escape(name) + b".precision") if column_type == F64 else None
        found[name, column_type] = (2, value) if isinstance(value, int) and value <= 17 else words.get(value, (0, 0))
    return found


def read_directory(path, put):
    """{rank: Rank} of a run directory."""
    folders, ranks = rank_folders(path), {}
    for number, folder in folders.items():
        facts = {fact[:2]: fact for fact in own_facts(path, put) + own_facts(folder, put)}
        rank = ranks[number] = f.Rank(facts=sorted(facts.values()), files=files_of(folder))
        with open(os.path.join(folder, "steps.jsonl"), encoding="utf-8") as file:
            rank.rows = rows_of(file) | beside_steps(folder)
        rank.precision = precision_of(rank.facts, {column for rows in rank.rows.values() for _, cells in rows for column in cells})
    job = beside_steps(path)
    if path not in folders.values() and (files_of(path) or job):
        ranks[-1] = f.Rank(files=files_of(path), rows=job)
        ranks[-1].precision = {column: (0, 0) for rows in job.values() for _, cells in rows for column in cells}
    return ranks


class Place:
    def __init__(self):
        self.work = tempfile.mkdtemp(prefix="tscope-interop-")
        self.server = Server(BUILD, self.work)
        self.client = Client(f"127.0.0.1:{self.server.port}", self.work)
        keep = {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}
        self.env = dict(keep, PATH="/usr/bin:/bin", HOME=self.work, LC_ALL="C", TSCOPE_SERVER="unix:" + self.server.socket)

    def tscope(self, *words, status=0, **env):
        p = subprocess.run([os.path.join(BUILD, "tscope"), *words, "--json"], cwd=self.work, env=dict(self.env, **env),
                           stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
        assert p.returncode == status, f"tscope {words}: {p.returncode}\n{p.stdout.decode()}{p.stderr.decode()}"
        return json.loads(p.stdout)

    def close(self):
        self.client.channel.close()
        if self.server.process.poll() is None:
            self.server.process.kill()
            self.server.process.wait()
        shutil.rmtree(self.work, ignore_errors=True)


def check_same_id(place):
    """(a) What is built here has the id that tscope gives the same directory; the server takes each codec."""
    path = os.path.join(place.work, "small")
    small_run(path)
    extra = {}

    def put(raw):
        extra[f.identity(raw)] = raw
        return f.identity(raw)

    run, objects = f.run_objects(read_directory(path, put))
    objects.update(extra)
    ordered = sorted(objects)
    codecs = {i: (sealed_v1.RAW, sealed_v1.ZSTD, sealed_v1.WORDS)[n % 3] for n, i in enumerate(ordered)}
    codec_of = lambda raw: codecs[f.identity(raw)]  # noqa: E731
    missing = {i: objects[i] for i in ordered if i != run}
    word = refused(lambda: place.client.push(run, missing, codec_of, name="inter/op"))
    assert word[:2] == ("not_found", "NOT_FOUND") and run.hex()[:8] in word[2], word
    put_reply, commit, sent = place.client.push(run, objects, codec_of, name="inter/op", state="finished", message="by hand")
    assert (put_reply.objects, put_reply.new_objects, sent) == (1, 1, 1), put_reply
    assert commit.outcome == 1 and commit.id == run and commit.seq == 1 and not commit.previous, commit
    put_reply, commit, sent = place.client.push(run, objects, codec_of, name="inter/op")
    assert put_reply is None and sent == 0 and commit.outcome == 2, "a second push sends nothing"

    pushed = place.tscope("push", "--name", "pushed", "--project", "inter", path)["pushes"][0]["run"]
    if pushed["id"] != run.hex():
        explain(place.client, bytes.fromhex(pushed["id"]), run, objects)
    assert pushed["id"] == run.hex()
    return path, run


def explain(client, theirs, ours, objects):
    """Prints where two runs that should be one differ."""
    get = lambda i: client.objects([i])[i][0]  # noqa: E731
    for name, head, source in (("tscope", theirs, get), ("here", ours, objects.get)):
        indexes, facts = f.read_head(source(head))
        print(name, "head:", *facts, sep="\n   ")
        for number, first in indexes.items():
            _, own, found, files = f.read_index(first, source)
            print("  rank", number, [(k, b, [x[:3] for x in blocks], [(c[:4], [i.hex()[:8] for i in c[4]]) for c in columns])
                                      for k, b, blocks, columns in found], own, files)


def check_cells(place, path, name):
    """(b) Every cell, fact and file of a run that tscope pushed. Returns the codecs that occurred."""
    reply = place.client.GetRun(spec=f"inter/{name}")
    run = reply.run.id
    seen = {}

    def get(i):
        if i not in seen:
            seen.update(place.client.objects([i]))
        return seen[i][0]

    assert get(run) == reply.head and f.identity(reply.head) == run
    texts = {}
    want = read_directory(path, lambda raw: texts.setdefault(f.identity(raw), raw) and f.identity(raw))
    indexes, head_facts = f.read_head(reply.head)
    assert sorted(indexes) == sorted(want)
    cells = 0
    for number, first in indexes.items():
        rank, own, found, files = f.read_index(first, get)
        assert rank == number
        seen.update(place.client.objects(dict.fromkeys(i for i in f.all_ids(found, files, own + head_facts) if i not in seen)))
        got, precision = f.rank_rows(found, get)
        assert precision == want[number].precision
        expected = {kind: rows for kind, rows in want[number].rows.items() if rows}
        assert {k: [key for key, _ in v] for k, v in got.items()} == {k: [key for key, _ in v] for k, v in expected.items()}
        for kind, rows in got.items():
            for (key, have), (_, should) in zip(rows, expected[kind]):
                assert have == should, f"{name} rank {number} step {key}: {have} where {should} belongs"
                cells += len(have)
        facts = {fact[:2]: fact for fact in head_facts if number >= 0}
        facts.update({fact[:2]: fact for fact in own})
        assert sorted(fact for fact in facts.values() if fact[2] != f.ABSENT) == want[number].facts
        assert {n: b"".join(get(c)[16:] for c in chunks) for n, _, chunks, _ in files} == want[number].files
    assert all(get(i) == raw for i, raw in texts.items())
    steps = max(len(rank.rows.get(f.STEPS, [])) for rank in want.values())
    assert (reply.run.steps, reply.run.ranks) == (steps, sum(n >= 0 for n in want)), reply.run
    assert sorted((i.rank, i.name, i.size) for i in reply.files) == sorted(
        (n, name, len(content)) for n, rank in want.items() for name, content in rank.files.items())
    check_columns(reply, want)
    assert f.run_objects(want)[0] == run, "built from what was read, the id is the same"
    return {codec for _, codec in seen.values()}, cells


def check_sealed_again(place):
    """(b) Each file of text_run came by its codec; who does not say that these codecs may come gets the same objects by others."""
    c, seen = place.client, {}

    def get(i):
        seen.update(c.objects([i]))
        return seen[i][0]

    indexes, _ = f.read_head(c.GetRun(spec="inter/texts").head)
    for first in indexes.values():
        for name, _, chunks, _ in f.read_index(first, get)[3]:
            get(chunks[-1])
            assert seen[chunks[-1]][1] == (sealed_v1.DEFLATE if name.endswith(b".gz") else sealed_v1.LINES), name
    for codecs in (0, sealed_v1.WORDS, sealed_v1.LINES):
        again = c.objects(seen, codecs)
        assert all(raw == seen[i][0] and codec <= max(codecs, sealed_v1.WORDS) for i, (raw, codec) in again.items())


def check_columns(reply, want):
    """Compares what GetRun says of columns with the rows."""
    said = {(i.name, i.type): i for i in reply.columns if i.table == 1}
    have = {}
    for number, rank in sorted(want.items()):
        for key, cells in rank.rows.get(f.STEPS, []):
            for column in cells:
                have.setdefault(column, {}).setdefault(number, []).append(key)
    assert sorted(said) == sorted(have)
    for column, by_rank in have.items():
        i, lowest = said[column], min(by_rank)
        assert (i.rank, i.ranks, i.rows) == (lowest, len(by_rank), len(by_rank[lowest])), i
        assert (i.first_key, i.last_key, i.rows_all) == (by_rank[lowest][0], by_rank[lowest][-1], sum(map(len, by_rank.values())))
        assert (i.precision, i.digits) == want[lowest].precision[column], i


def check_questions(place):
    """(c) Diff, Analyze, ListRuns with pages, Verify, names, notes, health."""
    c = place.client
    info = c.ServerInfo()
    assert info.format_version == 1 and not info.read_only and info.refs >= 4, info
    diff = c.Diff(a="inter/base", b="inter/lr")
    assert diff.verdict == 2 and [row.path for row in diff.facts if row.path == b"config.optimizer.lr"], diff.reason
    parts = {row.name: row for row in diff.series if row.state == 2 and row.rank == 0}
    loss = parts[b"scalars.loss"]
    assert loss.first_step == first_difference("base", "lr", "loss") and loss.a.HasField("real"), loss
    assert c.Diff(a="inter/base", b="run:inter/base").verdict == 1
    measures = {(m.group, m.subject, m.name): m for m in c.Analyze(spec="inter/long", warmup=0).measures}
    peak = [m for key, m in measures.items() if key[0] == b"memory" and m.value == 8912345600.0]
    assert peak and all(m.unit == 2 for m in peak), measures.keys()
    assert all(m.WhichOneof("value_choice") or m.reason for m in measures.values()), "what is unknown has a reason"
    check_pages(c)
    check_chart(c)
    check_reflection(c)
    assert refused(lambda: c.CollectGarbage(dry_run=True))[:2] == ("denied", "PERMISSION_DENIED"), "an address proves no admin"
    admin = Client("unix:" + place.server.socket, place.work)
    events = list(admin.Verify())
    assert events[-1].final and not any(e.final for e in events[:-1]) and not events[-1].damaged, events[-1]
    assert events[-1].objects == c.ServerInfo().objects and not events[-1].missing and not events[-1].ids
    for service in ("", "tscope.v1.Tscope"):
        assert c.Check(service=service).status == 1
    watch = c.Watch(service="")
    assert next(watch).status == 1
    watch.cancel()
    c.SetNote(name="inter/op", key="bad", value="why not")
    reply = c.GetRun(spec="inter/op")
    assert {(n.key, n.value) for n in reply.notes} == {("bad", "why not"), ("state", "finished")}
    assert {n.name for n in reply.names} == {"inter/op", "inter/pushed"}
    log = c.RefLog(spec="inter/op")
    assert [(e.seq, e.message) for e in log.entries] == [(1, "by hand")] and log.kind == 1
    target = "id:" + reply.run.id.hex()[:16]
    assert c.UpdateRef(kind=2, name="inter/v1", target=target, expect=1).ref.seq == 1
    assert c.ListRuns(kind=2, project="inter").rows[0].name == "inter/v1"
    assert c.UpdateRef(kind=2, name="inter/v1", remove=True).ref.id == reply.run.id
    assert admin.CollectGarbage(dry_run=True).freed == 0
    check_tokens(c, admin)
    admin.channel.close()


def check_tokens(c, admin):
    """A token does what it may, over the socket only; whatever else stands in the header is refused, and no answer repeats it."""
    def header(*values):
        return [("authorization", v) for v in values]

    def denied(client, method, *values, why="", **fields):
        got = refused(lambda: getattr(client, method)(metadata=header(*values), **fields))
        assert got[:2] == ("denied", "PERMISSION_DENIED") and why in got[2] and not any(v[10:] in got[2] for v in values if len(v) > 10), got

    made = admin.MakeToken(name="interop", role="push", projects="inter", lifetime_s=3600)
    secret, good = made.secret, "Bearer " + made.secret
    raw = base64.b32decode(secret[7:].upper() + "======")
    assert raw[32:] == hashlib.sha256(b"tscope_" + raw[:32]).digest()[:4] and raw[:8].hex() == made.tokens[0].id, "docs/security.md says so"
    info = admin.ServerInfo(metadata=header(good))
    assert (info.who, info.may) == ("token:interop", "push inter") and info.token_expires_ns == made.tokens[0].expires_ns, info
    assert {r.name.split("/")[0] for r in admin.ListRuns(metadata=header(good)).rows} == {"inter"}
    denied(admin, "CollectGarbage", good, dry_run=True, why="token:interop is none")
    denied(admin, "MakeToken", good, name="more", role="admin", projects="*")
    denied(c, "ServerInfo", good, why="plain TCP")
    denied(admin, "ServerInfo", good, good, why="2 headers")
    denied(admin, "ServerInfo", "Bearer " + "x" * 7000, why="no token")
    denied(admin, "ServerInfo", "Basic " + secret, why="Bearer")
    denied(admin, "ServerInfo", "Bearer", why="Bearer")
    for n in (1, 8, 40, len(secret) - 1):
        denied(admin, "ServerInfo", "Bearer " + secret[:n])
    denied(admin, "ServerInfo", good + " ")
    flipped = bytes([*raw[:20], raw[20] ^ 1, *raw[21:32]])
    forged = base64.b32encode(flipped + hashlib.sha256(b"tscope_" + flipped).digest()[:4]).decode().rstrip("=").lower()
    denied(admin, "ServerInfo", "Bearer tscope_" + forged, why="knows no such token")
    short = admin.MakeToken(name="short", role="read", projects="*", lifetime_s=1)
    time.sleep(1.2)
    denied(admin, "ServerInfo", "Bearer " + short.secret, why="the token short expired")
    assert sorted(t.name for t in admin.ListTokens().tokens) == ["interop", "short"] and not admin.ListTokens().secret
    admin.RevokeToken(token="interop")
    denied(admin, "ServerInfo", good, why="revoked")
    admin.RevokeToken(token=short.tokens[0].id)
    assert not admin.ListTokens().tokens


def check_reflection(c):
    """A client without any .proto file learns the same descriptors as protoc writes, by v1 and by v1alpha."""
    ask = c.m.ServerReflectionRequest
    alpha = c.channel.stream_stream("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", request_serializer=ask.SerializeToString,
                                    response_deserializer=c.m.ServerReflectionResponse.FromString)
    for service in (c.ServerReflectionInfo, lambda messages: alpha(messages, timeout=60)):
        listed, *files, wrong, extension = service(iter([ask(list_services="")] + [ask(file_containing_symbol=f"{p}.X") for p in c.files] +
                                                        [ask(file_by_filename="nothing.proto"), ask(file_containing_extension=b"")]))
        names = {s.name for s in listed.list_services_response.service}
        assert names == {f"{p}.{s.name}" for p, f in c.files.items() for s in f.service}, names
        for package, reply in zip(c.files, files):
            (got,) = reply.file_descriptor_response.file_descriptor_proto
            want = descriptor_pb2.FileDescriptorProto.FromString(c.files[package].SerializeToString())
            assert descriptor_pb2.FileDescriptorProto.FromString(got) == want, package
            assert reply.original_request.file_containing_symbol == f"{package}.X", reply.original_request
        assert wrong.error_response.error_code == 5 and extension.error_response.error_code == 12, (wrong, extension)
    by_name = next(c.ServerReflectionInfo(iter([ask(file_by_filename="tscope/v1/tscope.proto")])))
    assert len(by_name.file_descriptor_response.file_descriptor_proto) == 1


def check_chart(c):
    """Every point is one of the run, in order of step; the ends, the least and the greatest value are there."""
    chart = c.Chart(runs=["inter/base", "id:" + c.GetRun(spec="inter/lr").run.id.hex()], column=b"loss", columns=16)
    (base, lr), records = chart.lines, losses("base", "loss")
    assert chart.low == 0 and chart.columns == 16 and base.column == b"scalars.loss" and base.values == len(records), chart
    assert list(base.x) == sorted(base.x) and all(records[x] == y for x, y in zip(base.x, base.y)), base
    assert {min(records.values()), max(records.values()), records[0], records[max(records)]} <= set(base.y)
    assert len(base.mean) == 16 and not base.odd_x and lr.run.own_name == b"chars-lr" and not lr.why_not


def losses(run, scalar):
    with open(os.path.join(ROOT, "tests/golden/demo/runs", run, "rank0/steps.jsonl"), encoding="utf-8") as file:
        return {r["step"]: r["scalars"][scalar] for r in map(json.loads, file)}


def first_difference(a, b, scalar):
    x, y = losses(a, scalar), losses(b, scalar)
    return next(step for step in sorted(x) if step in y and f.bits(x[step]) != f.bits(y[step]))


def check_pages(c):
    names, token, pages = [], b"", 0
    while True:
        page = c.ListRuns(project="inter", sort="name", page_size=2, page_token=token, columns=["config.optimizer.lr", "steps"])
        assert len(page.rows) <= 2 and all(len(row.cells) == 2 for row in page.rows)
        names += [(row.name, row.cells[0].type, row.cells[0].real, row.cells[1].integer) for row in page.rows]
        pages, token = pages + 1, page.next_token
        if not token:
            break
    assert names == [("inter/base", 4, 0.003, 160), ("inter/long", 0, 0.0, 10000), ("inter/lr", 4, 0.0031, 160),
                     ("inter/odd", 0, 0.0, 8), ("inter/op", 0, 0.0, 300), ("inter/pushed", 0, 0.0, 300), ("inter/texts", 0, 0.0, 1)], names
    assert pages >= 3
    found = c.ListRuns(project="inter", filter="config.optimizer.lr > 3.05e-3 or name = 'op'", sort="-name")
    assert [row.name for row in found.rows] == ["inter/op", "inter/lr"]
    newest = c.ListRuns(project="inter").rows
    assert [row.pushed_ns for row in newest] == sorted((row.pushed_ns for row in newest), reverse=True)


def check_join(place):
    """Ranks that arrive apart are the run that one directory gives, also where rank 0 has no run.json."""
    folders = [os.path.join(place.work, name) for name in ("first", "second")]
    parts = []
    for rank, folder in enumerate(folders):
        path = os.path.join(folder, f"rank{rank}")
        os.makedirs(path)
        run_json = {"name": "joined", "world_size": 2, "config": {"lr": 0.5}, "rank": 1} if rank else {}
        texts = {"steps.jsonl": '{"step":1,"scalars":{"loss":0.5}}\n',
                 "facts.json": json.dumps({"format": 1, "parallelism": {"world_size": 2}, "seeds": {"torch": rank}})}
        texts.update({"run.json": json.dumps(run_json)} if run_json else {})
        for name, text in texts.items():
            with open(os.path.join(path, name), "w", encoding="utf-8") as file:
                file.write(text)
        parts.append(read_directory(folder, None)[rank])
    whole, _ = f.run_objects(dict(enumerate(parts)))
    for name, order in (("up", (0, 1)), ("down", (1, 0))):
        for n, rank in enumerate(order):
            run, objects = f.run_objects({rank: parts[rank]})
            _, commit, _ = place.client.push(run, objects, lambda raw: sealed_v1.RAW, name=f"join/{name}", join=True)
            assert commit.run.id == commit.id and commit.run.ranks == n + 1, commit
            if n == 0:
                assert commit.outcome == 5 and list(commit.missing_ranks) == [order[1]], commit
        assert commit.outcome == 1 and commit.id == whole, f"joined {name}: {commit.id.hex()}, not {whole.hex()}"
    both = os.path.join(place.work, "both")
    for rank, folder in enumerate(folders):
        shutil.copytree(os.path.join(folder, f"rank{rank}"), os.path.join(both, f"rank{rank}"))
    pushed = place.tscope("push", "--name", "both", "--project", "join", both)["pushes"][0]["run"]
    assert pushed["id"] == whole.hex()


def check_errors(place, run):
    """Checks the statuses of docs/protocol.md, each with its trailer."""
    c, m = place.client, place.client.m
    raw = f.keys_block([1, 2, 3])

    def put(**change):
        sealed = sealed_v1.fill(m.SealedObject(), raw, sealed_v1.RAW)
        for key, value in change.items():
            setattr(sealed, key, value)
        return lambda: c.PutObjects(iter([m.PutObjectsRequest(objects=[sealed])]))

    flipped = raw[:-1] + b"\x01"
    cases = [
        ("invalid", "INVALID_ARGUMENT", lambda: c.HasObjects(ids=b"x" * 33)),
        ("invalid", "INVALID_ARGUMENT", lambda: c.ListRuns(filter="steps >")),
        ("unsupported", "UNIMPLEMENTED", lambda: c.ListRuns(kind=77)),
        ("invalid", "INVALID_ARGUMENT", lambda: c.CommitRun(name="../x", head=run)),
        ("invalid", "INVALID_ARGUMENT", lambda: c.SetNote(name="inter/op", key="state", value="asleep")),
        ("invalid", "INVALID_ARGUMENT", lambda: c.HasObjects(ids=b"x" * 32 * 16385)),
        ("invalid", "INVALID_ARGUMENT", lambda: c.ListRuns(page_size=1001)),
        ("damaged", "DATA_LOSS", put(checksum=1)),
        ("damaged", "DATA_LOSS", put(data=flipped, checksum=sealed_v1.xxhash.xxh3_64_intdigest(flipped))),
        ("damaged", "DATA_LOSS", put(kind=4)),
        ("damaged", "DATA_LOSS", put(refs=1)),
        ("damaged", "DATA_LOSS", put(codec=9)),
        ("not_found", "NOT_FOUND", lambda: c.GetRun(spec="inter/nothing")),
        ("not_found", "NOT_FOUND", lambda: c.GetObjects(ids=b"\1" * 32)),
        ("ambiguous", "FAILED_PRECONDITION", lambda: c.GetRun(spec="?inter/" + two_alike(c))),
        ("not_found", "NOT_FOUND", lambda: c.Chart(runs=["inter/base"], column=b"no such column")),
        ("invalid", "INVALID_ARGUMENT", lambda: c.Chart(runs=["inter/base"])),
        ("conflict", "ABORTED", lambda: c.CommitRun(name="inter/base", head=run)),
        ("conflict", "ABORTED", lambda: c.CommitRun(name="inter/op", head=run, expect=1)),
        ("conflict", "ABORTED", lambda: c.CommitRun(name="inter/op", head=run, expect=2, expected=b"\1" * 32, force=True)),
    ]
    for n, (word, code, call) in enumerate(cases):
        got = refused(call)
        assert got[:2] == (word, code) and got[2], f"case {n}: {got} where {word}, {code} belongs"
    unknown = place.client.channel.unary_unary("/tscope.v1.Tscope/Nothing")
    got = refused(lambda: unknown(b"", timeout=60))
    assert got[:2] == ("unsupported", "UNIMPLEMENTED"), got
    got = refused(lambda: c.Check(service="other"))
    assert got[1] == "NOT_FOUND", got
    got = refused(lambda: c.HasObjects(ids=b"x" * (5 << 20)))
    assert got[:2] == (None, "RESOURCE_EXHAUSTED"), got
    head = f.frame(f.HEAD, b"\1\0")
    c.PutObjects(iter([m.PutObjectsRequest(objects=[sealed_v1.fill(m.SealedObject(), head, sealed_v1.RAW)])]))
    got = refused(lambda: c.CommitRun(name="inter/bad", head=f.identity(head)))
    assert got[:2] == ("invalid", "INVALID_ARGUMENT"), got


class Other(grpc.GenericRpcHandler):
    """A server of another version: it knows ServerInfo, and answers one method with bytes that are given; it has no others."""

    def __init__(self, version, method="", answer=b""):
        self.answers = {"Check": b"\x08\x01", "ServerInfo": b"\x0a" + bytes([len(version)]) + version.encode(), method: answer}

    def service(self, details):
        answer = self.answers.get(details.method.rpartition("/")[2])
        return None if answer is None else grpc.unary_unary_rpc_method_handler(lambda request, context: answer)


@contextlib.contextmanager
def serving(other):
    """A server of these answers; gives its address."""
    server = grpc.server(futures.ThreadPoolExecutor(1))
    server.add_generic_rpc_handlers([other])
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        yield address
    finally:
        server.stop(None)


def asks(place, address, *words):
    return subprocess.run([os.path.join(BUILD, "tscope"), *words], cwd=place.work, env=dict(place.env, TSCOPE_SERVER=address), capture_output=True,
                          text=True, timeout=60)


def check_other_versions(place):
    """Where one side does not know what the other says, the user is told which one to update."""
    m = place.client.m
    of_later = m.ListRunsReply(rows=[m.ListRow(name="inter/base", id=b"\1" * 32, cells=[m.Fact(type=77)] * 8)]).SerializeToString()
    for version, method, answer, advice in (("9.0.0", "", b"", "update tscope here"), ("0.0.1", "", b"", "update the server"),
                                            ("9.0.0", "ListRuns", of_later, "update tscope here"),
                                            ("strange", "", b"", "update the one that is older")):
        with serving(Other(version, method, answer)) as address:
            p = asks(place, address, "list")
        assert p.returncode == 2 and advice in p.stderr and f"tscoped {version}" in p.stderr, p
        assert ("does not know" in p.stderr) == bool(method), p


def check_capabilities(place):
    """A server of 0.1.0 answers as if what it does not know had not been asked: it is not asked that."""
    m = place.client.m
    assert "note-history" in place.client.ServerInfo().capabilities.split(" ")
    answer = m.RefLogReply(kind=1, name="inter/base", entries=[m.LogEntry(seq=1, id=b"\1" * 32, moved_ns=1)]).SerializeToString()
    found = m.FindNamesReply(names=[m.FoundName(found=1, id=b"\1" * 32, kind=1, name="inter/base")]).SerializeToString()
    for told, asked in (("", False), ("follow note", False), ("note-history", True), ("of-later note-history", True)):
        other = Other("0.1.0", "RefLog", answer)
        other.answers.update(FindNames=found, ServerInfo=m.ServerInfoReply(version="0.1.0", capabilities=told).SerializeToString())
        with serving(other) as address:
            p, plain = asks(place, address, "log", "run:inter/base", "--notes"), asks(place, address, "log", "run:inter/base")
        assert plain.returncode == 0, plain
        if asked:
            assert p.returncode == 0, p
        else:
            assert p.returncode == 2 and "lacks note-history" in p.stderr and "update the server" in p.stderr and not p.stdout, p


def check_invented_fields(place):
    """What a newer side says beside what this one knows: a field of an answer is passed over, a hint of a request too (numbers from 1000 on), and
    any other field, value of an enum or setting of a request is refused, since the answer would leave out what was asked."""
    m = place.client.m
    listing = place.client.channel.unary_unary("/tscope.v1.Tscope/ListRuns")
    known = m.ListRunsRequest(project="inter", page_size=1000).SerializeToString()
    assert listing(known + b"\xc2\x3e\x04hint", timeout=60) == listing(known, timeout=60)
    for invented, number in ((b"\xba\x3e\x03new", "999"), (b"\xf8\x07\x01", "127")):
        got = refused(lambda: listing(known + invented, timeout=60))
        assert got[:2] == ("unsupported", "UNIMPLEMENTED") and f"a field {number}, which this version does not know" in got[2], got
    setting = [m.PolicyItem(code="GATE", threshold="invented", value=1)]
    for ask in (lambda: place.client.ListRuns(project="inter", kind=99), lambda: place.client.Analyze(spec="inter/base", policy=setting),
                lambda: place.client.Gate(candidates=["inter/base"], baselines=["inter/lr"], policy=setting)):
        got = refused(ask)
        assert got[:2] == ("unsupported", "UNIMPLEMENTED"), got
    said = []
    removed = m.RemovedRef(ref=m.Ref(kind=1, name="inter/gone", id=b"\1" * 32, seq=1, moved_ns=1), removed_ns=2, expires_ns=3).SerializeToString()
    for invented in (b"", b"\xba\x3e\x03new\xf8\x07\x01"):
        inner = removed + invented
        server = grpc.server(futures.ThreadPoolExecutor(1))
        server.add_generic_rpc_handlers([Other("9.0.0", "ListRemoved", b"\x0a" + bytes([len(inner)]) + inner + invented)])
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        said.append(subprocess.run([os.path.join(BUILD, "tscope"), "restore"], cwd=place.work, env=dict(place.env, TSCOPE_SERVER=f"127.0.0.1:{port}"),
                                   capture_output=True, text=True, timeout=60))
        server.stop(None)
    assert said[0].returncode == said[1].returncode == 0 and said[0].stdout == said[1].stdout and "gone" in said[0].stdout, said


def enums_of(message):
    """The fields of enums that are set in a message, those of its parts too: (message, field, place in a list or None)."""
    for field, value in message.ListFields():
        many = field.label == field.LABEL_REPEATED
        if field.enum_type:
            yield from ((message, field, i) for i in range(len(value))) if many else ((message, field, None),)
        elif field.message_type:
            for part in value if many else (value,):
                yield from enums_of(part)


class Newer(grpc.GenericRpcHandler):
    """A server of version 9.0.0, which says what another says, but in one place of one reply a value of an enum that is not there yet."""

    def __init__(self, place, at):
        self.place, self.at, self.places = place, at, set()

    def service(self, details):
        name = details.method.rpartition("/")[2]
        reply, channel = self.place.client.replies[name], self.place.client.channel
        if name == "GetObjects":
            return grpc.unary_stream_rpc_method_handler(lambda request, context: channel.unary_stream(details.method)(request, timeout=60))
        ask = channel.unary_unary(details.method)

        def answer(request, context):
            told = reply.FromString(ask(request, timeout=60))
            if name == "ServerInfo":
                told.version = "9.0.0"
            for message, field, i in enums_of(told):
                self.places.add((name, message.DESCRIPTOR.name, field.name))
                if self.at == (name, message.DESCRIPTOR.name, field.name):
                    setattr(message, field.name, 99) if i is None else getattr(message, field.name).__setitem__(i, 99)
            return told.SerializeToString()

        return grpc.unary_unary_rpc_method_handler(answer)


def check_invented_values(place):
    """A value of an enum that a newer server sends is shown as such, or the refusal says to update tscope: in every reply, wherever there is one."""
    base, lr = (f"inter/{name}" for name in ("base", "lr"))
    told, refused_at = 0, set()
    for words in (["list"], ["show", base], ["facts", base], ["analyze", base], ["diff", base, lr], ["check-resume", base, lr], ["log", base], ["restore"],
                  ["plot", "loss", base, lr], ["trend", "inter/main"], ["gate", base, "--baseline", lr]):
        seen, tried = set(), {None}
        while tried - seen:
            at = sorted(tried - seen, key=str)[0]
            newer, server = Newer(place, at), grpc.server(futures.ThreadPoolExecutor(4))
            server.add_generic_rpc_handlers([newer])
            port = server.add_insecure_port("127.0.0.1:0")
            server.start()
            p = subprocess.run([os.path.join(BUILD, "tscope"), *words, "--json"], cwd=place.work, env=dict(place.env, TSCOPE_SERVER=f"127.0.0.1:{port}"),
                               capture_output=True, text=True, timeout=120)
            text = subprocess.run([os.path.join(BUILD, "tscope"), *words], cwd=place.work, env=dict(place.env, TSCOPE_SERVER=f"127.0.0.1:{port}"),
                                  capture_output=True, text=True, timeout=120)
            server.stop(None)
            seen.add(at)
            if at is None:
                usual, tried = p.returncode, tried | newer.places
            elif p.returncode == 2 and "does not know" in p.stderr:
                assert "update tscope here" in p.stderr and "update tscope here" in text.stderr, (words, at, p, text)
                refused_at.add(at)
            else:
                assert p.returncode == usual and text.returncode in (0, 1, 2, 3, 4), (words, at, p, text)
                told += "of a newer tscope" in p.stdout
    print(f"values of a newer server: {told} shown as such; refused, with what to update: {sorted({f'{m}.{f}' for _, m, f in refused_at})}")
    assert told


class Between(grpc.GenericRpcHandler):
    """Hands calls on to a server, but the first one of a method, which ends as if the connection broke."""

    def __init__(self, channel, broken=None):
        self.channel, self.broken, self.seen = channel, broken, set()

    def service(self, details):
        method, first = details.method.rpartition("/")[2], details.method not in self.seen
        self.seen.add(details.method)
        if method == self.broken and first:
            return grpc.stream_unary_rpc_method_handler(lambda requests, context: context.abort(grpc.StatusCode.UNAVAILABLE, "Socket closed"))
        if method == "PutObjects":
            return grpc.stream_unary_rpc_method_handler(lambda requests, context: self.channel.stream_unary(details.method)(requests, timeout=60))
        return grpc.unary_unary_rpc_method_handler(lambda request, context: self.channel.unary_unary(details.method)(request, timeout=60))


def check_broken_calls(place):
    """A push goes on where any of its calls breaks, as when the server is started anew: the first one too."""
    def push(name, broken=None):
        between, server = Between(place.client.channel, broken), grpc.server(futures.ThreadPoolExecutor(4))
        server.add_generic_rpc_handlers([between])
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        p = subprocess.run([os.path.join(BUILD, "tscope"), "push", "-n", f"broken/{name}", os.path.join(ROOT, "tests/golden/demo/runs/base")],
                           cwd=place.work, env=dict(place.env, TSCOPE_SERVER=f"127.0.0.1:{port}"), capture_output=True, text=True, timeout=60)
        server.stop(None)
        assert p.returncode == 0, (broken, p)
        return {method.rpartition("/")[2] for method in between.seen}, p.stderr

    calls, _ = push("whole")
    assert {"HasObjects", "CommitRun"} <= calls, calls
    for broken in sorted(calls - {"Check"}):
        _, told = push("of-" + broken, broken)
        assert "tries again" in told, (broken, told)


def two_alike(c):
    """Makes names that answer to one word of 12 digits: a run inter/W and a run whose id begins with W."""
    word = c.GetRun(spec="inter/base").run.id.hex()[:12]
    c.UpdateRef(kind=2, name=f"inter/{word}", target="inter/lr")
    return word


def main():
    print("vectors:", vectors.check(1200))
    place = Place()
    try:
        path, run = check_same_id(place)
        print("small run: same id", run.hex()[:16])
        longer, codecs = os.path.join(place.work, "long"), set()
        long_run(longer, 10000)
        demo = os.path.join(ROOT, "tests/golden/demo/runs")
        odd = os.path.join(place.work, "odd")
        odd_run(odd)
        texts = os.path.join(place.work, "texts")
        text_run(texts)
        place.tscope("push", "--project", "inter", odd, longer, texts, os.path.join(demo, "base"), os.path.join(demo, "lr"))
        for name, folder in (("base", os.path.join(demo, "base")), ("long", longer), ("odd", odd), ("texts", texts), ("pushed", path), ("op", path)):
            found, cells = check_cells(place, folder, name)
            codecs |= found
            print(f"{name}: {cells} cells agree, codecs {sorted(found)}")
        assert codecs == {0, 1, 2, 3, 4}, codecs
        check_sealed_again(place)
        check_questions(place)
        check_join(place)
        check_errors(place, run)
        check_other_versions(place)
        check_capabilities(place)
        check_invented_fields(place)
        check_invented_values(place)
        check_broken_calls(place)
        assert place.server.stop() == 0, "tscoped ends with another status"
        push_over_restart(place, path)
        read_only(place)
    finally:
        place.close()
    print("all as documented")


def push_over_restart(place, path):
    """A push that begins while no server is there is done when the server is."""
    place.client.channel.close()
    os.remove(place.server.log)
    pushing = subprocess.Popen([os.path.join(BUILD, "tscope"), "push", "--name", "late", path], cwd=place.work, env=place.env,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(0.5)
    place.server = Server(BUILD, place.work)
    said = pushing.communicate(timeout=60)[1]
    assert pushing.returncode == 0 and "push tries again (1 of 3)" in said, said
    assert place.server.stop() == 0


def read_only(place):
    place.client.channel.close()
    os.remove(place.server.log)
    place.server = Server(BUILD, place.work, "--read-only")
    place.client = Client("unix:" + place.server.socket, place.work)
    assert place.client.ServerInfo().read_only
    got = refused(lambda: place.client.SetNote(name="inter/op", key="bad"))
    assert got[:2] == ("denied", "PERMISSION_DENIED"), got
    assert place.client.GetRun(spec="inter/op").run.ranks == 2
    assert place.server.stop() == 0


if __name__ == "__main__":
    main()
