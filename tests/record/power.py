#!/usr/bin/env python3
"""Cuts the power under a recorder: at most the flush interval is lost, and nothing wrong is read: power.py BUILD [ROUNDS].

What the file held before the last fdatasync began is on the disk. Of what was written since, any page may be there or not: each round
takes some of them. The keeper is a thread here, which ends with the recorder: one of its own would flush once more."""
import random
import sys
import tempfile
import time

import drive

PAGE, FLUSH_MS, SLACK_MS = 4096, 40, 400  # the slack is for a machine that is busy


def cut(rng, synced, last):
    """Returns what a disk may hold: of each page the synced state or the last one; a page that was never synced may be zeros."""
    synced = synced + bytes(max(0, len(last) - len(synced)))
    kept = rng.random()
    pages = [last[i:i + PAGE] if rng.random() < kept else synced[i:i + PAGE] for i in range(0, len(last), PAGE)]
    return b"".join(pages)


def steps_at(d, rest):
    """Returns how many steps had ended at moments of so many seconds."""
    until, ended = time.monotonic() + rest, []
    while time.monotonic() < until:
        ended.append((time.monotonic_ns(), d.said()[0]))
        time.sleep(0.001)
    return ended


def one(build, rng, rest):
    with tempfile.TemporaryDirectory() as top:
        d = drive.Drive(build, top, 10**9, pause_us=rng.choice([1, 50, 500]), threads=rng.choice([0, 4]), flush_ms=FLUSH_MS, keeper="thread")
        d.wait(2, 2)
        ended = steps_at(d, rest)
        d.process.kill()
        killed = time.monotonic_ns()
        d.process.communicate()
        steps, _, _, last = d.said()
        age = (killed - last) / 1e6
        assert age < FLUSH_MS + SLACK_MS, f"the last flush was {age:.0f} ms ago"
        with open(d.progress + ".synced", "rb") as f:
            before = f.read()
        after = d.bytes()
        durable = drive.parse(before)[1]
        copied = max((n for at, n in ended if at < last - SLACK_MS * 10**6), default=0)
        assert set(range(copied)) <= durable, f"{copied} steps had ended {SLACK_MS} ms before the last flush, {len(durable)} were on the disk"
        lost = []
        for _ in range(5):
            parsed, seen = drive.parse(cut(rng, before, after))
            assert durable <= seen, f"{sorted(durable - seen)[:5]} were synced and are lost"
            assert max(seen) <= steps
            lost.append(steps - len(seen))
        return steps, len(durable), max(lost), age


def main():
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    rng, figures = random.Random(7), []
    for i in range(rounds):
        figures.append(one(sys.argv[1], rng, 0.6 if i % 4 == 0 else rng.random() * 0.1))
    steps, durable, lost, age = (max(f[i] for f in figures) if i > 1 else sum(f[i] for f in figures) for i in range(4))
    print(f"{5 * rounds} power cuts: {steps} steps had ended, {durable} of them were synced and all of these are read; at most {lost} of the "
          f"others lost; no wrong number; the oldest flush was {age:.0f} ms old (interval {FLUSH_MS} ms)")


if __name__ == "__main__":
    main()
