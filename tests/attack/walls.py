#!/usr/bin/env python3
"""What somebody gets of a project that he may not read, and what he changes of verdicts that are not his, who may push to another one.

    tests/attack/walls.py [--check] [ATTACK...]        TS_BUILD=build/release names the folder with tscope and tscoped

Each row says how many things were tried and how many got through, which has to be none, and what else was measured. --check is the test:
the same with fewer calls. No time is asserted: what a wall tells by time is printed as the chance that a hidden thing takes longer than one
that is not there (0.5 = nothing), with its 95 % interval. Exits 77 where a Python package is missing that the test group of
deploy/packages has.
"""
import json
import os
import random
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

try:
    import grpc
    import xxhash  # noqa: F401
    import zstandard  # noqa: F401
except ImportError as missing:
    print(f"skipped: no Python package {missing.name}; ./dev test installs those of the group test")
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "interop"))
import format_v1 as f  # noqa: E402
import sealed_v1  # noqa: E402
from client import ROOT, Client, refused  # noqa: E402

BUILD = os.path.abspath(os.environ.get("TS_BUILD", os.path.join(ROOT, "build", "release")))
BASELINES = 12
# The red verdict is of a step of 60 ms where that of main has 50.
USUAL, SLOW = 0.05, 0.06


class Place:
    """A server with the projects alpha and beta, and those who call it: ada maintains alpha, bob pushes to it, eve pushes to beta and rex
    reads it."""

    def __init__(self, work):
        self.work, self.socket = work, os.path.join(work, "s")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.metrics = free.getsockname()[1]
        with open(os.path.join(work, "log"), "wb") as log:
            self.server = subprocess.Popen([os.path.join(BUILD, "tscoped"), "--socket", self.socket, "--store", os.path.join(work, "store"),
                                            "--metrics-port", str(self.metrics), "--closed", "gated", "--grant", f"user:{os.getuid()} admin *", "--log-level", "warning"],
                                           stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        for _ in range(1200):
            if os.path.exists(self.socket):
                break
            if self.server.poll() is not None:
                break
            time.sleep(0.05)
        if not os.path.exists(self.socket):
            with open(os.path.join(work, "log"), encoding="utf-8") as log:
                sys.exit("no tscoped: " + log.read())
        self.address = f"unix:{self.socket}"
        self.root = Client(self.address, work)
        self.tokens = {who: self.root.MakeToken(name=who, role=role, projects=projects, lifetime_s=86400).secret
                       for who, role, projects in (("ada", "maintain", "alpha"), ("bob", "push", "alpha"), ("eve", "push", "beta"),
                                                   ("rex", "read", "beta"))}

    def by(self, who):
        return (("authorization", f"Bearer {self.tokens[who]}"),)

    def tscope(self, who, *words):
        environment = {"HOME": self.work, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TSCOPE_SERVER": self.address, "TSCOPE_PROJECT": "alpha",
                       "TSCOPE_TOKEN": self.tokens[who], **{k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}}
        return subprocess.run([os.path.join(BUILD, "tscope"), *words], env=environment, cwd=self.work, capture_output=True, timeout=300,
                              stdin=subprocess.DEVNULL)

    def write_run(self, name, step_s, seed):
        """A folder of 400 steps, of the same work on the same machine each time."""
        folder, draw, at = os.path.join(self.work, "runs", name), random.Random(seed), 1.79e9
        os.makedirs(folder)
        with open(os.path.join(folder, "steps.jsonl"), "w", encoding="utf-8") as steps:
            for step in range(400):
                at += step_s * (1 + 0.01 * draw.gauss(0, 1))
                steps.write(json.dumps({"step": step, "timestamp": at, "tokens": 1000, "scalars": {"loss": 2 - step * 0.001}}) + "\n")
        with open(os.path.join(folder, "facts.json"), "w", encoding="utf-8") as facts:
            json.dump({"code": {"commit": f"{seed:02x}" * 20}, "config": {"model": "gpt", "batch": 8}, "session": {"host": "h1"},
                       "hardware": {"gpu": {"model": "X", "count": 1}, "cpu": {"model": "Y"}}}, facts)
        return folder

    def push(self, who, name, step_s, seed, *words):
        """Whether the push was taken; one of ada, whose runs an attack is about, has to be."""
        p = self.tscope(who, "push", "-q", "-n", name, "--state", "finished", *words, self.write_run(name, step_s, seed))
        if p.returncode and who == "ada":
            sys.exit(f"ada's push of {name} failed: {p.stderr.decode()}")
        return p.returncode == 0

    def stop(self):
        self.server.terminate()
        return self.server.wait(timeout=60)


def run_around(objects, keys, values, column):
    """Adds the index and the head of a run of one column to objects; returns the ids of both."""
    def put(raw):
        objects[f.identity(raw)] = raw
        return f.identity(raw)

    records = [(struct.pack("<BBB", 2, f.STEPS, 14), [], None), (3, [keys], [struct.pack("<qqI", 0, 19, 20)]),
               (struct.pack("<BBBBH", 4, f.C_F64, 0, 0, len(column)) + column, [], None), (5, [values], [b""])]
    index = f.pack_index(0, iter(records), put)
    return put(f.frame(f.HEAD, struct.pack("<Ii", 1, 0) + struct.pack("<H", 0) + struct.pack("<I", 0), [index])), index


def small_run(seed):
    """(head, index, {id: object}) of 20 steps that nothing else has; the first two objects are the blocks of keys and values."""
    draw = random.Random(seed)
    blocks = [f.frame(f.KEYS, struct.pack("<20q", *range(20))), f.values_block(f.C_F64, [f.bits(draw.random()) for _ in range(20)])]
    objects = {f.identity(raw): raw for raw in blocks}
    return *run_around(objects, *objects, b"scalars.loss"), objects


def put_objects(place, who, objects):
    m = place.root.m
    message = m.PutObjectsRequest(objects=[sealed_v1.fill(m.SealedObject(), raw, sealed_v1.RAW) for raw in objects])
    place.root.PutObjects(iter([message]), metadata=place.by(who))


def put_run(place, who, name, seed):
    """Returns the ids of the head, of the index, and of all objects."""
    head, index, objects = small_run(seed)
    put_objects(place, who, objects.values())
    place.root.CommitRun(name=name, head=head, metadata=place.by(who))
    return head, index, list(objects)


def interval(x, y):
    """The chance that one of x is greater than one of y, and the 95 % interval of it (Hanley and McNeil, 1982)."""
    rank, at, both = {}, 0, sorted(x + y)
    while at < len(both):
        end = at
        while end < len(both) and both[end] == both[at]:
            end += 1
        rank[both[at]] = (at + 1 + end) / 2
        at = end
    n, m = len(x), len(y)
    a = (sum(rank[v] for v in x) - n * (n + 1) / 2) / (n * m)
    q1, q2 = a / (2 - a), 2 * a * a / (1 + a)
    half = 1.96 * max(0, (a * (1 - a) + (n - 1) * (q1 - a * a) + (m - 1) * (q2 - a * a)) / (n * m)) ** 0.5
    return f"{a:.3f} ({a - half:.3f} to {a + half:.3f})"


# ---- what is learnt ----

def ids(place, n):
    """eve asks for whole ids and beginnings of ids of alpha, and for as many that nobody has."""
    heads = [put_run(place, "ada", f"alpha/id{i}", 1000 + i)[0] for i in range(20)]
    draw, told, took = random.Random(5), 0, {True: [], False: []}
    for i in range(n):
        hidden = i % 2 == 0
        word = (draw.choice(heads) if hidden else draw.randbytes(32)).hex()[:draw.choice((8, 16, 64))]
        ask = draw.choice((lambda: place.root.GetRun(spec=f"id:{word}", metadata=place.by("eve")),
                           lambda: place.root.Analyze(spec=f"id:{word}", metadata=place.by("eve"))))
        began = time.perf_counter()
        status, _, text = refused(ask)
        took[hidden].append(time.perf_counter() - began)
        told += status != "not_found" or text.replace(word, "ID") != "nothing is named id:ID"
    return n, told, f"a hidden id takes longer than an absent one: {interval(took[True], took[False])}"


def grafts(place, n):
    """eve names objects of alpha: as a head, in an index of her own, in a list; and asks for them."""
    through = tried = 0
    for i in range(max(1, n // 500)):
        head, index, all_of = put_run(place, "ada", f"alpha/graft{i}", 2000 + i)
        hers = {}
        own, _ = run_around(hers, *all_of[:2], b"scalars.lost")
        put_objects(place, "eve", hers.values())
        missing = place.root.HasObjects(ids=b"".join(all_of), metadata=place.by("eve")).missing
        tried += len(all_of)
        through += len(all_of) - len(missing) // 32
        for call in (lambda: place.root.CommitRun(name="beta/stolen", head=head, metadata=place.by("eve")),
                     lambda: place.root.CommitRun(name="beta/grafted", head=own, metadata=place.by("eve")),
                     lambda: place.root.UpdateRef(kind=1, name="beta/named", target=f"id:{head.hex()}", metadata=place.by("eve")),
                     lambda: place.root.GetObjects(ids=index, metadata=place.by("eve")),
                     lambda: place.root.GetObjects(ids=index, heads=head, metadata=place.by("eve")),
                     lambda: place.root.GetObjects(ids=b"".join(all_of), heads=head, metadata=place.by("rex")),
                     lambda: place.root.Diff(a=f"id:{head.hex()}", b=f"id:{head.hex()}", metadata=place.by("rex"))):
            tried += 1
            through += refused(call)[0] == "ok"
    return tried, through, ""


def letters(place, n):
    """bob pushes runs whose names have letters that show nothing; and one that passes for another, which a list tells."""
    head, _, _ = put_run(place, "bob", "alpha/base", 3000)
    unseen = [0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x180B, 0x200B, 0x200D, 0x202E, 0x2060, 0x2066, 0x3164, 0xFE0F, 0xFEFF, 0xFFA0, 0xE0041, 0xE0100]
    through = sum(refused(lambda: place.root.CommitRun(name=f"alpha/ba{chr(c)}se", head=head, metadata=place.by("bob")))[0] == "ok" for c in unseen)
    place.root.CommitRun(name="alpha/b\u0430se", head=head, metadata=place.by("bob"))
    shown = place.tscope("ada", "list", "--names").stdout
    return len(unseen) + 1, through + (b"b\\u{0430}se" not in shown), "a letter of Cyrillic in a word of Latin is printed as \\u{0430}"


def metrics(place, n):
    """Half requests at the port for monitoring; the name of another host; who calls, asked for without a token."""
    def get(headers):
        with socket.create_connection(("127.0.0.1", place.metrics), 60) as s:
            s.sendall(f"GET /metrics HTTP/1.1\r\n{headers}Connection: close\r\n\r\n".encode())
            answer = b""
            while some := s.recv(65536):
                answer += some
        return answer

    half = []
    for _ in range(200):
        s = socket.create_connection(("127.0.0.1", place.metrics), 60)
        s.sendall(b"GET /metr")
        half.append(s)
    began = time.monotonic()
    plain = get("Host: localhost\r\n")
    took = time.monotonic() - began
    for s in half:
        s.close()
    another = get("Host: evil.example\r\n")
    through = (b" 200 " not in plain.split(b"\r\n")[0]) + (b" 200 " in another.split(b"\r\n")[0]) + (b"token:" in plain) + (b'"alpha"' in plain)
    return len(half) + 2, through, f"beside 200 half requests an answer took {1e3 * took:.0f} ms"


def revoked(place, n):
    """Uploads of a token go on while it is revoked; then it is asked with."""
    secret = place.root.MakeToken(name="mallory", role="push", projects="beta", lifetime_s=86400).secret
    by, over = (("authorization", f"Bearer {secret}"),), threading.Event()
    m = place.root.m

    def endless():
        while not over.wait(0.1):
            yield m.PutObjectsRequest()

    call = place.root.channel.stream_unary("/tscope.v1.Tscope/PutObjects", request_serializer=m.PutObjectsRequest.SerializeToString,
                                           response_deserializer=m.PutObjectsReply.FromString)
    uploads = [call.future(endless(), metadata=by, timeout=300) for _ in range(4)]
    time.sleep(1)
    place.root.RevokeToken(token="mallory")
    began = time.monotonic()
    codes = [upload.exception(timeout=200).code() for upload in uploads]
    took = time.monotonic() - began
    over.set()
    through = sum(code not in (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED) for code in codes)
    through += refused(lambda: place.root.ListRuns(metadata=by))[0] == "ok"
    return len(uploads) + 1, through, f"its uploads ended within {took:.1f} s"


# ---- what is changed ----

def verdict(place, n):
    """bob, who may push to alpha, wants the red verdict on a candidate of ada green: by notes, names, the branch and its runs."""
    for i in range(BASELINES):
        place.push("ada", f"b{i}", USUAL, i + 1, "-b", "main")
    place.push("ada", "cand", SLOW, 77)

    def gate():
        return place.tscope("ada", "gate", "cand", "--baseline", "main").returncode

    first, through, tried = gate(), 0, 0
    bob = {"authorization": place.by("bob")}
    names = [f"b{i}" for i in range(BASELINES)]
    acts = [
        lambda: [place.tscope("bob", "note", name, "bad=yes") for name in names],
        lambda: [place.tscope("bob", "note", name, "state=crashed") for name in names],
        lambda: [place.tscope("bob", "note", name, "accepted=yes") for name in ("cand", names[-1])],
        lambda: [place.tscope("bob", "rm", name) for name in names],
        lambda: [place.tscope("bob", "push", "-q", "--force", "-n", name, os.path.join(place.work, "runs", "cand")) for name in names[:3]],
        lambda: place.tscope("bob", "push", "-q", "--force", "-n", "cand", os.path.join(place.work, "runs", "b0")),
        lambda: refused(lambda: place.root.UpdateRef(kind=4, name="alpha/main", target="run:alpha/b0", force=True, metadata=bob["authorization"])),
        lambda: refused(lambda: place.root.UpdateRef(kind=4, name="alpha/main", remove=True, metadata=bob["authorization"])),
        lambda: [place.push("bob", f"slow{i}", SLOW, 100 + i, "-b", "main") for i in range(BASELINES)],
        lambda: [place.tscope("bob", "push", "-q", "-b", "main", os.path.join(place.work, "runs", name)) for name in names[:4]],
        lambda: place.push("bob", "cand-again", SLOW, 77),
    ]
    for act in acts:
        act()
        tried += 1
        through += gate() not in (1, 3, 4)
    return tried, through + (first != 4), f"the verdict's exit status was {first}, and is {gate()}"


def closed(place, n):
    """bob puts slow runs on a closed branch before ada's candidate, as slow, comes."""
    for i in range(BASELINES):
        place.push("ada", f"b{i}", USUAL, i + 1, "-b", "gated")
    through = sum(place.push("bob", f"slow{i}", SLOW, 100 + i, "-b", "gated") for i in range(BASELINES))
    place.push("ada", "cand", SLOW, 77)
    status = place.tscope("ada", "gate", "cand", "--baseline", "gated").returncode
    return BASELINES + 1, through + (status != 4), f"the verdict's exit status is {status}"


def joins(place, n):
    """bob stages ranks of a run that ada's ranks wait for."""
    through = tried = 0
    for i in range(max(2, n // 1000)):
        ada = place.write_run(f"join-a{i}", USUAL, 200 + i)
        bob = place.write_run(f"join-b{i}", SLOW, 220 + i)
        for folder, rank in ((ada, 0), (bob, 0)):
            with open(os.path.join(folder, "run.json"), "w", encoding="utf-8") as run:
                json.dump({"world_size": 2, "rank": rank}, run)
        hers = place.tscope("ada", "push", "--join", "-n", f"joined{i}", ada)
        if hers.returncode:
            sys.exit(f"ada's ranks were not taken: {hers.stderr.decode()}")
        tried += 1
        through += place.tscope("bob", "push", "--join", "-n", f"joined{i}", bob).returncode == 0
    return tried, through, ""


# ---- what others wait for ----

def reader(place, n):
    """rex asks HasObjects for 16,384 ids, six at a time, as the same user of the machine as those who push meanwhile."""
    names = iter(range(10_000, 1_000_000))

    def honest(seconds):
        took, until = [], time.monotonic() + seconds
        while time.monotonic() < until or len(took) < 20:
            number, began = next(names), time.monotonic()
            put_run(place, "bob", f"alpha/h{number}", number)
            took.append(1e3 * (time.monotonic() - began))
        took.sort()
        return len(took), took[len(took) // 2], took[-1 - len(took) // 100]

    def attacked(other, seconds):
        """The same while rex asks this server or another one, who takes the same cores."""
        folder = os.path.join(other.work, "rex")
        os.makedirs(folder)
        with subprocess.Popen([sys.executable, os.path.join(HERE, "attackers.py"), "reads", other.address, folder], text=True, stdout=subprocess.PIPE,
                              env={**os.environ, "TSCOPE_TOKEN": other.tokens["rex"]}) as attacker:
            if attacker.stdout.readline() != "attacking\n":
                attacker.kill()
                sys.exit("reader: the attack did not begin")
            found = honest(seconds)
            attacker.kill()
        return found

    alone = honest(n / 2000)
    with tempfile.TemporaryDirectory() as work:
        other = Place(work)
        elsewhere = attacked(other, n / 1000)
        other.stop()
    here = attacked(place, n / 1000)
    told = ", ".join(f"{p50:.0f} and {p99:.0f} ms {where}" for (_, p50, p99), where in ((alone, "alone"), (elsewhere, "while it asks another server"),
                                                                                  (here, "while it asks this one")))
    return 1, 0, f"p50 and p99 of pushes: {told}; p99 {here[2] / elsewhere[2]:.1f} times"


ATTACKS = {"ids": ids, "grafts": grafts, "letters": letters, "metrics": metrics, "revoked": revoked, "verdict": verdict, "closed": closed, "joins": joins, "reader": reader}


def main():
    words = sys.argv[1:]
    failed, n = [], 400 if "--check" in words else 10_000
    print(f"{'attack':10} {'tried':>7} {'through':>8}   what else was measured", flush=True)
    for name in [w for w in words if w in ATTACKS] or list(ATTACKS):
        with tempfile.TemporaryDirectory() as work:
            place = Place(work)
            try:
                tried, through, measured = ATTACKS[name](place, n)
            finally:
                code = place.stop()
        print(f"{name:10} {tried:7,} {through:8,}   {measured}", flush=True)
        if through or not tried or code:
            failed.append(name)
    if failed:
        sys.exit(f"not as docs/security.md promises: {', '.join(failed)}")


if __name__ == "__main__":
    main()
