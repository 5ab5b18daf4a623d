#!/usr/bin/env python3
"""scale.py BUILD [--pushes N] [--servers N] [--days N] [--terabytes N] [--sustain SECONDS] [--price NAME=VALUE]...: what a million pushes a day and 100
TB take of a store in PostgreSQL and S3.

First it measures on this machine what one push takes of each part (a server, the database and its log, the bucket), of a small run
and of one as trainings leave them; then it simulates a day of such pushes through the one lock of the database; then it says how much
of each part is used at the mean and at the peak of the day, what saturates first, what is to be bought and what that costs a month.
All but the measured figures are arguments or constants below, and are printed. Skipped where PostgreSQL's programs are not."""

import argparse
import heapq
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "engines"), os.path.join(HERE, "..", "fault")]
from postgres import Postgres, find, folder  # noqa: E402
from programs import Server  # noqa: E402
from s3 import SECRET, Bucket  # noqa: E402

RUNS, CLIENTS, PACKS = 40, 4, 2  # the number of the table of packs (store/kv.h)
SUSTAINERS = 16
PEAK = 4.0  # times the mean rate of the day: a company works eight hours
COMMIT_MS = 2.0  # a synchronous standby and its disk, which a database in memory does not have
LIMITS = {  # of one part, where it saturates
    "a core of a server": 0.7,  # of its time: above, queues grow
    "a core of the database": 0.7,
    "bytes/s of the log": 120e6,  # a gigabit to the standby
    "bytes/s to the bucket": 120e6,  # from one server: a gigabit
    "bytes of the database": 16e12,  # what a managed PostgreSQL may have
}
PRICES = {  # dollars a month; as a cloud's list is remembered, not looked up: to be replaced by one's own
    "S3, GB": 0.022,
    "S3, 1000 PUT": 0.005,
    "S3, 1000 GET": 0.0004,
    "database, GB on two machines": 0.23,
    "database, core and 4 GB on two machines": 116.0,
    "server, core and 4 GB": 30.0,
}
HOUR_S, DAY_S, MONTH_DAYS = 3600, 86400, 30


# ---- what one push takes ----


def write_small(path, number):
    write(path, number, 40, 4)


def write_training(path, number):
    """Two thousand steps of phases, losses and memory, the last digits of which are chance: some 100 KB of objects."""
    write(path, number, 2000, 8)


def write(path, number, steps, columns):
    os.makedirs(path)
    chance = random.Random(number)
    with open(os.path.join(path, "steps.jsonl"), "w", encoding="utf-8") as f:
        for step in range(steps):
            noise = {f"x{k}": round(math.exp(-step / 500) + chance.gauss(0, 0.01), 7) for k in range(columns)}
            f.write(json.dumps({"step": step, "phases": {"forward": round(0.1 + chance.gauss(0, 0.002), 7)}, "scalars": noise}) + "\n")


def cpu_s(pids):
    """Seconds of the processor that these processes, and the children that they have waited for, have used."""
    ticks = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii") as f:
                ticks += sum(int(x) for x in f.read().rsplit(")", 1)[1].split()[11:15])
        except OSError:
            continue
    return ticks / os.sysconf("SC_CLK_TCK")


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return [int(x) for x in f.read().split()]


class LockWatch:
    """How much of the time the one lock of all writes is held, by looking every 5 ms."""

    ASK = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND mode = 'ExclusiveLock' \\watch 0.005\n"

    def __init__(self, postgres):
        self.process = subprocess.Popen(postgres.words("psql", "-X", "-A", "-t", "-q", "-h", postgres.work, "-U", "tscope", "tscope"), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)  # fmt: skip
        self.held, self.seen = 0, 0
        self.process.stdin.write(self.ASK)
        self.process.stdin.flush()
        threading.Thread(target=self.count, daemon=True).start()

    def count(self):
        for line in self.process.stdout:
            if line.strip().isdigit():
                self.seen += 1
                self.held += int(line) > 0

    def share(self):
        self.process.kill()
        self.process.wait()
        return self.held / max(1, self.seen)


def push_all(server, runs):
    waiting, lock, failed = list(enumerate(runs)), threading.Lock(), []

    def client():
        while True:
            with lock:
                if not waiting:
                    return
                number, run = waiting.pop()
            if not server.push(run, f"run{os.path.basename(run)}"):
                failed.append(number)

    threads = [threading.Thread(target=client) for _ in range(CLIENTS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if failed:
        raise RuntimeError(f"{len(failed)} pushes fail")


class Stand:
    """A server with a store in PostgreSQL and a bucket, each of its own, and what they have used so far."""

    def __init__(self, build):
        self.work = folder()
        self.postgres, self.bucket, self.server = Postgres(find(), self.work), Bucket(), None
        try:
            self.postgres.sql("CREATE DATABASE tscope", "postgres")
            os.environ.update(AWS_ACCESS_KEY_ID="tester", AWS_SECRET_ACCESS_KEY=SECRET)
            conf = self.postgres.conf("c.conf", more=f"bucket = {self.bucket.url()}\ncache = {self.work}/cache\nbundle_mib = 1\n")
            self.own = tempfile.mkdtemp(dir=self.work)
            self.server = Server(build, "cluster:" + conf, os.path.join(self.work, "s"))
        except BaseException:
            self.end()
            raise

    def used(self):
        wal = int(self.postgres.sql("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')"))
        base = [self.postgres.process.pid, *children(self.postgres.process.pid)]
        rows, packs = held_in(self.postgres, self.bucket)
        return {
            "server s": cpu_s([self.server.process.pid]),
            "database s": cpu_s(base),
            "log bytes": wal,
            "database bytes": rows,
            "object bytes": packs,
        }

    def end(self):
        if self.server:
            self.server.process.terminate()
            self.server.process.wait()
        self.bucket.end()
        self.postgres.kill()
        shutil.rmtree(self.work, ignore_errors=True)


def measure(build, writer):
    """{what: how much of it one push takes}"""
    stand = Stand(build)
    try:
        runs = [os.path.join(stand.own, "a", str(i)) for i in range(2 * RUNS)]
        for i, run in enumerate(runs):
            writer(run, i)
        push_all(stand.server, runs[:RUNS])  # tables, caches and connections are there
        before, began, watch = stand.used(), time.monotonic(), LockWatch(stand.postgres)
        push_all(stand.server, runs[RUNS:])
        took, share, after = time.monotonic() - began, watch.share(), stand.used()
        each = {what: (after[what] - before[what]) / RUNS for what in before}
        each["lock s"] = share * took / RUNS
        return each
    finally:
        stand.end()


def held_in(postgres, bucket):
    """(bytes of the database but packs, bytes of packs): a row takes its key, its value, and some 60 bytes of the heap and the index, where its key is once more."""
    rows, packs = postgres.sql(f"SELECT coalesce(sum(2 * length(key) + length(value) + 60) FILTER (WHERE db <> {PACKS}), 0), "
                               f"coalesce(sum(length(value)) FILTER (WHERE db = {PACKS}), 0) FROM tscope.record").split("|")  # fmt: skip
    return int(rows), int(packs) + sum(bucket.ask("keys")["packs"].values())


# ---- so many a second, for some minutes ----


def sustain(build, rate, seconds):
    """Pushes small runs at a rate of the clock, whatever becomes of those before, and lists meanwhile; what a push waits until a client is free for
    it counts as its own time. Prints what clients waited for and what was used."""
    stand, pushes, lists, failed = Stand(build), [], [], []
    due, number, lock, began = [i / rate for i in range(int(rate * seconds))], 0, threading.Lock(), time.monotonic()

    def client():
        nonlocal number
        while True:
            with lock:
                mine, number = number, number + 1
            if mine >= len(due):
                return
            run = os.path.join(stand.own, str(mine))
            write_small(run, mine)
            time.sleep(max(0.0, began + due[mine] - time.monotonic()))
            done = stand.server.push(run, f"run{mine}")
            (pushes if done else failed).append(time.monotonic() - began - due[mine])
            shutil.rmtree(run)

    try:
        threads = [threading.Thread(target=client) for _ in range(SUSTAINERS)]
        before, began = stand.used(), time.monotonic()
        for t in threads:
            t.start()
        while any(t.is_alive() for t in threads):
            asked = time.monotonic()
            if stand.server.tscope("list", "--limit", "20").returncode:
                failed.append(-1)
            lists.append(time.monotonic() - asked)
            time.sleep(max(0.0, 1 - lists[-1]))
        took = time.monotonic() - began
        time.sleep(1)
        after, names = stand.used(), int(stand.postgres.sql("SELECT count(*) FROM tscope.record WHERE db = 3"))
    finally:
        stand.end()
    used = {what: after[what] - before[what] for what in before}
    print(f"\n{rate:.1f} small runs a second for {seconds} s, by {SUSTAINERS} clients beside all else on this machine: {len(pushes)} acknowledged in {took:.0f} s, {names} names in the store, "
          f"{len(failed)} calls failed")  # fmt: skip
    for what, times in (("push", sorted(pushes)), ("list", sorted(lists))):
        print(f"  {what}: {len(times)} calls, median {times[len(times) // 2] * 1000:.0f} ms, p99 {times[int(len(times) * 0.99)] * 1000:.0f} ms, longest {times[-1] * 1000:.0f} ms, with the start of tscope")
    print(f"  of a core the server used {used['server s'] / took:.2f} and the database {used['database s'] / took:.2f}; it grew by {used['database bytes'] / len(pushes) / 1024:.1f} KiB a push "
          f"beside {used['object bytes'] / len(pushes) / 1024:.1f} KiB of packs, and wrote {used['log bytes'] / len(pushes) / 1024:.0f} KiB of log; load of the machine {os.getloadavg()[0]:.1f}")  # fmt: skip


# ---- a day through the lock ----


def simulate(rate, hold_s, servers, seconds, seed=1):
    """(median, 99th of a hundred) of the seconds that a push waits for and holds the lock, at so many a second; None: the queue only grows. Each
    server writes for all that wait with it in one transaction, and servers take turns: those who came first, first."""
    chance = random.Random(seed)
    at, free, waits = 0.0, 0.0, []
    arrivals = []
    while at < seconds:
        at += chance.expovariate(rate)
        arrivals.append((at, chance.randrange(servers)))
    waiting = [[] for _ in range(servers)]
    turns, i = [], 0
    while i < len(arrivals) or turns:
        if not turns or (i < len(arrivals) and arrivals[i][0] <= max(free, turns[0][0])):
            t, s = arrivals[i]
            if not waiting[s]:
                heapq.heappush(turns, (t, s))
            waiting[s].append(t)
            i += 1
            continue
        t, s = heapq.heappop(turns)
        begin = max(free, t)
        # What is written by one transaction is longer for each push, and its commit is waited for once.
        free = begin + hold_s * len(waiting[s]) + COMMIT_MS / 1000
        waits += [free - w for w in waiting[s]]
        waiting[s] = []
        if free - t > 60:
            return None
    waits.sort()
    return waits[len(waits) // 2], waits[int(len(waits) * 0.99)]


def saturation(hold_s, servers):
    """Pushes a second above which a push in a hundred waits for more than a second."""
    low, high = 1.0, 1e5
    while high / low > 1.05:
        rate = math.sqrt(low * high)
        found = simulate(rate, hold_s, servers, min(60, 20000 / rate))
        low, high = (rate, high) if found and found[1] < 1 else (low, rate)
    return low


# ---- what that comes to ----


def report(kind, each, words, prices):
    rate, peak = words.pushes / DAY_S, words.pushes / DAY_S * PEAK
    print(f"\n{kind}: one push takes {each['server s'] * 1000:.1f} ms of a server's core, {each['database s'] * 1000:.1f} ms of the database's, holds the lock {each['lock s'] * 1000:.2f} ms, "
          f"writes {each['log bytes'] / 1024:.0f} KiB of log, keeps {each['database bytes'] / 1024:.1f} KiB in the database and {each['object bytes'] / 1024:.0f} KiB of packs")  # fmt: skip
    stored = each["object bytes"]
    days = words.terabytes * 1e12 / max(1, stored * words.pushes)
    rows = [
        (
            "cores of servers",
            rate * each["server s"],
            peak * each["server s"],
            LIMITS["a core of a server"],
            "each more server adds its own",
        ),
        (
            "cores of the database",
            rate * each["database s"],
            peak * each["database s"],
            LIMITS["a core of the database"],
            "one machine: some 32 can be had",
        ),
        (
            "MB/s of the log",
            rate * each["log bytes"] / 1e6,
            peak * each["log bytes"] / 1e6,
            LIMITS["bytes/s of the log"] / 1e6,
            "the standby's network",
        ),
        (
            "MB/s to the bucket",
            rate * stored / 1e6,
            peak * stored / 1e6,
            LIMITS["bytes/s to the bucket"] / 1e6,
            "one server's network; others add theirs",
        ),
    ]
    print(f"{'':24} {'mean':>9} {'peak':>9} {'one takes':>9} {'to buy':>7}")
    for what, mean, most, limit, why in rows:
        print(f"{what:24} {mean:9.2f} {most:9.2f} {limit:9.2f} {max(1, math.ceil(most / limit)):7}  {why}")
    # Others may have used the processors while somebody held the lock, which the first figure contains; the second one is all that the database computed.
    for how, hold in (
        ("as it was held here", each["lock s"]),
        ("if nothing but the database's processor holds it", each["database s"]),
    ):
        waits, most = simulate(peak, hold, words.servers, 120), saturation(hold, words.servers)
        said = f"waits {waits[0] * 1000:.0f} ms (p99 {waits[1] * 1000:.0f} ms)" if waits else "waits ever longer"
        print(f"the lock, {how}: a push at the peak of {peak:.1f}/s {said}; one in a hundred waits over a second from {most:.0f}/s on: "
              f"{most * DAY_S / PEAK / 1e6:.1f} M a day")  # fmt: skip
    kept = words.days * words.pushes * each["database bytes"]
    print(f"{words.terabytes} TB of packs are {days:.0f} days of such pushes; the database grows by {words.pushes * each['database bytes'] / 1e9:.1f} GB a day, {kept / 1e12:.2f} TB in {words.days} days, "
          f"and may have {LIMITS['bytes of the database'] / 1e12:.0f} TB: {LIMITS['bytes of the database'] / max(1, words.pushes * each['database bytes']):.0f} days")  # fmt: skip
    cost(each, words, prices, rows, kept)


def cost(each, words, prices, rows, kept):
    puts = words.pushes * MONTH_DAYS * each["object bytes"] / (8 << 20)
    bought = {
        "S3, GB": words.terabytes * 1000,
        "S3, 1000 PUT": puts / 1000,
        "S3, 1000 GET": puts * 10 / 1000,  # assumed: ten reads for each bundle
        "database, GB on two machines": kept / 1e9,
        "database, core and 4 GB on two machines": max(4, math.ceil(rows[1][2] / rows[1][3])),
        "server, core and 4 GB": max(3, math.ceil(rows[0][2] / rows[0][3]) + 1),
    }
    total = 0.0
    for what, n in bought.items():
        total += n * prices[what]
        print(f"  {what:42} {n:12,.1f} x {prices[what]:8.4f} = {n * prices[what]:10,.0f} dollars a month")
    print(f"  {'together':42} {'':12}   {'':8}   {total:10,.0f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--pushes", type=float, default=1e6, help="a day")
    parser.add_argument("--days", type=float, default=365, help="for which the database keeps names")
    parser.add_argument("--servers", type=int, default=3)
    parser.add_argument("--terabytes", type=float, default=100)
    parser.add_argument("--sustain", type=int, default=0, metavar="SECONDS", help="push at the mean rate of the day for so long, and print what clients wait for")
    parser.add_argument("--price", action="append", default=[], metavar="NAME=VALUE")
    words = parser.parse_args()
    prices = dict(PRICES)
    for text in words.price:
        name, _, value = text.partition("=")
        if name not in prices:
            parser.error(f"no price {name}; there are {', '.join(prices)}")
        prices[name] = float(value)
    if not find():
        print("scale: skipped: PostgreSQL's programs are not on this machine (Debian's package postgresql has them)")
        return 77
    print(
        f"{words.pushes:,.0f} pushes a day, at the peak {PEAK:.0f} times the mean; a commit waits {COMMIT_MS} ms for its disk and standby; measured on {os.cpu_count()} processors with a load of {os.getloadavg()[0]:.1f}"
    )
    for kind, writer in (("a small run", write_small), ("a training of 2,000 steps", write_training)):
        report(kind, measure(os.path.abspath(words.build), writer), words, prices)
    if words.sustain:
        sustain(os.path.abspath(words.build), words.pushes / DAY_S, words.sustain)
    return 0


if __name__ == "__main__":
    sys.exit(main())
