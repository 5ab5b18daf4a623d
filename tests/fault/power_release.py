#!/usr/bin/env python3
"""power_release.py RELEASE_BUILD POWERLOG_SO POINTS: power loss (P1 of store/engine.h), with the release programs as they are. tscoped runs under powerlog.so,
which logs every write and sync of data.mdb and superblock; three clients push to it and each acknowledgement goes into the same log. Then both
files are rebuilt as they could be after a power cut at a random record: what was not synced is dropped or torn at 4096 or 512 bytes (an
O_DSYNC write counts as synced once it has returned). The store must open, verify clean, and show every run acknowledged before."""
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import Pushers, Server, names_of  # noqa: E402

MAKING = 2  # the first commit makes the store: it syncs its pages, and then the page that says so. Before, nothing can be in it
HEAD = struct.Struct("<cBBxIQ")
FILES = ("data.mdb", "superblock")


def record_log(build, powerlog, work, log):
    open(log, "w").close()
    server = Server(build, os.path.join(work, "store"), os.path.join(work, "s"), env={"LD_PRELOAD": powerlog, "TS_POWERLOG": log})
    fd = os.open(log, os.O_WRONLY | os.O_APPEND)

    def acked(number, name, run):
        body = f"{name} {run}".encode()
        os.write(fd, HEAD.pack(b"A", 0, 0, len(body), 0) + body)

    pushers = Pushers(server, work, 0, 3, acked)
    time.sleep(2.5)
    pushers.stop()
    server.process.send_signal(signal.SIGTERM)
    server.process.wait(timeout=30)
    os.close(fd)


def parse(log):
    data, at, records = open(log, "rb").read(), 0, []
    while at < len(data):
        kind, flags, file, size, offset = HEAD.unpack_from(data, at)
        at += HEAD.size
        records.append((kind, flags, file, offset, data[at:at + size] if kind in b"WA" else b"", size))
        at += size if kind in b"WA" else 0
    return records


def put(image, offset, data):
    if len(image) < offset:
        image.extend(bytes(offset - len(image)))
    image[offset:offset + len(data)] = data


def torn(image, offset, data, piece, keep, rnd):
    at = 0
    while at < len(data):
        n = min(piece - (offset + at) % piece, len(data) - at)
        if rnd.random() < keep:
            put(image, offset + at, data[at:at + n])
        at += n


def main():
    build, powerlog, points = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), int(sys.argv[3])
    work, rnd = tempfile.mkdtemp(prefix="tscope-power-"), random.Random(20261120)
    try:
        log = os.path.join(work, "log")
        record_log(build, powerlog, work, log)
        records = parse(log)
        # The first ones always: there the store is being made.
        cuts = sorted([*range(1, 9)] + [rnd.randrange(1, len(records)) for _ in range(points - 8)])
        images, pending, acked, at, unmade, synced = [bytearray() for _ in FILES], [[] for _ in FILES], {}, 0, 0, 0
        for cut in cuts:
            for kind, flags, file, offset, data, _ in records[at:cut]:
                if kind == b"A":
                    name, run = data.decode().split(" ")
                    acked[name] = run
                elif kind == b"S":
                    for o, d in pending[file]:
                        put(images[file], o, d)
                    pending[file] = []
                elif kind == b"W" and flags & 1:
                    put(images[file], offset, data)
                elif kind == b"W":
                    pending[file].append((offset, data))
                elif kind == b"T":
                    del images[file][offset:]
            synced += sum(file == 0 and (kind == b"S" or kind == b"W" and flags & 1) for kind, flags, file, *_ in records[at:cut])
            at = cut
            unmade += not check(build, work, images, pending, records[cut], acked, synced >= MAKING, cut, rnd)
        print(f"{len(records)} records of {sum(r[0] == b'W' for r in records)} writes and {sum(r[0] == b'S' for r in records)} syncs; "
              f"{points} power cuts, {len(acked)} runs acknowledged, 0 missing, {points - unmade} verifies clean, {unmade} before the store was made")
        if len(acked) < 20:
            sys.exit("too few pushes were acknowledged for this to mean anything")
    finally:
        shutil.rmtree(work, ignore_errors=True)


def check(build, work, images, pending, current, acked, made, cut, rnd):
    lefts, piece, keep = [bytearray(image) for image in images], rnd.choice((4096, 512)), rnd.choice((0.0, 0.5, 0.9, 1.0))
    for left, waiting in zip(lefts, pending):
        for offset, data in waiting:
            torn(left, offset, data, piece, keep, rnd)
    if current[0] == b"W":
        torn(lefts[current[2]], current[3], current[4], 512, 0.5, rnd)
    store = os.path.join(work, "cut")
    shutil.rmtree(store, ignore_errors=True)
    os.makedirs(store)
    for name, left in zip(FILES, lefts):
        if left or name == "data.mdb":
            with open(os.path.join(store, name), "wb") as f:
                f.write(left)
    env = {**os.environ, "TSCOPE_STORE": store, "TSCOPE_SERVER": ""}

    def tscope(*words):
        return subprocess.run([os.path.join(build, "tscope"), *words], env=env, capture_output=True, text=True)

    verify = tscope("verify")
    if verify.returncode and not made:
        return False
    if verify.returncode:
        kept = tempfile.mkdtemp(prefix="tscope-power-cut-")
        shutil.copytree(store, kept, dirs_exist_ok=True)
        sys.exit(f"cut at record {cut}, kept in {kept}: verify ends with {verify.returncode}: {verify.stdout}{verify.stderr}")
    names = names_of(tscope)
    lost = [name for name, run in acked.items() if names.get(name) != run]
    if lost:
        sys.exit(f"cut at record {cut}: {len(lost)} acknowledged runs are missing, {lost[0]} first")
    return True


if __name__ == "__main__":
    main()
