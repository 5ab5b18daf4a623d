#!/usr/bin/env python3
"""mutate.py BUILD [CORPUS] [--n N] [--seed S]: what one damaged value of a file costs, in traces and memory snapshots.

Each round changes one value of one file: into a number that is out of range, another type, text with a quote that is not escaped, bytes
that are no UTF-8. The rows that the readers make of it are compared with those of the file as it was: at most one row may differ (of a
frame of a snapshot, the stacks alone). Files are those of tests/golden, and of CORPUS where it is given. Then gzip is cut and flipped:
what is read must be among what the whole file has, but for the last rows before a flip.
"""
import argparse
import collections
import glob
import gzip
import os
import pickle
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# A value of a member: a number, a word or a text.
VALUE = re.compile(rb'"(?:[^"\\]|\\.)*" ?: ?(-?[0-9][0-9.eE+-]*|true|false|null|"(?:[^"\\]|\\.)*")')
NUMBERS = [b"18446744073709551615", b"4294967295", b"-1", b"1e400", b"NaN", b"-Infinity", b"null", b"true", b"[]", b"{}", b'"x"', b"-1.-23",
           b"9" * 400, b"[[[1]]]", b"0x10", b"1.5", b"", b'""']
TEXTS = [b'"a"b"', b'"\xff\xfe"', b'"a\\"', b'"\\u12"', b"5", b"null", b"[1,2]", b'"\x00\x01"', b'"' + b"y" * 70000 + b'"', b'"}]}"', b"true", b"-"]
# A byte between or around the members of an event: what is lost when a program that prints JSON by hand is interrupted or forgets it.
LOSABLE = re.compile(rb'"[^"\\]*"( ?: ?)"[^"\\]*"[ \n]*,|"[^"\\]*" ?: ?[0-9.]+[ \n]*,')
LEAVES = [2**64 - 1, 2**32 - 1, -1, 2**63, 2**80, -2**70, 1e300, float("nan"), None, True, "x", b"\xff", [], {}, (1, 2), [None], "y" * 70000]


def run(argv):
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace").strip()


def rows_of(argv):
    code, out, err = run(argv)
    return None if code else collections.Counter(out.splitlines()), err


def plain(path):
    with open(path, "rb") as f:
        data = f.read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def put(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(data)
    return path


def differences(before, after):
    """Rows that only the whole file has, and those that only the damaged one has."""
    return sum((before - after).values()), sum((after - before).values())


class Traces:
    def __init__(self, build, folder):
        self.argv, self.folder = [os.path.join(build, "dump_trace"), "--rows"], folder
        self.known = {}

    def rows(self, data, name="t.json"):
        return rows_of([*self.argv, put(self.folder, name, data)])

    @staticmethod
    def events(data):
        """Where the list of events begins; behind it nothing of a file of Kineto is more than an event."""
        return max(0, data.find(b'"traceEvents"'))

    def one(self, rng, path):
        """Damages one value, or takes one byte away; returns what was done and how many rows that cost, or None and the error."""
        if path not in self.known:
            data = plain(path)
            spans = [[m.span(0) for m in LOSABLE.finditer(data, self.events(data))], [m.span(1) for m in VALUE.finditer(data)]]
            self.known[path] = data, *spans, self.rows(data)[0]
        data, losable, values, before = self.known[path]
        if losable and rng.randrange(4) == 0:
            begin, end = rng.choice(losable)
            at = rng.choice([i for i in range(begin, end) if data[i] in b'":,'])
            after, err = self.rows(data[:at] + data[at + 1:])
            what = f"{data[max(0, begin - 30):at].decode(errors='replace')!r} loses {chr(data[at])}"
            return what, None if after is None else max(differences(before, after)), err
        begin, end = rng.choice(values)
        to = rng.choice(TEXTS if data[begin:begin + 1] == b'"' else NUMBERS)
        after, err = self.rows(data[:begin] + to + data[end:])
        what = f"{data[max(0, begin - 30):begin].decode(errors='replace')!r} {data[begin:end][:40]!r} -> {to[:40]!r}"
        return what, None if after is None else max(differences(before, after)), err


class Snapshots:
    def __init__(self, build, folder):
        self.argv, self.folder = [os.path.join(build, "ingest/snapshot/test_snapshot_read"), "--dump"], folder

    def rows(self, data, name="s.pickle"):
        return rows_of([*self.argv, put(self.folder, name, data)])

    @staticmethod
    def leaves(v, path=()):
        """Members of dicts that are numbers and texts, and lists that are members: a random walk down, so that each depth is met."""
        if isinstance(v, dict):
            for k in v:
                yield v, k, (*path, k)

    def pick(self, rng, top):
        at, path = top, []
        while True:
            if isinstance(at, (list, tuple)):
                if not at:
                    return None
                at = at[rng.randrange(len(at))]
                continue
            if not isinstance(at, dict) or not at:
                return None
            key = rng.choice(list(at))
            path.append(key)
            if isinstance(at[key], (list, dict)) and at[key] and (at is top or rng.random() < 0.7):
                at = at[key]
                continue
            return (None if at is top else (at, key, path))

    def one(self, rng, path):
        top = pickle.loads(plain(path))
        before, _ = self.rows(pickle.dumps(top, protocol=4))
        found = None
        while not found:
            found = self.pick(rng, top if isinstance(top, dict) else {"segments": top})
        at, key, where = found
        was, at[key] = at[key], rng.choice(LEAVES)
        data = pickle.dumps(top, protocol=4)
        after, err = self.rows(data)
        what = f"{'.'.join(map(str, where))} {str(was)[:30]!r} -> {str(at[key])[:30]!r}"
        if after is None:
            return what, None, err
        if key in ("filename", "line", "name", "frames"):  # shared by stacks
            before, after = ({re.sub(rb" [0-9]+:[0-9a-f]{16}| -(?= |$)", b"", r): n for r, n in c.items()} for c in (before, after))
            before, after = collections.Counter(before), collections.Counter(after)
        if key == "blocks" or "allocator_settings" in where:  # a whole list
            return what, min(1, max(differences(before, after))), err
        return what, max(differences(before, after)), err


def packed(reader, name, data, rng, rounds):
    """Cuts and flips gzip; returns how often at least a part was read, how often not, and rows that the whole file does not have."""
    whole, _ = reader.rows(data)
    gz = gzip.compress(data, mtime=0)
    read = refused = foreign = 0
    for i in range(rounds):
        at = rng.randrange(len(gz) // 2, len(gz))
        b = gz[:at] if i % 2 else gz[:at] + bytes([gz[at] ^ (1 << rng.randrange(8))]) + gz[at + 1:]
        rows, _ = reader.rows(b, name)
        if rows is None:
            refused += 1
            continue
        read += 1
        foreign = max(foreign, sum((rows - whole).values()) if i % 2 else 0)
    return read, refused, foreign


def main():
    options = argparse.ArgumentParser()
    options.add_argument("build")
    options.add_argument("corpus", nargs="?")
    options.add_argument("--n", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--most", type=int, default=4 << 20, help="bytes of a file, packed")
    asked = options.parse_args()
    rng = random.Random(asked.seed)
    traces = [os.path.join(HERE, "trace", n) for n in ("demo.json.gz", "trace.json", "cpu.json")]
    snapshots = [os.path.join(HERE, "snapshot", n) for n in ("newest4.pickle", "oom.pickle", "pools.pickle", "batch4.pickle")]
    if asked.corpus:
        traces += glob.glob(os.path.join(asked.corpus, "traces", "*.json.gz"))
        snapshots += glob.glob(os.path.join(asked.corpus, "snapshots", "*.pickle"))
    failed = 0
    print(f"{'file kind':<10} {'mutations':>9} {'refused':>8} {'no row':>7} {'one row':>8} {'more':>5} {'most':>5}")
    with tempfile.TemporaryDirectory(prefix="ts-mutate-") as folder:
        for word, reader, files in (("traces", Traces(asked.build, folder), traces), ("snapshots", Snapshots(asked.build, folder), snapshots)):
            files = sorted(f for f in files if os.path.exists(f) and os.path.getsize(f) <= asked.most)
            costs = collections.Counter()
            for i in range(asked.n):
                path = files[i % len(files)]
                what, cost, err = reader.one(rng, path)
                costs["refused" if cost is None else cost] += 1
                if cost is None or cost > 1:
                    failed += 1
                    print(f"  {os.path.basename(path)}: {what}: {err if cost is None else f'{cost} rows differ'}", file=sys.stderr)
            refused = costs.pop("refused", 0)
            print(f"{word:<10} {asked.n:>9} {refused:>8} {costs[0]:>7} {costs[1]:>8} {sum(n for c, n in costs.items() if c > 1):>5} {max(costs, default=0):>5}")
        reader = Traces(asked.build, folder)
        read, refused, foreign = packed(reader, "t.json.gz", plain(traces[0]), rng, 100)
        print(f"gzip       100 traces cut or flipped: of {read} at least a part is read, {refused} are refused; rows of cut ones that the whole lacks: {foreign}")
        failed += foreign > 0 or refused > 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
