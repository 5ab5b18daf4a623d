#!/usr/bin/env python3
"""damage_server.py RELEASE_BUILD ROUNDS: the data file of a server is damaged while it serves (P6 of store/engine.h): pages of zeros,
of random bytes, others of the file, turned bits; or it is cut, removed, or replaced by a copy; or its lock.mdb is removed, cut or
overwritten. The server may not die; once it has said that its store is damaged it acknowledges nothing and writes nothing; when its
file has gone or became shorter, or its lock.mdb is not what it was, it acknowledges nothing from then on, and with a lock.mdb that was
cut or overwritten it still lists what was stored. What it acknowledged before it knew is not asked for, since that may lie in a damaged
page."""
import collections
import hashlib
import os
import random
import shutil
import signal
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import Server, write_run  # noqa: E402

BUILD, ROUNDS, PAGE = os.path.abspath(sys.argv[1]), int(sys.argv[2]), 4096
KINDS = ("zeros", "random", "swapped", "bits", "cut", "removed", "replaced", "unlocked", "lock cut", "lock overwritten")
SAID = ("is damaged", "was removed or replaced", "was cut or overwritten")
ASKED = [("list",), ("show", "run1"), ("log", "branch:main"), ("diff", "run0", "run1"), ("export", "run2"), ("list", "--all-projects")]


def harm(rnd, kind, data):
    size = os.path.getsize(data)
    if kind == "cut":
        os.truncate(data, rnd.randrange(2, size // PAGE) * PAGE - rnd.choice((0, 7)))
    elif kind == "removed":
        os.unlink(data)
    elif kind == "unlocked":
        os.unlink(os.path.join(os.path.dirname(data), "lock.mdb"))
    elif kind == "lock cut":
        lock = os.path.join(os.path.dirname(data), "lock.mdb")
        os.truncate(lock, rnd.choice((0, 1, PAGE, os.path.getsize(lock) - 1)))
    elif kind == "lock overwritten":
        lock = os.path.join(os.path.dirname(data), "lock.mdb")
        size = os.path.getsize(lock)
        with open(lock, "r+b") as f:
            f.write(rnd.choice((bytes(size), rnd.randbytes(size))))
    elif kind == "replaced":
        shutil.copy(data, data + ".new")
        os.rename(data + ".new", data)
    else:
        with open(data, "r+b") as f:
            for _ in range(rnd.choice((1, 1, 4, 16))):
                page, other = rnd.randrange(2, size // PAGE), rnd.randrange(2, size // PAGE)
                f.seek((page if kind != "swapped" else other) * PAGE)
                now = bytearray(f.read(PAGE))
                if kind == "bits":
                    for _ in range(8):
                        now[rnd.randrange(PAGE)] ^= 1 << rnd.randrange(8)
                f.seek(page * PAGE)
                f.write(bytes(PAGE) if kind == "zeros" else rnd.randbytes(PAGE) if kind == "random" else now)


def digest(path):
    try:
        with open(path, "rb") as f:
            return hashlib.sha256(f.read()).hexdigest()
    except FileNotFoundError:
        return None


def one(rnd, kind, top, first, counts):
    store, out = f"{top}/store", f"{top}/out"
    shutil.rmtree(store, ignore_errors=True)
    shutil.copytree(first, store)
    server, data, known, before = Server(BUILD, store, f"{top}/s"), f"{store}/data.mdb", False, None
    try:
        server.push(f"{top}/run0", "warm")
        harm(rnd, kind, data)
        gone, lock = kind in ("cut", "removed", "replaced", "unlocked"), kind.startswith("lock ")
        words = [*rnd.sample(ASKED, 3), ("note", "run1", "tone=new"), ("push", f"{top}/run5", "--name", "late"), ("gc", "--lease", "30d"), ("verify",),
                 ("push", f"{top}/run4", "--name", "later"), ("list",)]
        for w in words:
            shutil.rmtree(out, ignore_errors=True)
            done = server.tscope(*w, *([out] if w[0] == "export" else []))
            if server.process.poll() is not None:
                return f"{kind}: the server ended with {server.process.returncode} at {w}: {done.stderr}"
            writes = w[0] in ("note", "push", "gc")
            if writes and done.returncode == 0 and (known or gone or lock):
                return f"{kind}: acknowledged {w} though {'it had said that the store is damaged' if known else 'its file has gone'}"
            if lock and w == ("list",) and "run59" not in done.stdout:
                return f"{kind}: does not list what was stored: {done.stdout}{done.stderr}"
            if known and digest(data) != before:
                return f"{kind}: wrote at {w}"
            if any(what in done.stderr for what in SAID) or (w[0] == "verify" and done.returncode):
                counts["said so"] += not known
                known, before = True, digest(data)
        counts["served on, sound"] += not known
        return None
    finally:
        server.process.send_signal(signal.SIGTERM)
        if server.process.wait(timeout=60) < 0:
            counts["ended by a signal"] += 1


def main():
    rnd, counts, wrong = random.Random(34), collections.Counter(), []
    with tempfile.TemporaryDirectory(prefix="tscope-harm-") as top:
        first = f"{top}/first"
        for n in range(6):
            write_run(f"{top}/run{n}", n, steps=200)
        server = Server(BUILD, first, f"{top}/s")
        for n in range(60):
            server.tscope("push", f"{top}/run{n % 4}", "--name", f"run{n}", "--branch", "main")
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(timeout=60)
        for n in range(ROUNDS):
            bad = one(rnd, KINDS[n % len(KINDS)], top, first, counts)
            if bad:
                wrong.append(f"round {n}: {bad}")
                print(wrong[-1], flush=True)
    print(f"{ROUNDS} times the file was damaged under a server: " + ", ".join(f"{n} {what}" for what, n in counts.items()) + f", {len(wrong)} wrong")
    if wrong or counts["ended by a signal"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
